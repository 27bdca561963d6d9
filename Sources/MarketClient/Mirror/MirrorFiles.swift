// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes

/// Reads the files of a mirror, whole or from a byte on.
struct MirrorFiles: Sendable {
    let address: MirrorAddress
    let http: any HTTPTransport

    /// What goes along to a web server: no token, whatever the caller has.
    private static let passedOn: [HTTPField.Name] = [.accept, .acceptEncoding, .range, .ifRange, .userAgent]
    private static let pieceBytes = 256 << 10

    /// The answer with a file's bytes; `404` where there is none. `path` is of plain parts.
    func open(
        _ path: String, headers: HTTPFields = [:], timeout: Duration = .seconds(30)
    ) async throws -> TransportResponse {
        switch address {
        case .folder(let folder): return try openLocal("\(folder)/\(path)", in: folder, range: headers[.range])
        case .web(let server):
            guard let url = URL(string: "\(server)/\(path)") else { return Self.missing }
            var request = TransportRequest(method: .get, url: url, timeout: timeout)
            for name in Self.passedOn { request.headers[name] = headers[name] }
            let response: TransportResponse
            do {
                response = try await http.send(request)
            } catch {
                throw named(error)
            }
            guard !(300..<400).contains(response.status) || response.status == 304 else {
                throw MarketClientError.unreachable(
                    server: address.description, reason: "it redirects; name the address that it leads to")
            }
            return TransportResponse(
                // Whoever may not have a file there is told nothing else than where there is none.
                status: response.status == 403 ? 404 : response.status, reason: response.reason,
                headers: response.headers, body: Self.stream(response.body, named))
        }
    }

    /// A small file's bytes; `nil` where there is none.
    func bytes(_ path: String, upTo limit: Int) async throws -> Data? {
        let response = try await open(path)
        guard response.status != 404 else { return nil }
        guard response.status == 200 else { throw MarketClientError.status(response.status, response.reason) }
        var bytes = Data()
        for try await piece in response.body {
            guard bytes.count + piece.count <= limit else {
                throw MarketClientError.unreadableAnswer("\(path) of \(address) is larger than \(limit) bytes")
            }
            bytes.append(piece)
        }
        return bytes
    }

    private static let missing = TransportResponse(status: 404, body: ByteStream(Data()))

    /// Names the mirror in what the transport threw.
    private func named(_ error: any Error) -> any Error {
        switch error as? HTTPTransportError {
        case .timedOut?: MarketClientError.timedOut(server: address.description)
        case .unreachable(let reason)?: MarketClientError.unreachable(server: address.description, reason: reason)
        case nil: error
        }
    }

    private static func stream(
        _ body: ByteStream, _ named: @escaping @Sendable (any Error) -> any Error
    ) -> ByteStream {
        ByteStream {
            var pieces = body.makeAsyncIterator()
            return {
                do {
                    return try await pieces.next()
                } catch {
                    throw named(error)
                }
            }
        }
    }

    // MARK: - On disk

    private func openLocal(_ path: String, in folder: String, range: String?) throws -> TransportResponse {
        // What is not there has no attributes.
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard attributes?[.type] as? FileAttributeType == .typeRegular, let size = attributes?[.size] as? NSNumber,
            let file = FileHandle(forReadingAtPath: path)
        else {
            // A stick that was pulled out is no mirror that lacks a file.
            guard FileManager.default.fileExists(atPath: "\(folder)/trust") else {
                throw MarketClientError.unreachable(server: folder, reason: "there is no mirror in it")
            }
            return Self.missing
        }
        let total = size.intValue
        let start = range.flatMap(Self.start) ?? 0
        guard start == 0 || start < total else { return TransportResponse(status: 416, body: ByteStream(Data())) }
        if start > 0 { try file.seek(toOffset: UInt64(start)) }
        var headers: HTTPFields = [.contentLength: "\(total - start)"]
        if start > 0 { headers[.contentRange] = "bytes \(start)-\(total - 1)/\(total)" }
        return TransportResponse(
            status: start > 0 ? 206 : 200, headers: headers,
            body: ByteStream {
                {
                    let piece: Data?
                    do {
                        piece = try file.read(upToCount: Self.pieceBytes)
                    } catch {
                        throw MarketClientError.unreachable(server: folder, reason: error.localizedDescription)
                    }
                    return piece.flatMap { $0.isEmpty ? nil : $0 }
                }
            })
    }

    /// Reads `bytes=FIRST-`.
    private static func start(_ range: String) -> Int? {
        guard range.hasPrefix("bytes="), range.hasSuffix("-") else { return nil }
        return Int(range.dropFirst("bytes=".count).dropLast())
    }
}
