// SPDX-License-Identifier: Apache-2.0
#include "Document.h"

#include <Catalog.h>
#include <Error.h>
#include <ErrorCodes.h>
#include <Object.h>
#include <Page.h>
#include <Stream.h>
#include <XRef.h>

#include <algorithm>
#include <cmath>

namespace {

void ignore(ErrorCategory, Goffset, const char *) { }

} // namespace

void pdf_forget(void)
{
    globalParams = std::make_unique<GlobalParams>();
    globalParams->setErrQuiet(true);
}

void pdf_prepare(void (*keep)(const char *path))
{
    setErrorCallback(ignore);
    pdf::prepare_fonts(keep);
}

void pdf_prepare_without_fonts(void (*lacking)(void))
{
    setErrorCallback(ignore);
    pdf::do_without_fonts(lacking);
}

pdf_document *pdf_open(const char *bytes, int64_t length, pdf_status *status)
{
    pdf_document *opened = nullptr;
    *status = pdf::guarded([&]() -> pdf_status {
        // PDFDoc takes the stream over, also when it fails.
        auto doc = std::make_unique<PDFDoc>(new MemStream(bytes, 0, length, Object(objNull)));
        if (!doc->isOk()) {
            return doc->getErrorCode() == errEncrypted ? pdf_encrypted : pdf_damaged;
        }
        // What is said to be encrypted, and cannot be told how, is read by nobody alike.
        Object *trailer = doc->getXRef()->getTrailerDict();
        if (trailer && trailer->isDict() && !trailer->dictLookupNF("Encrypt").isNull() && !doc->isEncrypted()) {
            return pdf_damaged;
        }
        if (!doc->getCatalog() || !doc->getCatalog()->isOk()) {
            return pdf_damaged;
        }
        opened = new pdf_document(std::move(doc));
        return pdf_ok;
    });
    return opened;
}

void pdf_close(pdf_document *document)
{
    delete document;
}

int32_t pdf_page_count(pdf_document *document)
{
    int32_t count = 0;
    pdf::guarded([&] {
        count = document->doc->getNumPages();
        return pdf_ok;
    });
    return std::max(count, 0);
}

int64_t pdf_declared_page_count(pdf_document *document)
{
    int64_t count = -1;
    pdf::guarded([&] {
        Object catalog = document->doc->getXRef()->getCatalog();
        if (!catalog.isDict()) {
            return pdf_damaged;
        }
        Object pages = catalog.dictLookup("Pages");
        if (!pages.isDict()) {
            return pdf_damaged;
        }
        Object declared = pages.dictLookup("Count");
        if (declared.isIntOrInt64()) {
            count = declared.getIntOrInt64();
        }
        return pdf_ok;
    });
    return count;
}

double pdf::user_unit(pdf_document *document, Page *page)
{
    Object dictionary = document->doc->getXRef()->fetch(page->getRef());
    if (!dictionary.isDict()) {
        return 1;
    }
    Object unit = dictionary.dictLookup("UserUnit");
    return unit.isNum() && std::isfinite(unit.getNum()) && unit.getNum() > 0 ? unit.getNum() : 1;
}

pdf_status pdf_get_page_size(pdf_document *document, int32_t index, pdf_page_size *size)
{
    return pdf::guarded([&] {
        Page *page = pdf::page_at(document, index);
        if (!page || !page->isOk()) {
            return pdf_damaged;
        }
        const double unit = pdf::user_unit(document, page);
        // What is no multiple of 90 (ISO 32000-1, table 30) is drawn upright.
        const int turned = ((page->getRotate() % 360) + 360) % 360;
        const int rotation = turned % 90 == 0 ? turned : 0;
        const double width = std::abs(page->getCropWidth()) * unit;
        const double height = std::abs(page->getCropHeight()) * unit;
        const bool sideways = rotation == 90 || rotation == 270;
        size->width = sideways ? height : width;
        size->height = sideways ? width : height;
        size->rotation = rotation;
        size->user_unit = unit;
        return pdf_ok;
    });
}
