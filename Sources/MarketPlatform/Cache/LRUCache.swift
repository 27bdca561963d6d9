// SPDX-License-Identifier: Apache-2.0

/// A table of bounded cost that forgets what was not used for longest. Inlinable, so that other modules have it compiled for
/// their keys: each request uses several.
package struct LRUCache<Key: Hashable, Value> {
    @usableFromInline struct Node {
        @usableFromInline var key: Key
        @usableFromInline var value: Value
        @usableFromInline var cost: Int
        @usableFromInline var newer: Int
        @usableFromInline var older: Int

        @inlinable init(key: Key, value: Value, cost: Int, newer: Int, older: Int) {
            (self.key, self.value, self.cost, self.newer, self.older) = (key, value, cost, newer, older)
        }
    }

    /// Most that the entries may cost together.
    package let capacity: Int
    @usableFromInline var total = 0
    @usableFromInline var places: [Key: Int] = [:]
    // A doubly linked list in an array, so that using an entry moves nothing; -1 ends it.
    @usableFromInline var nodes: [Node?] = []
    @usableFromInline var free: [Int] = []
    @usableFromInline var newest = -1
    @usableFromInline var oldest = -1

    @inlinable package init(capacity: Int) {
        self.capacity = capacity
    }

    @inlinable package var count: Int { places.count }

    /// What the entries cost together.
    @inlinable package var cost: Int { total }

    /// The value of `key`, which becomes the most recently used.
    @inlinable package mutating func use(_ key: Key) -> Value? {
        guard let place = places[key] else { return nil }
        if place != newest {
            unlink(place)
            link(place)
        }
        return nodes[place]?.value
    }

    /// Enters a value and forgets the oldest ones that no longer fit. What costs more than the capacity is not entered.
    @inlinable package mutating func enter(_ value: Value, for key: Key, cost: Int) {
        remove(key)
        guard cost <= capacity else { return }
        while total + cost > capacity, let last = oldest < 0 ? nil : nodes[oldest] { remove(last.key) }
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
        total += cost
        link(place)
    }

    /// Forgets `key`.
    @inlinable package mutating func remove(_ key: Key) {
        guard let place = places.removeValue(forKey: key) else { return }
        unlink(place)
        total -= nodes[place]?.cost ?? 0
        nodes[place] = nil
        free.append(place)
    }

    @inlinable package mutating func removeAll() {
        self = Self(capacity: capacity)
    }

    @inlinable mutating func link(_ place: Int) {
        nodes[place]?.newer = -1
        nodes[place]?.older = newest
        if newest >= 0 { nodes[newest]?.newer = place }
        newest = place
        if oldest < 0 { oldest = place }
    }

    @inlinable mutating func unlink(_ place: Int) {
        guard let node = nodes[place] else { return }
        if node.newer >= 0 { nodes[node.newer]?.older = node.older } else { newest = node.older }
        if node.older >= 0 { nodes[node.older]?.newer = node.newer } else { oldest = node.newer }
    }
}
