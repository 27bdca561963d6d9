// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import MarketAPI
import MarketCommunity
import MarketPages
import MarketWire

struct ExportPerson: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write all that is known of a person, as JSON.")
    @Argument(help: "The account.") var handle: String
    @OptionGroup var target: AdminTarget

    func run() async throws {
        try await target.withNode { [handle] node in
            try await PersonalExport.of(handle: handle, in: node.features.platform).writeText {
                try FileHandle.standardOutput.write(contentsOf: Data($0.utf8))
            }
        }
    }
}

struct ErasePerson: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase", abstract: "Erase a person at once, for good.",
        discussion: """
            Name, address, credentials, reviews, votes and unpublished uploads go. Published sheets with a maintainer go to \
            the maintainer; the others stay under a name that says nothing, or are withdrawn.
            """)
    @Argument(help: "The account.") var handle: String
    @Flag(help: "Withdraw the person's published sheets instead of leaving them.") var withdrawTemplates = false
    @Flag(help: "Do not ask.") var yes = false
    @OptionGroup var target: AdminTarget

    func run() async throws {
        if !yes {
            printLine("Erasing \(handle) cannot be undone. Type the handle to go on:")
            guard readLine() == handle else { throw CommandFailure("Nothing was erased.") }
        }
        let templates: TemplatesAfterErasure = withdrawTemplates ? .withdraw : .leave
        try await target.withNode { [handle] node in
            try await Erasure(community: node.features.community).erase(handle: handle, templates: templates)
        }
        printLine("\(handle) is erased.")
    }
}
