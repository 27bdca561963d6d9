// SPDX-License-Identifier: Apache-2.0

/// Random numbers that begin with a seed: the same seed gives the same rolls on every machine and in every version.
///
/// xoshiro256** 1.0 by David Blackman and Sebastiano Vigna, its state filled by SplitMix64 as they advise; both are
/// in the public domain (https://prng.di.unimi.it). Not for secrets.
public struct SeededGenerator: RandomNumberGenerator, Sendable, Hashable, Codable {
    private var state: [UInt64]

    /// Begins with a seed.
    public init(seed: UInt64) {
        var filler = SplitMix64(state: seed)
        state = (0..<4).map { _ in filler.next() }
    }

    /// Goes on from a state, not all of which may be zero.
    init(state: (UInt64, UInt64, UInt64, UInt64)) {
        self.state = [state.0, state.1, state.2, state.3]
    }

    /// Reads four numbers; others are refused.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        state = try container.decode([UInt64].self)
        guard state.count == 4, state.contains(where: { $0 != 0 }) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "a state is four numbers, not all 0")
        }
    }

    /// Writes the four numbers.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(state)
    }

    /// The next 64 bits.
    public mutating func next() -> UInt64 {
        func rotated(_ value: UInt64, _ bits: UInt64) -> UInt64 { value << bits | value >> (64 - bits) }
        let result = rotated(state[1] &* 5, 7) &* 9
        let shifted = state[1] << 17
        state[2] ^= state[0]
        state[3] ^= state[1]
        state[1] ^= state[2]
        state[0] ^= state[3]
        state[2] ^= shifted
        state[3] = rotated(state[3], 45)
        return result
    }
}

/// SplitMix64 (Steele, Lea and Flood 2014), for filling states.
struct SplitMix64: RandomNumberGenerator, Sendable {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}

/// Random numbers of the operating system's cryptographic generator (`getrandom`, `arc4random`): nobody can foretell
/// them.
public struct CryptographicGenerator: RandomNumberGenerator, Sendable {
    private var system = SystemRandomNumberGenerator()

    /// The system's.
    public init() {}

    /// The next 64 bits.
    public mutating func next() -> UInt64 { system.next() }
}

extension RandomNumberGenerator {
    /// A number from 0 to `bound` - 1, each as likely: 64 bits modulo `bound`, drawn again where the last, incomplete
    /// run of numbers would favour the small ones. Unlike the standard library's way it is fixed for good.
    public mutating func number(below bound: Int) -> Int {
        guard bound > 1 else { return 0 }
        let bound = UInt64(bound)
        let surplus = (UInt64.max % bound + 1) % bound
        while true {
            let drawn: UInt64 = next()
            if drawn <= UInt64.max - surplus { return Int(drawn % bound) }
        }
    }
}
