// SPDX-License-Identifier: Apache-2.0
import Hummingbird
import MarketHTTP
import MarketWire
import SheetCore

extension MarketRequestContext {
    /// `{id}` of the path.
    package var template: TemplateKey {
        get throws(APIError) {
            let text = try path("id")
            do { return try TemplateKey(text) } catch { throw error.apiError }
        }
    }

    /// `{v}` of the path, where `latest` is of the channel that the query names.
    package func version(_ request: Request) throws(APIError) -> VersionKey {
        let (text, channel) = (try path("v"), try request.channel())
        do { return try VersionKey(text, channel: channel) } catch { throw error.apiError }
    }

    /// `{n}` of the path: a page, from 0.
    package var page: Int {
        get throws(APIError) {
            guard let page = Int32(try path("n")), page >= 0 else { throw .notFound("This page") }
            return Int(page)
        }
    }
}

extension Request {
    /// `channel` of the query; throws `validation_failed` for one that is none.
    package func channel() throws(APIError) -> ReleaseChannel {
        guard let text = query("channel") else { return .stable }
        guard let channel = ReleaseChannel(rawValue: text) else {
            throw .validation([.init(pointer: "channel", detail: "'stable' or 'beta'.")])
        }
        return channel
    }
}
