// SPDX-License-Identifier: Apache-2.0
// One interpretation of a page yields its words, what is painted around them, and its ink.
#include "Document.h"
#include "OnePassDevice.h"
#include "PrimitivesDevice.h"

#include <Annot.h>
#include <Page.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

using pdf::PrimitivesDevice;

namespace {

constexpr size_t maximum_fields = 4096;

bool looks_bold(const TextFontInfo *font)
{
    if (font->isBold()) {
        return true;
    }
    const GooString *name = font->getFontName();
    if (!name) {
        return false;
    }
    std::string lower = name->toStr();
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
    for (const char *part : { "bold", "black", "heavy", "demi" }) {
        if (lower.find(part) != std::string::npos) {
            return true;
        }
    }
    return false;
}

/// False when a bound is reached.
bool keep_word(pdf_page &page, const TextWord *word, int block, int line, const pdf_page_bounds &bounds)
{
    if (page.words.size() >= bounds.words || page.text.size() >= bounds.text_bytes) {
        page.cutShort = true;
        return false;
    }
    if (word->getLength() <= 0) {
        return true;
    }
    double x0, y0, x1, y1, red, green, blue;
    word->getBBox(&x0, &y0, &x1, &y1);
    word->getColor(&red, &green, &blue);
    if (!std::isfinite(x0) || !std::isfinite(y0) || !std::isfinite(x1) || !std::isfinite(y1)) {
        return true;
    }
    const size_t offset = page.text.size();
    for (int i = 0; i < word->getLength(); i++) {
        pdf::append_utf8(page.text, *word->getChar(i));
    }
    const TextFontInfo *font = word->getFontInfo(0);
    page.words.push_back(pdf_word {
        static_cast<float>(x0), static_cast<float>(y0), static_cast<float>(x1), static_cast<float>(y1),
        static_cast<float>(word->getFontSize()), static_cast<float>(red), static_cast<float>(green),
        static_cast<float>(blue), static_cast<uint32_t>(offset), static_cast<uint32_t>(page.text.size() - offset), block,
        line, static_cast<uint8_t>(word->getRotation() & 3), looks_bold(font), font->isItalic(), font->isSerif(),
        word->hasSpaceAfter() });
    return true;
}

void keep_words(pdf_page &page, const TextPage *text, const pdf_page_bounds &bounds)
{
    int block = 0, line = 0;
    for (const TextFlow *flow = text->getFlows(); flow; flow = flow->getNext()) {
        for (const TextBlock *b = flow->getBlocks(); b; b = b->getNext(), block++) {
            for (const TextLine *l = b->getLines(); l; l = l->getNext(), line++) {
                for (const TextWord *word = l->getWords(); word; word = word->getNext()) {
                    if (!keep_word(page, word, block, line, bounds)) {
                        return;
                    }
                }
            }
        }
    }
}

void keep_fields(pdf_page &kept, Page *page)
{
    double ctm[6];
    page->getDefaultCTM(ctm, 72, 72, 0, false, true);
    for (const Annot *annot : page->getAnnots()->getAnnots()) {
        if (annot->getType() != Annot::typeWidget || (const_cast<Annot *>(annot)->getFlags() & Annot::flagHidden)) {
            continue;
        }
        if (kept.fields.size() >= maximum_fields) {
            kept.cutShort = true;
            return;
        }
        double left, bottom, right, top;
        annot->getRect(&left, &bottom, &right, &top);
        const double ax = ctm[0] * left + ctm[2] * bottom + ctm[4], ay = ctm[1] * left + ctm[3] * bottom + ctm[5];
        const double bx = ctm[0] * right + ctm[2] * top + ctm[4], by = ctm[1] * right + ctm[3] * top + ctm[5];
        if (std::isfinite(ax + ay + bx + by)) {
            kept.fields.push_back(pdf_box { static_cast<float>(std::min(ax, bx)), static_cast<float>(std::min(ay, by)),
                                            static_cast<float>(std::max(ax, bx)), static_cast<float>(std::max(ay, by)) });
        }
    }
}

/// The words and outlines that were kept, and the form fields of the page.
void finish(pdf_page &kept, Page *page, PrimitivesDevice &device, const pdf_page_bounds &bounds)
{
    if (TextPage *text = device.takeText()) {
        keep_words(kept, text, bounds);
        text->decRefCnt();
    }
    keep_fields(kept, page);
}

/// Reads a page by itself.
std::unique_ptr<pdf_page> read(pdf_document *document, int32_t index, const pdf_page_bounds &bounds)
{
    auto kept = std::make_unique<pdf_page>();
    PrimitivesDevice device(*kept, *document, bounds);
    pdf::show_page(document, index, { 72, 72 }, &device);
    finish(*kept, pdf::page_at(document, index), device, bounds);
    return kept;
}

/// Whether the page's own resources list a picture.
bool lists_pictures(Page *page)
{
    const int most = 64;
    Dict *resources = page->getResourceDict();
    const Object objects = resources ? resources->lookup("XObject") : Object(objNull);
    for (int i = 0; objects.isDict() && i < std::min(objects.dictGetLength(), most); i++) {
        const Object object = objects.dictGetVal(i);
        if (object.isStream() && object.streamGetDict()->lookup("Subtype").isName("Image")) {
            return true;
        }
    }
    return false;
}

/// Reads a page and draws it as ink, in one pass as far as that goes.
std::unique_ptr<pdf_page> read_and_draw(pdf_document *document, int32_t index, const pdf_page_bounds &bounds)
{
    Page *page = pdf::page_at(document, index);
    const bool expectsPictures = !document->listsInVain && lists_pictures(page);
    auto seen = std::make_unique<pdf_page>();
    uint8_t *pixels = nullptr;
    pdf::OnePassDevice::Course course;
    PrimitivesDevice device(*seen, *document, bounds);
    const pdf_status status = pdf::guarded([&] {
        return pdf::draw_and_read(document, index, bounds.ink_width, bounds.ink_height, expectsPictures, &device, course,
                                  &pixels);
    });
    std::unique_ptr<uint8_t, void (*)(void *)> ink(pixels, std::free);
    if (status == pdf_no_memory) {
        throw std::bad_alloc();
    }
    if (course.isReadWhole) {
        finish(*seen, page, device, bounds);
    }
    std::unique_ptr<pdf_page> kept = course.isReadWhole ? std::move(seen) : read(document, index, bounds);
    const bool hasPictures = !kept->images.empty();
    document->listsInVain = document->listsInVain || (expectsPictures && !hasPictures);
    if (!course.isDrawnWhole || hasPictures != expectsPictures) {
        const pdf_coloring coloring = hasPictures ? pdf_ink_of_pictures : pdf_ink;
        if (pdf_draw_page(document, index, bounds.ink_width, bounds.ink_height, coloring, &pixels) == pdf_no_memory) {
            throw std::bad_alloc();
        }
        ink.reset(pixels);
    }
    kept->ink = std::move(ink);
    return kept;
}

/// While it lives the document's page is late after some seconds of the processor, unless these are none.
struct Timed {
    pdf_document *document;

    Timed(pdf_document *document, double seconds)
        : document(document)
    {
        if (seconds > 0) {
            document->lateAt = pdf::processor_time() + seconds;
        }
    }
    ~Timed() { document->lateAt.reset(); }
    Timed(const Timed &) = delete;
    Timed &operator=(const Timed &) = delete;
};

} // namespace

pdf_status pdf_read_page(pdf_document *document, int32_t index, const pdf_page_bounds *bounds, pdf_page **result)
{
    *result = nullptr;
    return pdf::guarded([&] {
        Page *page = pdf::page_at(document, index);
        if (!page || !page->isOk()) {
            return pdf_damaged;
        }
        const Timed timed(document, bounds->seconds);
        const bool isDrawn = bounds->wants_shapes && bounds->ink_width > 0 && bounds->ink_height > 0;
        *result = (isDrawn ? read_and_draw(document, index, *bounds) : read(document, index, *bounds)).release();
        return pdf_ok;
    });
}

void pdf_page_free(pdf_page *page)
{
    delete page;
}

const pdf_word *pdf_page_words(const pdf_page *page, size_t *count)
{
    *count = page->words.size();
    return page->words.data();
}

const pdf_shape *pdf_page_shapes(const pdf_page *page, size_t *count)
{
    *count = page->shapes.size();
    return page->shapes.data();
}

const pdf_box *pdf_page_images(const pdf_page *page, size_t *count)
{
    *count = page->images.size();
    return page->images.data();
}

const pdf_box *pdf_page_fields(const pdf_page *page, size_t *count)
{
    *count = page->fields.size();
    return page->fields.data();
}

const char *pdf_page_text(const pdf_page *page, size_t *length)
{
    *length = page->text.size();
    return page->text.data();
}

bool pdf_page_cut_short(const pdf_page *page)
{
    return page->cutShort;
}

bool pdf_is_exhausted(const pdf_document *document)
{
    return document->isExhausted;
}

uint8_t *pdf_page_take_ink(pdf_page *page)
{
    return page->ink.release();
}
