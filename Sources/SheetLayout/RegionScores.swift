// SPDX-License-Identifier: Apache-2.0

/// Where the measures of titles are among all; a test compares them with the names.
enum TitlePlaces {
    static let title = 85
    static let titleIsHeading = 86
    static let titleIsTerm = 87
    static let footIsHeading = 121

    /// A candidate with its first score and what the second takes from its measures.
    static func likely(_ box: PixelBox, _ score: Int, _ measures: ArraySlice<Int16>) -> LikelyCandidate {
        func value(_ place: Int) -> Int { Int(measures[measures.startIndex + place]) }
        return LikelyCandidate(
            box: box, score: score, title: value(title), titleIsHeading: value(titleIsHeading) >= 1,
            titleIsTerm: value(titleIsTerm) >= 1, footIsHeading: value(footIsHeading) >= 1)
    }
}

/// The two scores that regions are chosen by.
package struct RegionScores: Sendable {
    /// Of each candidate by itself.
    let first: ScoreForest
    /// Of the likely ones beside each other.
    let second: ScoreForest
    /// What guesses the first from the measures that take little, learned by `Training/sieve.py`; without it every candidate is
    /// measured to the end.
    let sieve: ScoreForest?

    /// What the sieve's guess must exceed for a candidate to be measured further.
    static let sieveFloor = 1_000

    /// What ships.
    package static let standard = RegionScores(
        first: PackageResources.region_score_bin, second: PackageResources.region_choice_bin,
        sieve: ScoreForest(PackageResources.region_sieve_bin))

    /// Reads files of trees as `Training/train.py` writes them; `nil` for what is none, or measures something else.
    package init?(first: [UInt8], second: [UInt8]) {
        self.init(first: first, second: second, sieve: nil)
        guard let shipped = Self.standard, self.first.featureCount == shipped.first.featureCount,
            self.second.featureCount == shipped.second.featureCount
        else { return nil }
    }

    private init?(first: [UInt8], second: [UInt8], sieve: ScoreForest?) {
        guard let first = ScoreForest(first), let second = ScoreForest(second),
            first.featureCount > TitlePlaces.titleIsTerm, first.featureCount > TitlePlaces.footIsHeading
        else { return nil }
        (self.first, self.second, self.sieve) = (first, second, sieve)
    }
}

extension RegionSearch {
    /// Candidates whose outlines do not rule out that they are regions: a cascade of two stages (Viola and Jones, 2001).
    func sifted(by scores: RegionScores) -> [CandidateBox] {
        guard let sieve = scores.sieve, let outlines = measures.outlines(of: boxes.all, each: sieve.featureCount)
        else { return boxes.all }
        return zip(boxes.all, sieve.scores(outlines)).compactMap { $1 > RegionScores.sieveFloor ? $0 : nil }
    }

    /// The likely ones of some candidates with their scores. They are scored twice: each by itself, then beside the others.
    func scored(_ candidates: [CandidateBox], by scores: RegionScores) -> [RegionCandidate] {
        let (first, second) = (scores.first, scores.second)
        guard let values = measures.values(of: candidates, each: first.featureCount) else { return [] }
        let firstScores = first.scores(values)
        let kept = ContextMeasures.likely(firstScores)
        func own(_ place: Int) -> ArraySlice<Int16> {
            values[place * first.featureCount..<(place + 1) * first.featureCount]
        }
        let likely = kept.map { TitlePlaces.likely(candidates[$0].box, firstScores[$0], own($0)) }
        let around = ContextMeasures(likely, pageArea: context.width * context.height)
        let width = second.featureCount
        let rows = [Int16](unsafeUninitializedCapacity: kept.count * width) { room, made in
            for (row, place) in kept.enumerated() {
                // More than there is room for is counted, not written.
                var features = CandidateFeatures(
                    in: UnsafeMutableBufferPointer(rebasing: room[row * width..<(row + 1) * width]))
                for measure in own(place) { features.add("", Int(measure)) }
                around.add(row, to: &features)
                guard features.count == width else { return }
            }
            made = kept.count * width
        }
        return zip(likely, second.scores(rows)).map { RegionCandidate(box: $0.box, score: $1) }
    }
}
