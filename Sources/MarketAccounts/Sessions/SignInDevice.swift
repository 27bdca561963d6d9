// SPDX-License-Identifier: Apache-2.0
import Foundation
import MarketPlatform
import SheetCore

/// What a browser is known by: what it calls itself, and the network that it comes from, never the whole address.
package struct SignInDevice: Sendable, Equatable {
    package let userAgent: String?
    package let network: String?

    package init(userAgent: String?, address: String?) {
        self.userAgent = userAgent.map { String($0.prefix(200)) }
        network = address.flatMap(Self.network)
    }

    /// What is stored of it. It is bound to the account: the same device of two people cannot be told.
    package func hash(of user: UserID) -> ContentHash {
        ContentHash(hashing: Data("\(user)\n\(network ?? "")\n\(userAgent ?? "")".utf8))
    }

    /// `192.0.2.0/24`, or `2001:db8:1::/48`; `nil` for what is no address.
    package static func network(of address: String) -> String? {
        var v4 = in_addr()
        if inet_pton(AF_INET, address, &v4) == 1 {
            return address.split(separator: ".").prefix(3).joined(separator: ".") + ".0/24"
        }
        var v6 = in6_addr()
        guard inet_pton(AF_INET6, address, &v6) == 1 else { return nil }
        var bytes = withUnsafeBytes(of: v6) { Array($0) }
        // ::ffff:192.0.2.1 is an IPv4 address in other clothes.
        if bytes.prefix(10).allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF {
            return bytes[12..<15].map(String.init).joined(separator: ".") + ".0/24"
        }
        for index in 6..<16 { bytes[index] = 0 }
        withUnsafeMutableBytes(of: &v6) { $0.copyBytes(from: bytes) }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(AF_INET6, &v6, &text, socklen_t(text.count)) != nil else { return nil }
        let length = text.firstIndex(of: 0) ?? text.count
        return String(decoding: text[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self) + "/48"
    }
}

/// A user agent in words that its owner knows it by.
struct DeviceName: Sendable, Equatable {
    /// `Firefox on Linux`.
    let text: String

    init(userAgent: String?) {
        guard let agent = userAgent, !agent.isEmpty else {
            text = "An unnamed device"
            return
        }
        // Browsers name those before them too: the order matters.
        let browsers = [
            ("Edg", "Edge"), ("OPR/", "Opera"), ("Firefox/", "Firefox"), ("FxiOS/", "Firefox"), ("CriOS/", "Chrome"),
            ("Chromium/", "Chromium"), ("Chrome/", "Chrome"), ("Safari/", "Safari"), ("curl/", "curl"),
        ]
        let systems = [
            ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("CrOS", "ChromeOS"),
            ("Windows", "Windows"), ("Mac OS X", "macOS"), ("Linux", "Linux"),
        ]
        let browser = browsers.first { agent.contains($0.0) }?.1
        let system = systems.first { agent.contains($0.0) }?.1
        switch (browser, system) {
        case (let browser?, let system?): text = "\(browser) on \(system)"
        case (let name?, nil), (nil, let name?): text = name
        case (nil, nil):
            // What a program calls itself, up to the first blank.
            text = DisplayText.oneLine(String((agent.split(separator: " ").first ?? "A program").prefix(40)))
        }
    }
}
