// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import CharacterCore
import Foundation
import MarketClient
import MarketWire
import SheetCore

extension RollCommand {
    /// Whose book is changed.
    struct OwnerOptions: ParsableArguments {
        @Option(
            name: .customLong("for"), help: ArgumentHelp("Whose they are.", valueName: "name"),
            completion: KnownNames.characters)
        var book: String

        @OptionGroup var libraryOptions: LibraryOptions

        @discardableResult
        func change(_ change: (inout RollBook) throws -> Void) async throws -> RollBook {
            try await RollOwner(book, in: libraryOptions.open()).change(change)
        }
    }

    struct SetNumbers: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set", abstract: "Save numbers of a character: `sheets roll set --for Mira str=3 level=5`.",
            discussion: """
                `str=` forgets the number. In a roll, @str stands for it. Of a character that is here it is what stands in \
                the sheet's field, as `sheets character set` and `sheets fill` have it; of another name it is kept beside.
                """)

        @Argument(help: ArgumentHelp("Numbers by name.", valueName: "name=number"))
        var numbers: [String]

        @OptionGroup var owner: OwnerOptions
        @OptionGroup var output: OutputOptions

        /// Reads `str=3`; an empty number is `nil`.
        static func read(_ text: String) throws -> (String, Int?) {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, !parts[0].isEmpty, parts[1].isEmpty || Int(parts[1]) != nil else {
                throw ValidationError("'\(text)' should look like str=3.")
            }
            return (parts[0].hasPrefix("@") ? String(parts[0].dropFirst()) : parts[0], Int(parts[1]))
        }

        func run() async throws {
            let read = try numbers.map(Self.read)
            let book = try await owner.change { book in
                for (name, number) in read { try book.set(name, to: number) }
            }
            if output.json { return try Terminal.json(book) }
            Terminal.out(Terminal.printable("Saved for \(book.name)."))
        }
    }

    struct Save: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "save",
            abstract: "Save a roll by name: `sheets roll save --for Mira attack 'd20 + @str'`.",
            discussion: "`sheets roll --for Mira attack` rolls it.")

        @Argument(help: "What to call it.")
        var name: String

        @Argument(help: ArgumentHelp("Dice.", valueName: "formula"))
        var formula: [String] = []

        @Flag(help: "Forget it.")
        var forget = false

        @OptionGroup var owner: OwnerOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            guard forget == formula.isEmpty else { throw ValidationError("Either a formula or --forget.") }
        }

        func run() async throws {
            let text = formula.joined(separator: " ")
            let book = try await owner.change { book in
                do throws(DiceError) {
                    try book.save(forget ? nil : text, as: name)
                } catch {
                    throw RollCommand.failure(error, text)
                }
            }
            if output.json { return try Terminal.json(book) }
            Terminal.out(Terminal.printable(forget ? "Forgot '\(name)'." : "Saved '\(name)' for \(book.name)."))
        }
    }

    struct Book: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "book", abstract: "Show what is saved for a character.")

        @Option(
            name: .customLong("for"), help: ArgumentHelp("Whose.", valueName: "name"),
            completion: KnownNames.characters)
        var book: String

        @OptionGroup var libraryOptions: LibraryOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let book = try RollOwner(book, in: libraryOptions.open()).book()
            if output.json { return try Terminal.json(book) }
            var table = Table(("NAME", .left), ("VALUE", .left))
            for (name, number) in book.variables.sorted(by: { $0.key < $1.key }) { table.add("@\(name)", "\(number)") }
            for (name, formula) in book.formulas.sorted(by: { $0.key < $1.key }) { table.add(name, formula) }
            Terminal.out(table.text)
        }
    }

    struct DrawCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "table",
            abstract: "Draw from the tables of vocabulary packs and skill libraries; without a name, list them.",
            discussion: """
                Tables are the categories of words and skills; a phrase structure is filled with words. All that is \
                installed is used. A file given with --local overrides it: the same word of the same category, the \
                phrase of the same name.
                """)

        @Argument(help: "A table or a phrase.")
        var name: String?

        @Option(
            help: ArgumentHelp("A vocabulary pack or skill library of your own; may be repeated.", valueName: "file"),
            completion: .file(extensions: ["json", "fstemplate"]))
        var local: [String] = []

        @Option(help: ArgumentHelp("Begin the random numbers here.", valueName: "number"))
        var seed: UInt64?

        @Option(help: ArgumentHelp("Draw this many times.", valueName: "count"))
        var count = 1

        @OptionGroup var libraryOptions: LibraryOptions
        @OptionGroup var output: OutputOptions

        private struct Listed: Encodable {
            struct Table: Encodable {
                let name: String
                let entries: Int
            }

            let tables: [Table]
            let phrases: [String]
        }

        private struct Drawn: Encodable {
            let answers: [Oracle.Answer]
        }

        func validate() throws {
            guard (1...1000).contains(count) else { throw ValidationError("--count is from 1 to 1000.") }
        }

        func run() async throws {
            let oracle = try read()
            guard let name else { return try list(oracle) }
            var answers: [Oracle.Answer] = []
            var seeded = SeededGenerator(seed: seed ?? 0)
            var secure = CryptographicGenerator()
            for _ in 0..<count {
                let answer =
                    seed == nil ? oracle.draw(name, using: &secure) : oracle.draw(name, using: &seeded)
                guard let answer else {
                    throw CommandFailure(
                        "There is no table or phrase '\(Terminal.printable(name))'; `sheets roll table` lists them.")
                }
                answers.append(answer)
            }
            if output.json { return try Terminal.json(Drawn(answers: answers)) }
            for answer in answers {
                let more = [answer.romanization, answer.meaning].compactMap { $0 }.joined(separator: "; ")
                Terminal.out(Terminal.printable(more.isEmpty ? answer.text : "\(answer.text)   (\(more))"))
            }
        }

        private func list(_ oracle: Oracle) throws {
            if output.json {
                return try Terminal.json(
                    Listed(
                        tables: oracle.tables.map { .init(name: $0.name, entries: $0.entries.count) },
                        phrases: oracle.phrases.map(\.name)))
            }
            if oracle.tables.isEmpty, oracle.phrases.isEmpty {
                return Terminal.note("No vocabulary pack or skill library is installed; --local takes a file.")
            }
            var table = Table(("NAME", .left), ("ENTRIES", .right))
            for one in oracle.tables { table.add(one.name, "\(one.entries.count)") }
            for phrase in oracle.phrases { table.add(phrase.name, "phrase") }
            Terminal.out(table.text)
        }

        private func read() throws -> Oracle {
            var packs: [VocabularyPack] = []
            var libraries: [(library: SkillLibrary, version: String?)] = []
            let library = libraryOptions.open()
            for record in try library.contents().installed {
                do {
                    switch record.template.kind {
                    case .vocabulary: packs.append(try VocabularyPack.read(try library.artifact(of: record)))
                    case .skillLibrary:
                        let read = try SkillLibrary.read(try library.artifact(of: record))
                        libraries.append((read, record.installed?.version.description))
                    default: continue
                    }
                } catch let error as FormatFailure {
                    Terminal.note(Terminal.printable("\(record.template.slug) is left out. \(error)"))
                }
            }
            var own: [VocabularyPack] = []
            var skills: [SkillLibrary] = []
            for path in local {
                guard let data = FileManager.default.contents(atPath: path) else {
                    throw CommandFailure("\(Terminal.printable(path)) cannot be read.", .usage)
                }
                do {
                    if path.hasSuffix(".fstemplate") {
                        skills.append(try SkillLibrary.read(data))
                    } else {
                        own.append(try VocabularyPack.read(data))
                    }
                } catch {
                    throw CommandFailure(Terminal.printable("\(path): \(error)"), .usage)
                }
            }
            let all = skills.map { (library: $0, version: String?.none) } + libraries
            let resolved = all.flatMap { SkillComposition.resolved($0.library, from: all).skills }
            // An installed library's skill gives way to a local one of its id.
            var seen: Set<String> = []
            return Oracle(local: own, imported: packs, skills: resolved.filter { seen.insert($0.id).inserted })
        }
    }
}
