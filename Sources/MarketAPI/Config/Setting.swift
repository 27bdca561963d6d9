// SPDX-License-Identifier: Apache-2.0
import MarketPlatform

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
        let distances = all.map { (name: $0.name, distance: $0.name.editDistance(to: name)) }
        return distances.min { $0.distance < $1.distance }.flatMap { $0.distance <= 3 ? $0.name : nil }
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

extension String {
    /// Levenshtein's distance.
    fileprivate func editDistance(to other: String) -> Int {
        let target = Array(other)
        var row = Array(0...target.count)
        for (i, mine) in enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, theirs) in target.enumerated() {
                let cost = Swift.min(diagonal + (mine == theirs ? 0 : 1), row[j] + 1, row[j + 1] + 1)
                diagonal = row[j + 1]
                row[j + 1] = cost
            }
        }
        return row[target.count]
    }
}
