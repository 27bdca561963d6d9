// SPDX-License-Identifier: Apache-2.0
import Logging

extension Market {
    /// Does work that nobody waits for; what cannot be done is logged and left for the next time.
    func attempt(_ what: String, _ work: () async throws -> Void) async {
        do {
            try await work()
        } catch {
            if !Task.isCancelled {
                logger.warning("cannot \(what)", metadata: ["error": "\(String(reflecting: error))"])
            }
        }
    }
}
