// SPDX-License-Identifier: Apache-2.0

/// Most requests of one kind at one time.
let maximumInParallel = 8

/// Does the same with each element, so many at a time; the results are in their order.
func inParallel<Element: Sendable, R: Sendable>(
    _ elements: [Element], atMost limit: Int = maximumInParallel,
    _ body: @escaping @Sendable (Element) async throws -> R
) async throws -> [R] {
    try await withThrowingTaskGroup(of: (Int, R).self) { group in
        var results = [R?](repeating: nil, count: elements.count)
        for (at, element) in elements.enumerated() {
            if at >= limit, let (done, result) = try await group.next() { results[done] = result }
            group.addTask { (at, try await body(element)) }
        }
        for try await (done, result) in group { results[done] = result }
        return results.compactMap { $0 }
    }
}
