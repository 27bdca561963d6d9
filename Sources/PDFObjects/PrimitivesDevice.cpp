// SPDX-License-Identifier: Apache-2.0
#include "PrimitivesDevice.h"

#include <GfxState.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace {

constexpr size_t maximum_images = 4096;
constexpr size_t maximum_fonts = 200;
constexpr size_t maximum_font_name = 200;

float luminance(const GfxRGB &color)
{
    return static_cast<float>(0.299 * colToDbl(color.r) + 0.587 * colToDbl(color.g) + 0.114 * colToDbl(color.b));
}

int32_t kind(GfxFontType type)
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

} // namespace

pdf::PrimitivesDevice::PrimitivesDevice(pdf_page &page, pdf_document &document, const pdf_page_bounds &bounds)
    : TextOutputDev(nullptr, false, 0, false, false), page(page), document(document), bounds(bounds)
{
}

void pdf::PrimitivesDevice::updateFont(GfxState *state)
{
    keepFont(state->getFont().get());
    TextOutputDev::updateFont(state);
}

bool pdf::PrimitivesDevice::tilingPatternFill(GfxState *state, Gfx *, Catalog *, GfxTilingPattern *, const double *, int, int, int,
                                         int, double, double)
{
    keep(state, true);
    return true;
}

void pdf::PrimitivesDevice::drawImageMask(GfxState *state, Object *ref, Stream *str, int width, int height, bool invert,
                                     bool interpolate, bool inlineImg)
{
    keepImage(state);
    OutputDev::drawImageMask(state, ref, str, width, height, invert, interpolate, inlineImg);
}

void pdf::PrimitivesDevice::drawImage(GfxState *state, Object *ref, Stream *str, int width, int height,
                                 GfxImageColorMap *colorMap, bool interpolate, const int *maskColors, bool inlineImg)
{
    keepImage(state);
    OutputDev::drawImage(state, ref, str, width, height, colorMap, interpolate, maskColors, inlineImg);
}

void pdf::PrimitivesDevice::keepFont(const GfxFont *font)
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

void pdf::PrimitivesDevice::keep(GfxState *state, bool filled)
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

void pdf::PrimitivesDevice::keepSubpath(GfxState *state, const GfxSubpath *subpath, bool filled)
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
    pdf::ClipBounds room {};
    state->getClipBBox(&room.x0, &room.y0, &room.x1, &room.y1);
    room = clipBounds.value_or(room);
    x0 = std::max(x0, room.x0);
    y0 = std::max(y0, room.y0);
    x1 = std::min(x1, room.x1);
    y1 = std::min(y1, room.y1);
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

void pdf::PrimitivesDevice::keepImage(GfxState *state)
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
