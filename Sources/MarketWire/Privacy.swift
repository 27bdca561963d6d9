// SPDX-License-Identifier: Apache-2.0
import Foundation

/// What becomes of somebody's templates when they are erased. Those with a maintainer go to the maintainer either way.
public enum TemplatesAfterErasure: String, Sendable, Codable, Equatable, CaseIterable {
    /// No version is offered any more.
    case withdraw
    /// They stay, under a name that says nothing.
    case leave
}

/// `DELETE /me`.
public struct ErasureRequest: Sendable, Codable, Equatable {
    /// What becomes of the account's templates.
    public var templates: TemplatesAfterErasure

    public init(templates: TemplatesAfterErasure) {
        self.templates = templates
    }
}

/// A wish to be erased: the answer to `DELETE /me`, and `GET /me/erasure`.
public struct ErasureStatus: Sendable, Codable, Equatable {
    /// Until then `DELETE /me/erasure` takes it back.
    public var eraseAt: Date
    /// What becomes of the account's templates.
    public var templates: TemplatesAfterErasure

    public init(eraseAt: Date, templates: TemplatesAfterErasure) {
        self.eraseAt = eraseAt
        self.templates = templates
    }
}
