// SPDX-License-Identifier: Apache-2.0

/// How many of a list's templates there are by system, tag, licence and language: the most frequent values of each.
public struct Facets: Sendable, Codable, Equatable {
    /// A value and how many templates have it.
    public struct Count: Sendable, Codable, Equatable {
        /// What is counted.
        public var value: String
        /// How many there are.
        public var count: Int

        public init(value: String, count: Int) {
            self.value = value
            self.count = count
        }
    }

    /// Whether everything in the list was counted; otherwise the most popular of it.
    public var isExact: Bool
    /// How many templates were counted.
    public var counted: Int
    /// By slug.
    public var gameSystem: [Count]
    /// A template counts once for each that it has.
    public var tag: [Count]
    /// By licence.
    public var license: [Count]
    /// By language code (BCP 47).
    public var language: [Count]
    /// `true` and `false`: with form fields to fill in, and without. Servers before it counted neither.
    public var fillable: [Count]?
    /// What they are; servers before it counted none of these three.
    public var kind: [Count]?
    /// Numbers of pages; `17` stands for that and more.
    public var pages: [Count]?
    /// How many have at least so many stars.
    public var minRating: [Count]?

    public init(
        isExact: Bool, counted: Int, gameSystem: [Count], tag: [Count], license: [Count], language: [Count],
        fillable: [Count]? = nil, kind: [Count]? = nil, pages: [Count]? = nil, minRating: [Count]? = nil
    ) {
        self.isExact = isExact
        self.counted = counted
        self.gameSystem = gameSystem
        self.tag = tag
        self.license = license
        self.language = language
        self.fillable = fillable
        self.kind = kind
        self.pages = pages
        self.minRating = minRating
    }
}
