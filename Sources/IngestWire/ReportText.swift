// SPDX-License-Identifier: Apache-2.0
import SheetCore

extension ReaderReport: JSONValue {
    /// The report as JSON, the same bytes on every run.
    public var json: [UInt8] { JSONText(self).bytes }

    /// Reads what `json` gives, and `nil` from anything else: whoever wrote it may have been taken over.
    public init?(written json: ArraySlice<UInt8>) {
        var cursor = JSONCursor(json)
        guard let value = try? Self(json: &cursor), cursor.isAtEnd else { return nil }
        self = value
    }

    func write(to json: inout JSONText) {
        json.object {
            $0.member("bytes", bytes)
            $0.member("creator", creator)
            $0.member("findings", findings)
            $0.member("fonts", fonts)
            $0.member("isEncrypted", isEncrypted)
            $0.member("isLinearized", isLinearized)
            $0.member("isTagged", isTagged)
            $0.member("pageCount", pageCount)
            $0.member("pages", pages)
            $0.member("pdfVersion", pdfVersion)
            $0.member("producer", producer)
            $0.member("sha256", sha256)
            $0.member("verdict", verdict)
        }
    }

    init(json: inout JSONCursor) throws(JSONCursor.Unexpected) {
        try json.expect("{")
        bytes = try json.member("bytes")
        creator = try json.optional("creator")
        findings = try json.member("findings")
        fonts = try json.optional("fonts")
        isEncrypted = try json.optional("isEncrypted")
        isLinearized = try json.optional("isLinearized")
        isTagged = try json.optional("isTagged")
        pageCount = try json.member("pageCount")
        pages = try json.member("pages")
        pdfVersion = try json.optional("pdfVersion")
        producer = try json.optional("producer")
        sha256 = try json.member("sha256")
        verdict = try json.member("verdict")
        try json.expect("}")
    }
}

extension ReaderReport.Page: JSONValue {
    func write(to json: inout JSONText) {
        json.object {
            $0.member("anchors", anchors)
            $0.member("fields", fields)
            $0.member("formFields", formFields)
            $0.member("height", height)
            $0.member("index", index)
            $0.member("linkTargets", linkTargets)
            $0.member("links", links)
            $0.member("lookHash", lookHash)
            $0.member("regions", regions)
            $0.member("rotation", rotation)
            $0.member("text", text)
            $0.member("textCharacters", textCharacters)
            $0.member("textHash", textHash)
            $0.member("width", width)
        }
    }

    init(json: inout JSONCursor) throws(JSONCursor.Unexpected) {
        try json.expect("{")
        anchors = try json.optional("anchors")
        fields = try json.optional("fields")
        formFields = try json.member("formFields")
        height = try json.member("height")
        index = try json.member("index")
        linkTargets = try json.optional("linkTargets")
        links = try json.optional("links")
        lookHash = try json.optional("lookHash")
        regions = try json.member("regions")
        rotation = try json.member("rotation")
        text = try json.optional("text")
        textCharacters = try json.member("textCharacters")
        textHash = try json.optional("textHash")
        width = try json.member("width")
        try json.expect("}")
    }
}

extension ReaderReport.Font: JSONValue {
    func write(to json: inout JSONText) {
        json.object {
            $0.member("isEmbedded", isEmbedded)
            $0.member("name", name)
            $0.member("type", type)
        }
    }

    init(json: inout JSONCursor) throws(JSONCursor.Unexpected) {
        try json.expect("{")
        isEmbedded = try json.member("isEmbedded")
        name = try json.member("name")
        type = try json.member("type")
        try json.expect("}")
    }
}

extension ReaderReport.Field: JSONValue {
    func write(to json: inout JSONText) {
        json.object {
            $0.member("box", box)
            $0.member("name", name)
            $0.member("type", type)
        }
    }

    init(json: inout JSONCursor) throws(JSONCursor.Unexpected) {
        try json.expect("{")
        box = try json.member("box")
        name = try json.member("name")
        type = try json.member("type")
        try json.expect("}")
    }
}

extension ReaderReport.Anchor: JSONValue {
    func write(to json: inout JSONText) {
        json.object {
            $0.member("word", word)
            $0.member("x", x)
            $0.member("y", y)
        }
    }

    init(json: inout JSONCursor) throws(JSONCursor.Unexpected) {
        try json.expect("{")
        word = try json.member("word")
        x = try json.member("x")
        y = try json.member("y")
        try json.expect("}")
    }
}

extension ReaderFrame: JSONValue {
    /// The head, without its line feed, as JSON, the same bytes on every run.
    public var json: [UInt8] { JSONText(self).bytes }

    /// Reads what `json` gives, and `nil` from anything else: whoever wrote it may have been taken over.
    public init?(written json: ArraySlice<UInt8>) {
        var cursor = JSONCursor(json)
        guard let value = try? Self(json: &cursor), cursor.isAtEnd else { return nil }
        self = value
    }

    func write(to json: inout JSONText) {
        json.object {
            $0.member("bytes", bytes)
            $0.member("height", height)
            $0.member("kind", kind)
            $0.member("missing", missing)
            $0.member("page", page)
            $0.member("pageCount", pageCount)
            $0.member("width", width)
        }
    }

    init(json: inout JSONCursor) throws(JSONCursor.Unexpected) {
        try json.expect("{")
        bytes = try json.member("bytes")
        height = try json.optional("height")
        kind = try json.member("kind")
        missing = try json.optional("missing")
        page = try json.optional("page")
        pageCount = try json.optional("pageCount")
        width = try json.optional("width")
        try json.expect("}")
    }
}

extension Finding: JSONValue {
    func write(to json: inout JSONText) {
        json.object {
            $0.member("code", code)
            $0.member("message", message)
            $0.member("page", page)
            $0.member("removable", removable)
            $0.member("severity", severity)
        }
    }

    init(json: inout JSONCursor) throws(JSONCursor.Unexpected) {
        try json.expect("{")
        let code: FindingCode = try json.member("code")
        let message: String = try json.member("message")
        let page: Int? = try json.optional("page")
        let removable: Bool = try json.member("removable")
        let severity: Severity = try json.member("severity")
        try json.expect("}")
        self.init(code, severity, page: page, message: message, removable: removable)
    }
}

extension ZoomRegion: JSONValue {
    func write(to json: inout JSONText) {
        json.object {
            $0.member("confidence", confidence)
            $0.member("id", id)
            $0.member("kind", kind)
            $0.member("name", name)
            $0.member("pageIndex", pageIndex)
            $0.member("rect", rect)
            $0.member("scale", scale)
            $0.member("source", source)
        }
    }

    init(json: inout JSONCursor) throws(JSONCursor.Unexpected) {
        try json.expect("{")
        let confidence: Double = try json.member("confidence")
        let id: String = try json.member("id")
        let kind: String? = try json.optional("kind")
        let name: String = try json.member("name")
        let pageIndex: Int = try json.member("pageIndex")
        let rect: NormalizedRect = try json.member("rect")
        let scale: Double = try json.member("scale")
        let source: Source = try json.member("source")
        try json.expect("}")
        self.init(
            id: id, name: name, rect: rect, scale: scale, pageIndex: pageIndex, confidence: confidence, source: source,
            kind: kind)
    }
}

extension NormalizedRect: JSONValue {
    func write(to json: inout JSONText) {
        json.object {
            $0.member("height", height)
            $0.member("width", width)
            $0.member("x", x)
            $0.member("y", y)
        }
    }

    init(json: inout JSONCursor) throws(JSONCursor.Unexpected) {
        try json.expect("{")
        let height: Double = try json.member("height")
        let width: Double = try json.member("width")
        let x: Double = try json.member("x")
        let y: Double = try json.member("y")
        try json.expect("}")
        self.init(x: x, y: y, width: width, height: height)
    }
}

extension ContentHash: JSONValue {
    func write(to json: inout JSONText) { hex.write(to: &json) }

    init(json: inout JSONCursor) throws(JSONCursor.Unexpected) {
        guard let hash = ContentHash(hex: try String(json: &json)) else { throw JSONCursor.Unexpected() }
        self = hash
    }
}
