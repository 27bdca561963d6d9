// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A bucket of a server that speaks S3, and who we are there.
package struct S3Bucket: Sendable, Equatable {
    /// `https://host[:port]`, without a path.
    package var endpoint: String
    /// Where clients reach the same server; nil when they cannot, so that its objects go through us.
    package var publicEndpoint: String?
    package var name: String
    package var region: String
    package var accessKey: String
    package var secretKey: String
    /// What the keys of our objects begin with, such as `market/`.
    package var prefix: String

    package init(
        endpoint: String, publicEndpoint: String? = nil, name: String, region: String = "us-east-1", accessKey: String,
        secretKey: String, prefix: String = ""
    ) {
        self.endpoint = endpoint
        self.publicEndpoint = publicEndpoint
        self.name = name
        self.region = region
        self.accessKey = accessKey
        self.secretKey = secretKey
        self.prefix = prefix
    }

    /// The path of a key in path style, which every server understands.
    func path(of key: String) -> String {
        let parts = key.split(separator: "/", omittingEmptySubsequences: false)
        return (["", name.uriEncoded()] + parts.map { String($0).uriEncoded() }).joined(separator: "/")
    }
}

extension S3Bucket: CustomStringConvertible, CustomDebugStringConvertible {
    /// Where it is; no secret is in it.
    package var description: String { "\(endpoint)/\(name)/\(prefix)" }
    package var debugDescription: String { description }
}

extension String {
    /// Every byte but those that RFC 3986 calls unreserved as `%XX`, which is how Signature Version 4 wants it.
    func uriEncoded() -> String { addingPercentEncoding(withAllowedCharacters: .unreserved) ?? "" }
}
