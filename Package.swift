// swift-tools-version:6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// What to build: `scripts/build` leaves out what its caller does not need, so that nobody waits for it, or for the packages
// that only it uses. Unset, and so in editors, it is everything.
enum Scope: String {
    /// What apps for iOS and macOS build, without what stands in for their URLSession here.
    case portable
    /// What serving a market needs.
    case server
    /// And the players' program.
    case programs
    /// And what the benchmarks need.
    case benchmarks
    /// And the tests.
    case everything

    static let wanted = Context.environment["SHEETMARKET_BUILD"].flatMap(Scope.init) ?? .everything
}

let hasServer = Scope.wanted != .portable
let hasClient = Scope.wanted != .server
let hasBenchmarks = Scope.wanted == .benchmarks || Scope.wanted == .everything
let hasTests = Scope.wanted == .everything

// Every target of the project is held to the same rules; a warning is an error.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

// The reader's work is computing: without optimization a debug build takes ten to thirty times as long for a sheet, and tests
// and whoever tries things out wait for it.
let computing: [SwiftSetting] = strict + [.unsafeFlags(["-O"], .when(configuration: .debug))]
let computingCxx: [CXXSetting] = [.unsafeFlags(["-O2"], .when(configuration: .debug))]

// The Swift runtime within a release program. Those named are the runtime's own, which the static Foundation needs.
// `scripts/build` names the smaller data of ICU that stands in for Foundation's.
let staticRuntime: [LinkerSetting] = [
    .unsafeFlags(
        ["-static-stdlib", "-l_FoundationCollections", "-l_FoundationCShims", "-lswiftSynchronization"]
            + (Context.environment["SHEETMARKET_ICU_DATA"].map { [$0] } ?? []),
        .when(platforms: [.linux], configuration: .release))
]

func product(
    _ name: String, _ package: String, _ condition: TargetDependencyCondition? = nil
) -> Target.Dependency {
    .product(name: name, package: package, condition: condition)
}

// The manifest states who may use whom; `scripts/check-imports` proves that the sources keep to it.

// MARK: - Portable: must build for iOS and macOS, no server library, no PDF library

let portable: [Target] = [
    .target(
        name: "SheetCore", dependencies: [product("Crypto", "swift-crypto")], swiftSettings: computing,
        // What Foundation on Linux asks about Unicode, for those that do without the rest of Foundation.
        linkerSettings: [.linkedLibrary("_FoundationICU", .when(platforms: [.linux]))]),
    .target(name: "MarketWire", dependencies: ["SheetCore"], swiftSettings: strict),
]

let client: [Target] = [
    .target(
        name: "CharacterCore", dependencies: ["SheetCore", product("Crypto", "swift-crypto")],
        swiftSettings: strict),
    // Elsewhere than on Linux it sends its requests through URLSession.
    .target(
        name: "MarketClient",
        dependencies: [
            "SheetCore", "MarketWire",
            product("Crypto", "swift-crypto"),
            product("HTTPTypes", "swift-http-types"),
        ]
            + (hasServer
                ? [
                    product("AsyncHTTPClient", "async-http-client", .when(platforms: [.linux])),
                    product("NIOCore", "swift-nio", .when(platforms: [.linux])),
                    product("NIOHTTP1", "swift-nio", .when(platforms: [.linux])),
                    product("NIOFoundationCompat", "swift-nio", .when(platforms: [.linux])),
                ] : []),
        swiftSettings: strict),
]

// MARK: - Ingest: hostile files, read in a process of their own

let ingest: [Target] = [
    .target(name: "IngestWire", dependencies: ["SheetCore"], swiftSettings: computing),
    .target(
        name: "SheetLayout", dependencies: ["SheetCore"], resources: [.embedInCode("Data")], swiftSettings: computing),
    .target(
        name: "TemplateIngest",
        dependencies: [
            "SheetCore", "IngestWire", "CSpawn",
            product("Crypto", "swift-crypto"),
            product("Logging", "swift-log"),
            product("SystemPackage", "swift-system"),
            product("Tracing", "swift-distributed-tracing"),
        ],
        swiftSettings: strict),
    .systemLibrary(
        name: "CPopplerCore", pkgConfig: "poppler",
        providers: [.apt(["libpoppler-private-dev", "libfontconfig-dev"])]),
    .systemLibrary(name: "CWebP", pkgConfig: "libwebp", providers: [.apt(["libwebp-dev"])]),
    .systemLibrary(name: "CSeccomp", pkgConfig: "libseccomp", providers: [.apt(["libseccomp-dev"])]),
    .target(name: "PDFAddresses"),
    .target(
        name: "PDFObjects", dependencies: ["CPopplerCore", "PDFAddresses"], cxxSettings: computingCxx,
        linkerSettings: [.linkedLibrary("fontconfig"), .linkedLibrary("z")]),
    .systemLibrary(name: "CQPDF", pkgConfig: "libqpdf", providers: [.apt(["libqpdf-dev"])]),
    .target(name: "CCairo"),
    .target(name: "CCleaning"),
    .target(name: "CPictures"),
    // Ends up in a library of its own; nothing of Swift is in it, nor what starts Swift's runtime.
    .target(
        name: "PDFCleaning", dependencies: ["CQPDF", "PDFAddresses"],
        cxxSettings: [.define("POINTERHOLDER_TRANSITION", to: "4")],
        linkerSettings: [.unsafeFlags(["-static-stdlib", "-nostartfiles"])]),
    .target(name: "CSandbox", dependencies: ["CSeccomp"]),
    .target(name: "CSpawn"),
    .systemLibrary(
        name: "CCairoFonts", pkgConfig: "cairo-ft", providers: [.apt(["libcairo2-dev", "libfontconfig-dev"])]),
    .systemLibrary(name: "CZip", pkgConfig: "libzip", providers: [.apt(["libzip-dev"])]),
    .target(name: "CPluginSandbox", dependencies: ["CSeccomp"]),
    .executableTarget(
        name: "sheet-import",
        dependencies: ["SheetCore", "IngestWire", "CZip", "CSandbox", "CPluginSandbox"],
        swiftSettings: strict),
    .executableTarget(
        name: "sheet-inspect",
        dependencies: [
            "SheetCore", "IngestWire", "SheetLayout", "CWebP", "CCairo", "CCleaning", "CPictures", "PDFObjects",
            "CSandbox",
            product("Crypto", "swift-crypto"),
        ],
        resources: [.embedInCode("game-systems.txt")],
        swiftSettings: computing,
        linkerSettings: [
            // Of a program that shows none of its symbols the loader looks through none for those of its libraries.
            .unsafeFlags(["-Xlinker", "--no-export-dynamic"], .when(platforms: [.linux])),
            .linkedLibrary("png"), .linkedLibrary("jpeg"),
            // Started for every sheet: with the runtime inside it starts 4 ms sooner.
        ] + staticRuntime),
]

// MARK: - Export: puts a character's ink into the PDF of its sheet

let export: [Target] = [
    // Nothing of Swift is in it.
    .executableTarget(
        name: "sheet-export", dependencies: ["CQPDF", "CCairoFonts", "CPictures", "CSandbox"],
        cxxSettings: [.define("POINTERHOLDER_TRANSITION", to: "4")],
        linkerSettings: ["fontconfig", "freetype", "harfbuzz", "fribidi", "png", "jpeg", "m"].map { .linkedLibrary($0) }
            + staticRuntime)
]

// MARK: - Server

let server: [Target] = [
    .systemLibrary(name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .target(
        name: "Postgres",
        dependencies: [
            "CLibPQ", product("Logging", "swift-log"), product("DequeModule", "swift-collections"),
            product("Tracing", "swift-distributed-tracing"),
        ],
        swiftSettings: strict),
    .target(
        name: "PostgresCluster", dependencies: ["CSpawn", product("Logging", "swift-log")], swiftSettings: strict),
    .target(
        name: "Moderation",
        dependencies: ["SheetCore", product("Crypto", "swift-crypto")], swiftSettings: strict),
    .target(
        name: "CSpoof", linkerSettings: [.linkedLibrary("icui18n"), .linkedLibrary("icuuc"), .linkedLibrary("icudata")]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
    .target(name: "DictionaryCoding", dependencies: ["CZstd"], swiftSettings: strict),
    .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
    .target(
        name: "Outgoing",
        dependencies: ["CCurl", product("Logging", "swift-log"), product("Tracing", "swift-distributed-tracing")],
        swiftSettings: strict),
    .target(
        name: "MarketPlatform",
        dependencies: [
            "SheetCore", "MarketWire", "Moderation", "Postgres", "Outgoing",
            product("Crypto", "swift-crypto"),
            product("CoreMetrics", "swift-metrics"),
            product("Logging", "swift-log"),
            product("NIOCore", "swift-nio"),
            product("NIOPosix", "swift-nio"),
            product("ServiceLifecycle", "swift-service-lifecycle"),
            product("Tracing", "swift-distributed-tracing"),
        ],
        resources: [.embedInCode("Text/Data")], swiftSettings: strict),
    .target(
        name: "MarketHTTP",
        dependencies: [
            "MarketPlatform", "MarketWire", "SheetCore", "Postgres", "CZlib",
            product("NIOFoundationEssentialsCompat", "swift-nio"),
            product("Crypto", "swift-crypto"),
            product("HTTPTypes", "swift-http-types"),
            product("Hummingbird", "hummingbird"),
            product("Logging", "swift-log"),
            product("NIOCore", "swift-nio"),
            product("NIOFoundationCompat", "swift-nio"),
            product("NIOHTTP1", "swift-nio"),
            product("NIOHTTPTypes", "swift-nio-extras"),
            product("ServiceLifecycle", "swift-service-lifecycle"),
            product("Tracing", "swift-distributed-tracing"),
        ],
        swiftSettings: strict),
    .target(
        name: "MarketAccounts",
        dependencies: [
            "MarketHTTP", "MarketPlatform", "MarketWire", "SheetCore", "Moderation", "Postgres", "Outgoing",
            "CQREncode",
            product("NIOPosix", "swift-nio"),
            product("Crypto", "swift-crypto"),
            product("CryptoExtras", "swift-crypto"),
            product("HTTPTypes", "swift-http-types"),
            product("Hummingbird", "hummingbird"),
            product("JWTKit", "jwt-kit"),
            product("Logging", "swift-log"),
            product("Mustache", "swift-mustache"),
            product("NIOCore", "swift-nio"),
        ],
        resources: [.embedInCode("Users/Data")], swiftSettings: strict),
    .target(
        name: "MarketSearch",
        dependencies: [
            "MarketHTTP", "MarketPlatform", "MarketWire", "SheetCore", "Postgres",
            product("HTTPTypes", "swift-http-types"),
            product("Hummingbird", "hummingbird"),
            product("Logging", "swift-log"),
            product("NIOCore", "swift-nio"),
        ],
        swiftSettings: strict),
    .target(
        name: "MarketCatalog",
        dependencies: [
            "MarketSearch", "MarketAccounts", "MarketHTTP", "MarketPlatform", "MarketWire", "SheetCore", "Postgres",
            "DictionaryCoding",
            product("Crypto", "swift-crypto"),
            product("HTTPTypes", "swift-http-types"),
            product("Hummingbird", "hummingbird"),
            product("Logging", "swift-log"),
            product("NIOCore", "swift-nio"),
            product("ServiceLifecycle", "swift-service-lifecycle"),
        ],
        swiftSettings: strict),
    .target(
        name: "MarketTrust",
        dependencies: [
            "MarketCatalog", "MarketHTTP", "MarketPlatform", "MarketWire", "SheetCore", "Postgres",
            product("HTTPTypes", "swift-http-types"),
            product("Hummingbird", "hummingbird"),
            product("Logging", "swift-log"),
            product("NIOCore", "swift-nio"),
        ],
        swiftSettings: strict),
    .target(
        name: "MarketIngest",
        dependencies: [
            "MarketCatalog", "MarketAccounts", "MarketHTTP", "MarketPlatform", "MarketWire", "SheetCore", "IngestWire",
            "TemplateIngest", "Moderation", "Postgres",
            product("HummingbirdCore", "hummingbird"),
            product("HTTPTypes", "swift-http-types"),
            product("Hummingbird", "hummingbird"),
            product("Logging", "swift-log"),
            product("NIOCore", "swift-nio"),
            product("NIOFoundationCompat", "swift-nio"),
            product("ServiceLifecycle", "swift-service-lifecycle"),
            product("SystemPackage", "swift-system"),
        ],
        swiftSettings: strict),
    .target(
        name: "ModerationService",
        dependencies: [
            "MarketIngest", "MarketCatalog", "MarketSearch", "MarketAccounts", "MarketHTTP", "MarketPlatform",
            "MarketWire", "SheetCore", "IngestWire", "Moderation", "Postgres", "CSpoof",
            product("HTTPTypes", "swift-http-types"),
            product("Hummingbird", "hummingbird"),
            product("Logging", "swift-log"),
        ],
        swiftSettings: strict),
    .target(
        name: "MarketCommunity",
        dependencies: [
            "ModerationService", "MarketIngest", "MarketCatalog", "MarketSearch", "MarketAccounts", "MarketHTTP",
            "MarketPlatform", "MarketWire", "SheetCore", "Postgres", "Outgoing",
            product("HummingbirdCore", "hummingbird"),
            product("Crypto", "swift-crypto"),
            product("HTTPTypes", "swift-http-types"),
            product("Hummingbird", "hummingbird"),
            product("Logging", "swift-log"),
            product("NIOCore", "swift-nio"),
            product("ServiceLifecycle", "swift-service-lifecycle"),
        ],
        swiftSettings: strict),
    .target(
        name: "MarketContract",
        dependencies: [
            "MarketHTTP", "MarketPlatform", "MarketWire", "SheetCore",
            product("HTTPTypes", "swift-http-types"),
        ],
        swiftSettings: strict),
    .target(
        name: "MarketPages",
        dependencies: [
            "MarketCommunity", "ModerationService", "MarketIngest", "MarketCatalog", "MarketSearch", "MarketAccounts",
            "MarketContract", "MarketHTTP", "MarketPlatform", "MarketWire", "SheetCore", "Moderation", "Postgres",
            product("HTTPTypes", "swift-http-types"),
            product("Hummingbird", "hummingbird"),
            product("Mustache", "swift-mustache"),
            product("NIOCore", "swift-nio"),
            product("NIOFoundationCompat", "swift-nio"),
        ],
        resources: [.embedInCode("Info/risk-words.json")], swiftSettings: strict),
    .target(
        name: "MemberPages",
        dependencies: [
            "MarketPages", "MarketCommunity", "ModerationService", "MarketIngest", "MarketCatalog", "MarketSearch",
            "MarketAccounts", "MarketHTTP", "MarketPlatform", "MarketWire", "SheetCore", "Moderation",
            product("HTTPTypes", "swift-http-types"),
            product("Hummingbird", "hummingbird"),
            product("NIOCore", "swift-nio"),
        ],
        swiftSettings: strict),
    .target(
        name: "StaffPages",
        dependencies: [
            "MemberPages", "MarketPages", "ModerationService", "MarketCatalog", "MarketSearch", "MarketCommunity",
            "MarketAccounts", "MarketHTTP", "MarketPlatform", "MarketWire", "SheetCore", "Moderation",
            product("HTTPTypes", "swift-http-types"),
            product("Hummingbird", "hummingbird"),
        ],
        swiftSettings: strict),
    .target(
        name: "MarketAPI",
        dependencies: [
            "MarketTrust", "StaffPages", "MemberPages", "MarketPages", "MarketCommunity", "ModerationService",
            "MarketIngest", "MarketCatalog", "MarketSearch", "MarketAccounts", "MarketHTTP", "MarketPlatform",
            "MarketWire", "SheetCore", "IngestWire", "TemplateIngest", "Moderation", "Postgres", "Outgoing",
            product("NIOFoundationCompat", "swift-nio"),
            product("Hummingbird", "hummingbird"),
            product("HummingbirdCore", "hummingbird"),
            product("NIOCore", "swift-nio"),
            product("Logging", "swift-log"),
            product("ServiceLifecycle", "swift-service-lifecycle"),
            product("SystemPackage", "swift-system"),
            product("Tracing", "swift-distributed-tracing"),
        ],
        swiftSettings: strict),
]

// MARK: - Tools

let tools: [Target] = [
    .executableTarget(
        name: "sheetmarket",
        dependencies: [
            "MarketTrust", "MarketAPI", "MarketPages", "MarketCommunity", "ModerationService", "MarketIngest",
            "MarketCatalog", "MarketSearch", "MarketAccounts", "MarketHTTP", "MarketPlatform", "SheetCore",
            "MarketWire", "Moderation", "Postgres", "PostgresCluster", "TemplateIngest",
            product("ArgumentParser", "swift-argument-parser"),
            product("Crypto", "swift-crypto"),
            product("CryptoExtras", "swift-crypto"),
            product("Logging", "swift-log"),
            product("NIOCore", "swift-nio"),
            product("ServiceLifecycle", "swift-service-lifecycle"),
            product("SystemPackage", "swift-system"),
            product("UnixSignals", "swift-service-lifecycle"),
        ],
        swiftSettings: strict)
]

let players: [Target] = [
    .target(name: "ChildProcess", swiftSettings: strict),
    .executableTarget(
        name: "sheets",
        dependencies: [
            "SheetCore", "CharacterCore", "MarketWire", "MarketClient", "ChildProcess", "DictionaryCoding",
            product("ArgumentParser", "swift-argument-parser"),
        ],
        swiftSettings: strict,
        // Handed out to machines that have no toolchain. It has all of Foundation.
        linkerSettings: staticRuntime + [
            .unsafeFlags(
                [
                    "-Xlinker", "--no-export-dynamic", "-Xlinker", "--gc-sections", "-lFoundation", "-lCoreFoundation",
                    "-lFoundationInternationalization", "-lFoundationEssentials",
                    "-l_FoundationICU", "-l_FoundationCShims", "-lswiftDispatch", "-ldispatch", "-lBlocksRuntime",
                    "-lswift_StringProcessing", "-lswift_RegexParser",
                ], .when(platforms: [.linux], configuration: .release))
        ]),
]

// MARK: - Benchmarks (run by `make bench`, never by tests)

let benchmarks: [Target] = [
    .executableTarget(
        name: "market-bench",
        dependencies: [
            "CharacterCore", "Postgres", "PostgresCluster", "MarketAPI", "MarketPages", "MarketCatalog", "MarketIngest",
            "MarketHTTP",
            "MarketPlatform", "SheetCore", "TemplateIngest", "IngestWire", "DictionaryCoding",
            product("NIOCore", "swift-nio"),
            product("NIOPosix", "swift-nio"),
            product("NIOHTTP1", "swift-nio"),
            product("ArgumentParser", "swift-argument-parser"),
            product("Logging", "swift-log"),
            product("SystemPackage", "swift-system"),
        ],
        path: "Benchmarks/market-bench",
        swiftSettings: strict)
]

// MARK: - Tests

let tests: [Target] = [
    .target(
        name: "FuzzTargets",
        dependencies: ["TemplateIngest", "IngestWire", "SheetCore", "CharacterCore", "sheet-import"],
        path: "Fuzz/FuzzTargets",
        swiftSettings: strict),
    .target(
        name: "TestSupport",
        dependencies: [
            "MarketTrust", "MarketAPI", "MarketPages", "MarketContract", "MarketCommunity", "ModerationService",
            "MarketIngest", "MarketCatalog", "MarketSearch", "MarketAccounts", "MarketHTTP", "MarketPlatform",
            "SheetCore", "MarketWire", "IngestWire", "TemplateIngest", "Moderation", "Postgres", "PostgresCluster",
            "Outgoing", "ChildProcess",
            product("AsyncHTTPClient", "async-http-client"),
            product("NIOCore", "swift-nio"),
            product("NIOHTTP1", "swift-nio"),
            product("NIOFoundationCompat", "swift-nio"),
            product("Logging", "swift-log"),
            product("ServiceLifecycle", "swift-service-lifecycle"),
            product("SystemPackage", "swift-system"),
        ],
        swiftSettings: strict),
    .testTarget(
        name: "SheetCoreTests", dependencies: ["SheetCore", "CharacterCore", product("Crypto", "swift-crypto")],
        swiftSettings: strict),
    .testTarget(name: "MarketWireTests", dependencies: ["MarketWire", "SheetCore"], swiftSettings: strict),
    .testTarget(
        name: "MarketClientTests",
        dependencies: [
            "TestSupport", "MarketClient", "MarketWire", "SheetCore", "CharacterCore", "ChildProcess", "sheets",
            "DictionaryCoding",
            product("Hummingbird", "hummingbird"),
            product("NIOCore", "swift-nio"),
            product("Logging", "swift-log"),
            product("ServiceLifecycle", "swift-service-lifecycle"),
            product("HTTPTypes", "swift-http-types"),
            product("Crypto", "swift-crypto"),
        ],
        // URLSession's transport is linked there, which is not compiled into products with another.
        swiftSettings: strict + [.define("TESTS_OF_URLSESSION")]),
    .testTarget(name: "SheetLayoutTests", dependencies: ["SheetLayout", "SheetCore"], swiftSettings: strict),
    .executableTarget(
        name: "faulty-reader", dependencies: ["CSandbox", "IngestWire", "SheetCore"], path: "Tests/FaultyReader",
        swiftSettings: strict),
    .testTarget(
        name: "TemplateIngestTests",
        dependencies: [
            "CharacterCore",
            "TemplateIngest", "IngestWire", "SheetCore", "sheet-inspect", "sheet-import", "faulty-reader",
            "FuzzTargets", "CWebP", "PDFObjects",
            product("Logging", "swift-log"),
            product("SystemPackage", "swift-system"),
        ],
        swiftSettings: strict),
    .testTarget(name: "ModerationTests", dependencies: ["Moderation", "SheetCore"], swiftSettings: strict),
    .testTarget(
        name: "PostgresTests",
        dependencies: ["Postgres", product("Logging", "swift-log")], swiftSettings: strict),
    .testTarget(
        name: "PostgresClusterTests",
        dependencies: ["PostgresCluster", product("Logging", "swift-log")], swiftSettings: strict),
    .testTarget(
        name: "MarketAPITests",
        dependencies: [
            "MarketTrust", "TestSupport", "MarketAPI", "StaffPages", "MemberPages", "MarketPages", "MarketContract",
            "MarketCommunity", "ModerationService", "MarketIngest", "MarketCatalog", "MarketSearch", "MarketAccounts",
            "MarketHTTP", "MarketPlatform", "MarketWire", "MarketClient", "SheetCore", "IngestWire", "Postgres",
            "Moderation", "Outgoing", "TemplateIngest", "DictionaryCoding", "sheet-inspect", "sheet-import",
            product("AsyncHTTPClient", "async-http-client"),
            product("NIOHTTP1", "swift-nio"),
            product("ServiceLifecycle", "swift-service-lifecycle"),
            product("Hummingbird", "hummingbird"),
            product("HummingbirdTesting", "hummingbird"),
            product("HTTPTypes", "swift-http-types"),
            product("NIOHTTPTypes", "swift-nio-extras"),
            product("NIOEmbedded", "swift-nio"),
            product("NIOCore", "swift-nio"),
            product("NIOFoundationCompat", "swift-nio"),
            product("Crypto", "swift-crypto"),
            product("CryptoExtras", "swift-crypto"),
            product("CoreMetrics", "swift-metrics"),
            product("Logging", "swift-log"),
            product("Tracing", "swift-distributed-tracing"),
        ],
        swiftSettings: strict),
    // The example for client developers, which is a package of its own, too.
    .executableTarget(
        name: "install-sheet", dependencies: ["MarketClient", "MarketWire", "SheetCore"],
        path: "examples/clients/swift/Sources/install-sheet",
        swiftSettings: strict),
    // The client behind the command line of the TUF project's tests.
    .executableTarget(
        name: "trust-conformance",
        dependencies: ["MarketClient", "SheetCore", product("HTTPTypes", "swift-http-types")],
        path: "Tests/Trust/Client", swiftSettings: strict),
    .testTarget(
        name: "EndToEndTests",
        dependencies: [
            "install-sheet", "trust-conformance",
            "MarketTrust", "TestSupport", "MarketAPI", "MarketPages", "MarketContract", "MarketAccounts",
            "MarketCatalog",
            "MarketHTTP", "MarketIngest", "MarketPlatform", "ModerationService", "MarketWire", "MarketClient",
            "SheetCore", "Postgres", "PostgresCluster", "sheetmarket", "sheets", "sheet-inspect", "sheet-import",
            product("AsyncHTTPClient", "async-http-client"),
            product("NIOCore", "swift-nio"),
            product("NIOHTTP1", "swift-nio"),
            product("Crypto", "swift-crypto"),
        ],
        swiftSettings: strict),
]

let libraries: [Product] =
    [.library(name: "SheetCore", targets: ["SheetCore"] + (hasClient ? ["CharacterCore"] : []))]
    + (hasClient ? [.library(name: "MarketClient", targets: ["MarketClient", "MarketWire"])] : [])

let programs: [Product] =
    [
        .executable(name: "sheetmarket", targets: ["sheetmarket"]),
        .executable(name: "sheet-inspect", targets: ["sheet-inspect"]),
        .library(name: "SheetCleaning", type: .dynamic, targets: ["PDFCleaning"]),
        .executable(name: "sheet-import", targets: ["sheet-import"]),
    ]
    + (hasClient
        ? [
            .executable(name: "sheets", targets: ["sheets"]),
            .executable(name: "sheet-export", targets: ["sheet-export"]),
        ] : [])

let portablePackages: [Package.Dependency] = [
    .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
]

let serverPackages: [Package.Dependency] = [
    .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-collections.git", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.7.3"),
    .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics.git", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.35.2"),
    .package(url: "https://github.com/apple/swift-system.git", from: "1.8.1"),
    .package(
        url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1", traits: ["FullFoundation"]),
    .package(url: "https://github.com/hummingbird-project/swift-mustache.git", from: "2.1.1"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
    .package(url: "https://github.com/vapor/jwt-kit.git", from: "5.7.1"),
]

let clientPackages: [Package.Dependency] = [
    .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0")
]

let package = Package(
    name: "sheetmarket",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: libraries + (hasServer ? programs : []),
    dependencies: portablePackages + (hasServer ? serverPackages : [])
        + (hasServer && hasClient ? clientPackages : []),
    targets: portable + (hasClient ? client : []) + (hasServer ? ingest + server + tools : [])
        + (hasServer && hasClient ? players + export : []) + (hasBenchmarks ? benchmarks : [])
        + (hasTests ? tests : []),
    cxxLanguageStandard: .cxx20
)
