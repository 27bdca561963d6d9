// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// What the supervisor asks of an importer program: one JSON object on its standard input. `docs/plugins.md` has the
/// whole protocol; programs of other people speak it too, so nothing here may change but by addition.
public struct ImportRequest: Sendable, Codable, Equatable {
    public enum Kind: String, Sendable, Codable {
        /// Say who you are: one line `hello`.
        case hello
        /// Say whether the file is yours: lines `claim`, or none.
        case recognize
        /// Turn the file into a draft: lines `progress` and `finding`, then one `result`.
        case `import`
    }

    public struct File: Sendable, Codable, Equatable {
        /// The open descriptor that it is read from, by its number.
        public var descriptor: Int
        /// What its uploader called it; may be empty.
        public var name: String
        public var bytes: Int
        public var sha256: ContentHash
        /// What its first bytes look like.
        public var mediaType: String

        public init(descriptor: Int = 3, name: String, bytes: Int, sha256: ContentHash, mediaType: String) {
            self.descriptor = descriptor
            self.name = name
            self.bytes = bytes
            self.sha256 = sha256
            self.mediaType = mediaType
        }
    }

    /// Where an artifact that the importer makes goes.
    public struct Output: Sendable, Codable, Equatable {
        /// The open descriptor that it is written to: a pipe.
        public var descriptor: Int
        public var maximumBytes: Int

        public init(descriptor: Int = 4, maximumBytes: Int) {
            self.descriptor = descriptor
            self.maximumBytes = maximumBytes
        }
    }

    /// The protocol's version; see `ImportProtocol.version`.
    public var protocolVersion: Int
    public var request: Kind
    /// For `import`: which of the program's importers is meant, as its claim named it.
    public var importer: String?
    /// Absent for `hello`.
    public var file: File?
    /// For `import`.
    public var artifact: Output?
    public var limits: ImportLimits

    public init(
        _ request: Kind, importer: String? = nil, file: File? = nil, artifact: Output? = nil,
        limits: ImportLimits = ImportLimits()
    ) {
        protocolVersion = ImportProtocol.version
        self.request = request
        self.importer = importer
        self.file = file
        self.artifact = artifact
        self.limits = limits
    }
}

/// Constants of the protocol.
public enum ImportProtocol {
    /// The version that is spoken here.
    public static let version = 1
    /// Longest request, in bytes: it fits a pipe, so that writing it never waits.
    public static let maximumRequestBytes = 32 << 10
}

/// What an importer program may use up, and how much it may say.
public struct ImportLimits: Sendable, Codable, Equatable {
    /// Size of the file, in bytes.
    public var fileBytes = 50 << 20
    /// Size of the artifact, in bytes.
    public var artifactBytes = 50 << 20
    /// CPU time of each process, in seconds.
    public var cpuSeconds = 20
    /// Elapsed time, in seconds.
    public var wallSeconds = 30
    /// Address space of each process, in bytes.
    public var memoryBytes = 512 << 20
    /// Everything it writes to standard output, in bytes.
    public var outputBytes = 8 << 20
    /// One line, in bytes.
    public var lineBytes = 4 << 20
    /// Lines `progress`.
    public var progressLines = 1000
    /// Lines `finding`.
    public var findings = 100
    /// Zoom regions in all.
    public var regions = 2000

    public init() {}
}

/// One line of an importer program's answer.
public enum ImportLine: Sendable, Equatable {
    /// Who the program is.
    case hello(Hello)
    /// One of the program's importers takes the file.
    case claim(Claim)
    /// How far it is.
    case progress(Progress)
    /// Something about the file.
    case finding(Finding)
    /// What the file became; the last line.
    case result(Result)

    /// Who the program is.
    public struct Hello: Sendable, Codable, Equatable {
        public var name: String
        public var version: String
        public var protocolVersion: Int

        public init(name: String, version: String, protocolVersion: Int = ImportProtocol.version) {
            self.name = name
            self.version = version
            self.protocolVersion = protocolVersion
        }
    }

    /// How sure an importer is that the file is of its kind.
    public struct Claim: Sendable, Codable, Equatable {
        /// Which importer; absent for a program that is only one.
        public var importer: String?
        /// 0 not at all, 1 beyond doubt.
        public var confidence: Double

        public init(importer: String? = nil, confidence: Double) {
            self.importer = importer
            self.confidence = confidence
        }
    }

    /// How far the program is.
    public struct Progress: Sendable, Codable, Equatable {
        /// 0…1.
        public var fraction: Double
        /// What is being done, for people.
        public var step: String?

        public init(fraction: Double, step: String? = nil) {
            self.fraction = fraction
            self.step = step
        }
    }

    /// What the file became.
    public struct Result: Sendable, Codable, Equatable {
        /// The bytes that are to be published.
        public struct Artifact: Sendable, Codable, Equatable {
            public enum Source: String, Sendable, Codable {
                /// They are the file itself.
                case input
                /// They were written to the output descriptor.
                case written
            }

            public var source: Source
            public var mediaType: String
            /// For `written`: how many bytes.
            public var bytes: Int?
            /// For `written`: their hash, if the program took it.
            public var sha256: ContentHash?

            public init(source: Source, mediaType: String, bytes: Int? = nil, sha256: ContentHash? = nil) {
                self.source = source
                self.mediaType = mediaType
                self.bytes = bytes
                self.sha256 = sha256
            }
        }

        public var kind: TemplateKind
        public var artifact: Artifact
        /// What to call the artifact.
        public var fileName: String?
        public var metadata: DraftMetadata?
        /// Zoom regions of a sheet. Pages that have any here get these and no detected ones.
        public var regions: [ZoomRegion]?
        /// For kinds without pages.
        public var outline: ContentOutline?
        /// What a region preset holds, when it says by what its pages are known. Only the built-in importers' counts.
        public var preset: RegionPreset?

        public init(
            kind: TemplateKind, artifact: Artifact, fileName: String? = nil, metadata: DraftMetadata? = nil,
            regions: [ZoomRegion]? = nil, outline: ContentOutline? = nil, preset: RegionPreset? = nil
        ) {
            self.preset = preset
            self.kind = kind
            self.artifact = artifact
            self.fileName = fileName
            self.metadata = metadata
            self.regions = regions
            self.outline = outline
        }
    }
}

extension ImportLine: Codable {
    private enum CodingKeys: String, CodingKey { case type }
    private enum Kind: String, Codable { case hello, claim, progress, finding, result }

    /// Reads the flat object by its `type`; an unknown one is an error.
    public init(from decoder: any Decoder) throws {
        switch try decoder.container(keyedBy: CodingKeys.self).decode(Kind.self, forKey: .type) {
        case .hello: self = .hello(try Hello(from: decoder))
        case .claim: self = .claim(try Claim(from: decoder))
        case .progress: self = .progress(try Progress(from: decoder))
        case .finding: self = .finding(try Finding(from: decoder))
        case .result: self = .result(try Result(from: decoder))
        }
    }

    /// Writes the flat object.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .hello(let hello):
            try container.encode(Kind.hello, forKey: .type)
            try hello.encode(to: encoder)
        case .claim(let claim):
            try container.encode(Kind.claim, forKey: .type)
            try claim.encode(to: encoder)
        case .progress(let progress):
            try container.encode(Kind.progress, forKey: .type)
            try progress.encode(to: encoder)
        case .finding(let finding):
            try container.encode(Kind.finding, forKey: .type)
            try finding.encode(to: encoder)
        case .result(let result):
            try container.encode(Kind.result, forKey: .type)
            try result.encode(to: encoder)
        }
    }
}
