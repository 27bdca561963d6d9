// SPDX-License-Identifier: Apache-2.0

/// Written by `Training/golden.py`: what the trees say of made-up measures.
enum ForestGolden {
    static let measures = 129
    static let scores: [Int] = [
        1219, 4935, 2509, 4626, 2709, 5602, 5771, 4623,
        3469, 3809, 3785, 3614, 3989, 6704, 3026, 4910,
    ]
}
