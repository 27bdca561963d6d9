// SPDX-License-Identifier: Apache-2.0
import MarketWire
import SheetCore

extension TrustSession {
    /// What is signed of the installed versions. Nothing of those that nobody signs, and where no root is pinned.
    func signed(_ records: [LibraryRecord]) async throws -> [TemplateID: TrustTarget] {
        var paths: [String: TemplateID] = [:]
        for record in records {
            guard let version = record.installed?.version else { continue }
            paths[TargetPath.of(record.template.id, version, record.template.kind)] = record.template.id
        }
        var signed: [TemplateID: TrustTarget] = [:]
        for target in try await targets(of: Array(paths.keys)) {
            if let id = paths[target.path] { signed[id] = target }
        }
        return signed
    }
}

extension TrustTarget {
    /// Where the version stands, if it was withdrawn.
    private var withdrawn: VersionState? {
        let state = custom?["state"]?.string.flatMap(VersionState.init(rawValue:))
        return state == .published ? nil : state
    }

    /// Whether it is still what is installed, and on offer, and the library knows it as that.
    func hasNothingToTell(of record: LibraryRecord) -> Bool {
        withdrawn == nil && info.sha256 == record.installed?.sha256
            && record.current?.detail.state ?? .published == .published
    }

    /// What is to be told of an installed version of which somebody says `answer`, or nothing: what is signed counts, so
    /// that nobody can hide a withdrawal. One that only the market itself tells of may not be signed yet; a mirror's is
    /// made up.
    func entry(
        of record: LibraryRecord, _ answer: UpdateReport.Entry?, fromMirror isMirror: Bool
    ) -> UpdateReport.Entry {
        var entry = answer ?? blank(of: record)
        entry.genuine = info.sha256 == record.installed?.sha256
        let isAhead = withdrawn == nil || withdrawn == .yanked && entry.state == .takenDown
        guard isMirror || !isAhead else { return entry }
        entry.state = withdrawn ?? .published
        entry.reason = custom?["reason"]?.string
        entry.reasonCode = custom?["code"]?.string
        return entry
    }

    private func blank(of record: LibraryRecord) -> UpdateReport.Entry {
        .init(
            templateId: record.template.id, state: .published, genuine: true, newer: nil, slug: record.template.slug)
    }
}
