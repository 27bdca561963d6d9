// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "Document.h"

#include <GfxFont.h>
#include <TextOutputDev.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

struct pdf_page {
    std::vector<pdf_word> words;
    std::vector<pdf_shape> shapes;
    std::vector<pdf_box> images;
    std::vector<pdf_box> fields;
    std::string text;
    bool cutShort = false;
    /// The page drawn as ink, from `malloc`.
    std::unique_ptr<uint8_t, void (*)(void *)> ink { nullptr, std::free };
};

namespace pdf {

/// The rectangle around what can be painted on, in points of the displayed page.
struct ClipBounds {
    double x0, y0, x1, y1;
};

/// poppler's text device, which also keeps painted outlines. Shadings and tilings are not taken apart.
class PrimitivesDevice final : public TextOutputDev {
public:
    PrimitivesDevice(pdf_page &page, pdf_document &document, const pdf_page_bounds &bounds);

    /// Stand in for the clip of the graphics state where that is another device's.
    std::optional<ClipBounds> clipBounds;

    void keepImage(GfxState *state);

    void updateFont(GfxState *state) override;
    bool needNonText() override { return bounds.wants_shapes && !is_late(&document); }
    /// Poppler leaves a form to the device, which reads none.
    bool useDrawForm() override { return is_late(&document); }
    bool useTilingPatternFill() override { return true; }
    bool useShadedFills(int) override { return true; }

    void stroke(GfxState *state) override { keep(state, false); }
    void fill(GfxState *state) override { keep(state, true); }
    void eoFill(GfxState *state) override { keep(state, true); }

    bool tilingPatternFill(GfxState *state, Gfx *, Catalog *, GfxTilingPattern *, const double *, int, int, int, int, double,
                           double) override;
    bool functionShadedFill(GfxState *, GfxFunctionShading *) override { return true; }
    bool axialShadedFill(GfxState *, GfxAxialShading *, double, double) override { return true; }
    bool radialShadedFill(GfxState *, GfxRadialShading *, double, double) override { return true; }
    bool gouraudTriangleShadedFill(GfxState *, GfxGouraudTriangleShading *) override { return true; }
    bool patchMeshShadedFill(GfxState *, GfxPatchMeshShading *) override { return true; }

    void drawImageMask(GfxState *state, Object *ref, Stream *str, int width, int height, bool invert, bool interpolate,
                       bool inlineImg) override;
    void drawImage(GfxState *state, Object *ref, Stream *str, int width, int height, GfxImageColorMap *colorMap,
                   bool interpolate, const int *maskColors, bool inlineImg) override;
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

    void keepFont(const GfxFont *font);
    void keep(GfxState *state, bool filled);
    void keepSubpath(GfxState *state, const GfxSubpath *subpath, bool filled);
};

} // namespace pdf
