// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <SplashOutputDev.h>

#include <functional>

/// Draws what is ink and what is not, with less ado than for people.
///
/// Fills large areas row by row: poppler calls a function for each pixel, and many pages and boxes are painted over first.
/// Takes pictures with a colour profile by the plain colours that the profile names as its substitute: what is ink does not
/// hang on the shade, and converting every pixel by its profile can take longer than all else.
class InkDevice : public SplashOutputDev {
public:
    using SplashOutputDev::SplashOutputDev;

    /// Whether the page takes too long to draw. Asked before each picture, mask, pattern and form, which is left out then, and
    /// before each colour that a function works out.
    std::function<bool()> isLate = [] { return false; };

    /// Poppler leaves out pictures, before it unpacks any of them, and what patterns fill.
    bool needNonText() override { return !isLate(); }
    /// Poppler leaves a form to the device, which draws none.
    bool useDrawForm() override { return isLate(); }

    void fill(GfxState *state) override;
    void eoFill(GfxState *state) override;
    bool functionShadedFill(GfxState *state, GfxFunctionShading *shading) override;
    void drawImage(GfxState *state, Object *ref, Stream *str, int width, int height, GfxImageColorMap *colors,
                   bool interpolate, const int *maskColors, bool inlineImg) override;
    void drawMaskedImage(GfxState *state, Object *ref, Stream *str, int width, int height, GfxImageColorMap *colors,
                         bool interpolate, Stream *mask, int maskWidth, int maskHeight, bool maskInvert,
                         bool maskInterpolate) override;
    void drawSoftMaskedImage(GfxState *state, Object *ref, Stream *str, int width, int height, GfxImageColorMap *colors,
                             bool interpolate, Stream *mask, int maskWidth, int maskHeight, GfxImageColorMap *maskColors,
                             bool maskInterpolate) override;

private:
    bool fill_rectangle(GfxState *state);
    bool fill_around_middle(GfxState *state, bool evenOdd);
};
