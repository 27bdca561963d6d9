// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Hummingbird
import MarketHTTP
import MarketPlatform
import MarketWire
import NIOCore
import SheetCore

/// How players get the command `sheets`: a page, the program itself, and a script that installs it.
struct InstallPages: Sendable {
    let pages: WebPages

    func register(on routes: APIRoutes) {
        routes.get("/install", access: .optionalAuthentication, show)
        routes.get("/install.sh", access: .optionalAuthentication, script)
        // Tens of megabytes: as dear as an upload.
        routes.withCost(.upload).get("/install/sheets", access: .optionalAuthentication, program)
    }

    private func show(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        let view = InstallView(await pages.client?.facts(), site: context.site.text)
        let head = PageHead(
            title: "Install", viewer: context.identity, scripts: ["copy.js"],
            summary: "How to get the sheets program, which keeps sheets on your machine: verified, and offline.",
            language: context.language)
        return try pages.answer(.install, view, head: head)
    }

    private func script(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        guard let facts = await pages.client?.facts() else { throw Self.nothingToHandOut }
        let text = InstallScript.text(
            site: context.site.text, sha256: facts.sha256.hex, machine: InstallView.machine)
        return Response(
            status: .ok,
            headers: [.contentType: "text/x-shellscript; charset=utf-8", .cacheControl: "no-cache"],
            body: .init(byteBuffer: ByteBuffer(string: text)))
    }

    private func program(_ request: Request, _ context: MarketRequestContext) async throws -> Response {
        guard let client = pages.client, let facts = await client.facts() else { throw Self.nothingToHandOut }
        let tag = "\"\(facts.sha256.hex)\""
        var headers: HTTPFields = [
            .eTag: tag, .cacheControl: "public, max-age=300",
            .contentDisposition: "attachment; filename=\"sheets\"",
            .contentSecurityPolicy: "default-src 'none'; sandbox",
        ]
        if request.holds(tag) { return Response(status: .notModified, headers: headers) }
        headers[.contentType] = "application/octet-stream"
        headers[.contentLength] = String(facts.sizeBytes)
        let body = ResponseBody(contentLength: facts.sizeBytes) { writer in
            try await client.read { try await writer.write(ByteBuffer(bytes: $0)) }
            try await writer.finish(nil)
        }
        return Response(status: .ok, headers: headers, body: body)
    }

    private static let nothingToHandOut = APIError(
        .notFound, .notFound,
        "This server does not offer the program for download; the page /install tells how to build it.")
}

/// How to install the command, at this server.
struct InstallView: Sendable {
    let site: String
    let isOffered: Bool
    let machineName: String
    let sizeText: Phrase
    let sha256: String

    init(_ facts: ServedFile.Facts?, site: String) {
        self.site = site
        isOffered = facts != nil
        machineName = Self.machine
        sizeText = DisplayText.size(facts?.sizeBytes ?? 0)
        sha256 = facts?.sha256.hex ?? ""
    }

    /// What this build's programs run on, as `uname -m` names it.
    static var machine: String {
        #if arch(arm64)
            "aarch64"
        #else
            "x86_64"
        #endif
    }
}

/// A POSIX shell script that downloads the program, compares its hash, and puts it into the caller's own folder.
enum InstallScript {
    /// Without what would end a quoted text.
    private static func quotable(_ text: String) -> String {
        let marks = Set("'\\\r\n".utf8)
        return text.escapingBytes { marks.contains($0) ? "" : nil }
    }

    /// `site` holds nothing that means something to a shell: `SiteAddress` and the settings see to that.
    static func text(site: String, sha256: String, machine: String) -> String {
        """
        #!/bin/sh
        # Installs the command "sheets" of \(site) into ~/.local/bin. Needs no root.
        set -eu

        # Whole or not at all: nothing runs before the last line has arrived.
        main() {
            site='\(Self.quotable(site))'
            sum='\(sha256)'
            folder="${SHEETS_BIN:-$HOME/.local/bin}"
            [ "$(uname -s)" = Linux ] || fail "this program is for Linux; $site/install tells of other ways"
            [ "$(uname -m)" = \(machine) ] || fail "this program is for \(machine), not for $(uname -m)"
            command -v sha256sum > /dev/null || fail "sha256sum is missing (package coreutils)"
            mkdir -p "$folder"
            file="$(mktemp "$folder/.sheets.XXXXXX")"
            trap 'rm -f "$file"' EXIT
            echo "Downloading $site/install/sheets"
            if command -v curl > /dev/null; then
                curl -fsSL -o "$file" "$site/install/sheets"
            else
                wget -qO "$file" "$site/install/sheets"
            fi
            echo "$sum  $file" | sha256sum -c --quiet - > /dev/null 2>&1 ||
                fail "what arrived is not the promised program (SHA-256); nothing was installed"
            chmod 755 "$file"
            "$file" --help > /dev/null 2>&1 ||
                fail "the program does not run on this machine; $site/install tells of other ways"
            mv -f "$file" "$folder/sheets"
            trap - EXIT
            echo "Installed $folder/sheets"
            case ":$PATH:" in
                *":$folder:"*) ;;
                *) echo "Add it to your PATH:  export PATH=\\"$folder:\\$PATH\\"" ;;
            esac
            echo "Try:  sheets search --server $site journal"
        }

        fail() {
            echo "sheets: $1" >&2
            exit 1
        }

        main

        """
    }
}
