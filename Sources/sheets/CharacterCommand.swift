// SPDX-License-Identifier: Apache-2.0
import ArgumentParser

struct CharacterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "character",
        abstract: "Keep characters on this device: write on their pages, undo, and go back to earlier saves.",
        discussion: "All of it stays in the library's folder; no market hears of it.",
        subcommands: [
            NewCharacter.self, ListCharacters.self, ShowCharacter.self, DrawOnCharacter.self, TextOnCharacter.self,
            SetFields.self, SettleCharacter.self,
            CharacterHistory.self, UndoCharacter.self, RedoCharacter.self, RestoreCharacter.self,
            RemoveCharacter.self,
        ])
}
