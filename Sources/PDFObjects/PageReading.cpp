// SPDX-License-Identifier: Apache-2.0
// One interpretation of a page yields its words and what is painted around them.
#include "Document.h"

#include <Annot.h>
#include <GfxFont.h>
#include <GfxState.h>
#include <Page.h>
#include <TextOutputDev.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

struct pdf_page {
    std::vector<pdf_word> words;
    std::vector<pdf_shape> shapes;
    std::vector<pdf_box> images;
    std::vector<pdf_box> fields;
    std::string text;
    bool cutShort = false;
};

namespace {

constexpr size_t maximum_images = 4096;
constexpr size_t maximum_fields = 4096;
constexpr size_t maximum_fonts = 200;
constexpr size_t maximum_font_name = 200;

/// poppler's text device, which also keeps painted outlines. Shadings and tilings are not taken apart.
class PrimitivesDevice final : public TextOutputDev {
public:
    PrimitivesDevice(pdf_page &page, pdf_document &document, const pdf_page_bounds &bounds)
        : TextOutputDev(nullptr, false, 0, false, false), page(page), document(document), bounds(bounds)
    {
    }

    void updateFont(GfxState *state) override
    {
        keepFont(state->getFont().get());
        TextOutputDev::updateFont(state);
    }

    bool needNonText() override { return bounds.wants_shapes; }
    bool useTilingPatternFill() override { return true; }
    bool useShadedFills(int) override { return true; }

    void stroke(GfxState *state) override { keep(state, false); }
    void fill(GfxState *state) override { keep(state, true); }
    void eoFill(GfxState *state) override { keep(state, true); }

    bool tilingPatternFill(GfxState *state, Gfx *, Catalog *, GfxTilingPattern *, const double *, int, int, int, int, double,
                           double) override
    {
        keep(state, true);
        return true;
    }
    bool functionShadedFill(GfxState *, GfxFunctionShading *) override { return true; }
    bool axialShadedFill(GfxState *, GfxAxialShading *, double, double) override { return true; }
    bool radialShadedFill(GfxState *, GfxRadialShading *, double, double) override { return true; }
    bool gouraudTriangleShadedFill(GfxState *, GfxGouraudTriangleShading *) override { return true; }
    bool patchMeshShadedFill(GfxState *, GfxPatchMeshShading *) override { return true; }

    void drawImageMask(GfxState *state, Object *ref, Stream *str, int width, int height, bool invert, bool interpolate,
                       bool inlineImg) override
    {
        keepImage(state);
        OutputDev::drawImageMask(state, ref, str, width, height, invert, interpolate, inlineImg);
    }
    void drawImage(GfxState *state, Object *ref, Stream *str, int width, int height, GfxImageColorMap *colorMap,
                   bool interpolate, const int *maskColors, bool inlineImg) override
    {
        keepImage(state);
        OutputDev::drawImage(state, ref, str, width, height, colorMap, interpolate, maskColors, inlineImg);
    }
    void drawMaskedImage(GfxState *state, Object *, Stream *, int, int, GfxImageColorMap *, bool, Stream *, int, int, bool,
                         bool) override
    {
        keepImage(state);
    }
    void drawSoftMaskedImage(GfxState *state, Object *, Stream *, int, int, GfxImageColorMap *, bool, Stream *, int, int,
                             GfxImageColorMap *, bool) override
    {
        keepImage(state);
    }

private:
    pdf_page &page;
    pdf_document &document;
    const pdf_page_bounds &bounds;

    static float luminance(const GfxRGB &color)
    {
        return static_cast<float>(
            0.299 * colToDbl(color.r) + 0.587 * colToDbl(color.g) + 0.114 * colToDbl(color.b));
    }

    void keepFont(const GfxFont *font)
    {
        if (!font || document.fonts.size() >= maximum_fonts) {
            return;
        }
        Ref file;
        const bool embedded = font->getType() == fontType3 || font->getEmbeddedFontID(&file);
        std::string name = font->getNameWithoutSubsetTag();
        name.resize(std::min(name.size(), maximum_font_name));
        // Twice under one name, once embedded and once not, counts as not embedded.
        bool &known = document.fonts.try_emplace({ std::move(name), kind(font->getType()) }, embedded).first->second;
        known = known && embedded;
    }

    static int32_t kind(GfxFontType type)
    {
        switch (type) {
        case fontUnknownType:
            return pdf_font_unknown;
        case fontType1:
        case fontType1C:
        case fontType1COT:
            return pdf_font_type1;
        case fontType3:
            return pdf_font_type3;
        case fontTrueType:
        case fontTrueTypeOT:
            return pdf_font_truetype;
        case fontCIDType0:
        case fontCIDType0C:
        case fontCIDType0COT:
            return pdf_font_cid_type0;
        case fontCIDType2:
        case fontCIDType2OT:
            return pdf_font_cid_truetype;
        }
        return pdf_font_unknown;
    }

    void keep(GfxState *state, bool filled)
    {
        const GfxPath *path = state->getPath();
        for (int i = 0; i < path->getNumSubpaths(); i++) {
            if (page.shapes.size() >= bounds.shapes) {
                page.cutShort = true;
                return;
            }
            keepSubpath(state, path->getSubpath(i), filled);
        }
    }

    void keepSubpath(GfxState *state, const GfxSubpath *subpath, bool filled)
    {
        if (subpath->getNumPoints() < 2) {
            return;
        }
        double x0 = HUGE_VAL, y0 = HUGE_VAL, x1 = -HUGE_VAL, y1 = -HUGE_VAL, lastX = 0, lastY = 0;
        bool straight = true;
        for (int j = 0; j < subpath->getNumPoints(); j++) {
            double x, y;
            state->transform(subpath->getX(j), subpath->getY(j), &x, &y);
            if (!std::isfinite(x) || !std::isfinite(y)) {
                return;
            }
            if (subpath->getCurve(j) || (j > 0 && std::abs(x - lastX) > 0.05 && std::abs(y - lastY) > 0.05)) {
                straight = false;
            }
            lastX = x;
            lastY = y;
            x0 = std::min(x0, x);
            y0 = std::min(y0, y);
            x1 = std::max(x1, x);
            y1 = std::max(y1, y);
        }
        double clipX0, clipY0, clipX1, clipY1;
        state->getClipBBox(&clipX0, &clipY0, &clipX1, &clipY1);
        x0 = std::max(x0, clipX0);
        y0 = std::max(y0, clipY0);
        x1 = std::min(x1, clipX1);
        y1 = std::min(y1, clipY1);
        if (x1 < x0 || y1 < y0 || (filled ? state->getFillOpacity() : state->getStrokeOpacity()) < 0.02) {
            return;
        }
        GfxRGB color;
        if (filled) {
            state->getFillRGB(&color);
        } else {
            state->getStrokeRGB(&color);
        }
        page.shapes.push_back(pdf_shape {
            static_cast<float>(x0), static_cast<float>(y0), static_cast<float>(x1), static_cast<float>(y1),
            filled ? 0.0F : static_cast<float>(state->getTransformedLineWidth()), luminance(color), filled, straight,
            static_cast<uint16_t>(std::min(subpath->getNumPoints() - 1, 65535)) });
    }

    void keepImage(GfxState *state)
    {
        if (page.images.size() >= maximum_images) {
            page.cutShort = true;
            return;
        }
        double x0 = HUGE_VAL, y0 = HUGE_VAL, x1 = -HUGE_VAL, y1 = -HUGE_VAL;
        for (int corner = 0; corner < 4; corner++) {
            double x, y;
            state->transform(corner & 1, corner >> 1, &x, &y);
            x0 = std::min(x0, x);
            y0 = std::min(y0, y);
            x1 = std::max(x1, x);
            y1 = std::max(y1, y);
        }
        if (std::isfinite(x1 - x0) && std::isfinite(y1 - y0)) {
            page.images.push_back(pdf_box {
                static_cast<float>(x0), static_cast<float>(y0), static_cast<float>(x1), static_cast<float>(y1) });
        }
    }
};

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

} // namespace

pdf_status pdf_read_page(pdf_document *document, int32_t index, const pdf_page_bounds *bounds, pdf_page **result)
{
    *result = nullptr;
    return pdf::guarded([&] {
        Page *page = pdf::page_at(document, index);
        if (!page || !page->isOk()) {
            return pdf_damaged;
        }
        auto kept = std::make_unique<pdf_page>();
        PrimitivesDevice device(*kept, *document, *bounds);
        pdf::show_page(document, index, { 72, 72 }, &device);
        if (TextPage *text = device.takeText()) {
            keep_words(*kept, text, *bounds);
            text->decRefCnt();
        }
        keep_fields(*kept, page);
        *result = kept.release();
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
