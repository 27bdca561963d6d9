// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("Programs that tests run")
struct CommandTests {
    @Test("What a program prints stays whole, in whatever pieces it arrives")
    func pieces() async throws {
        let script = #"printf 'Sheet \303'; sleep 0.3; printf '\274\nend \303'; sleep 0.3; printf '\266\n'"#
        let child = try ChildProgram(URL(fileURLWithPath: "/bin/sh"), ["-c", script])
        #expect(await child.line(within: 10) { $0 == "Sheet ü" } != nil)
        #expect(await child.line(within: 10) { $0 == "end ö" } != nil)
        await child.waitForExit()
        #expect(child.output == "Sheet ü\nend ö\n")
    }
}
