// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire
import SheetCore
import SystemPackage

/// `plugin.json` of an outside importer.
package struct PluginManifest: Sendable, Codable, Equatable {
    /// Lower-case letters, digits and hyphens: what findings and logs call it.
    package var name: String
    /// Semantic Versioning 2.0.
    package var version: SemanticVersion
    /// The version of the protocol that it speaks.
    package var protocolVersion: Int
    /// The program with its arguments; run in the plugin's folder.
    package var command: [String]
    /// Suffixes of files that it wants to be shown, without the dot.
    package var suffixes: [String]
    /// Media types, told from the first bytes, of files that it wants to be shown.
    package var mediaTypes: [String]
    /// One sentence about it.
    package var summary: String?

    /// The file's name.
    package static let fileName = "plugin.json"
    private static let maximumBytes = 64 << 10

    /// Reads and checks a manifest.
    package static func read(_ file: FilePath) throws(PluginProblem) -> PluginManifest {
        guard let data = FileManager.default.contents(atPath: file.string) else {
            throw PluginProblem("\(file) cannot be read.")
        }
        guard data.count <= maximumBytes else { throw PluginProblem("\(file) is too large.") }
        let manifest: PluginManifest
        do {
            manifest = try JSONDecoder().decode(PluginManifest.self, from: data)
        } catch {
            throw PluginProblem("\(file): \(FormatFailure(error))")
        }
        try manifest.check(file)
        return manifest
    }

    private func check(_ file: FilePath) throws(PluginProblem) {
        guard Slug(name) != nil else {
            throw PluginProblem("\(file): 'name' takes lower-case letters, digits and single hyphens.")
        }
        guard protocolVersion == ImportProtocol.version else {
            throw PluginProblem(
                "\(file): protocol version \(protocolVersion) is not spoken here; \(ImportProtocol.version) is.")
        }
        guard (1...32).contains(command.count), command.allSatisfy({ !$0.isEmpty && !$0.utf8.contains(0) }) else {
            throw PluginProblem("\(file): 'command' is a program with at most 31 arguments.")
        }
        guard !suffixes.isEmpty || !mediaTypes.isEmpty else {
            throw PluginProblem("\(file): 'suffixes' and 'mediaTypes' are empty, so it would never be asked.")
        }
        guard suffixes.count <= 32, mediaTypes.count <= 32,
            suffixes.allSatisfy({ (1...20).contains($0.utf8.count) && $0.utf8.allSatisfy(Self.isSuffixByte) })
        else { throw PluginProblem("\(file): a suffix has lower-case letters and digits, and no dot.") }
    }

    private static func isSuffixByte(_ byte: UInt8) -> Bool { (97...122).contains(byte) || (48...57).contains(byte) }

    /// Whether the file is to be shown to it: by its content's type, or by its name.
    func wants(_ file: QuarantinedFile) -> Bool {
        let name = file.name?.lowercased() ?? ""
        return mediaTypes.contains(file.mediaType) || suffixes.contains { name.hasSuffix(".\($0)") }
    }
}

/// Why a plugin cannot be used: a sentence for the operator.
package struct PluginProblem: Error, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}

/// A folder with an outside importer.
package struct PluginFolder: Sendable, Equatable {
    /// Where it is; absolute.
    package let path: FilePath
    /// What its `plugin.json` says.
    package let manifest: PluginManifest

    /// Space for its private files, in memory.
    static let scratchBytes = 64 << 20
    /// Processes and threads at a time.
    static let processes = 48

    /// Whether there is what outside importers are walled in with.
    package static var hasSandbox: Bool { FileManager.default.isExecutableFile(atPath: "/usr/bin/bwrap") }

    package init(_ path: FilePath) throws(PluginProblem) {
        self.path = FilePath(URL(fileURLWithPath: path.string).resolvingSymlinksInPath().path)
        manifest = try PluginManifest.read(self.path.appending(PluginManifest.fileName))
    }

    /// All plugins in the folders below `directory`, by name, and why the others cannot be used.
    package static func all(in directory: FilePath) -> (usable: [PluginFolder], problems: [PluginProblem]) {
        var usable: [PluginFolder] = []
        var problems: [PluginProblem] = []
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: directory.string).sorted()
        } catch {
            return ([], [PluginProblem("The folder of plugins, \(directory), cannot be read.")])
        }
        for name in names where !name.hasPrefix(".") {
            let folder = directory.appending(name)
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: folder.string, isDirectory: &isFolder), isFolder.boolValue
            else {
                continue
            }
            do {
                let plugin = try PluginFolder(folder)
                if usable.contains(where: { $0.manifest.name == plugin.manifest.name }) {
                    throw PluginProblem("\(folder): another plugin is called '\(plugin.manifest.name)'.")
                }
                usable.append(plugin)
            } catch let problem as PluginProblem {
                problems.append(problem)
            } catch {
                problems.append(PluginProblem("\(folder): \(error)"))
            }
        }
        return (usable.sorted { $0.manifest.name < $1.manifest.name }, problems)
    }

    func command(launcher: FilePath, limits: ImportLimits) -> [String] {
        [
            launcher.string, "--confine", "\(limits.memoryBytes)", "\(limits.cpuSeconds)", "\(Self.scratchBytes)",
            "\(Self.processes)", path.string,
        ] + manifest.command
    }
}
