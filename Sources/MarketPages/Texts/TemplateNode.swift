// SPDX-License-Identifier: Apache-2.0

/// A token, or an element or section with what is in it.
struct TemplateNode {
    /// Of an element or a section its opening token's.
    let kind: TemplateToken.Kind
    let range: Range<Int>
    /// Between the tags.
    var inner = 0..<0
    var children: [TemplateNode] = []

    /// Every text's nodes: cut at blocks, and where a section or an element reaches over a block.
    static func parts(of tokens: [TemplateToken]) -> [[TemplateNode]] {
        var parts: [[TemplateNode]] = []
        for run in tokens.split(whereSeparator: { $0.kind == .block }) {
            let run = Array(run)
            let partners = partners(in: run)
            var start = 0
            for index in 0...run.count {
                guard index == run.count || run[index].isPaired && partners[index] == nil else { continue }
                if start < index { parts.append(nodes(run, partners, start..<index)) }
                start = index + 1
            }
        }
        return parts
    }

    private static func nodes(_ run: [TemplateToken], _ partners: [Int: Int], _ range: Range<Int>) -> [TemplateNode] {
        var nodes: [TemplateNode] = []
        var index = range.lowerBound
        while index < range.upperBound {
            let token = run[index]
            if let end = partners[index] {
                nodes.append(
                    TemplateNode(
                        kind: token.kind, range: token.range.lowerBound..<run[end].range.upperBound,
                        inner: token.range.upperBound..<run[end].range.lowerBound,
                        children: self.nodes(run, partners, (index + 1)..<end)))
                index = end
            } else {
                nodes.append(TemplateNode(kind: token.kind, range: token.range))
            }
            index += 1
        }
        return nodes
    }

    /// Which tokens open and close each other. Those that have none cut whatever is open around them.
    private static func partners(in run: [TemplateToken]) -> [Int: Int] {
        var partners: [Int: Int] = [:]
        var open: [Int] = []
        for (index, token) in run.enumerated() {
            if token.kind == .open || token.kind == .start { open.append(index) }
            guard token.kind == .close || token.kind == .end else { continue }
            let wanted = token.kind == .close ? TemplateToken.Kind.open : .start
            guard let place = open.lastIndex(where: { run[$0].kind == wanted && run[$0].name == token.name }) else {
                continue
            }
            partners[open[place]] = index
            partners[index] = open[place]
            open.removeSubrange(place...)
        }
        for index in run.indices where run[index].isPaired && partners[index] == nil {
            for (first, last) in partners where first < index && index < last {
                partners[first] = nil
                partners[last] = nil
            }
        }
        return partners
    }
}
