// SPDX-License-Identifier: Apache-2.0
import CharacterCore
import MarketClient
import SheetCore

extension Library {
    /// What rolls came to.
    static let rollHistory = TableFile(named: "rolls")

    /// A campaign's file.
    static func campaign(_ id: CampaignID) -> TableFile { TableFile(folder: "campaigns", named: id.description) }

    /// The numbers and formulas of a character, by the name that people give it.
    static func rollBook(_ name: String) -> TableFile { TableFile(folder: "books", named: name) }

    /// An initiative tracker, by the name that people give it.
    static func initiative(_ name: String) -> TableFile { TableFile(folder: "initiative", named: name) }

    /// All campaigns, and those that could not be read.
    func campaigns() throws -> (campaigns: [Campaign], unreadable: [LibraryError]) {
        var campaigns: [Campaign] = []
        var unreadable: [LibraryError] = []
        for id in tables(in: "campaigns").compactMap({ CampaignID($0) }) {
            do {
                if let campaign: Campaign = try table(Self.campaign(id)) { campaigns.append(campaign) }
            } catch let error as LibraryError {
                unreadable.append(error)
            }
        }
        return (campaigns.sorted { ($0.name, $0.id.description) < ($1.name, $1.id.description) }, unreadable)
    }
}
