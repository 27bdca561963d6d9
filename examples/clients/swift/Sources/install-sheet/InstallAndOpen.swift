// SPDX-License-Identifier: Apache-2.0
import MarketClient
import MarketWire
import SheetCore

/// Installs a sheet and says where its file is and what can be zoomed to. Without a network it takes what the library has.
func installAndOpen(
    _ sheet: TemplateReference, from client: MarketClient, into library: Library, fingerprint: String? = nil
) async throws {
    // Signed metadata says which bytes are genuine. The first use pins the market's root, here only the one that was named.
    let trust = TrustSession(library: library, client: client)
    if let fingerprint, try await trust.root == nil { try await trust.pinFirst(fingerprint: fingerprint) }

    // Downloads, verifies, and puts the files in place all at once; an interrupted download goes on where it stopped.
    let installer = Installer(client: client, library: library, trust: trust)
    let installed = try await installer.install(sheet) { event in
        if case .downloading(let progress) = event { print("\(Int(progress.fraction * 100)) %") }
    }

    // From here on nothing needs the network.
    let file = try library.openablePath(of: installed.record)
    print("\(installed.record.template.name) lies in \(file)")
    for page in installed.record.saved(installed.version)?.regions ?? [] {
        print("page \(page.index + 1):", page.regions.map(\.name).joined(separator: ", "))
    }
}
