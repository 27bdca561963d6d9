// SPDX-License-Identifier: Apache-2.0
import Foundation
import IngestWire
import Logging
import MarketAccounts
import MarketCatalog
import MarketCommunity
import MarketHTTP
import MarketIngest
import MarketPages
import Moderation
import ModerationService

extension Setting {
    /// Every setting, in the order of the help.
    static let all: [Setting] =
        database + serving + middleware + storage + backups + content + ingest + risk + accounts + mail + moderation
        + outgoing + logging + tracing

    private static let database: [Setting] = [
        Setting(
            "DATABASE_URL", \.databaseURL, .connectionString, isSecret: true,
            example: "postgresql://sheetmarket@/sheetmarket?host=/run/postgresql",
            "The PostgreSQL database, as libpq takes it; TLS settings (sslmode, sslrootcert) belong here too."),
        Setting(
            "SHEETMARKET_DB_DIRECT_URL", \.directDatabaseURL, .connectionString, isSecret: true,
            example: "postgresql://sheetmarket@database:5432/sheetmarket",
            "For a DATABASE_URL that leads to a pooler in transaction mode, such as PgBouncer: the database itself, for "
                + "notifications, migrations and backups. Over the pooler no statement is prepared."),
        Setting(
            "SHEETMARKET_SERVICE_ROLE", \.serviceRole, .roleName, example: "sheetmarket_service",
            "For `migrate`: the role that `serve` and `work` sign in as, when DATABASE_URL there names the owner of the schema. "
                + "It gets the rights to serve, and none to change the audit log."
        ),
        Setting(
            "SHEETMARKET_REPLICA_URLS", \.replicaURLs, .connectionStrings, isSecret: true,
            example: "postgresql://sheetmarket@replica1/sheetmarket postgresql://sheetmarket@replica2/sheetmarket",
            "For `serve`: streaming replicas of the database, as postgresql:// addresses separated by blanks. They answer "
                + "reads of the catalog that may be a little old; what they cannot, DATABASE_URL does."),
        Setting(
            "SHEETMARKET_REPLICA_LAG", \.replicaLag, .duration(0.2...300), default: "10s", example: "5s",
            "How old what a replica shows may be. One that lags by more is not read from until it has caught up."),
        Setting(
            "SHEETMARKET_DB_POOL", \.databasePool, .integer(1...200), default: "4", example: "8",
            "Connections for transactions, per process. More than the database has cores makes the slowest answers slower."
        ),
        Setting(
            "SHEETMARKET_DB_PIPELINE", \.databasePipeline, .integer(1...32), default: "2", example: "4",
            "Connections that all single statements share in pipeline mode, per process."),
        Setting(
            "SHEETMARKET_DB_POOL_TIMEOUT", \.databasePoolTimeout, .duration(0.1...60), default: "5s", example: "5s",
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
            "SHEETMARKET_NAME", \.site.name, .title, default: "Sheetmarket", example: "The Dragon's Desk",
            "What people call this market: stands at the head of every page."),
        Setting(
            "SHEETMARKET_CONTACT", \.site.contact, .contact, example: "sheets@example.org",
            "Where people reach you: an e-mail address, or one that begins with https://. The pages and "
                + "/.well-known/security.txt tell it; without it there is no security.txt."),
        Setting(
            "SHEETMARKET_TEXTS", \.site.texts, .path, example: "/etc/sheetmarket/texts",
            "Your own texts of pages, laid out as web/texts: en/about.md, en/privacy.md and en/terms.md. They win over "
                + "ours; {name}, {address} and {contact} are filled in."),
        Setting(
            "SHEETMARKET_CLIENT_PROGRAM", \.site.clientProgram, .path, default: "sheets beside this program",
            example: "/usr/lib/sheetmarket/sheets",
            "The program `sheets` that the page /install hands out; it should be built with --static-swift-stdlib."),
        Setting(
            "SHEETMARKET_TRUSTED_PROXIES", \.trustedProxies, .addresses, default: nil, example: "127.0.0.1,10.0.0.5",
            "Addresses of proxies whose X-Forwarded-For is believed. Limits per client count the proxy itself otherwise."
        ),
        Setting(
            "SHEETMARKET_SHUTDOWN_GRACE", \.shutdownGrace, .duration(0...600), default: "20s", example: "20s",
            "How long open requests and running jobs may go on after SIGTERM."),
        Setting(
            "SHEETMARKET_DRAIN", \.drain, .duration(0...600), default: "1s", example: "5s",
            "For `serve`: how long after SIGTERM connections are still taken, each for one answer, so that proxies turn to "
                + "other servers. What asks /readyz every few seconds needs more."),
    ]

    private static let middleware: [Setting] = [
        Setting(
            "SHEETMARKET_LIMIT_ADDRESS", \.middleware.addressQuota, .quota, default: "6000/1m", example: "1200/1m",
            "Points that calls without a credential, and all that hash a password, may spend per address (IPv6: per /64), "
                + "as POINTS/TIME, or off. The nodes share what they count."),
        Setting(
            "SHEETMARKET_LIMIT_ACCOUNT", \.middleware.accountQuota, .quota, default: "12000/1m", example: "6000/1m",
            "Points that an account may spend, with all of its sessions and tokens together, as POINTS/TIME, or off."),
        Setting(
            "SHEETMARKET_LIMIT_TOKEN", \.middleware.tokenQuota, .quota, default: "half of SHEETMARKET_LIMIT_ACCOUNT",
            example: "3000/1m",
            "Points that one token may spend of its account's, as POINTS/TIME, or off: a program that runs wild leaves its "
                + "owner some."),
        Setting(
            "SHEETMARKET_LIMIT_INVALID_CREDENTIALS", \.middleware.invalidCredentialQuota, .quota, default: "600/10m",
            example: "100/10m",
            "Credentials that are none per address before none of its credentials is looked at, as COUNT/TIME, or off."),
        Setting(
            "SHEETMARKET_LIMIT_COSTS", \.middleware.costs, .costs,
            default: "free=0,read=1,search=2,write=10,upload=50,sign-in=20", example: "search=4,upload=100",
            "What calls cost in points, by kind; what is not named costs as usual."),
        Setting(
            "SHEETMARKET_CORS_ORIGINS", \.middleware.origins, .origins, default: "*",
            example: "https://app.example.org",
            "Sites whose pages may call the API from a browser, separated by commas; * for all, none for none. "
                + "They send a token or nothing: cookies of ours are never taken from them."),
        Setting(
            "SHEETMARKET_IDEMPOTENCY_TTL", \.middleware.idempotencySeconds, .seconds(60...604_800), default: "24h",
            example: "24h", "How long the answer to a call with an Idempotency-Key is kept."),
        Setting(
            "SHEETMARKET_CREDENTIAL_CACHE_TTL", \.middleware.credentialSeconds, .seconds(0...60), default: "2s",
            example: "0",
            "How long a node remembers, for reads, who showed a credential. What is revoked anywhere is forgotten at "
                + "once; this is for a node that cannot hear of it. 0 asks the database for every call."),
    ]

    private static let storage: [Setting] = [
        Setting(
            "SHEETMARKET_STORAGE", \.storage.folder, .path, example: "/var/lib/sheetmarket/storage",
            "The folder with artifacts and pictures. Nodes share it, over a network file system for example; a bucket "
                + "(SHEETMARKET_S3_BUCKET) takes its place."),
        Setting(
            "SHEETMARKET_ACCEL_PATH", \.storage.proxyPath, .urlPath, example: "/internal/objects",
            "For nginx in front: the internal path under which it serves the folder `objects` of SHEETMARKET_STORAGE. "
                + "Downloads are then handed to it (X-Accel-Redirect); deploy/nginx shows the location."),
        Setting(
            "SHEETMARKET_STORAGE_PRIMARY", \.storage.primary, .word(), example: "s3",
            "Where new objects go when both a folder and a bucket are set: disk or s3. Each is read for what the other "
                + "has not; `sheetmarket storage move` moves the rest. Without it: s3."),
        Setting(
            "SHEETMARKET_S3_BUCKET", \.storage.bucket, .bucketName, example: "sheetmarket",
            "A bucket of an S3-compatible server for artifacts and pictures. It must be there, and private."),
        Setting(
            "SHEETMARKET_S3_ENDPOINT", \.storage.endpoint, .address(["http", "https"]),
            example: "https://s3.eu-central-1.amazonaws.com", "The server that has the bucket."),
        Setting(
            "SHEETMARKET_S3_PUBLIC_ENDPOINT", \.storage.publicEndpoint, .address(["http", "https"]),
            example: "https://s3.eu-central-1.amazonaws.com",
            "Where clients reach that server: downloads are then sent on to it by signed addresses that hold for ten "
                + "minutes. Without it they go through this service."),
        Setting(
            "SHEETMARKET_S3_REGION", \.storage.region, .region, default: "us-east-1", example: "eu-central-1",
            "The region that requests are signed for."),
        Setting(
            "SHEETMARKET_S3_ACCESS_KEY", \.storage.accessKey, .text, example: "AKIAIOSFODNN7EXAMPLE",
            "The id of the key that may read, write, list and delete objects in the bucket."),
        Setting(
            "SHEETMARKET_S3_SECRET_KEY", \.storage.secretKey, .text, isSecret: true,
            example: "PUT-THE-SECRET-OF-THE-KEY-HERE", "Its secret."),
        Setting(
            "SHEETMARKET_S3_PREFIX", \.storage.prefix, .keyPrefix, example: "market/",
            "What the keys of all objects begin with, for a bucket that others use too."),
        Setting(
            "SHEETMARKET_S3_SPOOL", \.storage.spool, .path, default: nil, example: "/var/lib/sheetmarket/spool",
            "A private folder of this machine for files on their way to and from a bucket, and for a backup's database; "
                + "without it one in the temporary folder."),
    ]

    private static let content: [Setting] = [
        Setting(
            "SHEETMARKET_DOWNLOAD_KEYS", \.downloadKeys, .downloadKeys, isSecret: true,
            example: "k1:PUT-44-CHARACTERS-OF-BASE64-HERE=",
            "Keys of download addresses as id:BASE64 (32 bytes or more), separated by commas: the first signs, all verify. "
                + "`sheetmarket keys new-download-key` makes one. All nodes need the same."),
        Setting(
            "SHEETMARKET_AUDIT_KEYS", \.auditKeys, .auditKeys, isSecret: true,
            example: "a1:PUT-44-CHARACTERS-OF-BASE64-HERE=",
            "Keys that sign checkpoints of the audit log as id:BASE64 (32 bytes), separated by commas: the first signs, "
                + "all verify; of an old one id:public:BASE64 will do. `sheetmarket keys new-audit-key` makes one. For "
                + "workers; without it nothing is signed."),
        Setting(
            "SHEETMARKET_DOWNLOAD_TTL", \.limits.catalog.downloadSeconds, .wholeSeconds(1...604_800), default: "15m",
            example: "15m", "How long a download address holds."),
        Setting(
            "SHEETMARKET_MAX_UPLOAD_BYTES", \.limits.ingest.uploadBytes, .bytes(1024...(1 << 30)), default: "50MB",
            example: "100MB", "The largest file that may be uploaded."),
        Setting(
            "SHEETMARKET_SESSION_TTL", \.limits.accounts.sessionSeconds, .seconds(300...31_536_000), default: "30d",
            example: "30d", "How long a browser stays signed in."),
        Setting(
            "SHEETMARKET_CLAIM_TTL", \.limits.moderation.claimSeconds, .seconds(10...86_400), default: "15m",
            example: "15m",
            "How long a moderator's claim on a case holds without work on it."),
        Setting(
            "SHEETMARKET_SIGN_IN_FAILURES", \.limits.accounts.signInFailures, .integer(1...1000), default: "10",
            example: "10",
            "Failed sign-ins per account in a quarter of an hour before the next is refused."),
        Setting(
            "SHEETMARKET_SIGN_IN_PROVIDERS", \.signInProviders, .path, default: nil,
            example: "/etc/sheetmarket/providers.json",
            "A JSON file with OpenID Connect providers at whom people can sign in; docs/sign-in.md tells how it is written. "
                + "It holds secrets: mode 0640. SHEETMARKET_PUBLIC_URL must be set with it."),
        Setting(
            "SHEETMARKET_ERASURE_GRACE", \.limits.community.erasureGraceSeconds, .seconds(0...31_536_000),
            default: "7d",
            example: "7d",
            "How long people can take back that their account shall be erased; 0 erases at once."),
        Setting(
            "SHEETMARKET_REPORTS_PER_DAY", \.limits.moderation.reportsPerDay, .integer(1...10_000), default: "20",
            example: "50",
            "Reports that are taken of one person within 24 hours; of those whose reports are mostly wrong, a fifth."),
        Setting(
            "SHEETMARKET_STRIKE_HALF_LIFE", \.limits.moderation.strikeHalfLifeSeconds, .seconds(3600...315_360_000),
            default: "90d",
            example: "90d", "After how long a strike counts half when the next sanction is proposed."),
        Setting(
            "SHEETMARKET_ASSETS", \.assets, .path, default: "found above the program, else /usr/share/sheetmarket",
            example: "/usr/share/sheetmarket", "The folder with migrations/, web/ and examples/."),
    ]

    private static let ingest: [Setting] = [
        Setting(
            "SHEETMARKET_WORKERS", \.workers, .integer(0...256), default: "2", example: "4",
            "Files that are read at the same time by `work` and `up`; with 0 `up` only serves."),
        Setting(
            "SHEETMARKET_JOB_LEASE", \.limits.leaseSeconds, .seconds(1...3600), default: "30", example: "30",
            "How long a worker that gave no sign keeps its job before another takes it up."),
        Setting(
            "SHEETMARKET_READER", \.reader, .path, default: "sheet-inspect beside this program",
            example: "/usr/bin/sheet-inspect", "The program that reads uploaded PDFs in a sandbox."),
        Setting(
            "SHEETMARKET_MAX_PAGES", \.readerLimits.pages, .integer(1...10_000), default: "500", example: "100",
            "Pages that a sheet may have."),
        Setting(
            "SHEETMARKET_READER_CPU", \.readerLimits.cpuSeconds, .wholeSeconds(1...600), default: "10", example: "20",
            "Processor time that reading one file may take; its pictures may take as much again and more."),
        Setting(
            "SHEETMARKET_READER_TIMEOUT", \.readerLimits.wallSeconds, .wholeSeconds(1...3600), default: "30",
            example: "60", "How long reading one file may take by the clock."),
        Setting(
            "SHEETMARKET_READER_MEMORY", \.readerLimits.memoryBytes, .bytes((128 << 20)...(16 << 30)), default: "512MB",
            example: "1GB", "Address space of what reads a file."),
        Setting(
            "SHEETMARKET_READER_FILES", \.filesPerReader, .integer(1...10_000), default: "32", example: "1",
            "Files that one sandboxed reader reads before a fresh one takes its place; any that is not accepted ends its "
                + "reader at once. With 1 no two files ever share a process."),
        Setting(
            "SHEETMARKET_READER_IDLE_TIMEOUT", \.readerIdleTimeout, .duration(1...86_400), default: "5m", example: "5m",
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

    private static let risk: [Setting] = [
        Setting(
            "SHEETMARKET_RULES", \.rules, .path, default: "rules/ among the assets", example: "/etc/sheetmarket/rules",
            "The folder with risk.json, prohibited-words.json and publishers.json; what it lacks is taken from the assets. "
                + "`sheetmarket admin rules check` tells whether they will do. Servers and workers need the same."),
        Setting(
            "SHEETMARKET_SHADOW_RULES", \.shadowRules, .path, example: "/etc/sheetmarket/next-rules",
            "A folder of the same files that is tried beside them: its scores are kept and shown, and decide nothing."),
        Setting(
            "SHEETMARKET_TRUSTED_PATH", \.trust.isOn, .onOff, default: "on", example: "off",
            "Whether small updates of trusted authors, with no warning and no rule against them, are published at once."
        ),
        Setting(
            "SHEETMARKET_TRUSTED_APPROVALS", \.trust.leastApprovals, .integer(1...100_000), default: "5", example: "10",
            "How many uploads of an author moderators must have approved before the author is trusted."),
        Setting(
            "SHEETMARKET_TRUSTED_DAYS", \.trust.leastAccountDays, .number(0...3660), default: "30", example: "90",
            "How many days an account must be old before its holder is trusted."),
        Setting(
            "SHEETMARKET_TRUSTED_AUDIT", \.trust.auditShare, .percent, default: "10%", example: "25%",
            "The part of what is published at once that a moderator looks at afterwards, by lot."),
    ]

    private static let accounts: [Setting] = [
        Setting(
            "SHEETMARKET_SECRET_KEYS", \.secretKeys, .downloadKeys, isSecret: true,
            example: "s1:PUT-44-CHARACTERS-OF-BASE64-HERE=",
            "Keys that seal second factors and other secrets in the database, as id:BASE64 (32 bytes or more), separated by "
                + "commas: the first seals, all open. Keep old ones until `sheetmarket admin keys reseal` has moved what they "
                + "sealed. `sheetmarket keys new-secret-key` makes one. All nodes need the same; back them up apart from the "
                + "database."),
        Setting(
            "SHEETMARKET_STAFF_SECOND_FACTOR", \.staffSecondFactor, .word(), default: "required; off for `up`",
            example: "required",
            "Whether moderators and administrators need a second factor before they may work: required or off."),
        Setting(
            "SHEETMARKET_EMAIL", \.email, .word(), default: "optional", example: "required",
            "Whether registering takes an e-mail address: required or optional."),
        Setting(
            "SHEETMARKET_LEAKED_PASSWORDS", \.leakedPasswords, .path, example: "/var/lib/sheetmarket/pwned-sha1.txt",
            "A file of SHA-1 hashes of leaked passwords, sorted by hash, a line HASH:COUNT each, as Have I Been Pwned's "
                + "downloader writes it. Such passwords are refused, besides the short list that comes with the program."
        ),
    ]

    private static let mail: [Setting] = [
        Setting(
            "SHEETMARKET_SMTP_URL", \.mail.server, .address(["smtp", "smtps"]), example: "smtp://mail.example.org:587",
            "The server that takes e-mails; smtps:// is TLS from the first byte. Without it `up` writes them to files, and "
                + "other nodes leave them in the outbox unless SHEETMARKET_MAIL_FOLDER is set."),
        Setting(
            "SHEETMARKET_SMTP_USER", \.mail.user, .text, example: "sheetmarket",
            "Who signs in to the mail server; without it nobody does."),
        Setting(
            "SHEETMARKET_SMTP_PASSWORD", \.mail.password, .text, isSecret: true, example: "PASSWORD",
            "The password that goes with it."),
        Setting(
            "SHEETMARKET_SMTP_TLS", \.mail.tls, .word(), default: "required", example: "required",
            "Whether nothing is sent over smtp:// before STARTTLS: required or off. Off is for a relay on this machine."
        ),
        Setting(
            "SHEETMARKET_SMTP_CA", \.mail.authorities, .path, default: "the system's",
            example: "/etc/sheetmarket/mail-ca.pem",
            "A PEM file with the certificates that the mail server's is checked against: for a relay with an authority of "
                + "your own."),
        Setting(
            "SHEETMARKET_MAIL_FROM", \.mail.sender, .mailbox,
            default: "sheetmarket@ the host of SHEETMARKET_PUBLIC_URL",
            example: "Sheetmarket <sheets@example.org>", "From whom e-mails are."),
        Setting(
            "SHEETMARKET_MAIL_FOLDER", \.mail.folder, .path, default: "mail/ in the data folder of `up`, else none",
            example: "/var/lib/sheetmarket/mail",
            "Where e-mails are written to instead of being sent, when there is no SHEETMARKET_SMTP_URL."),
        Setting(
            "SHEETMARKET_MAIL_TEMPLATES", \.mail.templates, .path, example: "/etc/sheetmarket/mail",
            "Your own texts of e-mails, laid out as web/mail: LANGUAGE/NAME.mustache. They win over ours; more languages "
                + "may be added."),
    ]

    private static let moderation: [Setting] = [
        Setting(
            "SHEETMARKET_REASONS", \.reasons, .path, example: "/etc/sheetmarket/reasons",
            "A folder of canned reasons, <language>/<code>.md; one of the same code and language takes the "
                + "place of ours."
        ),
        Setting(
            "SHEETMARKET_SLA_UPLOAD", \.limits.moderation.sla.upload, .seconds(60...31_536_000), default: "72h",
            example: "72h", "By when uploads and appeals should be decided."),
        Setting(
            "SHEETMARKET_SLA_UPDATE", \.limits.moderation.sla.trustedUpdate, .seconds(60...31_536_000), default: "24h",
            example: "24h", "By when new versions of authors with three published submissions should be decided."),
        Setting(
            "SHEETMARKET_SLA_REPORT", \.limits.moderation.sla.report, .seconds(60...31_536_000), default: "24h",
            example: "24h", "By when what was reported should be decided."),
        Setting(
            "SHEETMARKET_SLA_WARNING", \.limits.moderation.slaWarningSeconds, .seconds(0...31_536_000), default: "6h",
            example: "6h", "How long before that time a case counts as due soon, in the queue and in the metrics."),
        Setting(
            "SHEETMARKET_FOUR_EYES_INSTALLS", \.limits.moderation.fourEyesInstalls, .integer(0...1_000_000_000),
            default: "500",
            example: "500", "From how many downloads on taking a template down needs a second moderator."),
        Setting(
            "SHEETMARKET_APPEAL_WINDOW", \.limits.moderation.appealSeconds, .seconds(60...31_536_000), default: "30d",
            example: "30d",
            "How long a decision can be appealed."),
    ]

    private static let outgoing: [Setting] = [
        Setting(
            "SHEETMARKET_OUTGOING_ALLOW_PRIVATE", \.allowsPrivateOutgoing, .onOff, default: "off", example: "off",
            "For development only: 'on' lets webhooks be sent to private and loopback addresses, and over plain HTTP. "
                + "On a server for others it would open the private network to its users.")
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
