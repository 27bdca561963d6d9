// SPDX-License-Identifier: Apache-2.0
import Foundation
import Hummingbird
import IngestWire
import Logging
import MarketAccounts
import MarketCatalog
import MarketCommunity
import MarketIngest
import MarketPages
import MarketPlatform
import Moderation
import ModerationService
import Outgoing
import Postgres
import ServiceLifecycle
import SystemPackage
import TemplateIngest

/// One process of the service: what is built of a configuration, and the roles it can take.
package struct Node: Sendable {
    /// Everything the features work with.
    package let features: Features
    /// The files that come with the program.
    package let assets: AssetFolder
    private let pages: WebPages
    private let configuration: ServerConfiguration
    private let metrics: MarketMetrics
    private let plugins: [PluginFolder]

    /// Why a node cannot be built of its configuration; the text is for the operator.
    package struct SetupError: Error, CustomStringConvertible {
        /// What is missing and what to do about it.
        package let description: String
    }

    /// Opens storage and prepares the database's pool; connects to nothing yet. Throws `SetupError`, `StorageError`
    /// or `AssetError`.
    package static func open(
        _ configuration: ServerConfiguration, metrics: MarketMetrics = MarketMetrics(), logger: Logger
    ) async throws -> Node {
        guard let connection = configuration.databaseURL else {
            throw SetupError(description: "DATABASE_URL must be set.")
        }
        let executable = URL(fileURLWithPath: Bundle.main.executablePath ?? CommandLine.arguments[0])
        guard let assets = AssetFolder(named: configuration.assets, executable: executable) else {
            throw SetupError(
                description: "Neither SHEETMARKET_ASSETS, nor a folder above the program, nor "
                    + "\(AssetFolder.installed.path) has the folder 'migrations'.")
        }
        var pool = PostgresConfiguration(connectionString: connection)
        pool.directConnectionString = configuration.directDatabaseURL
        pool.maxConnections = configuration.databasePool
        pool.pipelineConnections = configuration.databasePipeline
        pool.checkoutTimeout = configuration.databasePoolTimeout
        pool.statementTimeout = configuration.statementTimeout
        pool.replicas = (configuration.replicaURLs ?? "").split(whereSeparator: \.isWhitespace).map(String.init)
        pool.replicaBound = configuration.replicaLag
        let plugins = outsideImporters(configuration, assets: assets, logger: logger)
        let limits = configuration.limits
        let platform = Platform(
            database: PostgresClient(configuration: pool, logger: logger),
            storage: try await configuration.storage.open(logger: logger).all,
            signer: try DownloadSigner(setting: configuration.downloadKeys ?? ""),
            secrets: try configuration.secretKeys.map { try SecretBox(setting: $0) },
            outgoingPolicy: configuration.allowsPrivateOutgoing ? .anywhere : .publicOnly,
            publicURL: configuration.publicURL, leaseSeconds: limits.leaseSeconds, logger: logger)
        let accounts = AccountDependencies(
            platform: platform, limits: limits.accounts,
            leakedPasswords: try configuration.leakedPasswords.map { try LeakedPasswordFile($0) },
            emailTemplates: try EmailTemplates(
                folder: assets.web.appendingPathComponent("mail"), own: configuration.mail.templates),
            signIn: try signInProviders(configuration, logger: logger))
        let features = Features(
            accounts: accounts, limits: limits, importableSuffixes: Set(plugins.flatMap(\.manifest.suffixes)),
            moderation: ModerationSettings(
                limits: limits.moderation, risk: try riskPolicy(configuration, assets: assets),
                reasons: cannedReasons(configuration, assets: assets, logger: logger)),
            redrawPicture: redrawing(configuration, logger: logger))
        if features.platform.outgoingPolicy == .anywhere {
            logger.warning(
                "SHEETMARKET_OUTGOING_ALLOW_PRIVATE is on: webhooks reach private networks, also over plain HTTP")
        }
        var site = configuration.site
        site.clientProgram = site.clientProgram ?? clientProgram(beside: executable)
        site.emails = emailPlace(configuration.mail)
        return Node(
            features: features, assets: assets, pages: try WebPages(folder: assets.web, site: site),
            configuration: configuration,
            metrics: metrics, plugins: plugins)
    }

    /// Where e-mails go, as pages tell it.
    private static func emailPlace(_ mail: MailSettings) -> EmailPlace {
        if mail.server != nil { return .sent }
        return mail.folder.map { .folder($0.path) } ?? .kept
    }

    /// The players' command as it is installed or built beside this program.
    private static func clientProgram(beside executable: URL) -> URL? {
        let file = executable.resolvingSymlinksInPath().deletingLastPathComponent().appendingPathComponent("sheets")
        return FileManager.default.isReadableFile(atPath: file.path) ? file : nil
    }

    /// The providers at whom people can sign in. Only those that the operator says are in a private network can be
    /// there.
    private static func signInProviders(
        _ configuration: ServerConfiguration, logger: Logger
    ) throws -> ProviderDirectory {
        guard let file = configuration.signInProviders else { return .none }
        guard configuration.publicURL != nil else {
            throw SetupError(
                description: "SHEETMARKET_PUBLIC_URL must be set with SHEETMARKET_SIGN_IN_PROVIDERS: providers send "
                    + "people back to it.")
        }
        let outside = OutgoingClient(policy: .publicOnly, logger: logger)
        let anywhere = OutgoingClient(policy: .anywhere, logger: logger)
        return ProviderDirectory(try ProviderFile.read(file), now: { Date() }) { provider in
            let client = provider.isPrivate ? anywhere : outside
            return { try await client.send($0) }
        }
    }

    /// The outside importers that can be used here; what keeps the others from it is logged.
    private static func outsideImporters(
        _ configuration: ServerConfiguration, assets: AssetFolder, logger: Logger
    ) -> [PluginFolder] {
        let folder = configuration.plugins ?? assets.plugins
        guard configuration.plugins != nil || FileManager.default.fileExists(atPath: folder.path) else { return [] }
        let (usable, problems) = PluginFolder.all(in: FilePath(folder.path))
        for problem in problems { logger.warning("an importer cannot be used", metadata: ["reason": "\(problem)"]) }
        guard usable.isEmpty || PluginFolder.hasSandbox else {
            logger.warning(
                "outside importers are off: /usr/bin/bwrap is missing (Debian's package bubblewrap)",
                metadata: ["importers": "\(usable.map(\.manifest.name).joined(separator: ", "))"])
            return []
        }
        return usable
    }

    /// The rules of the risk score, and those that are tried beside them.
    private static func riskPolicy(_ configuration: ServerConfiguration, assets: AssetFolder) throws -> RiskPolicy {
        do {
            let rules = try RulesFolder.read(configuration.rules ?? assets.rules, shipped: assets.rules)
            let shadow = try configuration.shadowRules.map { try RulesFolder.read($0, shipped: assets.rules) }
            return RiskPolicy(rules: rules, shadow: shadow, terms: configuration.trust)
        } catch let error as RiskRulesError {
            throw SetupError(description: "The rules of the risk score will not do:\n\(error)")
        }
    }

    /// The reasons that moderators choose from; what keeps a file from being used is logged.
    private static func cannedReasons(
        _ configuration: ServerConfiguration, assets: AssetFolder, logger: Logger
    ) -> ReasonBook {
        let folders = [assets.reasons] + [configuration.reasons].compactMap { $0 }
        let (reasons, problems) = CannedReasonFiles.read(folders)
        for problem in problems { logger.warning("a reason cannot be used", metadata: ["reason": "\(problem)"]) }
        return reasons
    }

    /// Brings the schema up to date; safe while other nodes do the same.
    @discardableResult package func migrate() async throws -> [AppliedMigration] {
        try await PostgresMigrator(directory: assets.migrations).migrate(features.database, logger: features.logger)
    }

    /// Tells the log when the database would let the service rewrite the audit log.
    package func warnOfOwnership() async throws {
        guard try await ServiceRole.canTamper(features.database) else { return }
        features.logger.warning(
            "the role that the service signs in as could change the audit log; docs/audit.md tells how to split it from the owner",
            metadata: ["setting": "SHEETMARKET_SERVICE_ROLE"])
    }

    /// The role of a server; `onRunning` is told the port.
    package func application(onRunning: @escaping @Sendable (Int) async -> Void) -> MarketApplication {
        MarketApplication(
            features: features, pages: pages, listen: configuration.listen, rates: configuration.middleware,
            trustedProxies: configuration.trustedProxies, metrics: metrics, settings: configuration.lines,
            auditKeys: auditKeys, onRunning: onRunning)
    }

    /// The role of a worker: reads uploads, and collects stored objects that nothing names. Throws `SetupError`.
    package func workers() throws -> [any Service] {
        guard configuration.workers > 0 else { return [] }
        let request = ReaderRequest(limits: readerLimits)
        let sheetReader = reader(count: configuration.workers)
        sheetReader.stand(ready: readerLimits)
        let inspection = InspectionDependencies.pipeline(
            pipeline(sheetReader, request), cleaner: SheetCleaner(reader: sheetReader, request: request))
        var work = WorkerConfiguration()
        work.concurrency = configuration.workers
        work.graceSeconds = configuration.shutdownGrace.seconds
        let metrics = self.metrics
        let worker = Worker(
            platform: features.platform,
            handlers: [
                IngestUpload(ingest: features.ingest, inspection: inspection, presets: presets()),
                RenderDifferences(
                    platform: features.platform, drawer: DifferenceRenderer(reader: sheetReader, limits: readerLimits)),
                DrawSharpPictures(platform: features.platform, reader: sheetReader, limits: readerLimits),
                MakeDeltas(platform: features.platform),
            ],
            configuration: work,
            observe: { kind, result, seconds in
                metrics.count("sheetmarket_jobs_total", [("kind", kind.rawValue), ("result", result)])
                metrics.time("sheetmarket_job_duration_seconds", [("kind", kind.rawValue)], seconds: seconds)
            })
        var tasks = features.periodicTasks
        if let keys = auditKeys {
            tasks.append(AuditCheckpointer(platform: features.platform, keys: keys).periodicTask)
        } else {
            features.logger.notice("the audit log is not signed: SHEETMARKET_AUDIT_KEYS is not set")
        }
        if let dispatcher = try emailDispatcher() { tasks.append(dispatcher.periodicTask) }
        return [
            worker, PeriodicService(tasks, platform: features.platform), WebhookDispatcher(platform: features.platform),
        ]
    }

    /// Who brings e-mails on their way; nobody when it was not said how.
    private func emailDispatcher() throws -> EmailDispatcher? {
        let mail = configuration.mail
        let site = features.publicURL ?? "http://\(configuration.listen)"
        let host = URL(string: site)?.host() ?? "localhost"
        // An address of numbers, or a name without a dot, is no domain for mail.
        let standard =
            MailAddress("sheetmarket@\(host)") ?? MailAddress("Sheetmarket <sheetmarket@localhost.localdomain>")
        guard let emailTemplates = features.accounts.emailTemplates,
            let sender = mail.sender.flatMap({ MailAddress($0) }) ?? standard
        else { return nil }
        let delivery: any MailDelivery
        if let url = mail.server {
            if let file = mail.authorities, !FileManager.default.isReadableFile(atPath: file.path) {
                throw SetupError(description: "SHEETMARKET_SMTP_CA (\(file.path)) cannot be read.")
            }
            let server = SMTPServer(
                url: url, user: mail.user, password: mail.password, requiresTLS: mail.tls == .required)
            // The operator named it; relays stand in private networks.
            let client = OutgoingClient(
                policy: .anywhere, authorities: mail.authorities?.path, logger: features.logger)
            delivery = SMTPMailDelivery(server, client: client)
        } else if let folder = mail.folder {
            delivery = FileMailDelivery(folder)
        } else {
            features.logger.warning(
                "e-mails stay in the outbox: neither SHEETMARKET_SMTP_URL nor SHEETMARKET_MAIL_FOLDER is set")
            return nil
        }
        features.logger.notice("mail: \(delivery.summary)", metadata: ["from": "\(sender.address)"])
        return EmailDispatcher(
            platform: features.platform, templates: emailTemplates, delivery: delivery, sender: sender, site: site)
    }

    /// The keys of the audit log's checkpoints, if there are any; their text was checked when the setting was read.
    package var auditKeys: AuditKeys? { configuration.auditKeys.flatMap { try? AuditKeys(setting: $0) } }

    private var readerLimits: ReaderLimits {
        var limits = configuration.readerLimits
        limits.fileBytes = features.ingest.limits.uploadBytes
        return limits
    }

    /// How many pictures of people are redrawn at once.
    private static let picturesAtOnce = 2

    /// Readers of people's pictures, which start when one comes.
    private static func redrawing(_ configuration: ServerConfiguration, logger: Logger) -> PictureRedrawing {
        var limits = configuration.readerLimits
        limits.fileBytes = ProfilePictureService.maximumBytes
        return PortraitRenderer(reader: reader(configuration, count: 1, logger: logger), limits: limits)
            .redrawing(atOnce: picturesAtOnce)
    }

    private func reader(count: Int) -> SheetReader {
        Self.reader(configuration, count: count, logger: features.logger)
    }

    private static func reader(_ configuration: ServerConfiguration, count: Int, logger: Logger) -> SheetReader {
        var reader = SheetReaderConfiguration.besideThisProgram(logger: logger)
        if let named = configuration.reader { reader.executable = FilePath(named.path) }
        reader.readers = count
        reader.filesPerReader = configuration.filesPerReader
        reader.idleSeconds = configuration.readerIdleTimeout.seconds
        return SheetReader(configuration: reader)
    }

    /// The presets that can be used here; what keeps others from it is logged.
    private func presets() -> PresetFolder {
        guard let folder = configuration.presets else { return PresetFolder() }
        let (presets, problems) = PresetFolder.read(folder)
        for problem in problems {
            features.logger.warning("a preset cannot be used", metadata: ["reason": "\(problem)"])
        }
        if presets.count > 0 { features.logger.info("presets", metadata: ["count": "\(presets.count)"]) }
        return presets
    }

    /// Gives the pages of earlier versions the fingerprints that they were stored without, reading their files again in
    /// the sandbox; `onSheet` is told of each. Can be broken off and begun again at any time.
    package func fillFingerprints(
        onSheet: @escaping @Sendable (_ name: String, _ pages: Int) async -> Void
    ) async throws -> Int {
        let reader = reader(count: 1)
        let request = ReaderRequest(limits: readerLimits, previewWidths: [])
        let filling = FingerprintBackfill(platform: features.platform) { file in
            try await reader.read(FilePath(file.location.path), sha256: file.sha256, request: request).value
        }
        return try await filling.run(onSheet: onSheet)
    }

    private func pipeline(_ reader: SheetReader, _ request: ReaderRequest) -> IngestPipeline {
        let launcher =
            configuration.importer.map { FilePath($0.path) } ?? ImporterProgram.besideThisProgram
        var limits = ImportLimits()
        limits.fileBytes = features.ingest.limits.uploadBytes
        limits.artifactBytes = features.ingest.limits.uploadBytes
        let builtIn = ProgramImporter.builtIn(
            executable: launcher, reader: reader, request: request, limits: limits, logger: features.logger)
        let outside = plugins.map { folder in
            ProgramImporter.outside(
                folder, launcher: launcher, reader: reader, request: request, limits: limits, logger: features.logger)
        }
        return IngestPipeline(reader: reader, request: request, others: [builtIn] + outside)
    }

    /// Lets go of the database.
    package func close() async {
        await features.database.shutdown()
    }
}
