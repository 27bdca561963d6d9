// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire
import SheetCore

/// Takes in a reader's frames in the agreed order: progress, the report, pictures, looks, the clean copy, the end.
struct ReaderAnswer {
    /// The reader said something that was not agreed.
    struct Violation: Error {
        let what: String
    }

    /// What is passed on to the caller.
    enum News {
        case progress(ReadingProgress)
        case preview(PagePreview)
    }

    private let request: ReaderRequest
    private let identity: FileIdentity
    private(set) var report: CheckedReport?
    private(set) var looks: [PageLook] = []
    private(set) var cleaning: CleaningReport?
    private(set) var copy: [UInt8]?
    private(set) var difference: DrawnDifference?
    private(set) var portraits: [DrawnPortrait] = []
    private(set) var portraitRefusal: PortraitRefusal?
    private(set) var isComplete = false
    private var drawn: Set<[Int]> = []
    private var progressFrames = 0

    /// Largest picture, in bytes.
    private static let maximumPictureBytes = 8 << 20
    /// Largest account of a cleaning, in bytes.
    private static let maximumCleaningBytes = 64 << 10

    init(request: ReaderRequest, identity: FileIdentity) {
        self.request = request
        self.identity = identity
    }

    /// Whether what was asked for is there.
    var hasResult: Bool {
        if let wish = request.portrait { return portraitRefusal != nil || portraits.count == wish.sides.count }
        return request.difference == nil ? report != nil : difference != nil
    }

    /// Whether a report is what was asked for.
    private var wantsReport: Bool { request.difference == nil && request.portrait == nil }

    mutating func take(_ frame: ReaderFrame, _ payload: [UInt8]) throws(Violation) -> News? {
        guard !isComplete else { throw Violation(what: "a frame after the end") }
        switch frame.kind {
        case .ready: throw Violation(what: "a greeting in the middle")
        case .progress: return try takeProgress(frame)
        case .report:
            try takeReport(payload)
            return nil
        case .preview: return try takePicture(frame, payload)
        case .look:
            try takeLook(frame, payload)
            return nil
        case .cleaning:
            try takeCleaning(payload)
            return nil
        case .cleaned:
            try takeCopy(payload)
            return nil
        case .difference:
            try takeDifference(frame, payload)
            return nil
        case .portrait:
            try takePortrait(frame, payload)
            return nil
        case .portraitRefused:
            try takeRefusal(payload)
            return nil
        case .overlay: throw Violation(what: "a frame that was not asked for")
        case .end:
            isComplete = true
            return nil
        }
    }

    private mutating func takeProgress(_ frame: ReaderFrame) throws(Violation) -> News {
        progressFrames += 1
        guard wantsReport, report == nil, let page = frame.page, let count = frame.pageCount, page >= 0,
            page < count,
            count <= request.limits.pages, progressFrames <= request.limits.pages
        else { throw Violation(what: "progress that makes no sense") }
        return .progress(ReadingProgress(stage: .reading, pagesDone: page + 1, pageCount: count))
    }

    private mutating func takeReport(_ payload: [UInt8]) throws(Violation) {
        guard wantsReport, report == nil,
            let claimed = try? JSONDecoder().decode(ReaderReport.self, from: Data(payload))
        else {
            throw Violation(what: "a report that cannot be read")
        }
        do {
            report = try ReportCheck(limits: request.limits, identity: identity).check(claimed)
        } catch {
            throw Violation(what: error.what)
        }
    }

    private mutating func takePicture(_ frame: ReaderFrame, _ payload: [UInt8]) throws(Violation) -> News {
        guard let pages = report?.value.pages, let page = frame.page, let width = frame.width,
            let height = frame.height, let size = pages.first(where: { $0.index == page })
        else { throw Violation(what: "a picture of no page") }
        guard let wanted = nextWidth(ofPage: page), (1...max(wanted, 1)).contains(width), height > 0,
            payload.count <= Self.maximumPictureBytes,
            abs(Double(height) - Double(width) * size.height / size.width) <= 1 + size.height / size.width
        else { throw Violation(what: "a picture of a wrong size") }
        guard Self.isWebP(payload) else { throw Violation(what: "a picture that is no WebP") }
        drawn.insert([page, wanted])
        return .preview(PagePreview(page: page, requestedWidth: wanted, width: width, height: height, webp: payload))
    }

    private mutating func takeLook(_ frame: ReaderFrame, _ payload: [UInt8]) throws(Violation) {
        guard request.wantsProof, cleaning == nil, let pages = report?.value.pages, let page = frame.page,
            pages.contains(where: { $0.index == page }), page > looks.last?.page ?? -1,
            looks.count < CopyProof.maximumPages, let width = frame.width, let height = frame.height,
            let look = PageLook(page: page, width: width, height: height, grey: payload)
        else { throw Violation(what: "a look that makes no sense") }
        looks.append(look)
    }

    private mutating func takeCleaning(_ payload: [UInt8]) throws(Violation) {
        guard request.clean, report != nil, cleaning == nil, payload.count <= Self.maximumCleaningBytes,
            let claimed = try? JSONDecoder().decode(CleaningReport.self, from: Data(payload)), claimed.isPlausible
        else { throw Violation(what: "an account of cleaning that makes no sense") }
        cleaning = claimed
    }

    private mutating func takeCopy(_ payload: [UInt8]) throws(Violation) {
        guard let cleaning, cleaning.failure == nil, copy == nil, payload.count <= request.limits.fileBytes,
            payload.starts(with: Array("%PDF-".utf8))
        else { throw Violation(what: "a clean copy that makes no sense") }
        copy = payload
    }

    private mutating func takeDifference(_ frame: ReaderFrame, _ payload: [UInt8]) throws(Violation) {
        guard request.difference != nil, difference == nil, let width = frame.width, let height = frame.height,
            (1...PageDifference.maximumSide).contains(width), (1...PageDifference.maximumSide).contains(height),
            width * height <= PageDifference.maximumPixels, payload.count <= Self.maximumPictureBytes,
            Self.isWebP(payload)
        else { throw Violation(what: "a picture of differences that makes no sense") }
        difference = DrawnDifference(width: width, height: height, webp: payload)
    }

    private mutating func takePortrait(_ frame: ReaderFrame, _ payload: [UInt8]) throws(Violation) {
        guard let sides = request.portrait?.sides, portraitRefusal == nil, portraits.count < sides.count,
            frame.width == sides[portraits.count], frame.height == frame.width,
            payload.count <= Self.maximumPictureBytes, Self.isWebP(payload)
        else { throw Violation(what: "a portrait that makes no sense") }
        portraits.append(DrawnPortrait(side: sides[portraits.count], webp: payload))
    }

    private mutating func takeRefusal(_ payload: [UInt8]) throws(Violation) {
        guard request.portrait != nil, portraits.isEmpty, portraitRefusal == nil,
            let refusal = PortraitRefusal(rawValue: String(decoding: payload.prefix(64), as: UTF8.self))
        else { throw Violation(what: "a refusal that makes no sense") }
        portraitRefusal = refusal
    }

    /// Pictures of a page come in the order of the request.
    private func nextWidth(ofPage page: Int) -> Int? {
        request.previewWidths.first { !drawn.contains([page, $0]) }
    }

    private static func isWebP(_ bytes: [UInt8]) -> Bool {
        bytes.count >= 20 && bytes.starts(with: Array("RIFF".utf8)) && bytes[8..<12].elementsEqual("WEBP".utf8)
    }

    /// A page that nothing could be drawn of does not pass.
    func withUndrawnPages(_ report: CheckedReport) -> CheckedReport {
        let missing = report.value.pages.first { page in
            request.previewWidths.contains { !drawn.contains([page.index, $0]) }
        }
        guard let missing else { return report }
        return report.adding(
            Finding(
                .malformed,
                .blocker,
                page: missing.index,
                message: "Page \(missing.index + 1) could not be drawn."
            )
        )
    }
}
