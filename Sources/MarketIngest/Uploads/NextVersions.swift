// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// What a next version may be called: by Semantic Versioning, counted on from the latest.
package struct NextVersions: Equatable, Sendable {
    /// The greatest number that is published or on its way; `nil` for none.
    package let latest: SemanticVersion?
    /// The number of an upload that moderators want changed: sent again, it can be the same.
    package let asked: SemanticVersion?

    init(after numbers: [(version: SemanticVersion, isTaken: Bool)]) {
        let latest = numbers.filter(\.isTaken).map(\.version).max()
        self.latest = latest
        asked = numbers.filter { !$0.isTaken }.map(\.version).max().flatMap { asked in
            latest.map { asked > $0 } ?? true ? asked : nil
        }
    }

    /// A correction. What follows a pre-release is the release that it was for.
    package var patch: SemanticVersion? {
        latest.map { $0.isPrerelease ? SemanticVersion($0.major, $0.minor, $0.patch) : Self.next($0, patch: true) }
    }
    /// Something new.
    package var minor: SemanticVersion? { latest.map { Self.next($0, patch: false) } }
    /// What no longer fits what was there.
    package var major: SemanticVersion? {
        latest.map { SemanticVersion($0.major < .max ? $0.major + 1 : $0.major, 0, 0) }
    }

    private static func next(_ version: SemanticVersion, patch: Bool) -> SemanticVersion {
        // Numbers at the end of what can be counted stay: the author then writes another.
        patch
            ? SemanticVersion(version.major, version.minor, version.patch < .max ? version.patch + 1 : version.patch)
            : SemanticVersion(version.major, version.minor < .max ? version.minor + 1 : version.minor, 0)
    }
}
