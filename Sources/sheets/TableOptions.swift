// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import CharacterCore
import Foundation
import MarketClient
import MarketWire
import SheetCore

/// Errors of the table's rules are sentences already.
enum TableCommand {
    static func doing<Result>(_ work: () throws -> Result) throws -> Result {
        do {
            return try work()
        } catch let error as Initiative.Refusal {
            throw CommandFailure(Terminal.printable(error.description))
        } catch let error as Campaign.Refusal {
            throw CommandFailure(Terminal.printable(error.description))
        } catch let error as DiceError {
            throw CommandFailure(Terminal.printable(error.description), .usage)
        }
    }
}

/// Names that the shell offers.
enum KnownNames {
    /// Slugs of what is installed.
    static let installed = CompletionKind.custom { words, _, _ in
        // Nothing is offered of a library that cannot be read.
        let contents = try? library(words).contents()
        return (contents?.installed ?? []).map(\.template.slug).sorted()
    }

    /// Slugs of all that was ever installed.
    static let kept = CompletionKind.custom { words, _, _ in
        let contents = try? library(words).contents()
        return (contents?.records ?? []).map(\.template.slug).sorted()
    }

    static let campaigns = CompletionKind.custom { words, _, _ in
        let known = try? library(words).campaigns()
        return (known?.campaigns ?? []).map(\.name)
    }

    private static func library(_ words: [String]) -> Library {
        var options = LibraryOptions()
        let place = words.firstIndex(of: "--library").map { $0 + 1 }
        options.library = place.flatMap { $0 < words.count ? words[$0] : nil }
        return options.open()
    }
}
