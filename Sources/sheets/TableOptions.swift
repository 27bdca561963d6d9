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

    /// Names of characters, and ids of those that share one.
    static let characters = CompletionKind.custom { words, _, _ in
        let known = (try? CharacterStore(library: library(words)).index())?.characters ?? []
        let names = Dictionary(grouping: known, by: \.name)
        return known.map { names[$0.name]?.count == 1 ? $0.name : $0.id.description }
    }

    /// Layers of the character that the words name, or else those that each has.
    static let layers = CompletionKind.custom { words, _, _ in
        let standard = DrawingLayer.standard.map(\.id)
        guard let sheet = sheet(words) else { return standard }
        return Set(sheet.content.drawings.values.flatMap(\.layers).map(\.id)).union(standard).sorted()
    }

    /// What devices differ in of the character that the words name.
    static let conflicts = CompletionKind.custom { words, _, _ in
        (sheet(words)?.conflicts.keys.map(ConflictView.name) ?? []).sorted()
    }

    /// What the words say for an option.
    static func value(of option: String, _ words: [String]) -> String? {
        let place = words.firstIndex(of: option).map { $0 + 1 }
        return place.flatMap { $0 < words.count ? words[$0] : nil }
    }

    private static func sheet(_ words: [String]) -> CharacterSheet? {
        let store = CharacterStore(library: library(words))
        let known = (try? store.index())?.characters ?? []
        return known.first { words.contains($0.name) || words.contains($0.id.description) }
            .flatMap { try? store.load($0) }?.sheet
    }

    static func library(_ words: [String]) -> Library {
        var options = LibraryOptions()
        options.library = value(of: "--library", words)
        return options.open()
    }
}
