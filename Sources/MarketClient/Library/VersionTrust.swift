// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketWire
import SheetCore

extension TrustSession {
    /// Compares what the market says of a version with what is signed of it. Pins the root on first use; a market that
    /// signs nothing, and of which none is pinned, is taken at its word. Where the market chose the version, it may be
    /// older than `installed` only if that was withdrawn. Answers what is signed of the version.
    @discardableResult
    func verify(
        _ version: VersionDetail, of template: TemplateSummary, inPlaceOf installed: SemanticVersion? = nil,
        _ report: @Sendable (InstallEvent) -> Void
    ) async throws -> TrustTarget? {
        guard try await isSigned(report) else { return nil }
        let name = "\(template.slug) \(version.version)"
        let target = try await signed(TargetPath.of(template.id, version.version, template.kind), version, name, report)
        guard target.info.sha256 == version.sha256, target.info.length == version.sizeBytes,
            target.custom?["slug"]?.string == template.slug
        else { throw LibraryError.notAsSigned(name: name) }
        let reason = WithdrawalReason.ending(target.custom?["reason"]?.string)
        switch target.custom?["state"]?.string {
        case "taken_down":
            throw LibraryError.takenDown(name: name, reason: reason, instead: try await replacement(named: target))
        case "yanked" where version.state != .yanked: report(.notice("\(name) was withdrawn\(reason)"))
        default: break
        }
        if let installed, version.version < installed, try await isOffered(installed, of: template) {
            throw LibraryError.olderOffered(name: template.slug, installed: installed, offered: version.version)
        }
        return target
    }

    /// Compares what the market says of a version besides its file with what is signed of that. A market of before there
    /// were signed records has none to compare with. What was edited just now is waited for.
    func verifyRecord(_ record: SignedRecord, of template: TemplateSummary, as target: TrustTarget) async throws {
        var target = target
        let end = ContinuousClock.now + Self.editingTime
        let isNew = abs(template.updatedAt.timeIntervalSinceNow) < 600
        while let signed = target.custom?[SignedRecord.member]?.string, signed != record.hash.hex {
            guard isNew, ContinuousClock.now < end else {
                throw LibraryError.notAsSigned(name: template.slug)
            }
            try await Task.sleep(for: .seconds(2))
            askAnew()
            target = try await find(target.path)
        }
    }

    /// How long after an edit what is signed may be that of before.
    private static let editingTime = Duration.seconds(10)

    /// Whether a version is signed as one that anybody may install.
    private func isOffered(_ version: SemanticVersion, of template: TemplateSummary) async throws -> Bool {
        do {
            return try await find(TargetPath.of(template.id, version, template.kind)).custom?["state"] == nil
        } catch LibraryError.untrusted(.unknownTarget) {
            return false
        }
    }

    /// How long after it came out a version may lack its signature: markets sign within half a minute.
    private static let signingTime = Duration.seconds(30)

    /// What is signed of a file. That of a version which came out just now is waited for.
    private func signed(
        _ path: String, _ version: VersionDetail, _ name: String, _ report: @Sendable (InstallEvent) -> Void
    ) async throws -> TrustTarget {
        let end = ContinuousClock.now + Self.signingTime
        let isNew = abs(version.publishedAt.timeIntervalSinceNow) < 600
        var isTold = false
        while true {
            do {
                return try await find(path)
            } catch let error as LibraryError where isNew && Self.mayPass(error) && ContinuousClock.now < end {
                if !isTold { report(.notice("\(name) is so new that it is not signed yet; this waits for it.")) }
                isTold = true
                try await Task.sleep(for: .seconds(2))
                askAnew()
            }
        }
    }

    /// Whether it is so while a market has not signed yet, for the first time or what is new.
    private static func mayPass(_ error: LibraryError) -> Bool {
        switch error {
        case .untrusted(.unknownTarget), .metadataMissing: true
        default: false
        }
    }
}
