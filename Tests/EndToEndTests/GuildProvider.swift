// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import TestSupport
import Testing

/// A sign-in provider that is not ours, `Tests/SignIn/provider.py`, and the operator's file that offers it.
struct GuildProvider {
    /// It did not start; what it printed.
    private struct NotReady: Error {
        let output: String
    }

    let issuer: String
    /// The value of `SHEETMARKET_SIGN_IN_PROVIDERS`.
    let file: URL
    private let child: ChildProgram

    /// Starts it under a name; the file lies in `folder`.
    init(named name: String, in folder: URL) async throws {
        let child = try ChildProgram(
            BuildProducts.root.appendingPathComponent(".venv/bin/python"),
            [BuildProducts.root.appendingPathComponent("Tests/SignIn/provider.py").path])
        guard let line = await child.line(within: 600, where: { $0.hasPrefix("ready ") }) else {
            child.signal(SIGKILL)
            throw NotReady(output: "\(child.errors): run 'make setup' first")
        }
        self.child = child
        issuer = "http://127.0.0.1:\(line.dropFirst("ready ".count))"
        let secret = "s3cret: with a colon & more"
        SuiteLog.note(.provider, secret)
        try Data(secret.utf8).write(to: folder.appendingPathComponent("provider.secret"))
        file = folder.appendingPathComponent("providers.json")
        let entry = """
            {"id": "mock", "name": "\(name)", "issuer": "\(issuer)", "clientID": "the market",
             "clientSecretFile": "provider.secret", "allowPrivateNetwork": true}
            """
        try Data("{\"providers\": [\(entry)]}".utf8).write(to: file)
    }

    func stop() { child.signal(SIGKILL) }
}
