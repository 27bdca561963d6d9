// SPDX-License-Identifier: Apache-2.0
import CharacterCore
import Foundation

/// Makes things one after the other, a few of them at once where there are processors for it.
struct ReadAhead<Made> {
    private static var most: Int { min(4, ProcessInfo.processInfo.activeProcessorCount) }

    private let count: Int
    private let make: (_ place: Int) throws -> Made
    private var made: [Int: Result<Made, any Error>] = [:]

    init(_ count: Int, _ make: @escaping (_ place: Int) throws -> Made) {
        self.count = count
        self.make = make
    }

    /// The one at a place; those behind it are asked for next.
    mutating func take(_ place: Int) throws -> Made {
        if made[place] == nil {
            let places = Array(place..<max(place + 1, min(count, place + Self.most)))
            let make = make
            made = Dictionary(
                uniqueKeysWithValues: zip(places, BlockWork.map(places) { place in Result { try make(place) } }))
        }
        guard let result = made.removeValue(forKey: place) else { return try make(place) }
        return try result.get()
    }
}
