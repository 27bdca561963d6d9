// SPDX-License-Identifier: Apache-2.0
import IngestWire
import SheetCore

/// What a page keeps for being compared, as JSON.
package struct PageLayout: Sendable, Codable, Equatable {
    /// Words that stand on it once.
    package var anchors: [ReaderReport.Anchor]
    /// Its form fields.
    package var fields: [ReaderReport.Field]

    /// What a reader said of a page.
    package init(_ page: ReaderReport.Page) {
        anchors = page.anchors ?? []
        fields = page.fields ?? []
    }

    /// Nothing is known.
    package init() {
        anchors = []
        fields = []
    }
}

/// A page as it is compared.
package struct ComparedPage: Sendable {
    var index: Int
    var width: Double
    var height: Double
    var look: Fingerprint?
    /// The middle of each word that stands on the page once, in points.
    var anchors: [String: Place]
    /// Boxes of form fields by name, in points.
    var fields: [String: [[Double]]]
    var regions: [ZoomRegion]

    /// A page of a version.
    package init(
        index: Int, width: Double, height: Double, look: Fingerprint?, layout: PageLayout, regions: [ZoomRegion]
    ) {
        self.index = index
        self.width = max(width, 1)
        self.height = max(height, 1)
        self.regions = regions
        self.look = look
        anchors = Dictionary(
            layout.anchors.map { ($0.word, Place(x: $0.x, y: $0.y)) }, uniquingKeysWith: { first, _ in first })
        fields = Dictionary(
            grouping: layout.fields.filter { $0.box.count == 4 && !$0.name.isEmpty }, by: \.name
        ).mapValues { $0.map(\.box).sorted { $0.lexicographicallyPrecedes($1) } }
    }

    /// A page as a reader said it is.
    package init(_ page: ReaderReport.Page) {
        self.init(
            index: page.index, width: page.width, height: page.height,
            look: page.lookHash.flatMap { Fingerprint($0) }, layout: PageLayout(page), regions: page.regions)
    }
}

/// A point on a page, in points of the page as displayed, origin top left.
struct Place: Hashable, Sendable {
    var x: Double
    var y: Double
}
