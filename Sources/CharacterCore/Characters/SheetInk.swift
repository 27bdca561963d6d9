// SPDX-License-Identifier: Apache-2.0
import SheetCore
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The strokes of a sheet, in files of drawings beside its own: in the JSON only their numbers stand, `{"ink": 17}`. So a
/// sheet is a tenth as large, and read and written in a fraction of the time. Without one of these a sheet's JSON holds
/// them itself. docs/formats.md has both, "A character's state".
public final class SheetInk: Sendable {
    /// Gives a file by its hash, intact, or throws.
    public typealias Source = @Sendable (ContentHash) throws -> Data

    static let key = CodingUserInfoKey(rawValue: "SheetInk")
    /// Where a file ends: what is drawn next changes the last one alone.
    private static let pointsPerFile = 131_072
    private static let strokesPerFile = 8192
    /// Of all files. Strokes beyond stay in the JSON.
    static let most = DrawingBudget(points: 20_000_000, elements: 2_000_000, textBytes: 512 << 20)

    private struct State {
        var strokes: [PageElement] = []
        /// Where versions of an element are among them.
        var places: [EditID: [Int]] = [:]
        var left = SheetInk.most
        var files: [ContentHash: Data] = [:]
        var failure: (any Error)?
    }

    private let state = Mutex(State())
    private let source: Source?

    /// For writing: has the files when a sheet was written.
    public init() { source = nil }

    /// For reading, with what gives the files that a sheet names.
    public init(_ source: @escaping Source) { self.source = source }

    /// The files that were written or read.
    public var files: [ContentHash: Data] { state.withLock(\.files) }

    /// What the source threw, if it was that which failed.
    public var failure: (any Error)? { state.withLock(\.failure) }

    /// A value's JSON, with the strokes within it in `files`.
    public func encode(_ value: some Encodable) throws -> Data {
        let encoder = SheetJSON.encoder()
        if let key = Self.key { encoder.userInfo[key] = self }
        return try encoder.encode(value)
    }

    // MARK: - For coders

    static func of(_ userInfo: [CodingUserInfoKey: Any]) -> SheetInk? {
        key.flatMap { userInfo[$0] as? SheetInk }
    }

    /// The number of a stroke, the same for equal ones; `nil` of what only JSON can carry.
    func number(of element: PageElement) -> Int? {
        guard case .stroke(let stroke) = element.content, element.unknown.isEmpty, stroke.unknown.isEmpty,
            stroke.points.count <= Self.pointsPerFile
        else { return nil }
        return state.withLock { state in
            let known = state.places[element.id] ?? []
            if let number = known.first(where: { state.strokes[$0] == element }) { return number }
            // Each block names its layers and tools: at most so many bytes of JSON for each stroke.
            let text = 256 + 6 * (element.layer.utf8.count + stroke.tool.rawValue.utf8.count)
            let left = state.left
            guard left.elements > 0, left.points >= stroke.points.count, left.textBytes >= text, text < 1 << 12 else {
                return nil
            }
            state.left.elements -= 1
            state.left.points -= stroke.points.count
            state.left.textBytes -= text
            state.strokes.append(element)
            state.places[element.id] = known + [state.strokes.count - 1]
            return state.strokes.count - 1
        }
    }

    /// The stroke of a number, among those read.
    func stroke(_ number: Int) -> PageElement? {
        state.withLock { $0.strokes.indices.contains(number) ? $0.strokes[number] : nil }
    }

    /// Writes what was numbered: hashes of the files, in their order.
    func write() throws -> [ContentHash] {
        try state.withLock { state in
            var hashes: [ContentHash] = []
            var start = 0
            while start < state.strokes.count {
                var (end, points) = (start, 0)
                repeat {
                    if case .stroke(let stroke) = state.strokes[end].content { points += stroke.points.count }
                    end += 1
                } while end < state.strokes.count && end - start < Self.strokesPerFile && points < Self.pointsPerFile
                let data = try DrawingFile.write(elements: state.strokes[start..<end])
                hashes.append(ContentHash(hashing: data))
                state.files[ContentHash(hashing: data)] = data
                start = end
            }
            return hashes
        }
    }

    /// Reads the files that a sheet names, so that its strokes are known by their numbers.
    func read(_ hashes: [ContentHash]) throws {
        guard let source else { throw FormatFailure("/ink", "The strokes are in files, and nobody says where.") }
        try state.withLock { state in
            for hash in hashes {
                let data: Data
                do { data = try source(hash) } catch {
                    state.failure = error
                    throw error
                }
                state.files[hash] = data
                do { state.strokes += try DrawingFile.elements(data, within: &state.left) } catch {
                    throw FormatFailure("/ink", "\(hash): \(error)")
                }
            }
        }
    }
}
