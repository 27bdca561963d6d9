// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// `GET /templates/{id}/statistics`, for a template's authors.
public struct TemplateStatistics: Sendable, Codable, Equatable {
    /// One day (UTC).
    public struct Day: Sendable, Codable, Equatable {
        /// `2026-11-21`.
        public var day: String
        /// How often it was downloaded.
        public var downloads: Int
        /// Downloads by programs such as `sheets`.
        public var installs: Int
        /// People who had the template's page shown.
        public var visits: Int

        public init(day: String, downloads: Int, installs: Int, visits: Int) {
            self.day = day
            self.downloads = downloads
            self.installs = installs
            self.visits = visits
        }
    }

    /// What is counted of one version.
    public struct Version: Sendable, Codable, Equatable {
        /// The version that is meant.
        public var version: SemanticVersion
        /// Those by programs among them.
        public var downloads: Int
        /// How many installed it.
        public var installs: Int

        public init(version: SemanticVersion, downloads: Int, installs: Int) {
            self.version = version
            self.downloads = downloads
            self.installs = installs
        }
    }

    /// Where visitors came from.
    public struct Source: Sendable, Codable, Equatable {
        /// A host; `market` for this one, `direct` where the browser named none, `other` for the rare ones together.
        public var source: String
        /// How many came.
        public var visits: Int

        public init(source: String, visits: Int) {
            self.source = source
            self.visits = visits
        }
    }

    /// What visitors had searched for.
    public struct Search: Sendable, Codable, Equatable {
        /// What was searched for.
        public var term: String
        /// How many came.
        public var visits: Int

        public init(term: String, visits: Int) {
            self.term = term
            self.visits = visits
        }
    }

    /// How it was rated after a day.
    public struct Rating: Sendable, Codable, Equatable {
        /// The day up to which all is counted, as `2026-11-25`.
        public var day: String
        /// How many reviews were written.
        public var reviews: Int
        /// The plain mean of their stars.
        public var mean: Double

        public init(day: String, reviews: Int, mean: Double) {
            self.day = day
            self.reviews = reviews
            self.mean = mean
        }
    }

    /// The template's id.
    public var templateId: TemplateID
    /// Every day asked for, oldest first.
    public var days: [Day]
    /// The newest first.
    public var versions: [Version]
    /// The most frequent first, `other` last.
    public var sources: [Source]
    /// What at least three people searched for on one day before they came; the most frequent first.
    public var searches: [Search]
    /// Days on which it changed, oldest first; the first day asked for stands for all before.
    public var ratings: [Rating]

    public init(
        templateId: TemplateID, days: [Day], versions: [Version], sources: [Source], searches: [Search],
        ratings: [Rating]
    ) {
        self.templateId = templateId
        self.days = days
        self.versions = versions
        self.sources = sources
        self.searches = searches
        self.ratings = ratings
    }
}
