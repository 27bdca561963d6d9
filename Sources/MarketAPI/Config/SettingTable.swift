// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging

extension Setting {
    /// Every setting, in the order of the help.
    static let all: [Setting] = database + serving + content + ingest + logging

    private static let database: [Setting] = [
        Setting(
            "DATABASE_URL", \.databaseURL, .connectionString, isSecret: true,
            example: "postgresql://sheetmarket@/sheetmarket?host=/run/postgresql",
            "The PostgreSQL database, as libpq takes it; TLS settings (sslmode, sslrootcert) belong here too."),
        Setting(
            "SHEETMARKET_DB_POOL", \.databasePool, .integer(1...200), default: "4", example: "8",
            "Connections for transactions, per process. More than the database has cores makes the slowest answers slower."
        ),
        Setting(
            "SHEETMARKET_DB_PIPELINE", \.databasePipeline, .integer(1...32), default: "2", example: "4",
            "Connections that all single statements share in pipeline mode, per process."),
        Setting(
            "SHEETMARKET_DB_WAIT", \.databaseWait, .duration(0.1...60), default: "5s", example: "5s",
            "How long a request waits for a connection before it is answered with 503."),
        Setting(
            "SHEETMARKET_DB_STATEMENT_TIMEOUT", \.statementTimeout, .duration(0.1...3600), default: "30s",
            example: "30s",
            "The longest a statement may run before the database cancels it."),
    ]

    private static let serving: [Setting] = [
        Setting(
            "SHEETMARKET_LISTEN", \.listen, .listen, default: "127.0.0.1:8080", example: "0.0.0.0:8080",
            "Where connections are taken, as HOST:PORT; port 0 lets the system choose."),
        Setting(
            "SHEETMARKET_PUBLIC_URL", \.publicURL, .address(["http", "https"]), example: "https://sheets.example.org",
            "Where people reach the service. With https:// cookies are sent over TLS only. "
                + "Without it, answers carry relative addresses."),
        Setting(
            "SHEETMARKET_TRUSTED_PROXIES", \.trustedProxies, .addresses, default: nil, example: "127.0.0.1,10.0.0.5",
            "Addresses of proxies whose X-Forwarded-For is believed. Limits per client count the proxy itself otherwise."
        ),
        Setting(
            "SHEETMARKET_SHUTDOWN_GRACE", \.shutdownGrace, .duration(0...600), default: "20s", example: "20s",
            "How long open requests and running jobs may go on after SIGTERM."),
    ]

    private static let content: [Setting] = [
        Setting(
            "SHEETMARKET_STORAGE", \.storage, .path, example: "/var/lib/sheetmarket/storage",
            "The folder with artifacts and pictures. Nodes share it, over a network file system for example."),
        Setting(
            "SHEETMARKET_DOWNLOAD_KEYS", \.downloadKeys, .downloadKeys, isSecret: true,
            example: "k1:PUT-44-CHARACTERS-OF-BASE64-HERE=",
            "Keys of download addresses as id:BASE64 (32 bytes or more), separated by commas: the first signs, all verify. "
                + "`sheetmarket keys new-download-key` makes one. All nodes need the same."),
        Setting(
            "SHEETMARKET_DOWNLOAD_TTL", \.limits.downloadSeconds, .wholeSeconds(1...604_800), default: "15m",
            example: "15m", "How long a download address holds."),
        Setting(
            "SHEETMARKET_MAX_UPLOAD_BYTES", \.limits.uploadBytes, .bytes(1024...(1 << 30)), default: "50MB",
            example: "100MB", "The largest file that may be uploaded."),
        Setting(
            "SHEETMARKET_SESSION_TTL", \.limits.sessionSeconds, .seconds(300...31_536_000), default: "30d",
            example: "30d", "How long a browser stays signed in."),
        Setting(
            "SHEETMARKET_CLAIM_TTL", \.limits.claimSeconds, .seconds(10...86_400), default: "15m", example: "15m",
            "How long a moderator's claim on a case holds without work on it."),
        Setting(
            "SHEETMARKET_SIGN_IN_FAILURES", \.limits.signInFailures, .integer(1...1000), default: "10", example: "10",
            "Failed sign-ins per account in a quarter of an hour before the next is refused."),
        Setting(
            "SHEETMARKET_ASSETS", \.assets, .path, default: "found above the program, else /usr/share/sheetmarket",
            example: "/usr/share/sheetmarket", "The folder with migrations/, web/ and examples/."),
    ]

    private static let ingest: [Setting] = [
        Setting(
            "SHEETMARKET_WORKERS", \.workers, .integer(0...256), default: "2", example: "4",
            "Files that are read at the same time by `work` and `up`; with 0 `up` only serves."),
        Setting(
            "SHEETMARKET_LEASE_SECONDS", \.limits.leaseSeconds, .seconds(1...3600), default: "30", example: "30",
            "How long a worker that gave no sign keeps its job before another takes it up."),
        Setting(
            "SHEETMARKET_READER", \.reader, .path, default: "sheet-inspect beside this program",
            example: "/usr/bin/sheet-inspect", "The program that reads uploaded PDFs in a sandbox."),
        Setting(
            "SHEETMARKET_READER_FILES", \.filesPerReader, .integer(1...10_000), default: "32", example: "1",
            "Files that one sandboxed reader reads before a fresh one takes its place; any that is not accepted ends its "
                + "reader at once. With 1 no two files ever share a process."),
        Setting(
            "SHEETMARKET_READER_IDLE", \.readerIdle, .duration(1...86_400), default: "5m", example: "5m",
            "How long a reader stands ready without a file before it is ended; the next file then starts one."),
        Setting(
            "SHEETMARKET_IMPORTER", \.importer, .path, default: "sheet-import beside this program",
            example: "/usr/bin/sheet-import", "The program that reads other formats, and runs outside importers."),
        Setting(
            "SHEETMARKET_PLUGINS", \.plugins, .path, default: "plugins/ among the assets",
            example: "/etc/sheetmarket/plugins",
            "The folder of outside importers: each folder in it with a plugin.json is one. An empty folder turns them off. "
                + "Servers and workers need the same."),
        Setting(
            "SHEETMARKET_PRESETS", \.presets, .path, default: "presets/ in the data folder of `up`, else none",
            example: "/etc/sheetmarket/presets",
            "The folder of region presets (JSON) for known layouts: pages that look like theirs get their zoom regions. "
                + "Workers read it when they start."),
    ]

    private static let logging: [Setting] = [
        Setting(
            "SHEETMARKET_LOG_LEVEL", \.logLevel, .word(), default: "info", example: "debug",
            "The least severe messages that are logged: trace, debug, info, notice, warning, error or critical."),
        Setting(
            "SHEETMARKET_LOG_FORMAT", \.logFormat, .word(), default: "text at a terminal, json elsewhere",
            example: "json", "How messages are written to standard error: json (one object per line) or text."),
    ]
}
