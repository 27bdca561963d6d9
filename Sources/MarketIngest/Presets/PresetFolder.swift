// SPDX-License-Identifier: Apache-2.0
import Foundation
import SheetCore

/// A page that gets its zoom regions from a preset.
package struct PresetMatch: Sendable, Equatable {
    /// The sheet's page.
    package var page: Int
    var presetName: String
    var presetVersion: String
    package var regions: [ZoomRegion]
}

/// Region presets that the operator keeps in a folder: official layouts whose regions somebody drew with care.
package struct PresetFolder: Sendable {
    /// Most presets that are read.
    static let maximumPresets = 1000

    private let presets: [RegionPreset]

    package init() {
        presets = []
    }

    package init(_ presets: [RegionPreset]) {
        self.presets = presets
    }

    /// How many there are.
    package var count: Int { presets.count }

    /// Reads every `.json` file of a folder, in the order of their names; with a sentence for each that cannot be used.
    /// A folder that is not there has none.
    package static func read(_ folder: URL) -> (presets: PresetFolder, problems: [String]) {
        // A folder that cannot be read counts as absent.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let files = names.filter { $0.lowercased().hasSuffix(".json") && !$0.hasPrefix(".") }.sorted()
        var problems: [String] = []
        let presets = files.prefix(maximumPresets).compactMap { name -> RegionPreset? in
            let file = folder.appending(path: name)
            do {
                guard let handle = try? FileHandle(forReadingFrom: file),
                    let bytes = try handle.read(upToCount: RegionPreset.maximumBytes + 1)
                else {
                    problems.append("\(name) cannot be read")
                    return nil
                }
                let preset = try RegionPreset.read(bytes)
                if preset.pages == nil { problems.append("\(name) does not say by what its pages are known (`pages`)") }
                return preset.pages == nil ? nil : preset
            } catch {
                problems.append("\(name): \(error)")
                return nil
            }
        }
        if files.count > maximumPresets { problems.append("there are more than \(maximumPresets) files") }
        return (PresetFolder(presets), problems)
    }

    /// For each page that looks like one of a preset: the nearest such, the first of equals.
    package func matches(for pages: [(index: Int, signature: PageSignature)]) -> [PresetMatch] {
        pages.compactMap { index, signature in
            var best: (preset: RegionPreset, page: RegionPreset.Page, distance: Int)?
            for preset in presets {
                for page in preset.pages ?? [] {
                    guard let known = page.signature, known.isSamePage(as: signature) else { continue }
                    let distance = known.distance(to: signature)
                    if distance < best?.distance ?? .max { best = (preset, page, distance) }
                }
            }
            return best.map { best in
                PresetMatch(
                    page: index, presetName: best.preset.name, presetVersion: best.preset.version,
                    regions: best.preset.regions(of: best.page, at: index))
            }
        }
    }
}
