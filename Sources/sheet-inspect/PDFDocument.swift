// SPDX-License-Identifier: Apache-2.0
import Glibc
import PDFObjects
import SheetLayout

/// Address space ran out; the process cannot be trusted to go on.
struct OutOfMemory: Error {}

/// A PDF held open by poppler's core.
final class PDFDocument {
    let handle: OpaquePointer

    /// Why a document could not be opened.
    enum Refusal {
        case encrypted
        case damaged
    }

    private init(handle: OpaquePointer) {
        self.handle = handle
    }

    deinit {
        pdf_close(handle)
    }

    /// `bytes` must outlive the document.
    static func open(_ bytes: UnsafeRawBufferPointer) throws -> Result<PDFDocument, OpenFailure> {
        var status = pdf_ok
        let handle = pdf_open(bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int64(bytes.count), &status)
        if let handle { return .success(PDFDocument(handle: handle)) }
        if status == pdf_no_memory { throw OutOfMemory() }
        return .failure(OpenFailure(reason: status == pdf_encrypted ? .encrypted : .damaged))
    }

    struct OpenFailure: Error {
        let reason: Refusal
    }

    /// The last page took too long, and was read in part only.
    var isExhausted: Bool { pdf_is_exhausted(handle) }

    var pageCount: Int { Int(pdf_page_count(handle)) }

    /// What the root of the page tree claims, if it does.
    var declaredPageCount: Int? {
        let count = pdf_declared_page_count(handle)
        return count < 0 ? nil : Int(count)
    }

    func survey(_ bounds: pdf_survey_bounds) throws -> pdf_survey? {
        var bounds = bounds
        var result = pdf_survey()
        return try Self.completed(pdf_survey_objects(handle, &bounds, &result)) ? result : nil
    }

    func size(ofPage index: Int) throws -> pdf_page_size? {
        var size = pdf_page_size()
        return try Self.completed(pdf_get_page_size(handle, Int32(index), &size)) ? size : nil
    }

    /// Height of the grey picture that regions are looked for on, in pixels.
    private static let inkHeight = 800

    /// What is on a page, in points of the displayed page whose size this is, and its ink where regions are wanted. What takes
    /// more than so many seconds of the processor to show is read in part (`isExhausted`).
    func read(
        page index: Int, _ size: pdf_page_size, wantsRegions: Bool, seconds: Double = 0
    ) throws -> (PageContent, ink: PagePixels?)? {
        var bounds = pdf_page_bounds()
        bounds.seconds = seconds
        bounds.words = 100_000
        bounds.shapes = 60_000
        bounds.text_bytes = 4 << 20
        bounds.wants_shapes = wantsRegions
        let (width, height) = (size.width / size.user_unit, size.height / size.user_unit)
        let ink = wantsRegions ? Self.inkSize(width: width, height: height) : nil
        (bounds.ink_width, bounds.ink_height) = (Int32(ink?.width ?? 0), Int32(ink?.height ?? 0))
        var page: OpaquePointer?
        guard try Self.completed(pdf_read_page(handle, Int32(index), &bounds, &page)), let page else { return nil }
        defer { pdf_page_free(page) }
        var content = PageContent(page)
        content.width = width
        content.height = height
        guard let ink, let pixels = pdf_page_take_ink(page) else { return (content, nil) }
        return (content, PagePixels(width: ink.width, height: ink.height, channels: 1, start: pixels))
    }

    /// The size of the grey picture that regions of a page are looked for on; its sides in points.
    private static func inkSize(width: Double, height: Double) -> (width: Int, height: Int) {
        let scale = min(Double(inkHeight) / height, 2 * Double(inkHeight) / width)
        return (max(1, Int((width * scale).rounded())), max(1, Int((height * scale).rounded())))
    }

    /// A picture of a page, row by row.
    func draw(page index: Int, width: Int, height: Int, as coloring: pdf_coloring) throws -> PagePixels? {
        var pixels: UnsafeMutablePointer<UInt8>?
        let status = pdf_draw_page(handle, Int32(index), Int32(width), Int32(height), coloring, &pixels)
        guard try Self.completed(status), let pixels else { return nil }
        return PagePixels(width: width, height: height, channels: coloring == pdf_colors ? 3 : 1, start: pixels)
    }

    static func completed(_ status: pdf_status) throws -> Bool {
        if status == pdf_no_memory { throw OutOfMemory() }
        return status == pdf_ok
    }
}

/// The pixels of a drawn page.
final class PagePixels {
    let width: Int
    let height: Int
    let channels: Int
    let bytes: UnsafeBufferPointer<UInt8>
    private let start: UnsafeMutablePointer<UInt8>

    /// Takes over memory that came from `malloc`.
    init(width: Int, height: Int, channels: Int, start: UnsafeMutablePointer<UInt8>) {
        self.width = width
        self.height = height
        self.channels = channels
        self.start = start
        bytes = UnsafeBufferPointer(start: start, count: width * height * channels)
    }

    deinit {
        free(start)
    }

    /// Whether every pixel is the same.
    var isBlank: Bool {
        guard let first = bytes.baseAddress, bytes.count > 1 else { return true }
        return memcmp(first, first + 1, bytes.count - 1) == 0
    }
}

extension PageContent {
    fileprivate init(_ page: OpaquePointer) {
        var count = 0
        var length = 0
        let text = pdf_page_text(page, &length)
        let letters = UnsafeRawBufferPointer(start: text, count: length)
        self.init()
        let words = pdf_page_words(page, &count)
        self.words = UnsafeBufferPointer(start: words, count: count).map { Word($0, in: letters) }
        let shapes = pdf_page_shapes(page, &count)
        self.shapes = UnsafeBufferPointer(start: shapes, count: count).map(Shape.init)
        let images = pdf_page_images(page, &count)
        self.images = UnsafeBufferPointer(start: images, count: count).map(Box.init)
        let fields = pdf_page_fields(page, &count)
        self.fields = UnsafeBufferPointer(start: fields, count: count).map(Box.init)
        isCutShort = pdf_page_cut_short(page)
    }
}

extension Word {
    fileprivate init(_ word: pdf_word, in letters: UnsafeRawBufferPointer) {
        let start = Int(word.text_offset)
        let raw = String(decoding: letters[start..<start + Int(word.text_length)], as: UTF8.self)
        self.init(
            text: raw,
            box: Box(
                left: Double(word.x0),
                top: Double(word.y0),
                right: Double(word.x1),
                bottom: Double(word.y1)
            ),
            fontSize: Double(word.font_size),
            luminance: 0.299 * Double(word.red) + 0.587 * Double(word.green) + 0.114 * Double(word.blue),
            block: Int(word.block),
            line: Int(word.line),
            turns: Int(word.turns),
            isBold: word.bold,
            isItalic: word.italic,
            hasSpaceAfter: word.space_after
        )
    }
}

extension Shape {
    fileprivate init(_ shape: pdf_shape) {
        self.init(
            box: Box(
                left: Double(shape.x0),
                top: Double(shape.y0),
                right: Double(shape.x1),
                bottom: Double(shape.y1)
            ),
            lineWidth: Double(shape.line_width),
            luminance: Double(shape.luminance),
            isFilled: shape.filled,
            isStraight: shape.straight,
            segments: Int(shape.segments)
        )
    }
}

extension Box {
    fileprivate init(_ box: pdf_box) {
        self.init(left: Double(box.x0), top: Double(box.y0), right: Double(box.x1), bottom: Double(box.y1))
    }
}
