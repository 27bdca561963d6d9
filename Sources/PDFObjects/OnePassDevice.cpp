// SPDX-License-Identifier: Apache-2.0
#include "OnePassDevice.h"

#include <GfxState.h>

#include <algorithm>

namespace pdf {

template<typename Step>
void OnePassDevice::show(GfxState *state, Step step)
{
    if (!isLookedOn() || isBusy) {
        return;
    }
    Matrix own;
    std::copy_n(state->getCTM(), own.size(), own.begin());
    const auto &[a, b, c, d, e, f] = frames.back().matrix;
    state->setCTM(a, b, c, d, e, f);
    reader->clipBounds = frames.back().clip;
    step();
    state->setCTM(own[0], own[1], own[2], own[3], own[4], own[5]);
}

void OnePassDevice::letLookOn(PrimitivesDevice *device, std::unique_ptr<GfxState> state, bool pictures)
{
    reader = device;
    first = std::move(state);
    expectsPictures = pictures;
    course = { true, true };
    isBusy = false;
    letters = 0;
    Frame frame {};
    std::copy_n(first->getCTM(), frame.matrix.size(), frame.matrix.begin());
    first->getClipBBox(&frame.clip.x0, &frame.clip.y0, &frame.clip.x1, &frame.clip.y1);
    frames.assign(1, frame);
}

OnePassDevice::Course OnePassDevice::endLookingOn()
{
    reader = nullptr;
    first.reset();
    return course;
}

/// A picture where none was expected: what is drawn for pictures is another drawing, so this one is of no use. Pictures that
/// tiles and letters are made of do not count.
void OnePassDevice::meetPicture(GfxState *state)
{
    show(state, [&] { reader->keepImage(state); });
    if (reader && !isBusy && letters == 0) {
        course.isDrawnWhole = course.isDrawnWhole && expectsPictures;
    }
}

/// The same as `GfxState::clip`. The clip around the whole page, before all else, is only this device's.
void OnePassDevice::narrow(GfxState *state)
{
    if (!reader || isBusy || frames.size() == 1) {
        return;
    }
    const auto &[a, b, c, d, e, f] = frames.back().matrix;
    const GfxPath *path = state->getPath();
    ClipBounds around { 0, 0, 0, 0 };
    for (int i = 0; i < path->getNumSubpaths(); i++) {
        const GfxSubpath *subpath = path->getSubpath(i);
        for (int j = 0; j < subpath->getNumPoints(); j++) {
            const double x = a * subpath->getX(j) + c * subpath->getY(j) + e;
            const double y = b * subpath->getX(j) + d * subpath->getY(j) + f;
            around = i == 0 && j == 0 ? ClipBounds { x, y, x, y }
                                      : ClipBounds { std::min(around.x0, x), std::min(around.y0, y),
                                                     std::max(around.x1, x), std::max(around.y1, y) };
        }
    }
    ClipBounds &clip = frames.back().clip;
    clip = { std::max(clip.x0, around.x0), std::max(clip.y0, around.y0), std::min(clip.x1, around.x1),
             std::min(clip.y1, around.y1) };
}

// MARK: - Pages and states

void OnePassDevice::startPage(int number, GfxState *state, XRef *xref)
{
    InkDevice::startPage(number, state, xref);
    if (isLookedOn()) {
        reader->startPage(number, first.get(), xref);
    }
}

void OnePassDevice::endPage()
{
    InkDevice::endPage();
    if (isLookedOn()) {
        reader->endPage();
    }
}

void OnePassDevice::saveState(GfxState *state)
{
    InkDevice::saveState(state);
    if (reader) {
        frames.push_back(frames.back());
    }
}

void OnePassDevice::restoreState(GfxState *state)
{
    InkDevice::restoreState(state);
    if (reader && frames.size() > 1) {
        frames.pop_back();
    }
    show(state, [&] { reader->restoreState(state); });
}

void OnePassDevice::updateAll(GfxState *state)
{
    InkDevice::updateAll(state);
    show(state, [&] { reader->updateAll(state); });
}

void OnePassDevice::updateCTM(GfxState *state, double m11, double m12, double m21, double m22, double m31, double m32)
{
    InkDevice::updateCTM(state, m11, m12, m21, m22, m31, m32);
    if (!reader || isBusy) {
        return;
    }
    Matrix &matrix = frames.back().matrix;
    first->setCTM(matrix[0], matrix[1], matrix[2], matrix[3], matrix[4], matrix[5]);
    first->concatCTM(m11, m12, m21, m22, m31, m32);
    std::copy_n(first->getCTM(), matrix.size(), matrix.begin());
}

void OnePassDevice::updateFont(GfxState *state)
{
    InkDevice::updateFont(state);
    show(state, [&] { reader->updateFont(state); });
}

void OnePassDevice::clip(GfxState *state)
{
    InkDevice::clip(state);
    narrow(state);
}

void OnePassDevice::eoClip(GfxState *state)
{
    InkDevice::eoClip(state);
    narrow(state);
}

/// Only patterns do so, and then poppler fills more for one that reads than for one that draws.
void OnePassDevice::clipToStrokePath(GfxState *state)
{
    InkDevice::clipToStrokePath(state);
    giveUpReading();
}

/// What poppler begins to fill text with a pattern with; it cuts the clip without telling.
void OnePassDevice::saveTextPos(GfxState *state)
{
    InkDevice::saveTextPos(state);
    giveUpReading();
}

// MARK: - Outlines

void OnePassDevice::stroke(GfxState *state)
{
    if (isDrawing()) {
        InkDevice::stroke(state);
    }
    show(state, [&] { reader->stroke(state); });
}

void OnePassDevice::fill(GfxState *state)
{
    if (isDrawing()) {
        InkDevice::fill(state);
    }
    show(state, [&] { reader->fill(state); });
}

void OnePassDevice::eoFill(GfxState *state)
{
    if (isDrawing()) {
        InkDevice::eoFill(state);
    }
    show(state, [&] { reader->eoFill(state); });
}

bool OnePassDevice::tilingPatternFill(GfxState *state, Gfx *gfx, Catalog *catalog, GfxTilingPattern *pattern,
                                      const double *matrix, int x0, int y0, int x1, int y1, double xStep, double yStep)
{
    show(state, [&] {
        reader->tilingPatternFill(state, gfx, catalog, pattern, matrix, x0, y0, x1, y1, xStep, yStep);
    });
    return fillAtOnce([&] {
        return InkDevice::tilingPatternFill(state, gfx, catalog, pattern, matrix, x0, y0, x1, y1, xStep, yStep);
    });
}

/// Poppler fills with many small areas what a device does not fill at once, which one that reads is not shown.
template<typename Step>
bool OnePassDevice::fillAtOnce(Step step)
{
    bool isFilled = true;
    if (isDrawing()) {
        const Busy busy(*this);
        isFilled = step();
    }
    if (!isFilled) {
        giveUpReading();
    }
    return isFilled;
}

bool OnePassDevice::useShadedFills(int type)
{
    return fillAtOnce([&] { return InkDevice::useShadedFills(type); });
}

bool OnePassDevice::functionShadedFill(GfxState *state, GfxFunctionShading *shading)
{
    return fillAtOnce([&] { return InkDevice::functionShadedFill(state, shading); });
}

bool OnePassDevice::axialShadedFill(GfxState *state, GfxAxialShading *shading, double tMin, double tMax)
{
    return fillAtOnce([&] { return InkDevice::axialShadedFill(state, shading, tMin, tMax); });
}

bool OnePassDevice::radialShadedFill(GfxState *state, GfxRadialShading *shading, double sMin, double sMax)
{
    return fillAtOnce([&] { return InkDevice::radialShadedFill(state, shading, sMin, sMax); });
}

bool OnePassDevice::gouraudTriangleShadedFill(GfxState *state, GfxGouraudTriangleShading *shading)
{
    return fillAtOnce([&] { return InkDevice::gouraudTriangleShadedFill(state, shading); });
}

bool OnePassDevice::patchMeshShadedFill(GfxState *state, GfxPatchMeshShading *shading)
{
    return fillAtOnce([&] { return InkDevice::patchMeshShadedFill(state, shading); });
}

// MARK: - Text

void OnePassDevice::drawChar(GfxState *state, double x, double y, double dx, double dy, double originX, double originY,
                             CharCode code, int bytes, const Unicode *u, int length)
{
    if (isDrawing()) {
        InkDevice::drawChar(state, x, y, dx, dy, originX, originY, code, bytes, u, length);
    }
    show(state, [&] { reader->drawChar(state, x, y, dx, dy, originX, originY, code, bytes, u, length); });
}

/// Letters that are drawings are drawn here, and only named to one that reads.
bool OnePassDevice::beginType3Char(GfxState *state, double x, double y, double dx, double dy, CharCode code,
                                   const Unicode *u, int length)
{
    giveUpReading();
    const bool isKnown = InkDevice::beginType3Char(state, x, y, dx, dy, code, u, length);
    letters += isKnown ? 0 : 1;
    return isKnown;
}

void OnePassDevice::endType3Char(GfxState *state)
{
    InkDevice::endType3Char(state);
    letters = std::max(letters - 1, 0);
}

void OnePassDevice::incCharCount(int count)
{
    if (isLookedOn() && !isBusy) {
        reader->incCharCount(count);
    }
}

void OnePassDevice::beginActualText(GfxState *state, const GooString *text)
{
    show(state, [&] { reader->beginActualText(state, text); });
}

void OnePassDevice::endActualText(GfxState *state)
{
    show(state, [&] { reader->endActualText(state); });
}

// MARK: - Pictures

void OnePassDevice::drawImageMask(GfxState *state, Object *ref, Stream *str, int width, int height, bool invert,
                                  bool interpolate, bool inlineImg)
{
    meetPicture(state);
    if (isDrawing()) {
        const Busy busy(*this);
        InkDevice::drawImageMask(state, ref, str, width, height, invert, interpolate, inlineImg);
    } else {
        OutputDev::drawImageMask(state, ref, str, width, height, invert, interpolate, inlineImg);
    }
}

void OnePassDevice::setSoftMaskFromImageMask(GfxState *state, Object *ref, Stream *str, int width, int height, bool invert,
                                             bool inlineImg, double *baseMatrix)
{
    // Within contents each device reads another number of its bytes, and the rest is taken for contents.
    if (inlineImg) {
        giveUpReading();
    }
    // It is followed by the fill of a pattern, and by taking the mask away again, which has to find it.
    show(state, [&] { reader->keepImage(state); });
    const Busy busy(*this);
    InkDevice::setSoftMaskFromImageMask(state, ref, str, width, height, invert, inlineImg, baseMatrix);
}

void OnePassDevice::drawImage(GfxState *state, Object *ref, Stream *str, int width, int height, GfxImageColorMap *colors,
                              bool interpolate, const int *maskColors, bool inlineImg)
{
    meetPicture(state);
    if (isDrawing()) {
        const Busy busy(*this);
        InkDevice::drawImage(state, ref, str, width, height, colors, interpolate, maskColors, inlineImg);
    } else {
        OutputDev::drawImage(state, ref, str, width, height, colors, interpolate, maskColors, inlineImg);
    }
}

void OnePassDevice::drawMaskedImage(GfxState *state, Object *ref, Stream *str, int width, int height,
                                    GfxImageColorMap *colors, bool interpolate, Stream *mask, int maskWidth, int maskHeight,
                                    bool maskInvert, bool maskInterpolate)
{
    meetPicture(state);
    if (isDrawing()) {
        const Busy busy(*this);
        InkDevice::drawMaskedImage(state, ref, str, width, height, colors, interpolate, mask, maskWidth, maskHeight,
                                   maskInvert, maskInterpolate);
    }
}

void OnePassDevice::drawSoftMaskedImage(GfxState *state, Object *ref, Stream *str, int width, int height,
                                        GfxImageColorMap *colors, bool interpolate, Stream *mask, int maskWidth,
                                        int maskHeight, GfxImageColorMap *maskColors, bool maskInterpolate)
{
    meetPicture(state);
    if (isDrawing()) {
        const Busy busy(*this);
        InkDevice::drawSoftMaskedImage(state, ref, str, width, height, colors, interpolate, mask, maskWidth, maskHeight,
                                       maskColors, maskInterpolate);
    }
}

// MARK: - Groups

void OnePassDevice::beginTransparencyGroup(GfxState *state, const double *bbox, GfxColorSpace *space, bool isolated,
                                           bool knockout, bool forSoftMask)
{
    // Groups are drawn at a place of their own.
    const Busy busy(*this);
    InkDevice::beginTransparencyGroup(state, bbox, space, isolated, knockout, forSoftMask);
}

void OnePassDevice::endTransparencyGroup(GfxState *state)
{
    const Busy busy(*this);
    InkDevice::endTransparencyGroup(state);
}

} // namespace pdf
