// SPDX-License-Identifier: Apache-2.0

extension Entity {
    public enum Sanction {}
    public enum CopyrightNotice {}
}

/// What a moderator imposed on somebody.
public typealias SanctionID = Identifier<Entity.Sanction>
/// Somebody's notice that their copyright is infringed.
public typealias CopyrightNoticeID = Identifier<Entity.CopyrightNotice>
