// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import MarketWire
import NIOCore
import NIOHTTP1
import SheetCore
import TestSupport
import Testing

/// nginx in front of a market, which sends what the market only names.
@Suite("Downloads sent by the proxy")
struct ProxyDeliveryTests {
    @Test("nginx sends the bytes of a download, whole and in part, and nobody reaches the folder beside it")
    func accel() async throws {
        let scratch = try ScratchFolder("accel")
        let data = scratch.url.appendingPathComponent("data")
        let market = try await RunningMarket(
            data: data, examples: true, environment: ["SHEETMARKET_ACCEL_PATH": "/internal/objects"])
        let (port, nginx) = try await Self.nginx(scratch.url, to: market.base, objects: data)
        // What nginx sends is not our contract's.
        var proxy = TestHTTP(base: "http://127.0.0.1:\(port)")
        proxy.isChecked = false
        let list: TemplateList = try await market.http.get("\(Paths.base)/templates?limit=1").json()
        let slug = try #require(list.templates.first?.slug)
        let path = "\(Paths.base)/templates/\(slug)/versions/latest/download?redirect=false"
        let ticket: DownloadTicket = try await market.http.get(path).json()
        let address = try #require(URL(string: ticket.url).map { "\($0.path())?\($0.query() ?? "")" })
        // Without a proxy that understands it the bytes are not there: so they come from the file.
        let direct = try await market.http.get(address)
        #expect(direct.headers.first(name: "x-accel-redirect")?.hasPrefix("/internal/objects/") == true)
        #expect(direct.body.readableBytes == 0)

        let answer = try await proxy.get(address)
        #expect(answer.status == 200)
        #expect(ContentHash(hashing: Data(Array(buffer: answer.body))) == ticket.sha256)
        #expect(answer.headers.first(name: "content-type") == "application/pdf")
        #expect(answer.headers.first(name: "content-disposition")?.contains("attachment") == true)
        #expect(answer.headers.first(name: "content-security-policy")?.contains("sandbox") == true)
        #expect(answer.headers.first(name: "x-accel-redirect") == nil)
        let part = try await proxy.get(address, headers: [("Range", "bytes=100-199")])
        #expect(part.status == 206)
        #expect(Data(Array(buffer: part.body)) == Data(Array(buffer: answer.body))[100..<200])
        let hex = ticket.sha256.hex
        let outside = "/internal/objects/\(hex.prefix(2))/\(hex.dropFirst(2).prefix(2))/\(hex)"
        #expect(try await proxy.get(outside).status == 404)
        // It may have inherited our deafness to SIGTERM.
        nginx.signal(SIGKILL)
        await nginx.waitForExit()
        #expect(await market.stop() == 0)
    }

    private struct NotStarted: Error {}

    /// nginx on a free port, with the location that deploy/nginx shows.
    private static func nginx(_ folder: URL, to market: String, objects data: URL) async throws -> (Int, ChildProgram) {
        let site = try String(
            contentsOf: BuildProducts.root.appendingPathComponent("deploy/nginx/sheetmarket.conf"), encoding: .utf8)
        let location =
            site.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            .drop { !$0.hasPrefix("# location /internal/objects/") }.prefix { $0 != "# }" }
            .map { $0.dropFirst(2) }.joined(separator: "\n") + "\n}"
        let text = location.replacingOccurrences(of: "/var/lib/sheetmarket", with: data.path)
        #expect(text.contains("internal;") && text.contains("alias \(data.path)/storage/objects/;"))
        for _ in 0..<20 {
            let port = Int.random(in: 10_000..<30_000)
            let configuration = """
                daemon off;
                master_process off;
                user root;
                pid \(folder.path)/nginx.pid;
                error_log stderr;
                events {}
                http {
                    access_log off;
                    client_body_temp_path \(folder.path)/body;
                    proxy_temp_path \(folder.path)/proxy;
                    fastcgi_temp_path \(folder.path)/fastcgi;
                    uwsgi_temp_path \(folder.path)/uwsgi;
                    scgi_temp_path \(folder.path)/scgi;
                    server {
                        listen 127.0.0.1:\(port);
                        location / { proxy_pass \(market); proxy_set_header Host $host; }
                        \(text)
                    }
                }
                """
            let file = folder.appendingPathComponent("nginx.conf")
            try configuration.write(to: file, atomically: true, encoding: .utf8)
            let program = try ChildProgram(
                URL(fileURLWithPath: "/usr/sbin/nginx"), ["-p", folder.path, "-c", file.path])
            var probe = TestHTTP(base: "http://127.0.0.1:\(port)")
            probe.isChecked = false
            let reached = probe
            for _ in 0..<400 {
                if (try? await reached.get("/healthz").status) == 200 { return (port, program) }
                try await Task.sleep(for: .milliseconds(50))
            }
            program.signal(SIGKILL)
            await program.waitForExit()
        }
        throw NotStarted()
    }
}
