// SPDX-License-Identifier: Apache-2.0
#if canImport(Dispatch)
    import Dispatch
#endif

/// Does the same for several blocks, pages or characters at once, where there are processors for it.
package enum BlockWork {
    /// That are worked on at once.
    static let most = 8

    package static func map<Block, Made>(_ blocks: [Block], _ work: (Block) -> Made) -> [Made] {
        #if canImport(Dispatch)
            if blocks.count > 1 {
                return Array(unsafeUninitializedCapacity: blocks.count) { made, count in
                    // Each writes its own place, and nobody reads before all are done.
                    nonisolated(unsafe) let (places, work, blocks) = (made, work, blocks)
                    DispatchQueue.concurrentPerform(iterations: blocks.count) { number in
                        places.initializeElement(at: number, to: work(blocks[number]))
                    }
                    count = blocks.count
                }
            }
        #endif
        return blocks.map(work)
    }
}
