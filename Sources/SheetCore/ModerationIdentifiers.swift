// SPDX-License-Identifier: Apache-2.0

extension Entity {
    /// Stands for a sanction in the type of its identifier.
    public enum Sanction {}
    /// Stands for a copyright notice in the type of its identifier.
    public enum CopyrightNotice {}
    /// Stands for a member's collection in the type of its identifier.
    public enum MemberCollection {}
    /// Stands for a proposed game system in the type of its identifier.
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
