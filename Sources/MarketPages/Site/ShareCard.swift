// SPDX-License-Identifier: Apache-2.0

/// What other sites show of a page where its address is shared: Open Graph, oEmbed, and the same as JSON-LD. Addresses
/// are absolute.
struct ShareCard: Sendable {
    let siteName: String
    let title: String
    let summary: String
    let address: String
    let picture: String?
    /// Where the card is told of (oEmbed).
    let oEmbed: String
    /// JSON of schema.org's words.
    let structured: String
}
