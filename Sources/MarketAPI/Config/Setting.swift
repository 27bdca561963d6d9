// SPDX-License-Identifier: Apache-2.0
import MarketPlatform
import SheetCore

/// One line of the table of settings: reading, help, the example file and complaints all come from here.
struct Setting: Sendable {
    let name: String
    /// What it is for: one or two sentences.
    let explanation: String
    /// The default as an operator would write it; nil when there is none.
    let standard: String?
    /// A value that would do.
    let example: String
    /// Never repeated in a message.
    let isSecret: Bool
    let apply: @Sendable (String, inout ServerConfiguration) throws -> Void
    let isSet: @Sendable (ServerConfiguration) -> Bool

    /// What is wrong with a value, and what would do.
    func complaint(about value: SettingsFile.Value, _ error: any Error) -> String {
        let shown = isSecret ? "" : "=\(value.text)"
        let reason = (error as? SettingValueError)?.reason ?? "\(error)"
        return "\(name)\(shown) (\(value.origin)): \(reason). Example: \(name)=\(example)"
    }

    /// The setting whose name is at most three typing errors away.
    static func nearest(to name: String) -> String? {
        EditDistance.nearest(to: name, among: all.map(\.name))
    }
}

extension Setting {
    /// A setting with a default.
    init<Value: Sendable>(
        _ name: String, _ path: any WritableKeyPath<ServerConfiguration, Value> & Sendable,
        _ format: SettingFormat<Value>,
        default standard: String?, example: String, _ explanation: String
    ) {
        self.init(
            name: name, explanation: explanation, standard: standard, example: example, isSecret: false,
            apply: { text, configuration in configuration[keyPath: path] = try format.read(text) },
            isSet: { _ in true })
    }

    /// A setting that is absent unless it is set.
    init<Value: Sendable>(
        _ name: String, _ path: any WritableKeyPath<ServerConfiguration, Value?> & Sendable,
        _ format: SettingFormat<Value>,
        default standard: String? = nil, isSecret: Bool = false, example: String, _ explanation: String
    ) {
        self.init(
            name: name, explanation: explanation, standard: standard, example: example, isSecret: isSecret,
            apply: { text, configuration in configuration[keyPath: path] = .some(try format.read(text)) },
            isSet: { $0[keyPath: path] != nil })
    }
}
