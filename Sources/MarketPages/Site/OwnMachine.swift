// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketHTTP

extension Request {
    /// Whether whoever asks sits at the machine that the market runs on. Behind a proxy that is not trusted everybody
    /// seems to.
    package func isFromOwnMachine(_ context: MarketRequestContext) -> Bool {
        ["127.0.0.1", "::1"].contains(context.clientAddress) && headers[.xForwardedFor] == nil
    }
}
