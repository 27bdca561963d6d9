// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketAccounts
import MarketPlatform
import StaffPages

extension ServerConfiguration {
    /// What was set: the environment wins over `file`, which holds `NAME=value` lines as systemd's EnvironmentFile
    /// does.
    ///
    /// Throws one error that names every bad setting, so that one try shows all there is to mend.
    package static func load(environment: [String: String], file: URL? = nil) throws -> ServerConfiguration {
        var sources = try file.map { try SettingsFile(contentsOf: $0).values } ?? [:]
        for setting in Setting.all {
            if let value = environment[setting.name] {
                sources[setting.name] = .init(text: value, origin: "environment")
            }
        }
        var configuration = ServerConfiguration()
        var problems = readSecrets(into: &sources, environment)
        for setting in Setting.all {
            guard let value = sources.removeValue(forKey: setting.name), !value.text.isEmpty else { continue }
            do {
                try setting.apply(value.text, &configuration)
                configuration.sources[setting.name] = value
            } catch {
                problems.append(setting.complaint(about: value, error))
            }
        }
        problems += sources.sorted { $0.key < $1.key }.map { name, value in
            let near = Setting.nearest(to: name).map { " Did you mean \($0)?" } ?? ""
            return "\(name) (\(value.origin)) is not a setting.\(near)"
        }
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
        configuration.limits.accounts.emailRequired = configuration.email == .required
        return configuration
    }

    /// Takes secrets out of files of their own: those that `NAME_FILE` names, and systemd's credentials of the settings'
    /// names. What is set itself wins over a credential; answers what is wrong.
    private static func readSecrets(
        into sources: inout [String: SettingsFile.Value], _ environment: [String: String]
    ) -> [String] {
        var problems: [String] = []
        for name in Setting.all.filter(\.isSecret).map(\.name) {
            let pointer = environment["\(name)_FILE"].map { SettingsFile.Value(text: $0, origin: "environment") }
            if let path = [pointer, sources.removeValue(forKey: "\(name)_FILE")].compactMap({ $0 }).first,
                !path.text.isEmpty
            {
                guard sources[name] == nil else {
                    problems.append("\(name) and \(name)_FILE are both set; one of them must go.")
                    continue
                }
                guard let text = try? String(contentsOfFile: path.text, encoding: .utf8) else {
                    problems.append("\(name)_FILE=\(path.text) (\(path.origin)): the file cannot be read.")
                    continue
                }
                sources[name] = .init(text: text.trimmingCharacters(in: .whitespacesAndNewlines), origin: path.text)
            } else if sources[name] == nil, let folder = environment["CREDENTIALS_DIRECTORY"],
                let text = try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
            {
                sources[name] = .init(text: text.trimmingCharacters(in: .whitespacesAndNewlines), origin: "credential")
            }
        }
        return problems
    }

    /// Throws when something that a command cannot do without is not set.
    package func require(_ names: [String]) throws {
        // A bucket takes the place of a folder.
        let needless: Set<String> = storage.bucket == nil ? [] : ["SHEETMARKET_STORAGE"]
        let missing = Setting.all.filter {
            names.contains($0.name) && !needless.contains($0.name) && !$0.isSet(self)
        }
        guard missing.isEmpty else {
            throw ConfigurationError(
                problems: missing.map { "\($0.name) must be set: \($0.explanation) Example: \($0.name)=\($0.example)" })
        }
    }

    /// Takes connections where the command line says, whatever was set.
    package mutating func takeConnections(at address: ListenAddress) {
        listen = address
        sources["SHEETMARKET_LISTEN"] = .init(text: "\(address)", origin: "command line")
    }

    /// Names in the environment that look like settings and are none: a misspelt one would go unnoticed otherwise.
    package static func unknownNames(in environment: [String: String]) -> [String] {
        let known = Set(Setting.all.map(\.name) + Setting.all.filter(\.isSecret).map { "\($0.name)_FILE" })
        return environment.keys.filter { $0.hasPrefix("SHEETMARKET_") && !known.contains($0) }.sorted()
    }

    /// Each setting with its value, where that comes from, and what it is for; no secret's value is in it.
    package var lines: [SettingLine] {
        Setting.all.map { setting in
            let source = sources[setting.name]
            // `up` sets some itself: where its data lies, and what it made there.
            let isSetByProgram = source == nil && setting.standard == nil && setting.isSet(self)
            let value = setting.isSecret && source != nil ? "(secret)" : source?.text ?? setting.standard
            return SettingLine(
                name: setting.name, value: value ?? (isSetByProgram ? "(made by the program)" : "–"),
                origin: source?.origin ?? (isSetByProgram ? "this program" : value == nil ? "not set" : "default"),
                explanation: setting.explanation)
        }
    }

    /// Each setting with its default and what it is for, as `--help` shows it.
    package static var help: String {
        Setting.all.map { setting in
            let standard = setting.standard.map { " Default: \($0)." } ?? ""
            return "  \(setting.name)\n" + (setting.explanation + standard).wrapped(to: 74, indent: "      ")
        }.joined(separator: "\n")
    }

    /// The same as a file to start from: every setting, commented out, with an example.
    package static var exampleFile: String {
        let head = """
            # Every setting of Sheetmarket, for /etc/sheetmarket/sheetmarket.env (mode 0640, group sheetmarket).
            # `sheetmarket settings` prints this file. Lines that are commented out show an example. A secret can stand in a
            # file of its own: NAME_FILE=/path instead of NAME=value, or a systemd credential of the setting's name.

            """
        return head
            + Setting.all.map { setting in
                let standard = setting.standard.map { " Default: \($0)." } ?? ""
                return "\n" + (setting.explanation + standard).wrapped(to: 98, indent: "# ")
                    + "\n#\(setting.name)=\(setting.example)\n"
            }.joined()
    }
}

extension String {
    /// Lines of at most `width` characters, each after `indent`.
    fileprivate func wrapped(to width: Int, indent: String) -> String {
        var lines = [""]
        for word in split(separator: " ") {
            if let last = lines.last, !last.isEmpty, last.count + 1 + word.count > width - indent.count {
                lines.append("")
            }
            lines[lines.count - 1] += (lines[lines.count - 1].isEmpty ? "" : " ") + word
        }
        return lines.map { indent + $0 }.joined(separator: "\n")
    }
}
