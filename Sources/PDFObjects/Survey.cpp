// SPDX-License-Identifier: Apache-2.0
// Walks every object of a file. Reachability is not asked: readers differ in what they reach.
// The header of a target beside this one, which no module shows to Swift.
#include "../PDFAddresses/Addresses.h"
#include "Document.h"

#include <Array.h>
#include <Catalog.h>
#include <Dict.h>
#include <Object.h>
#include <Stream.h>
#include <XRef.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr int maximum_depth = 200;
constexpr size_t maximum_info_string = 4096;
constexpr int64_t maximum_metadata = 1 << 20;
/// Streams that are kept for a second look; each takes 34 KB.
constexpr size_t most_passed_over = 256;

class Survey {
public:
    Survey(PDFDoc *doc, const pdf_survey_bounds &bounds, pdf_survey &result) : doc(doc), bounds(bounds), result(result) { }

    void run()
    {
        XRef *xref = doc->getXRef();
        const int count = std::min(xref->getNumObjects(), bounds.objects);
        if (xref->getNumObjects() > bounds.objects) {
            note(pdf_trait_too_complex);
        }
        // A copy: poppler lets go of its own when it finds on the way that the cross-reference table is wrong.
        const Object *trailer = xref->getTrailerDict();
        if (trailer && trailer->isDict()) {
            const Object kept = trailer->copy();
            visit(kept, 0);
        }
        lookAtCatalog(xref);
        lookAtInfo();
        for (int current = 0; current < count; current++) {
            const XRefEntry *entry = xref->getEntry(current, false);
            if (!entry || entry->type == xrefEntryFree || entry->type == xrefEntryNone) {
                continue;
            }
            const int generation = entry->type == xrefEntryCompressed ? 0 : entry->gen;
            Object object = xref->fetch(current, generation);
            result.objects++;
            visit(object, 0);
            if (stopped) {
                break;
            }
        }
        for (size_t i = 0; i < passedOver.size() && decoded + possible > bounds.total_stream_bytes
             && decoded <= bounds.total_stream_bytes; i++) {
            unpack(passedOver[i].getStream());
        }
    }

private:
    PDFDoc *doc;
    const pdf_survey_bounds &bounds;
    pdf_survey &result;
    int64_t nodes = 0;
    int64_t decoded = 0;
    int64_t forms = 0;
    /// Streams that cannot reach a bound by themselves, and what they unpack to at most: most files need none unpacked.
    std::vector<Object> passedOver;
    int64_t possible = 0;
    bool stopped = false;

    void note(pdf_trait trait) { result.traits |= trait; }

    void visit(const Object &object, int depth)
    {
        if (stopped) {
            return;
        }
        if (++nodes > bounds.nodes || depth > maximum_depth) {
            note(pdf_trait_too_complex);
            stopped = nodes > bounds.nodes;
            return;
        }
        if (object.isArray()) {
            for (int i = 0; i < object.arrayGetLength() && !stopped; i++) {
                visit(object.arrayGetNF(i), depth + 1);
            }
        } else if (object.isDict()) {
            visitDictionary(object.getDict(), false, depth);
        } else if (object.isStream()) {
            visitDictionary(object.streamGetDict(), true, depth);
            measure(object);
        }
    }

    void visitDictionary(Dict *dict, bool isStream, int depth)
    {
        judge(dict, isStream);
        for (int i = 0; i < dict->getLength() && !stopped; i++) {
            visit(dict->getValNF(i), depth + 1);
        }
    }

    static bool named(const Object &object, std::string_view name) { return object.isName() && name == object.getName(); }

    void judge(Dict *dict, bool isStream)
    {
        judgeAction(dict);
        count(dict, isStream);
        const Object subtype = dict->lookup("Subtype");
        const Object type = dict->lookup("Type");
        if (isStream) {
            const Object external = dict->lookup("F");
            if (external.isString() || external.isDict() || (subtype.isName() && hasDictionary(dict, "Ref"))) {
                note(pdf_trait_external);
            }
        }
        if (named(type, "EmbeddedFile") || named(subtype, "FileAttachment") || named(subtype, "RichMedia")
            || hasDictionary(dict, "EF") || hasDictionary(dict, "EmbeddedFiles")) {
            note(pdf_trait_embedded_file);
        }
        if (dict->hasKey("XFA") && dict->hasKey("Fields")) {
            note(pdf_trait_xfa);
        }
        if (hasDictionary(dict, "JavaScript") || (dict->hasKey("OnInstantiate") && dict->lookup("OnInstantiate").isStream())) {
            note(pdf_trait_javascript);
        }
        if (named(subtype, "Movie") && hasDictionary(dict, "Movie")) {
            note(pdf_trait_embedded_media);
        }
        // A media clip from elsewhere.
        if (dict->hasKey("D") && named(dict->lookup("S"), "MCD")) {
            judgeFile(dict->lookup("D"));
        }
    }

    /// What a reader would take long for, though nothing of it is large.
    void count(Dict *dict, bool isStream)
    {
        if (dict->hasKey("Annots")) {
            const Object annotations = dict->lookup("Annots");
            if (annotations.isArray() && annotations.arrayGetLength() > bounds.annotations) {
                note(pdf_trait_too_complex);
            }
        }
        if (isStream && named(dict->lookup("Subtype"), "Form") && ++forms > bounds.forms) {
            note(pdf_trait_too_complex);
        }
    }

    /// A file specification that carries no file reaches for one.
    void judgeFile(const Object &file)
    {
        if (file.isString() || (file.isDict() && !file.getDict()->hasKey("EF"))) {
            note(pdf_trait_external);
        }
    }

    static bool hasDictionary(Dict *dict, const char *key)
    {
        return dict->hasKey(key) && dict->lookup(key).isDict();
    }

    void judgeAction(Dict *dict)
    {
        const Object kind = dict->lookup("S");
        const Object script = dict->hasKey("JS") ? dict->lookup("JS") : Object(objNull);
        if (named(kind, "JavaScript") || script.isString() || (script.isStream() && kind.isName())) {
            note(pdf_trait_javascript);
        }
        if (!kind.isName()) {
            return;
        }
        if (named(kind, "Launch")) {
            note(pdf_trait_launch);
        }
        const bool elsewhere = named(kind, "GoToR") || named(kind, "GoToE") || named(kind, "ImportData")
            || named(kind, "SubmitForm") || (named(kind, "Thread") && dict->hasKey("F"));
        if (elsewhere) {
            note(pdf_trait_external);
        }
        if (named(kind, "RichMediaExecute")) {
            note(pdf_trait_embedded_file);
        }
        if (named(kind, "URI")) {
            const Object address = dict->lookup("URI");
            if (address.isString()) {
                judgeAddress(address.getString()->toStr());
            }
        }
    }

    void judgeAddress(const std::string &address)
    {
        switch (pdf_judge_address(address.data(), address.size())) {
        case pdf_address_harmless:
            break;
        case pdf_address_external:
            note(pdf_trait_external);
            break;
        case pdf_address_script:
            note(pdf_trait_javascript);
            break;
        }
    }

    void lookAtCatalog(XRef *xref)
    {
        const Object catalog = xref->getCatalog();
        if (!catalog.isDict()) {
            return;
        }
        const Object form = catalog.dictLookup("AcroForm");
        if (form.isDict()) {
            const Object xfa = form.dictLookup("XFA");
            if (xfa.isStream() || xfa.isArray() || xfa.isString()) {
                note(pdf_trait_xfa);
                lookForScripts(xfa);
                const Object fields = form.dictLookup("Fields");
                const Object needsRendering = catalog.dictLookup("NeedsRendering");
                if (!fields.isArray() || fields.arrayGetLength() == 0
                    || (needsRendering.isBool() && needsRendering.getBool())) {
                    note(pdf_trait_xfa_alone);
                }
            }
        }
        const Object base = catalog.dictLookup("URI");
        if (base.isDict()) {
            const Object address = base.dictLookup("Base");
            if (address.isString()) {
                judgeAddress(address.getString()->toStr());
            }
        }
    }

    /// The parts of an XFA form are streams, alone or in an array of names and parts.
    void lookForScripts(const Object &xfa)
    {
        if (xfa.isString()) {
            judgeXFA(xfa.getString()->toStr());
        } else if (xfa.isStream()) {
            judgeXFA(beginning(xfa, bounds.stream_bytes));
        } else if (xfa.isArray()) {
            for (int i = 0; i < std::min(xfa.arrayGetLength(), 64); i++) {
                const Object part = xfa.arrayGet(i);
                if (part.isStream()) {
                    judgeXFA(beginning(part, bounds.stream_bytes));
                }
            }
        }
    }

    void judgeXFA(const std::string &xml)
    {
        if (pdf_xfa_has_scripts(xml.data(), xml.size())) {
            note(pdf_trait_javascript);
        }
    }

    void lookAtInfo()
    {
        const Object info = doc->getDocInfo();
        if (!info.isDict()) {
            return;
        }
        for (int i = 0; i < std::min(info.dictGetLength(), 200); i++) {
            const Object value = info.dictGetVal(i);
            if (value.isString()) {
                judgeMetadata(value.getString()->toStr().substr(0, maximum_info_string));
            }
        }
    }

    void judgeMetadata(const std::string &text)
    {
        if (pdf_names_private_path(text.data(), text.size())) {
            note(pdf_trait_private_metadata);
        }
    }

    /// The first decoded bytes of a stream.
    static std::string beginning(const Object &object, int64_t limit)
    {
        Stream *stream = object.getStream();
        std::string text;
        unsigned char buffer[16384];
        stream->reset();
        for (int got = stream->doGetChars(sizeof buffer, buffer); got > 0 && static_cast<int64_t>(text.size()) < limit;
             got = stream->doGetChars(sizeof buffer, buffer)) {
            text.append(reinterpret_cast<const char *>(buffer), static_cast<size_t>(got));
        }
        stream->close();
        return text;
    }

    /// Decodes a stream as far as its bound; pictures are judged by their size alone.
    void measure(const Object &object)
    {
        Dict *dict = object.streamGetDict();
        const Object width = dict->lookup("Width");
        const Object height = dict->lookup("Height");
        const bool isPicture = named(dict->lookup("Subtype"), "Image") || (width.isNum() && height.isNum());
        if (isPicture) {
            if (width.isNum() && height.isNum() && width.getNum() * height.getNum() > static_cast<double>(bounds.image_pixels)) {
                note(pdf_trait_bomb);
            }
            return;
        }
        if (named(dict->lookup("Type"), "Metadata")) {
            judgeMetadata(beginning(object, maximum_metadata));
        }
        Stream *stream = object.getStream();
        switch (stream->getKind()) {
        case strFile:
        case strWeird:
        case strDCT:
        case strJPX:
        case strJBIG2:
        case strCCITTFax:
            return;
        default:
            break;
        }
        const std::optional<int64_t> most = mostUnpacked(stream);
        if (most && *most <= bounds.stream_bytes && decoded + possible + *most <= bounds.total_stream_bytes
            && passedOver.size() < most_passed_over) {
            possible += *most;
            passedOver.push_back(object.copy());
        } else {
            unpack(stream);
        }
    }

    /// What a deflated stream can unpack to: no two bits stand for more than 258 bytes (RFC 1951, 3.2.5).
    static std::optional<int64_t> mostUnpacked(Stream *stream)
    {
        const Dict *dict = stream->getDict();
        if (stream->getKind() != strFlate || stream->getNextStream() != stream->getBaseStream() || dict->hasKey("DecodeParms")
            || dict->hasKey("DP")) {
            return std::nullopt;
        }
        const Goffset length = stream->getBaseStream()->getLength();
        return length >= 0 && length < (int64_t(1) << 32) ? std::optional(length * 4 * 258) : std::nullopt;
    }

    /// Whether what is unpacked goes beyond a bound; then nothing more needs to be.
    bool isTooMuch(int64_t length, int64_t total)
    {
        if (length <= bounds.stream_bytes && total <= bounds.total_stream_bytes) {
            return false;
        }
        note(pdf_trait_bomb);
        stopped = total > bounds.total_stream_bytes;
        return true;
    }

    void unpack(Stream *stream)
    {
        if (inflates(stream)) {
            return;
        }
        unsigned char buffer[16384];
        int64_t length = 0;
        stream->reset();
        for (int got = stream->doGetChars(sizeof buffer, buffer); got > 0;
             got = stream->doGetChars(sizeof buffer, buffer)) {
            length += got;
            decoded += got;
            if (isTooMuch(length, decoded)) {
                break;
            }
        }
        stream->close();
    }

    /// With zlib; false for what it does not read.
    bool inflates(Stream *stream)
    {
        int64_t length = 0;
        const bool isRead = pdf::inflate(stream, [&](const uint8_t *, size_t count) {
            length += static_cast<int64_t>(count);
            return !isTooMuch(length, decoded + length);
        });
        decoded += isRead ? length : 0;
        return isRead;
    }
};

} // namespace

pdf_status pdf_survey_objects(pdf_document *document, const pdf_survey_bounds *bounds, pdf_survey *result)
{
    *result = pdf_survey {};
    return pdf::guarded([&] {
        Survey(document->doc.get(), *bounds, *result).run();
        return pdf_ok;
    });
}
