// SPDX-License-Identifier: Apache-2.0

/// A table of bounded cost that forgets what was not used for longest.
package struct LRUCache<Key: Hashable, Value> {
    private struct Node {
        var key: Key
        var value: Value
        var cost: Int
        var newer: Int
        var older: Int
    }

    /// Most that the entries may cost together.
    package let capacity: Int
    /// What the entries cost together.
    package private(set) var cost = 0

    private var places: [Key: Int] = [:]
    // A doubly linked list in an array, so that using an entry moves nothing; -1 ends it.
    private var nodes: [Node?] = []
    private var free: [Int] = []
    private var newest = -1
    private var oldest = -1

    package init(capacity: Int) {
        self.capacity = capacity
    }

    package var count: Int { places.count }

    /// The value of `key`, which becomes the most recently used.
    package mutating func use(_ key: Key) -> Value? {
        guard let place = places[key] else { return nil }
        if place != newest {
            unlink(place)
            link(place)
        }
        return nodes[place]?.value
    }

    /// Enters a value and forgets the oldest ones that no longer fit. What costs more than the capacity is not entered.
    package mutating func enter(_ value: Value, for key: Key, cost: Int) {
        remove(key)
        guard cost <= capacity else { return }
        while self.cost + cost > capacity, let last = oldest < 0 ? nil : nodes[oldest] { remove(last.key) }
        let node = Node(key: key, value: value, cost: cost, newer: -1, older: -1)
        let place: Int
        if let reused = free.popLast() {
            nodes[reused] = node
            place = reused
        } else {
            nodes.append(node)
            place = nodes.count - 1
        }
        places[key] = place
        self.cost += cost
        link(place)
    }

    /// Forgets `key`.
    package mutating func remove(_ key: Key) {
        guard let place = places.removeValue(forKey: key) else { return }
        unlink(place)
        cost -= nodes[place]?.cost ?? 0
        nodes[place] = nil
        free.append(place)
    }

    package mutating func removeAll() {
        self = Self(capacity: capacity)
    }

    private mutating func link(_ place: Int) {
        nodes[place]?.newer = -1
        nodes[place]?.older = newest
        if newest >= 0 { nodes[newest]?.newer = place }
        newest = place
        if oldest < 0 { oldest = place }
    }

    private mutating func unlink(_ place: Int) {
        guard let node = nodes[place] else { return }
        if node.newer >= 0 { nodes[node.newer]?.older = node.older } else { newest = node.older }
        if node.older >= 0 { nodes[node.older]?.newer = node.newer } else { oldest = node.newer }
    }
}
