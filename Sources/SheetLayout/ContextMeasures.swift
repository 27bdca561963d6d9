// SPDX-License-Identifier: Apache-2.0

/// A candidate among the likely ones of its page, with its first score.
struct LikelyCandidate {
    var box: PixelBox
    /// In ten-thousandths.
    var score: Int
    /// What the second score takes from its measures.
    var title: Int
    var titleIsHeading: Bool
    var titleIsTerm: Bool
    var footIsHeading: Bool
}

/// What a candidate's first score says beside those of the others of its page: rivals, what it holds, what holds it, and what
/// is like it elsewhere. `Training/context.py` measures the same.
struct ContextMeasures {
    private let all: [LikelyCandidate]
    private let pageArea: Int
    /// From the best score down.
    private let ranks: [Int]
    private let best: Int
    private let bestTen: Int
    private let strong: Int
    /// What would be chosen by the first score alone.
    private let chosen: [Int]
    private let chosenMedian: Int
    private let chosenCover: Int
    /// The heaviest first.
    private let kidOrder: [Int]

    /// First scores at most this are not looked at again, and so many at most are.
    static let floor = 1_200
    static let most = 250
    private static let chosenFloor = 3_000
    private static let kidFloor = 2_000
    private static let mostChosen = 60
    private static let mostKids = 12

    init(_ all: [LikelyCandidate], pageArea: Int) {
        self.all = all
        self.pageArea = max(1, pageArea)
        let order = all.indices.sorted { (all[$1].score, $0) < (all[$0].score, $1) }
        var ranks = [Int](repeating: 0, count: all.count)
        for (rank, place) in order.enumerated() { ranks[place] = rank }
        self.ranks = ranks
        best = order.first.map { all[$0].score } ?? 0
        bestTen = order.prefix(10).reduce(0) { $0 + all[$1].score } / max(1, min(10, all.count))
        strong = all.count { $0.score > 5_000 }
        let weighed = RegionWeights(boxes: all.map(\.box), scores: all.map(\.score))
        chosen = Self.packed(weighed.order(above: Self.chosenFloor, power: .threeEighths), all, Self.mostChosen)
        kidOrder = weighed.order(above: Self.kidFloor, power: .quarter)
        let areas = chosen.map { all[$0].box.area }.sorted()
        chosenMedian = areas.isEmpty ? 0 : areas[areas.count / 2]
        chosenCover = areas.reduce(0, +) * 1000 / self.pageArea
    }

    /// Places of the scores that are looked at again: the best, in their own order.
    static func likely(_ scores: [Int]) -> [Int] {
        let above = scores.indices.filter { scores[$0] > floor }
        guard above.count > most else { return above }
        return above.sorted { (scores[$1], $0) < (scores[$0], $1) }.prefix(most).sorted()
    }

    private static func packed(_ order: some Sequence<Int>, _ all: [LikelyCandidate], _ most: Int) -> [Int] {
        var taken: [Int] = []
        for place in order where taken.count < most {
            if !taken.contains(where: { all[$0].box.conflicts(with: all[place].box) }) { taken.append(place) }
        }
        return taken
    }

    /// The measures of one of them, after its own.
    func add(_ place: Int, to features: inout CandidateFeatures) {
        let own = all[place]
        var tally = ContextTally(own)
        for other in all { tally.add(other) }
        features.add("score", own.score)
        features.add("rank", ranks[place])
        features.add("toBest", own.score - best)
        features.add("bestTen", bestTen)
        features.add("strong", strong)
        features.add("twins", tally.twins)
        features.add("twinScore", tally.twinScore)
        features.add("parentScore", tally.parent?.score ?? 0)
        features.add("parentRatio", (tally.parent?.box.area ?? 0) * 100 / own.box.area)
        features.add("rivalScore", tally.rivalScore)
        features.add("rivals", tally.rivals)
        features.add("peerScore", tally.peers.first)
        features.add("peerThree", tally.peers.mean)
        features.add("peers", tally.peers.strong)
        features.add("sizeScore", tally.sizes.first)
        features.add("titleScore", tally.titles.first)
        features.add("titleThree", tally.titles.mean)
        features.add("titlePeers", tally.titles.strong)
        addChosen(own, to: &features)
        let kids = addKids(own, to: &features)
        features.add("overKids", own.score - kids)
        features.add("overParent", own.score - (tally.parent?.score ?? 0))
    }

    private func addChosen(_ own: LikelyCandidate, to features: inout CandidateFeatures) {
        let area = own.box.area
        var fit = 0
        for place in chosen {
            let shared = all[place].box.overlap(own.box)
            fit = max(fit, shared * 1000 / (all[place].box.area + area - shared))
        }
        let within = chosen.filter { all[$0].box.lies(in: own.box) }
        let around = chosen.first { own.box.lies(in: all[$0].box) }.map { all[$0] }
        let sum = within.reduce(0) { $0 + all[$1].score }
        features.add("chosen", chosen.count)
        features.add("chosenFit", fit)
        features.add("chosenInside", within.count)
        features.add("chosenInsideScore", within.isEmpty ? 0 : sum / within.count)
        features.add("chosenAroundScore", around?.score ?? 0)
        features.add("chosenAroundRatio", (around?.box.area ?? 0) * 100 / area)
        features.add("chosenMedian", chosenMedian * 100 / area)
        features.add("chosenCover", chosenCover)
    }

    /// What it would fall into. The mean of their scores.
    private func addKids(_ own: LikelyCandidate, to features: inout CandidateFeatures) -> Int {
        let places = Self.packed(kidOrder.lazy.filter { all[$0].box.lies(in: own.box) }, all, Self.mostKids)
        let kids = places.map { all[$0] }
        let mean = kids.isEmpty ? 0 : kids.reduce(0) { $0 + $1.score } / kids.count
        features.add("kids", kids.count)
        features.add("kidScore", mean)
        features.add("kidCover", kids.reduce(0) { $0 + $1.box.area } * 1000 / own.box.area)
        features.add("kidGain", kids.reduce(0) { $0 + max(0, $1.score - Self.chosenFloor) })
        features.add("kidBest", kids.map(\.score).max() ?? 0)
        features.add("kidHeadings", kids.count(where: \.titleIsHeading))
        features.add("kidFeet", kids.count(where: \.footIsHeading))
        features.add("kidLike", kids.map { kid in kids.count { $0.box.isOfSize(kid.box) } }.max() ?? 0)
        let sharesTitle = kids.contains { abs($0.title - own.title) <= 3 && $0.box.top - own.box.top < 12 }
        features.add("ownTitle", !kids.isEmpty && !sharesTitle ? 1 : 0)
        features.add("kidTerms", kids.count(where: \.titleIsTerm))
        return mean
    }
}

/// Counts over the likely candidates of a page, for one of them.
private struct ContextTally {
    /// The three best scores, and how many there are that count.
    struct Best {
        private(set) var first = 0
        private var second = 0
        private var third = 0
        private(set) var strong = 0

        var mean: Int { (first + second + third) / 3 }

        mutating func add(_ score: Int) {
            if score > 3_000 { strong += 1 }
            guard score > third else { return }
            third = score
            if third > second { swap(&third, &second) }
            if second > first { swap(&second, &first) }
        }
    }

    private let own: LikelyCandidate
    var twins = 0
    var twinScore = 0
    var rivals = 0
    var rivalScore = 0
    var parent: LikelyCandidate?
    var peers = Best()
    var sizes = Best()
    var titles = Best()

    init(_ own: LikelyCandidate) {
        self.own = own
    }

    mutating func add(_ other: LikelyCandidate) {
        let (box, area) = (other.box, other.box.area)
        let shared = box.overlap(own.box)
        let isTwin = 5 * shared >= 4 * (area + own.box.area - shared)
        if isTwin {
            twins += 1
            twinScore = max(twinScore, other.score)
        }
        let holds = own.box.lies(in: box)
        if holds, parent.map({ other.score > $0.score }) ?? true { parent = other }
        if box.conflicts(with: own.box) {
            guard !isTwin, !holds, !box.lies(in: own.box) else { return }
            rivals += 1
            rivalScore = max(rivalScore, other.score)
            return
        }
        if abs(box.left - own.box.left) <= 4 && abs(box.right - own.box.right) <= 6
            || abs(box.top - own.box.top) <= 6 && abs(box.bottom - own.box.bottom) <= 8
        {
            peers.add(other.score)
        }
        if box.isOfSize(own.box) { sizes.add(other.score) }
        if own.title > 0, abs(other.title - own.title) <= 8 { titles.add(other.score) }
    }
}

extension PixelBox {
    /// Nearly all of it lies in a clearly larger one.
    fileprivate func lies(in other: PixelBox) -> Bool {
        100 * overlap(other) >= 92 * area && 10 * area <= 8 * other.area
    }

    fileprivate func isOfSize(_ other: PixelBox) -> Bool {
        abs(width - other.width) <= 6 && abs(height - other.height) <= 8
    }
}
