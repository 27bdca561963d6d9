// SPDX-License-Identifier: Apache-2.0
// What a file says of itself: metadata, fonts, links, form fields.
#include "Document.h"

#include <Annot.h>
#include <Catalog.h>
#include <Form.h>
#include <Link.h>
#include <Page.h>
#include <UTF.h>
#include <goo/gmem.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace {

constexpr size_t maximum_text = 300;
constexpr size_t maximum_address = 500;

bool is_web_or_mail(const std::string &address)
{
    std::string scheme = address.substr(0, address.find(':'));
    std::transform(scheme.begin(), scheme.end(), scheme.begin(), [](unsigned char c) { return std::tolower(c); });
    return (scheme == "http" || scheme == "https" || scheme == "mailto") && address.size() <= maximum_address
        && std::all_of(address.begin(), address.end(), [](unsigned char c) { return c > 32 && c < 127; });
}

int32_t kind_of(FormFieldType type)
{
    switch (type) {
    case formButton:
        return pdf_field_button;
    case formText:
        return pdf_field_text;
    case formChoice:
        return pdf_field_choice;
    case formSignature:
        return pdf_field_signature;
    case formUndef:
        return pdf_field_unknown;
    }
    return pdf_field_unknown;
}

} // namespace

void pdf::append_utf8(std::string &text, uint32_t c)
{
    if (c == 0 || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff)) {
        c = 0xfffd;
    }
    if (c < 0x80) {
        text.push_back(static_cast<char>(c));
    } else if (c < 0x800) {
        text.push_back(static_cast<char>(0xc0 | c >> 6));
        text.push_back(static_cast<char>(0x80 | (c & 0x3f)));
    } else if (c < 0x10000) {
        text.push_back(static_cast<char>(0xe0 | c >> 12));
        text.push_back(static_cast<char>(0x80 | (c >> 6 & 0x3f)));
        text.push_back(static_cast<char>(0x80 | (c & 0x3f)));
    } else {
        text.push_back(static_cast<char>(0xf0 | c >> 18));
        text.push_back(static_cast<char>(0x80 | (c >> 12 & 0x3f)));
        text.push_back(static_cast<char>(0x80 | (c >> 6 & 0x3f)));
        text.push_back(static_cast<char>(0x80 | (c & 0x3f)));
    }
}

std::string pdf::text_string(const std::string &raw, size_t limit)
{
    Unicode *characters = nullptr;
    const int count = TextStringToUCS4(raw.substr(0, 4 * limit), &characters);
    std::string text;
    for (int i = 0; i < count && text.size() + 4 <= limit; i++) {
        append_utf8(text, characters[i]);
    }
    gfree(characters);
    return text;
}

void pdf_list_free(pdf_list *list)
{
    delete list;
}

const pdf_item *pdf_list_items(const pdf_list *list, size_t *count)
{
    *count = list->items.size();
    return list->items.data();
}

pdf_status pdf_read_facts(pdf_document *document, pdf_facts *facts)
{
    *facts = pdf_facts {};
    return pdf::guarded([&] {
        PDFDoc *doc = document->doc.get();
        facts->version_major = doc->getPDFMajorVersion();
        facts->version_minor = doc->getPDFMinorVersion();
        facts->tagged = (doc->getCatalog()->getMarkInfo() & Catalog::markInfoMarked) != 0;
        facts->linearized = doc->isLinearized();
        facts->encrypted = doc->isEncrypted();
        return pdf_ok;
    });
}

pdf_status pdf_list_info(pdf_document *document, pdf_list **result)
{
    *result = nullptr;
    return pdf::guarded([&] {
        auto list = std::make_unique<pdf_list>();
        const auto add = [&](const char *key, int32_t kind) {
            if (const auto entry = document->doc->getDocInfoStringEntry(key)) {
                list->add(pdf::text_string(entry->toStr(), maximum_text), pdf_item { .kind = kind });
            }
        };
        add("Producer", pdf_info_producer);
        add("Creator", pdf_info_creator);
        *result = list.release();
        return pdf_ok;
    });
}

pdf_status pdf_list_fonts(pdf_document *document, pdf_list **result)
{
    *result = nullptr;
    return pdf::guarded([&] {
        auto list = std::make_unique<pdf_list>();
        for (const auto &[font, embedded] : document->fonts) {
            list->add(font.first, pdf_item { .kind = font.second, .embedded = embedded });
        }
        *result = list.release();
        return pdf_ok;
    });
}

pdf_status pdf_list_links(pdf_document *document, int32_t index, size_t limit, int32_t *links, pdf_list **result)
{
    *result = nullptr;
    *links = 0;
    return pdf::guarded([&] {
        Page *page = pdf::page_at(document, index);
        if (!page || !page->isOk()) {
            return pdf_damaged;
        }
        auto list = std::make_unique<pdf_list>();
        std::set<std::string> seen;
        for (const Annot *annot : page->getAnnots()->getAnnots()) {
            if (annot->getType() != Annot::typeLink) {
                continue;
            }
            ++*links;
            const LinkAction *action = static_cast<const AnnotLink *>(annot)->getAction();
            if (!action || action->getKind() != actionURI || seen.size() >= limit) {
                continue;
            }
            const std::string &address = static_cast<const LinkURI *>(action)->getURI();
            if (is_web_or_mail(address) && seen.insert(address).second) {
                list->add(address, pdf_item {});
            }
        }
        *result = list.release();
        return pdf_ok;
    });
}

pdf_status pdf_list_fields(pdf_document *document, int32_t index, size_t limit, pdf_list **result)
{
    *result = nullptr;
    return pdf::guarded([&] {
        Page *page = pdf::page_at(document, index);
        if (!page || !page->isOk()) {
            return pdf_damaged;
        }
        auto list = std::make_unique<pdf_list>();
        double ctm[6];
        page->getDefaultCTM(ctm, 72, 72, 0, false, true);
        const auto widgets = page->getFormWidgets();
        for (int i = 0; widgets && i < widgets->getNumWidgets() && list->items.size() < limit; i++) {
            FormWidget *widget = widgets->getWidget(i);
            const GooString *name = widget->getFullyQualifiedName();
            double left, bottom, right, top;
            widget->getRect(&left, &bottom, &right, &top);
            const double ax = ctm[0] * left + ctm[2] * bottom + ctm[4], ay = ctm[1] * left + ctm[3] * bottom + ctm[5];
            const double bx = ctm[0] * right + ctm[2] * top + ctm[4], by = ctm[1] * right + ctm[3] * top + ctm[5];
            if (!std::isfinite(ax + ay + bx + by)) {
                continue;
            }
            list->add(name ? pdf::text_string(name->toStr(), maximum_text) : std::string(),
                      pdf_item { .kind = kind_of(widget->getType()),
                                 .x0 = static_cast<float>(std::min(ax, bx)),
                                 .y0 = static_cast<float>(std::min(ay, by)),
                                 .x1 = static_cast<float>(std::max(ax, bx)),
                                 .y1 = static_cast<float>(std::max(ay, by)) });
        }
        *result = list.release();
        return pdf_ok;
    });
}
