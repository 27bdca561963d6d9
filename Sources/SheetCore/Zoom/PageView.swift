// SPDX-License-Identifier: Apache-2.0

/// A point of a page: 0…1 of its width and height as displayed, from the top left.
public struct NormalizedPoint: Sendable, Hashable, Codable {
    /// From the left, 0…1.
    public var x: Double
    /// From the top, 0…1.
    public var y: Double

    /// Takes the numbers as they are.
    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }
}

/// How a page is looked at: how far it is magnified, and what is in the middle.
public struct PageView: Sendable, Hashable, Codable {
    /// Relative to the page fitted to the screen, 1…5.
    public var scale: Double
    /// Where the screen's middle is.
    public var center: NormalizedPoint

    /// Nothing is cut off, and nothing enlarged.
    public static let whole = PageView(scale: 1, center: NormalizedPoint(x: 0.5, y: 0.5))

    /// Takes both as they are; a `ZoomSpace` keeps them within their limits.
    public init(scale: Double, center: NormalizedPoint) {
        self.scale = scale
        self.center = center
    }
}

/// A page on a screen: the arithmetic between them. Sizes are in any unit, as long as it is one.
public struct ZoomSpace: Sendable, Hashable {
    /// The page's width, in points.
    public let pageWidth: Double
    /// The page's height, in points.
    public let pageHeight: Double
    /// The screen's width, in points.
    public let screenWidth: Double
    /// The screen's height, in points.
    public let screenHeight: Double

    /// How much more of the page than the region is shown, of the region's size on each side.
    public static let margin = 0.04

    /// `nil` when a size is no positive number.
    public init?(pageWidth: Double, pageHeight: Double, screenWidth: Double, screenHeight: Double) {
        guard [pageWidth, pageHeight, screenWidth, screenHeight].allSatisfy({ $0.isFinite && $0 > 0 }) else {
            return nil
        }
        self.pageWidth = pageWidth
        self.pageHeight = pageHeight
        self.screenWidth = screenWidth
        self.screenHeight = screenHeight
    }

    /// Screen per page when the page is fitted.
    private var fit: Double { min(screenWidth / pageWidth, screenHeight / pageHeight) }

    /// How much of the page's width and height the screen shows; over 1 when there is room beside it.
    private func share(_ scale: Double) -> (width: Double, height: Double) {
        (screenWidth / (fit * scale * pageWidth), screenHeight / (fit * scale * pageHeight))
    }

    /// The nearest view within the limits: magnified 1 to 5 times, with nothing but page on the screen where the page
    /// is larger than it, and the page in the middle where it is smaller.
    public func limited(_ view: PageView) -> PageView {
        let scales = ZoomRegion.scales
        let scale = view.scale.isFinite ? min(max(view.scale, scales.lowerBound), scales.upperBound) : 1
        let share = share(scale)
        func middle(_ value: Double, _ part: Double) -> Double {
            guard part < 1, value.isFinite else { return 0.5 }
            return min(max(value, part / 2), 1 - part / 2)
        }
        let center = NormalizedPoint(x: middle(view.center.x, share.width), y: middle(view.center.y, share.height))
        return PageView(scale: scale, center: center)
    }

    /// The part of the page that is on the screen.
    public func visible(_ view: PageView) -> NormalizedRect {
        let share = share(view.scale)
        let width = min(1, share.width)
        let height = min(1, share.height)
        return NormalizedRect(
            x: max(0, view.center.x - width / 2), y: max(0, view.center.y - height / 2), width: width, height: height)
    }

    /// A region whole and as large as fits, but no larger than it asks for.
    public func showing(_ region: ZoomRegion) -> PageView {
        let rect = region.rect
        let around = 1 + 2 * Self.margin
        let fitting = min(
            screenWidth / (fit * pageWidth * max(rect.width, 1e-6) * around),
            screenHeight / (fit * pageHeight * max(rect.height, 1e-6) * around))
        let center = NormalizedPoint(x: rect.x + rect.width / 2, y: rect.y + rect.height / 2)
        return limited(PageView(scale: min(fitting, region.scale), center: center))
    }

    /// Moved by so much of the screen: the page follows the finger.
    public func panned(_ view: PageView, byX x: Double, y: Double) -> PageView {
        let unit = fit * view.scale
        let center = NormalizedPoint(
            x: view.center.x - x / (unit * pageWidth), y: view.center.y - y / (unit * pageHeight))
        return limited(PageView(scale: view.scale, center: center))
    }

    /// Magnified by a factor; what is at that point of the screen stays there, as far as the limits allow.
    public func magnified(_ view: PageView, by factor: Double, aroundX x: Double, y: Double) -> PageView {
        guard factor.isFinite, factor > 0 else { return limited(view) }
        let anchor = point(view, atX: x, y: y)
        let scales = ZoomRegion.scales
        let scale = min(max(view.scale * factor, scales.lowerBound), scales.upperBound)
        let ratio = view.scale / scale
        let center = NormalizedPoint(
            x: anchor.x + (view.center.x - anchor.x) * ratio, y: anchor.y + (view.center.y - anchor.y) * ratio)
        return limited(PageView(scale: scale, center: center))
    }

    /// The point of the page at a point of the screen (from its top left); it may lie beside the page.
    public func point(_ view: PageView, atX x: Double, y: Double) -> NormalizedPoint {
        let unit = fit * view.scale
        return NormalizedPoint(
            x: view.center.x + (x - screenWidth / 2) / (unit * pageWidth),
            y: view.center.y + (y - screenHeight / 2) / (unit * pageHeight))
    }
}
