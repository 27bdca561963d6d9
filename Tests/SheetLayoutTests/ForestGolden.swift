// SPDX-License-Identifier: Apache-2.0

/// Written by `Training/golden.py`: what the trees say of made-up measures.
enum ForestGolden {
    static let measures = 129
    static let scores: [Int] = [
        1219, 4779, 2393, 4018, 3780, 4449, 5694, 4193,
        2543, 2417, 3837, 3573, 2845, 6659, 2400, 3874,
    ]
}
