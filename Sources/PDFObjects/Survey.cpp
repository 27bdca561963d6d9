// SPDX-License-Identifier: Apache-2.0
// Walks every object of a file. Reachability is not asked: readers differ in what they reach.
#include "Document.h"

#include <Array.h>
#include <Catalog.h>
#include <Dict.h>
#include <Object.h>
#include <Stream.h>
#include <XRef.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

namespace {

constexpr int maximum_depth = 200;

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
        Object *trailer = xref->getTrailerDict();
        if (trailer && trailer->isDict()) {
            visit(*trailer, 0);
        }
        lookAtCatalog(xref);
        for (current = 0; current < count; current++) {
            const XRefEntry *entry = xref->getEntry(current, false);
            if (!entry || entry->type == xrefEntryFree || entry->type == xrefEntryNone) {
                continue;
            }
            const int generation = entry->type == xrefEntryCompressed ? 0 : entry->gen;
            Object object = xref->fetch(current, generation);
            result.objects++;
            visit(object, 0);
            if (stopped) {
                return;
            }
        }
    }

private:
    PDFDoc *doc;
    const pdf_survey_bounds &bounds;
    pdf_survey &result;
    int current = 0;
    int64_t nodes = 0;
    int64_t decoded = 0;
    bool stopped = false;

    void note(pdf_trait trait)
    {
        if (!(result.traits & trait)) {
            result.first_object[__builtin_ctz(trait)] = current;
        }
        result.traits |= trait;
    }

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
        const Object &subtype = dict->lookupNF("Subtype");
        const Object &type = dict->lookupNF("Type");
        if (isStream) {
            const Object &external = dict->lookupNF("F");
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
        if (hasDictionary(dict, "JavaScript")) {
            note(pdf_trait_javascript);
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

    /// Web and mail addresses are fine, and so are those without a scheme; a reader never follows them.
    void judgeAddress(const std::string &address)
    {
        std::string plain;
        for (const char c : address) {
            // Readers skip white space and control characters in a scheme, and the 00 of UTF-16.
            if (static_cast<unsigned char>(c) > 0x20 && static_cast<unsigned char>(c) < 0x7f) {
                plain.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
            }
            if (plain.size() > 64) {
                break;
            }
        }
        if (plain.rfind("\\\\", 0) == 0) {
            note(pdf_trait_external);
            return;
        }
        const size_t colon = plain.find(':');
        const size_t stop = plain.find_first_of("/?#");
        if (colon == std::string::npos || (stop != std::string::npos && stop < colon)) {
            return;
        }
        const std::string scheme = plain.substr(0, colon);
        const bool isScheme = !scheme.empty() && std::isalpha(static_cast<unsigned char>(scheme[0]))
            && std::all_of(scheme.begin(), scheme.end(), [](unsigned char c) {
                   return std::isalnum(c) || c == '+' || c == '-' || c == '.';
               });
        if (!isScheme || scheme == "http" || scheme == "https" || scheme == "mailto" || scheme == "tel") {
            return;
        }
        // "example.com:8080" is a host with a port.
        if (scheme.find('.') != std::string::npos) {
            return;
        }
        note(scheme == "javascript" || scheme == "vbscript" ? pdf_trait_javascript : pdf_trait_external);
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
        unsigned char buffer[16384];
        int64_t length = 0;
        stream->reset();
        for (int got = stream->doGetChars(sizeof buffer, buffer); got > 0;
             got = stream->doGetChars(sizeof buffer, buffer)) {
            length += got;
            decoded += got;
            if (length > bounds.stream_bytes || decoded > bounds.total_stream_bytes) {
                note(pdf_trait_bomb);
                stopped = decoded > bounds.total_stream_bytes;
                break;
            }
        }
        stream->close();
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
