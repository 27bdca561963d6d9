// SPDX-License-Identifier: Apache-2.0
import MarketHTTP
import MarketWire
import SheetCore

// What can be edited of a template and of a version, as a condition on a change compares it (`Precondition`): two states
// are the same when everything in them is.

extension TemplateDetail {
    /// What the entry says, whatever version of it is on offer.
    package var editState: String {
        EntityTag.state(
            [
                summary.id.description, summary.slug, summary.name, summary.summary, description, summary.gameSystem,
                summary.author, summary.license, summary.language, deprecation?.message ?? "",
                deprecation?.successor?.id.description ?? "", deprecation == nil ? "" : "deprecated",
            ] + summary.tags)
    }
}

extension VersionDetail {
    /// To whom it is offered, or why no more; not what was uploaded, which stays.
    package var editState: String {
        EntityTag.state([
            sha256.hex, version.description, state.rawValue, yankReason ?? "", yankedBy?.rawValue ?? "",
            channel.rawValue,
        ])
    }
}
