// SPDX-License-Identifier: Apache-2.0
import MarketClient
import MarketWire
import SheetCore

/// A version's pages in the terminal, with frames around what can be zoomed into.
struct TerminalPages {
    let record: LibraryRecord
    let version: SemanticVersion
    let library: Library
    let graphics: TerminalGraphics

    /// Shows all pages, or one zoom region enlarged; `false` when no picture could be shown.
    func show(region wanted: String?) throws -> Bool {
        guard let saved = record.saved(version) else { return false }
        let pictures = library.pictures(of: saved)
        var isShown = false
        var isFound = wanted == nil
        for page in saved.detail.pages {
            let regions = saved.regions.first { $0.index == page.index }?.regions ?? []
            let chosen = wanted.flatMap { name in regions.first { $0.id == name || $0.name == name } }
            guard wanted == nil || chosen != nil else { continue }
            isFound = true
            guard let data = pictures[page.index]?.data,
                var picture = PixelPicture(webp: data, widest: wanted == nil ? TerminalGraphics.width : .max)
            else { continue }
            if let chosen {
                picture = picture.cropped(to: chosen.rect).scaled(to: TerminalGraphics.width)
            } else {
                for region in regions { picture.frame(region.rect) }
            }
            let heading = heading(page.index, saved.detail.pageCount, chosen.map { [$0] } ?? regions)
            Terminal.out(Terminal.printable(heading))
            Terminal.out(graphics.text(of: picture))
            isShown = true
        }
        guard isFound else {
            throw CommandFailure(
                "There is no zoom region '\(Terminal.printable(wanted ?? ""))'; `sheets show --regions` lists them.")
        }
        return isShown
    }

    private func heading(_ page: Int, _ count: Int, _ regions: [ZoomRegion]) -> String {
        let names = regions.map(\.name).joined(separator: ", ")
        return "\(record.template.name), page \(page + 1) of \(count)" + (names.isEmpty ? "" : ": \(names)")
    }
}
