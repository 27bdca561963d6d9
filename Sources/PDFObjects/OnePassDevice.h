// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "InkDevice.h"
#include "PrimitivesDevice.h"

#include <array>
#include <memory>
#include <utility>
#include <vector>

namespace pdf {

/// Draws ink, and on request lets a device of words and outlines look on, so that a page's contents are interpreted once for
/// both. The one that looks on sees what it would see if the page were shown to it alone, at 72 dots an inch; where poppler
/// treats the two too differently for that, it sees no more, and the page is to be shown to it alone.
class OnePassDevice final : public InkDevice {
public:
    using InkDevice::InkDevice;

    /// How that went.
    struct Course {
        /// Whether all was shown to the one that looks on.
        bool isReadWhole = false;
        /// Whether all was drawn; when pictures are met and none were expected, the rest of the page is not.
        bool isDrawnWhole = false;

        /// Whether the rest of the page is of no use.
        bool isInVain() const { return !isReadWhole && !isDrawnWhole; }
    };

    /// Has `reader` look on at the next page, which at 72 dots an inch begins with the state `first`.
    void letLookOn(PrimitivesDevice *reader, std::unique_ptr<GfxState> first, bool expectsPictures);
    /// How it goes so far.
    const Course &progress() const { return course; }
    /// Ends that, after the page. A device that has not drawn all of it is not to be used again: what it keeps of letters that
    /// are drawings may be empty.
    Course endLookingOn();

    bool needCharCount() override { return isLookedOn(); }
    bool useShadedFills(int type) override;

    void startPage(int number, GfxState *state, XRef *xref) override;
    void endPage() override;
    void saveState(GfxState *state) override;
    void restoreState(GfxState *state) override;
    void updateAll(GfxState *state) override;
    void updateCTM(GfxState *state, double m11, double m12, double m21, double m22, double m31, double m32) override;
    void updateFont(GfxState *state) override;
    void clip(GfxState *state) override;
    void eoClip(GfxState *state) override;
    void clipToStrokePath(GfxState *state) override;
    void saveTextPos(GfxState *state) override;

    void stroke(GfxState *state) override;
    void fill(GfxState *state) override;
    void eoFill(GfxState *state) override;
    bool tilingPatternFill(GfxState *state, Gfx *gfx, Catalog *catalog, GfxTilingPattern *pattern, const double *matrix, int x0,
                           int y0, int x1, int y1, double xStep, double yStep) override;
    bool functionShadedFill(GfxState *state, GfxFunctionShading *shading) override;
    bool axialShadedFill(GfxState *state, GfxAxialShading *shading, double tMin, double tMax) override;
    bool radialShadedFill(GfxState *state, GfxRadialShading *shading, double sMin, double sMax) override;
    bool gouraudTriangleShadedFill(GfxState *state, GfxGouraudTriangleShading *shading) override;
    bool patchMeshShadedFill(GfxState *state, GfxPatchMeshShading *shading) override;

    void drawChar(GfxState *state, double x, double y, double dx, double dy, double originX, double originY, CharCode code,
                  int bytes, const Unicode *u, int length) override;
    bool beginType3Char(GfxState *state, double x, double y, double dx, double dy, CharCode code, const Unicode *u,
                        int length) override;
    void endType3Char(GfxState *state) override;
    void incCharCount(int count) override;
    void beginActualText(GfxState *state, const GooString *text) override;
    void endActualText(GfxState *state) override;

    void drawImageMask(GfxState *state, Object *ref, Stream *str, int width, int height, bool invert, bool interpolate,
                       bool inlineImg) override;
    void setSoftMaskFromImageMask(GfxState *state, Object *ref, Stream *str, int width, int height, bool invert, bool inlineImg,
                                  double *baseMatrix) override;
    void drawImage(GfxState *state, Object *ref, Stream *str, int width, int height, GfxImageColorMap *colors,
                   bool interpolate, const int *maskColors, bool inlineImg) override;
    void drawMaskedImage(GfxState *state, Object *ref, Stream *str, int width, int height, GfxImageColorMap *colors,
                         bool interpolate, Stream *mask, int maskWidth, int maskHeight, bool maskInvert,
                         bool maskInterpolate) override;
    void drawSoftMaskedImage(GfxState *state, Object *ref, Stream *str, int width, int height, GfxImageColorMap *colors,
                             bool interpolate, Stream *mask, int maskWidth, int maskHeight, GfxImageColorMap *maskColors,
                             bool maskInterpolate) override;

    void beginTransparencyGroup(GfxState *state, const double *bbox, GfxColorSpace *space, bool isolated, bool knockout,
                                bool forSoftMask) override;
    void endTransparencyGroup(GfxState *state) override;

private:
    using Matrix = std::array<double, 6>;

    /// What of the graphics state is not the same at 72 dots an inch.
    struct Frame {
        Matrix matrix;
        ClipBounds clip;
    };

    PrimitivesDevice *reader = nullptr;
    /// The state that the page begins with, and afterwards poppler's own arithmetic for matrices.
    std::unique_ptr<GfxState> first;
    std::vector<Frame> frames;
    Course course;
    bool expectsPictures = false;
    /// Whether what comes now is only how this device draws.
    bool isBusy = false;
    /// How many letters that are drawings are being drawn, one within the other.
    int letters = 0;

    /// While there is one, what poppler asks of the device is not shown.
    class Busy {
    public:
        explicit Busy(OnePassDevice &device) : device(device), was(std::exchange(device.isBusy, true)) { }
        ~Busy() { device.isBusy = was; }
        Busy(const Busy &) = delete;

    private:
        OnePassDevice &device;
        const bool was;
    };

    bool isLookedOn() const { return reader && course.isReadWhole; }
    bool isDrawing() const { return !reader || course.isDrawnWhole; }
    void giveUpReading() { course.isReadWhole = course.isReadWhole && isBusy; }
    void meetPicture(GfxState *state);
    void narrow(GfxState *state);
    /// Shows the state to the one that looks on, as it would be at 72 dots an inch.
    template<typename Step>
    void show(GfxState *state, Step step);
    template<typename Step>
    bool fillAtOnce(Step step);
};

/// Draws a page as ink and has `reader` look on. The pixels are those of `pdf_draw_page`, for a page with pictures or without.
pdf_status draw_and_read(pdf_document *document, int32_t index, int32_t width, int32_t height, bool pictures,
                         PrimitivesDevice *reader, OnePassDevice::Course &course, uint8_t **pixels);

} // namespace pdf
