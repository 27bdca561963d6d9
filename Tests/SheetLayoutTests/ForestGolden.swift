// SPDX-License-Identifier: Apache-2.0

/// Written by `Training/golden.py`: what the trees say of made-up measures.
enum ForestGolden {
    static let firstCount = 129
    static let first: [Int] = [
        1102, 4209, 3332, 4028, 3365, 4821, 4173, 3661, 2164, 2734, 3341, 2475, 3716, 5548, 2783, 4528,
    ]
    static let secondCount = 156
    static let second: [Int] = [
        3226, 4296, 3509, 1304, 2911, 3363, 1883, 3133, 3551, 1898, 1222, 2593, 2214, 3180, 3183, 2110,
    ]
}
