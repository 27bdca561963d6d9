// SPDX-License-Identifier: Apache-2.0

/// One event of a server-sent event stream.
struct ServerSentEvent: Equatable {
    var name: String
    var data: String
}

/// Reads `text/event-stream` (WHATWG HTML, section 9.2.6) from bytes as they come, cut anywhere.
struct EventStreamParser {
    /// The last id seen, for `Last-Event-ID`.
    private(set) var lastID: String?
    /// The wait before a reconnection that the server asked for, in milliseconds.
    private(set) var retryMilliseconds: Int?

    /// Most bytes that one line or one event may have.
    static let maximumBytes = 1 << 20

    private var line: [UInt8] = []
    private var skipLineFeed = false
    private var atStart = true
    private var name = ""
    private var data: [String] = []
    private var dataBytes = 0

    init(lastID: String? = nil, retryMilliseconds: Int? = nil) {
        self.retryMilliseconds = retryMilliseconds
        self.lastID = lastID
    }

    /// Takes bytes and gives the events they complete; throws when a line or event is too long.
    mutating func feed(_ bytes: some Sequence<UInt8>) throws -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
        for byte in bytes {
            if skipLineFeed {
                skipLineFeed = false
                if byte == 10 { continue }
            }
            guard byte == 10 || byte == 13 else {
                line.append(byte)
                if line.count > Self.maximumBytes { throw TooLong() }
                continue
            }
            skipLineFeed = byte == 13
            if let event = try end(of: line) { events.append(event) }
            line.removeAll(keepingCapacity: true)
        }
        return events
    }

    struct TooLong: Error {}

    private mutating func end(of bytes: [UInt8]) throws -> ServerSentEvent? {
        var bytes = bytes[...]
        if atStart {
            atStart = false
            if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
        }
        guard !bytes.isEmpty else { return dispatch() }
        let colon = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
        let field = String(decoding: bytes[..<colon], as: UTF8.self)
        var rest = colon < bytes.endIndex ? bytes[bytes.index(after: colon)...] : []
        if rest.first == UInt8(ascii: " ") { rest = rest.dropFirst() }
        let value = String(decoding: rest, as: UTF8.self)
        switch field {
        case "event": name = value
        case "data":
            data.append(value)
            dataBytes += rest.count + 1
            if dataBytes > Self.maximumBytes { throw TooLong() }
        case "id": if !rest.contains(0) { lastID = value }
        case "retry":
            if !rest.isEmpty, rest.allSatisfy({ (48...57).contains($0) }) { retryMilliseconds = Int(value) }
        default: break  // A comment, or a field of a later time.
        }
        return nil
    }

    private mutating func dispatch() -> ServerSentEvent? {
        defer {
            name = ""
            data = []
            dataBytes = 0
        }
        guard !data.isEmpty else { return nil }
        return ServerSentEvent(name: name.isEmpty ? "message" : name, data: data.joined(separator: "\n"))
    }
}
