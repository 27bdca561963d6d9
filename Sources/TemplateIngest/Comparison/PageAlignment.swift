// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// How two pages are laid over each other to be looked at. Unlike `PageChange.transform`, which says that ink fits, this
/// always answers: a doubtful place is better than none for a person who looks.
package enum PageAlignment {
    /// The part of the points that must agree before they are followed.
    private static let leastSupport = 0.5
    /// Points that must be there.
    private static let leastPoints = 4

    /// Where a place on the older page lies on the newer one; by the pages' sizes where nothing else tells.
    package static func transform(from old: ComparedPage, to new: ComparedPage) -> PageTransform {
        let points = PageComparison.correspondences(old, new)
        guard points.count >= leastPoints else { return .identity }
        let fit = TransformFit(points, from: old, to: new)
        return fit.support >= leastSupport ? PageComparison.normalized(fit.transform, old, new) : .identity
    }
}
