// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketClient
import MarketWire
import SheetCore

/// Installs a sheet and opens it, online or offline: install-sheet SERVER SHEET LIBRARY
@main
struct InstallSheet {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count == 3, let server = ServerAddress(arguments[1]),
            let sheet = TemplateReference(arguments[2])
        else {
            print("usage: install-sheet SERVER SHEET LIBRARY")
            exit(2)
        }
        let library = Library(root: arguments[3])
        let installer = Installer(client: MarketClient(server: server), library: library)
        do {
            // Downloads, checks the bytes against their hash, and puts them in place all at once. Without a network it
            // takes what the library has.
            let installed = try await installer.install(sheet) { event in
                if case .downloading(let progress) = event { print("\(Int(progress.fraction * 100)) %") }
            }
            let file = try library.openablePath(of: installed.record)
            print("\(installed.record.template.name) lies in \(file)")
            for page in installed.record.saved(installed.version)?.regions ?? [] {
                print("page \(page.index + 1):", page.regions.map(\.name).joined(separator: ", "))
            }
        } catch {
            print("\(sheet.key) could not be installed: \(error)")
            exit(1)
        }
    }
}
