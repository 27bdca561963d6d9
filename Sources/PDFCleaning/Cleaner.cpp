// SPDX-License-Identifier: Apache-2.0
#include "Cleaner.h"

// The header of a target beside this one, which no module shows to Swift.
#include "../PDFAddresses/Addresses.h"
#include <qpdf/Buffer.hh>
#include <qpdf/QPDFExc.hh>

#include <memory>
#include <vector>

namespace cleaning {

namespace {

constexpr int maximum_depth = 200;
constexpr int64_t maximum_nodes = 8'000'000;
constexpr size_t maximum_objects = 2'000'000;

} // namespace

bool is_named(QPDFObjectHandle object, const char *name)
{
    return object.isName() && object.getName() == name;
}

/// What cannot be decoded cannot be trusted either.
bool names_private_path(QPDFObjectHandle stream)
{
    try {
        const std::shared_ptr<Buffer> data = stream.getStreamData(qpdf_dl_generalized);
        return pdf_names_private_path(reinterpret_cast<const char *>(data->getBuffer()), data->getSize());
    } catch (const std::bad_alloc &) {
        throw;
    } catch (const std::exception &) {
        return true;
    }
}

template<typename Step>
void Cleaner::visit(Handle object, int depth, Step &step)
{
    if (++nodes > maximum_nodes || depth > maximum_depth) {
        throw TooComplex();
    }
    if (object.isArray()) {
        for (int i = 0; i < object.getArrayNItems(); i++) {
            Handle item = object.getArrayItem(i);
            if (!item.isIndirect()) {
                visit(item, depth + 1, step);
            }
        }
        return;
    }
    if (object.isStream()) {
        step(object.getDict(), object);
        object = object.getDict();
    } else if (object.isDictionary()) {
        step(object, Handle());
    } else {
        return;
    }
    for (const std::string &key : object.getKeys()) {
        Handle value = object.getKey(key);
        if (!value.isIndirect()) {
            visit(value, depth + 1, step);
        }
    }
}

/// Every dictionary of every object, reachable or not, with its stream if it has one.
template<typename Step>
void Cleaner::everywhere(Step step)
{
    nodes = 0;
    visit(pdf.getTrailer(), 0, step);
    for (Handle object : pdf.getAllObjects()) {
        visit(object, 0, step);
    }
}

void Cleaner::run()
{
    if (pdf.getObjectCount() > maximum_objects) {
        throw TooComplex();
    }
    if (pdf.isEncrypted()) {
        counts[pdf_removed_encryption]++;
    }
    cleanCatalog();
    cleanInfo();
    everywhere([&](Handle dictionary, Handle stream) {
        if (stream.isInitialized()) {
            cleanStream(stream);
        }
        cleanDictionary(dictionary);
        cleanActions(dictionary);
    });
    // What hangs on a key that no reader knows is found by the survey all the same.
    everywhere([&](Handle dictionary, Handle) {
        if (const auto reason = fault(dictionary)) {
            count(*reason, dictionary);
            empty(dictionary);
        }
    });
}

void Cleaner::empty(Handle dictionary)
{
    for (const std::string &key : dictionary.getKeys()) {
        dictionary.removeKey(key);
    }
}

/// Counts a thing once, however many ways lead to it.
void Cleaner::count(pdf_removed_kind kind, Handle thing)
{
    if (!thing.isIndirect() || counted.insert(thing.getObjGen()).second) {
        counts[kind]++;
    }
}

void Cleaner::remove(Handle dictionary, const char *key, pdf_removed_kind kind)
{
    count(kind, dictionary.getKey(key));
    dictionary.removeKey(key);
}

void Cleaner::cleanCatalog()
{
    Handle catalog = pdf.getRoot();
    Handle form = catalog.getKey("/AcroForm");
    if (form.isDictionary()) {
        Handle rendering = catalog.getKey("/NeedsRendering");
        Handle fields = form.getKey("/Fields");
        removesXFA = fields.isArray() && fields.getArrayNItems() > 0 && !(rendering.isBool() && rendering.getBoolValue());
        if (removesXFA && form.hasKey("/XFA")) {
            countScripts(form.getKey("/XFA"));
            remove(form, "/XFA", pdf_removed_xfa);
            catalog.removeKey("/NeedsRendering");
        }
        // A changed file has no valid signature, and a broken one frightens people.
        form.removeKey("/SigFlags");
    }
    if (catalog.hasKey("/Perms")) {
        remove(catalog, "/Perms", pdf_removed_signatures);
    }
    // An attachment's cover page, and demands for what is gone.
    catalog.removeKey("/Collection");
    catalog.removeKey("/Requirements");
    Handle base = catalog.getKey("/URI");
    if (base.isDictionary() && base.getKey("/Base").isString()) {
        const std::string address = base.getKey("/Base").getStringValue();
        if (pdf_judge_address(address.data(), address.size()) != pdf_address_harmless) {
            remove(catalog, "/URI", pdf_removed_external_actions);
        }
    }
}

/// Scripts inside an XFA form go with it.
void Cleaner::countScripts(Handle form)
{
    const auto look = [&](Handle part) {
        const std::shared_ptr<Buffer> data = part.getStreamData(qpdf_dl_generalized);
        if (pdf_xfa_has_scripts(reinterpret_cast<const char *>(data->getBuffer()), data->getSize())) {
            counts[pdf_removed_scripts]++;
        }
    };
    try {
        if (form.isStream()) {
            look(form);
        }
        for (int i = 0; form.isArray() && i < form.getArrayNItems(); i++) {
            if (form.getArrayItem(i).isStream()) {
                look(form.getArrayItem(i));
            }
        }
    } catch (const QPDFExc &) {
        // A part that cannot be unpacked goes uncounted.
    }
}

void Cleaner::cleanInfo()
{
    Handle info = pdf.getTrailer().getKey("/Info");
    if (!info.isDictionary()) {
        return;
    }
    for (const std::string &key : info.getKeys()) {
        Handle value = info.getKey(key);
        if (value.isString()) {
            const std::string text = value.getStringValue();
            if (pdf_names_private_path(text.data(), text.size())) {
                info.removeKey(key);
                counts[pdf_removed_private_metadata]++;
            }
        }
    }
}

void Cleaner::cleanDictionary(Handle dictionary)
{
    if (dictionary.getKey("/JavaScript").isDictionary()) {
        remove(dictionary, "/JavaScript", pdf_removed_scripts);
    }
    if (dictionary.getKey("/OnInstantiate").isStream()) {
        remove(dictionary, "/OnInstantiate", pdf_removed_scripts);
    }
    for (const char *key : { "/EmbeddedFiles", "/EF" }) {
        if (dictionary.getKey(key).isDictionary()) {
            remove(dictionary, key, pdf_removed_embedded_files);
        }
    }
    dictionary.removeKey("/AF");
    if (dictionary.hasKey("/PieceInfo")) {
        remove(dictionary, "/PieceInfo", pdf_removed_application_data);
    }
    if (removesXFA && dictionary.hasKey("/XFA") && dictionary.hasKey("/Fields")) {
        remove(dictionary, "/XFA", pdf_removed_xfa);
    }
    if (is_named(dictionary.getKey("/FT"), "/Sig") && dictionary.getKey("/V").isDictionary()) {
        remove(dictionary, "/V", pdf_removed_signatures);
    }
    Handle metadata = dictionary.getKey("/Metadata");
    if (metadata.isStream() && names_private_path(metadata)) {
        remove(dictionary, "/Metadata", pdf_removed_private_metadata);
    }
    if (is_named(dictionary.getKey("/S"), "/MCD") && dictionary.hasKey("/D")) {
        const bool isInside = dictionary.getKey("/D").isDictionary() && dictionary.getKey("/D").hasKey("/EF");
        remove(dictionary, "/D", isInside ? pdf_removed_media : pdf_removed_external_content);
    }
    if (dictionary.getKey("/Annots").isArray()) {
        cleanAnnotations(dictionary.getKey("/Annots"));
    }
}

void Cleaner::cleanStream(Handle stream)
{
    Handle dictionary = stream.getDict();
    Handle file = dictionary.getKey("/F");
    if (file.isString() || file.isDictionary()) {
        remove(dictionary, "/F", pdf_removed_external_content);
        dictionary.removeKey("/FFilter");
        dictionary.removeKey("/FDecodeParms");
    }
    if (dictionary.getKey("/Subtype").isName() && dictionary.getKey("/Ref").isDictionary()) {
        remove(dictionary, "/Ref", pdf_removed_external_content);
    }
}

/// Annotations that carry a file or play one.
bool Cleaner::isCarrier(Handle annotation)
{
    if (!annotation.isDictionary()) {
        return false;
    }
    Handle kind = annotation.getKey("/Subtype");
    return is_named(kind, "/FileAttachment") || is_named(kind, "/RichMedia") || is_named(kind, "/Movie");
}

/// What a carrier shows stays, as a stamp; what shows nothing of its own goes.
void Cleaner::cleanAnnotations(Handle annotations)
{
    for (int i = annotations.getArrayNItems() - 1; i >= 0; i--) {
        Handle annotation = annotations.getArrayItem(i);
        if (!isCarrier(annotation)) {
            continue;
        }
        Handle kind = annotation.getKey("/Subtype");
        count(is_named(kind, "/FileAttachment") ? pdf_removed_embedded_files
                  : is_named(kind, "/Movie")    ? pdf_removed_films
                                                : pdf_removed_media,
              annotation);
        for (const char *key : { "/FS", "/RichMediaContent", "/RichMediaSettings", "/Movie", "/A", "/AA" }) {
            annotation.removeKey(key);
        }
        annotation.replaceKey("/Subtype", Handle::newName("/Stamp"));
        if (!annotation.getKey("/AP").isDictionary()) {
            counts[pdf_removed_icons]++;
            annotations.eraseItem(i);
        }
    }
}

} // namespace cleaning
