// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform

/// A password on its way through a form that is shown again for another field's sake. The page holds it sealed, for a
/// quarter of an hour: whoever sees the page learns nothing, and can do no more with it than register somebody.
struct KeptPassword: Sendable {
    private static let seconds: Int64 = 900
    private static let context = "keptPassword"

    let secrets: SecretBox?

    /// The sealed password; `nil` where there is none, or no key.
    func sealed(_ password: String, at now: Date) throws -> String? {
        guard let secrets, !password.isEmpty else { return nil }
        let ends = Int64(now.timeIntervalSince1970) + Self.seconds
        return try secrets.seal("\(ends) \(password)".utf8, for: Self.context).base64URL
    }

    /// The password that was sealed; `nil` when it was not, or too long ago.
    func opened(_ sealed: String?, at now: Date) -> String? {
        guard let secrets, let sealed, let data = Data(base64URL: sealed),
            let bytes = secrets.open(data, for: Self.context)
        else { return nil }
        let parts = String(decoding: bytes, as: UTF8.self).split(
            separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let ends = Int64(parts[0]), Int64(now.timeIntervalSince1970) < ends else { return nil }
        return String(parts[1])
    }
}
