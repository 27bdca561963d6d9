// SPDX-License-Identifier: Apache-2.0
import Foundation

/// What the process was started with.
enum Environment {
    /// An environment variable; an empty one counts as absent.
    static func variable(_ name: String) -> String? {
        ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// A folder of the XDG base directory specification; relative values are ignored, as it demands.
    static func folder(_ name: String, _ fallback: String) -> String {
        if let value = variable(name), value.hasPrefix("/") { return value }
        return "\(variable("HOME") ?? NSHomeDirectory())/\(fallback)"
    }
}
