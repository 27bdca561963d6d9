// SPDX-License-Identifier: Apache-2.0

extension Entity {
    public enum Sanction {}
    public enum CopyrightNotice {}
    public enum MemberCollection {}
    public enum GameProposal {}
}

/// What a moderator imposed on somebody.
public typealias SanctionID = Identifier<Entity.Sanction>
/// Somebody's notice that their copyright is infringed.
public typealias CopyrightNoticeID = Identifier<Entity.CopyrightNotice>
/// A collection that somebody made of sheets.
public typealias MemberCollectionID = Identifier<Entity.MemberCollection>
/// Somebody's wish that a game be added.
public typealias GameProposalID = Identifier<Entity.GameProposal>
