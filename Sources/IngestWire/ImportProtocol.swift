// SPDX-License-Identifier: Apache-2.0
import SheetCore

/// What the supervisor asks of an importer program: one JSON object on its standard input. `plugins/README.md` has the
/// whole protocol; programs of other people speak it too, so nothing here may change but by addition.
package struct ImportRequest: Sendable, Codable, Equatable {
    package enum Kind: String, Sendable, Codable {
        /// Say who you are: one line `hello`.
        case hello
        /// Say whether the file is yours: lines `claim`, or none.
        case recognize
        /// Turn the file into a draft: lines `progress` and `finding`, then one `result`.
        case `import`
    }

    package struct File: Sendable, Codable, Equatable {
        /// The open descriptor that it is read from, by its number.
        package var descriptor: Int
        /// What its uploader called it; may be empty.
        package var name: String
        package var bytes: Int
        package var sha256: ContentHash
        /// What its first bytes look like.
        package var mediaType: String

        package init(descriptor: Int = 3, name: String, bytes: Int, sha256: ContentHash, mediaType: String) {
            self.descriptor = descriptor
            self.name = name
            self.bytes = bytes
            self.sha256 = sha256
            self.mediaType = mediaType
        }
    }

    /// Where an artifact that the importer makes goes.
    package struct Output: Sendable, Codable, Equatable {
        /// The open descriptor that it is written to: a pipe.
        package var descriptor: Int
        package var maximumBytes: Int

        package init(descriptor: Int = 4, maximumBytes: Int) {
            self.descriptor = descriptor
            self.maximumBytes = maximumBytes
        }
    }

    /// The protocol's version; see `ImportProtocol.version`.
    package var protocolVersion: Int
    package var request: Kind
    /// For `import`: which of the program's importers is meant, as its claim named it.
    package var importer: String?
    /// Absent for `hello`.
    package var file: File?
    /// For `import`.
    package var artifact: Output?
    package var limits: ImportLimits

    package init(
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
package enum ImportProtocol {
    /// The version that is spoken here.
    package static let version = 1
    /// Longest request, in bytes: it fits a pipe, so that writing it never waits.
    package static let maximumRequestBytes = 32 << 10
}

/// What an importer program may use up, and how much it may say.
package struct ImportLimits: Sendable, Codable, Equatable {
    /// Size of the file, in bytes.
    package var fileBytes = 50 << 20
    /// Size of the artifact, in bytes.
    package var artifactBytes = 50 << 20
    /// CPU time of each process, in seconds.
    package var cpuSeconds = 20
    /// Elapsed time, in seconds.
    package var wallSeconds = 30
    /// Address space of each process, in bytes.
    package var memoryBytes = 512 << 20
    /// Everything it writes to standard output, in bytes.
    package var outputBytes = 8 << 20
    /// One line, in bytes.
    package var lineBytes = 4 << 20
    /// Lines `progress`.
    package var progressLines = 1000
    /// Lines `finding`.
    package var findings = 100
    /// Zoom regions in all.
    package var regions = 2000

    package init() {}
}

/// One line of an importer program's answer.
package enum ImportLine: Sendable, Equatable {
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
    package struct Hello: Sendable, Codable, Equatable {
        package var name: String
        package var version: String
        package var protocolVersion: Int

        package init(name: String, version: String, protocolVersion: Int = ImportProtocol.version) {
            self.name = name
            self.version = version
            self.protocolVersion = protocolVersion
        }
    }

    /// How sure an importer is that the file is of its kind.
    package struct Claim: Sendable, Codable, Equatable {
        /// Which importer; absent for a program that is only one.
        package var importer: String?
        /// 0 not at all, 1 beyond doubt.
        package var confidence: Double

        package init(importer: String? = nil, confidence: Double) {
            self.importer = importer
            self.confidence = confidence
        }
    }

    /// How far the program is.
    package struct Progress: Sendable, Codable, Equatable {
        /// 0…1.
        package var fraction: Double
        /// What is being done, for people.
        package var step: String?

        package init(fraction: Double, step: String? = nil) {
            self.fraction = fraction
            self.step = step
        }
    }

    /// What the file became.
    package struct Result: Sendable, Codable, Equatable {
        /// The bytes that are to be published.
        package struct Artifact: Sendable, Codable, Equatable {
            package enum Source: String, Sendable, Codable {
                /// They are the file itself.
                case input
                /// They were written to the output descriptor.
                case written
            }

            package var source: Source
            package var mediaType: String
            /// For `written`: how many bytes.
            package var bytes: Int?
            /// For `written`: their hash, if the program took it.
            package var sha256: ContentHash?

            package init(source: Source, mediaType: String, bytes: Int? = nil, sha256: ContentHash? = nil) {
                self.source = source
                self.mediaType = mediaType
                self.bytes = bytes
                self.sha256 = sha256
            }
        }

        package var kind: TemplateKind
        package var artifact: Artifact
        /// What to call the artifact.
        package var fileName: String?
        package var metadata: DraftMetadata?
        /// Zoom regions of a sheet. Pages that have any here get these and no detected ones.
        package var regions: [ZoomRegion]?
        /// For kinds without pages.
        package var outline: ContentOutline?
        /// What a region preset holds, when it says by what its pages are known. Only the built-in importers' counts.
        package var preset: RegionPreset?

        package init(
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
    package init(from decoder: any Decoder) throws {
        switch try decoder.container(keyedBy: CodingKeys.self).decode(Kind.self, forKey: .type) {
        case .hello: self = .hello(try Hello(from: decoder))
        case .claim: self = .claim(try Claim(from: decoder))
        case .progress: self = .progress(try Progress(from: decoder))
        case .finding: self = .finding(try Finding(from: decoder))
        case .result: self = .result(try Result(from: decoder))
        }
    }

    /// Writes the flat object.
    package func encode(to encoder: any Encoder) throws {
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
