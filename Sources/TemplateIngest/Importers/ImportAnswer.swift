// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire
import SheetCore

/// Takes in an importer program's lines in the agreed order. Whoever wrote the program, or the file that it reads, is a
/// stranger: nothing passes that the protocol does not allow.
struct ImportAnswer {
    /// The program said something that was not agreed; `what` is a sentence for the program's author.
    struct Violation: Error, Equatable {
        let what: String

        init(_ what: String) { self.what = what }
    }

    let request: ImportRequest
    private(set) var hello: ImportLine.Hello?
    private(set) var claims: [ImportLine.Claim] = []
    private(set) var findings: [Finding] = []
    private(set) var result: ImportLine.Result?
    private var progressLines = 0

    private static let maximumNameBytes = 64
    private static let maximumMessageBytes = 600
    private static let maximumClaims = 16

    init(request: ImportRequest) {
        self.request = request
    }

    /// Takes a line; gives progress that is to be passed on.
    mutating func take(_ bytes: [UInt8]) throws(Violation) -> ImportLine.Progress? {
        guard result == nil else { throw Violation("a line after the result") }
        let line: ImportLine
        do {
            line = try JSONDecoder().decode(ImportLine.self, from: Data(bytes))
        } catch {
            throw Violation("a line that is no message: \(FormatFailure(error))")
        }
        switch (request.request, line) {
        case (.hello, .hello(let hello)): try takeHello(hello)
        case (.recognize, .claim(let claim)): try takeClaim(claim)
        case (.import, .progress(let progress)): return try checked(progress)
        case (.import, .finding(let finding)):
            try check(finding)
            findings.append(finding)
        case (.import, .result(let result)):
            try check(result)
            self.result = result
        default: throw Violation("a line that does not answer the request '\(request.request.rawValue)'")
        }
        return nil
    }

    /// Whether what came is a whole answer.
    func checkComplete() throws(Violation) {
        switch request.request {
        case .hello:
            guard hello != nil else { throw Violation("no line 'hello'") }
        case .recognize: break
        case .import:
            guard result != nil || findings.contains(where: { $0.severity == .blocker }) else {
                throw Violation("neither a result nor a finding that says why there is none")
            }
        }
    }

    // MARK: - Lines

    private mutating func takeHello(_ hello: ImportLine.Hello) throws(Violation) {
        guard self.hello == nil else { throw Violation("a second 'hello'") }
        guard Self.isName(hello.name), SemanticVersion(hello.version) != nil,
            hello.protocolVersion == ImportProtocol.version
        else { throw Violation("a 'hello' with a malformed name or version, or of another protocol version") }
        self.hello = hello
    }

    private mutating func takeClaim(_ claim: ImportLine.Claim) throws(Violation) {
        guard claims.count < Self.maximumClaims, claim.confidence.isFinite, (0...1).contains(claim.confidence),
            claim.importer.map(Self.isName) ?? true
        else { throw Violation("a claim that makes no sense") }
        claims.append(claim)
    }

    private mutating func checked(_ progress: ImportLine.Progress) throws(Violation) -> ImportLine.Progress {
        progressLines += 1
        guard progressLines <= request.limits.progressLines, progress.fraction.isFinite,
            (0...1).contains(progress.fraction)
        else { throw Violation("progress that makes no sense, or too much of it") }
        guard progress.step.map({ $0.utf8.count <= 200 && PlainText.isPlain($0) }) ?? true else {
            throw Violation("a step that cannot be shown")
        }
        return progress
    }

    private func check(_ finding: Finding) throws(Violation) {
        guard findings.count < request.limits.findings else { throw Violation("too many findings") }
        let code = finding.code.rawValue.utf8
        guard (1...40).contains(code.count), code.allSatisfy({ (97...122).contains($0) || $0 == 95 }) else {
            throw Violation("a finding with a malformed code")
        }
        guard (1...Self.maximumMessageBytes).contains(finding.message.utf8.count), PlainText.isPlain(finding.message),
            finding.page.map({ (0..<10_000).contains($0) }) ?? true
        else { throw Violation("a finding with a malformed message or page") }
    }

    private func check(_ result: ImportLine.Result) throws(Violation) {
        guard TemplateKind.known.contains(result.kind) else { throw Violation("a kind that is not known here") }
        guard result.artifact.mediaType == result.kind.mediaType else {
            throw Violation(
                "an artifact of media type '\(PlainText.cleaned(result.artifact.mediaType, most: 40))' "
                    + "where '\(result.kind.mediaType)' belongs")
        }
        guard result.fileName.map({ $0.utf8.count <= 1024 && PlainText.isPlain($0) }) ?? true else {
            throw Violation("a file name that cannot be shown")
        }
        let regions = result.regions ?? []
        guard regions.count <= request.limits.regions, regions.isEmpty || result.kind.hasPages else {
            throw Violation("too many regions, or regions of a kind without pages")
        }
        var ids: Set<String> = []
        for region in regions {
            try check(region)
            guard ids.insert(region.id).inserted else { throw Violation("two regions with one id") }
        }
        if let outline = result.outline {
            guard outline.isWithinLimits else { throw Violation("an outline that keeps to no limits") }
        }
        if let preset = result.preset { try check(preset, of: result.kind) }
        guard let metadata = result.metadata else { return }
        // Cleaned when it is used; here only what could harm by its size.
        let texts = [
            metadata.name, metadata.summary, metadata.description, metadata.gameSystem, metadata.license,
            metadata.language, metadata.version, metadata.changelog,
        ]
        guard texts.allSatisfy({ ($0?.utf8.count ?? 0) <= 200_000 }), (metadata.tags?.count ?? 0) <= 1000 else {
            throw Violation("metadata of absurd size")
        }
    }

    private func check(_ preset: RegionPreset, of kind: TemplateKind) throws(Violation) {
        guard kind == .regionPreset else { throw Violation("a preset in a result of another kind") }
        do {
            try preset.check()
        } catch {
            throw Violation("a preset that breaks its format's rules")
        }
    }

    private func check(_ region: ZoomRegion) throws(Violation) {
        guard region.rect.isValid, (0..<10_000).contains(region.pageIndex), region.scale.isFinite,
            ZoomRegion.scales.contains(region.scale), region.confidence.isFinite, (0...1).contains(region.confidence)
        else { throw Violation("a region with impossible numbers") }
        guard !region.name.isEmpty, region.name.count <= ZoomRegion.maximumNameLength,
            region.name.utf8.count <= 8 * ZoomRegion.maximumNameLength, PlainText.isPlain(region.name),
            Slug(region.id) != nil
        else { throw Violation("a region with a malformed name or id") }
    }

    private static func isName(_ text: String) -> Bool {
        text.utf8.count <= maximumNameBytes && Slug(text) != nil
    }
}
