// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import MarketPlatform
import NIOHTTP1

/// The S3 server of `Tests/Servers/object_storage.py`, with one bucket.
package final class ObjectStorageServer: Sendable {
    private struct Started: Decodable {
        let endpoint: String
        let accessKey: String
        let secretKey: String
        let bucket: String
    }

    private let started: Started
    private let program: ChildProgram

    /// Starts it; takes some seconds.
    package init() async throws {
        // It needs extended attributes, which a file system in memory may not have.
        let folder = URL(fileURLWithPath: "/var/tmp/sheetmarket-s3-\(UUID().uuidString)")
        program = try ChildProgram(
            URL(fileURLWithPath: "/usr/bin/python3"),
            [BuildProducts.root.appendingPathComponent("Tests/Servers/object_storage.py").path, folder.path, "sheets"])
        guard let line = await program.line(within: 600, where: { $0.contains("\"endpoint\"") }) else {
            throw RunningMarket.StartFailure(description: "\(program.errors): run 'make setup' first")
        }
        started = try JSONDecoder().decode(Started.self, from: Data(line.utf8))
    }

    deinit { program.signal(SIGTERM) }

    /// The bucket under `prefix`; with `isPublic` clients may be sent there.
    package func bucket(prefix: String = "", isPublic: Bool = false, secretKey: String? = nil) -> S3Bucket {
        S3Bucket(
            endpoint: started.endpoint, publicEndpoint: isPublic ? started.endpoint : nil, name: started.bucket,
            accessKey: started.accessKey, secretKey: secretKey ?? started.secretKey, prefix: prefix)
    }

    /// The settings of a market on that bucket.
    package func settings(of bucket: S3Bucket) -> [String: String] {
        var settings = [
            "SHEETMARKET_S3_ENDPOINT": bucket.endpoint, "SHEETMARKET_S3_BUCKET": bucket.name,
            "SHEETMARKET_S3_ACCESS_KEY": bucket.accessKey, "SHEETMARKET_S3_SECRET_KEY": bucket.secretKey,
            "SHEETMARKET_S3_PREFIX": bucket.prefix,
        ]
        settings["SHEETMARKET_S3_PUBLIC_ENDPOINT"] = bucket.publicEndpoint
        return settings
    }
}

/// The way to that server through `Tests/Cluster/faulty_bucket.py`, which can be bad.
package final class FaultyBucket: Sendable {
    /// Takes the server's place.
    package let endpoint: String
    private let program: ChildProgram

    package init(before server: ObjectStorageServer) async throws {
        let script = BuildProducts.root.appendingPathComponent("Tests/Cluster/faulty_bucket.py").path
        let place = String(server.bucket().endpoint.trimmingPrefix("http://"))
        program = try ChildProgram(URL(fileURLWithPath: "/usr/bin/python3"), ["-B", script, place])
        guard let line = await program.line(within: 60, where: { $0.hasPrefix("http://") }) else {
            throw RunningMarket.StartFailure(description: program.errors)
        }
        endpoint = line
    }

    deinit { program.signal(SIGTERM) }

    /// What becomes of requests from now on, or of the next `times`; the script has the words.
    package func be(_ fault: String, times: Int? = nil) async throws {
        let path = "/-fault/\(fault)" + (times.map { "/\($0)" } ?? "")
        var client = TestHTTP(base: endpoint)
        client.isChecked = false
        _ = try await client.send(.PUT, path)
    }
}
