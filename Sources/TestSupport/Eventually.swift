// SPDX-License-Identifier: Apache-2.0

/// Waits until the condition holds, for ten minutes at most: a busy machine may stop a test for more than one. Tells
/// whether it came to hold. For what another program or task must hear of first.
package func eventually(_ condition: () async throws -> Bool) async throws -> Bool {
    let deadline = ContinuousClock.now + .seconds(600)
    var pause = Duration.milliseconds(10)
    while ContinuousClock.now < deadline {
        if try await condition() { return true }
        try await Task.sleep(for: pause)
        // What takes long comes no sooner for being asked about, and asking takes the time of those who work on it.
        pause = min(pause * 1.5, .milliseconds(300))
    }
    return false
}
