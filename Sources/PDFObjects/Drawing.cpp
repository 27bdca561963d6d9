// SPDX-License-Identifier: Apache-2.0
#include "Document.h"

#include <GfxState.h>
#include <Page.h>
#include <SplashOutputDev.h>
#include <splash/Splash.h>
#include <splash/SplashBitmap.h>
#include <splash/SplashClip.h>
#include <splash/SplashMath.h>
#include <splash/SplashPattern.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <optional>

namespace {

/// Draws what is ink and what is not, with less ado than for people.
///
/// Takes pictures with a colour profile by the plain colours that the profile names as its substitute: what is ink does not
/// hang on the shade, and converting every pixel by its profile can take longer than all else.
class InkDevice final : public SplashOutputDev {
public:
    using SplashOutputDev::SplashOutputDev;

    void fill(GfxState *state) override
    {
        if (!fill_rectangle(state)) {
            SplashOutputDev::fill(state);
        }
    }
    void eoFill(GfxState *state) override
    {
        if (!fill_rectangle(state)) {
            SplashOutputDev::eoFill(state);
        }
    }
    void drawImage(GfxState *state, Object *ref, Stream *str, int width, int height, GfxImageColorMap *colors,
                   bool interpolate, const int *maskColors, bool inlineImg) override
    {
        const auto plain = substitute(colors);
        SplashOutputDev::drawImage(state, ref, str, width, height, plain ? plain.get() : colors, interpolate, maskColors,
                                   inlineImg);
    }
    void drawMaskedImage(GfxState *state, Object *ref, Stream *str, int width, int height, GfxImageColorMap *colors,
                         bool interpolate, Stream *mask, int maskWidth, int maskHeight, bool maskInvert,
                         bool maskInterpolate) override
    {
        const auto plain = substitute(colors);
        SplashOutputDev::drawMaskedImage(state, ref, str, width, height, plain ? plain.get() : colors, interpolate, mask,
                                         maskWidth, maskHeight, maskInvert, maskInterpolate);
    }
    void drawSoftMaskedImage(GfxState *state, Object *ref, Stream *str, int width, int height, GfxImageColorMap *colors,
                             bool interpolate, Stream *mask, int maskWidth, int maskHeight, GfxImageColorMap *maskColors,
                             bool maskInterpolate) override
    {
        const auto plain = substitute(colors);
        SplashOutputDev::drawSoftMaskedImage(state, ref, str, width, height, plain ? plain.get() : colors, interpolate, mask,
                                             maskWidth, maskHeight, maskColors, maskInterpolate);
    }

private:
    /// Fills an upright rectangle with a plain grey, row by row: poppler calls a function for each pixel, and many pages are
    /// painted over first. The same pixels as poppler's. False for anything else, which is left to poppler.
    bool fill_rectangle(GfxState *state)
    {
        Splash *splash = getSplash();
        SplashBitmap *bitmap = splash->getBitmap();
        const double *matrix = splash->getMatrix();
        const std::optional<Corners> corners = rectangle(state->getPath());
        if (!corners || matrix[1] != 0 || matrix[2] != 0 || bitmap->getMode() != splashModeMono8 || !bitmap->getAlphaPtr()
            || !covers_plainly(splash, state)) {
            return false;
        }
        const auto [left, right] = std::minmax({ corners->x0 * matrix[0] + matrix[4], corners->x1 * matrix[0] + matrix[4] });
        const auto [top, bottom] = std::minmax({ corners->y0 * matrix[3] + matrix[5], corners->y1 * matrix[3] + matrix[5] });
        const double most = 100'000;
        if (!(right - left >= 2) || !(bottom - top >= 2) || left < -most || top < -most || right > most || bottom > most) {
            return false;
        }
        // Poppler takes the edges of filled rectangles to whole pixels (stroke adjustment).
        SplashClip *clip = splash->getClip();
        const int first = std::max({ splashRound(left), clip->getXMinI(), 0 });
        const int count = std::min({ splashRound(right), clip->getXMaxI() + 1, bitmap->getWidth() }) - first;
        const int end = std::min({ splashRound(bottom), clip->getYMaxI() + 1, bitmap->getHeight() });
        SplashColor color;
        splash->getFillPattern()->getColor(0, 0, color);
        for (int row = std::max({ splashRound(top), clip->getYMinI(), 0 }); row < end && count > 0; row++) {
            std::memset(bitmap->getDataPtr() + static_cast<ptrdiff_t>(bitmap->getRowSize()) * row + first, color[0], count);
            std::memset(bitmap->getAlphaPtr() + static_cast<ptrdiff_t>(bitmap->getAlphaRowSize()) * row + first, 255, count);
        }
        return true;
    }

    /// Two opposite corners, before they are placed on the page.
    struct Corners {
        double x0, y0, x1, y1;
    };

    /// The corners of a path that is one closed rectangle with upright edges.
    static std::optional<Corners> rectangle(const GfxPath *path)
    {
        const GfxSubpath *only = path->getNumSubpaths() == 1 ? path->getSubpath(0) : nullptr;
        if (!only || only->getNumPoints() != 5 || !only->isClosed()) {
            return std::nullopt;
        }
        bool startsUpward = true, startsAcross = true;
        for (int i = 1; i < 5; i++) {
            const bool isOdd = i % 2 == 1;
            const bool isUpward = only->getX(i) == only->getX(i - 1), isAcross = only->getY(i) == only->getY(i - 1);
            startsUpward = startsUpward && !only->getCurve(i) && (isOdd ? isUpward : isAcross);
            startsAcross = startsAcross && !only->getCurve(i) && (isOdd ? isAcross : isUpward);
        }
        if (!startsUpward && !startsAcross) {
            return std::nullopt;
        }
        return Corners { only->getX(0), only->getY(0), only->getX(2), only->getY(2) };
    }

    /// Whether what is filled now simply takes the place of what was there, within a rectangle at most.
    static bool covers_plainly(Splash *splash, GfxState *state)
    {
        return !state->getFillColorSpace()->isNonMarking() && !state->getTransfer()[0] && splash->getFillPattern()->isStatic()
            && splash->getFillAlpha() == 1 && !splash->getSoftMask() && !splash->getBlendFunc()
            && !splash->getInNonIsolatedGroup() && splash->getClip()->getNumPaths() == 0 && splash->getStrokeAdjust();
    }

    /// The same samples read as the alternate colour space (ISO 32000-1, 8.6.5.5); null where there is nothing to gain.
    static std::unique_ptr<GfxImageColorMap> substitute(GfxImageColorMap *colors)
    {
        if (!colors || colors->getMatteColor() || colors->getColorSpace()->getMode() != csICCBased) {
            return nullptr;
        }
        GfxColorSpace *alternate = static_cast<GfxICCBasedColorSpace *>(colors->getColorSpace())->getAlt();
        if (!alternate || alternate->getNComps() != colors->getNumPixelComps()) {
            return nullptr;
        }
        auto *range = new Array(nullptr);
        for (int i = 0; i < colors->getNumPixelComps(); i++) {
            range->add(Object(colors->getDecodeLow(i)));
            range->add(Object(colors->getDecodeHigh(i)));
        }
        Object decode(range);
        auto map = std::make_unique<GfxImageColorMap>(colors->getBits(), &decode, alternate->copy());
        return map->isOk() ? std::move(map) : nullptr;
    }
};

/// A device that draws on nothing, so that what lies below is put under it once, with the copying.
/// `smooth` is for people: ink is told from ground as well without, which saves a quarter of reading a small sheet.
template<typename Device>
std::unique_ptr<SplashOutputDev> device_for(pdf_document *document, SplashColorMode mode, bool smooth)
{
    SplashColor white = { 255, 255, 255, 255 };
    auto device = std::make_unique<Device>(mode, 1, false, nullptr, true);
    device->setPaperColor(white);
    device->setFontAntialias(true);
    device->setVectorAntialias(smooth);
    device->setEnableFreeType(true);
    device->setFreeTypeHinting(false, false);
    device->startDoc(document->doc.get());
    return device;
}

/// Where the device for a colouring is kept; made at its first use.
std::unique_ptr<SplashOutputDev> &device_of(pdf_document *document, pdf_coloring coloring)
{
    switch (coloring) {
    case pdf_ink:
        if (!document->ink) {
            document->ink = device_for<InkDevice>(document, splashModeMono8, false);
        }
        return document->ink;
    case pdf_ink_of_pictures:
        if (!document->inkOfPictures) {
            document->inkOfPictures = device_for<InkDevice>(document, splashModeRGB8, false);
        }
        return document->inkOfPictures;
    case pdf_colors:
    case pdf_grey_colors:
        break;
    }
    if (!document->colors) {
        document->colors = device_for<SplashOutputDev>(document, splashModeRGB8, true);
    }
    return document->colors;
}

/// A colour on white, rounded as poppler does (`div255`).
inline uint8_t on_white(uint32_t color, uint32_t alpha)
{
    const uint32_t sum = (255 - alpha) * 255 + alpha * color;
    return static_cast<uint8_t>((sum + (sum >> 8) + 0x80) >> 8);
}

/// Puts white under grey pixels. Most of a page is untouched or fully covered, many pixels on end.
void put_white_under(uint8_t *grey, const uint8_t *alpha, size_t count)
{
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        uint64_t eight;
        std::memcpy(&eight, alpha + i, sizeof eight);
        if (eight == 0) {
            std::memset(grey + i, 255, 8);
        } else if (eight != ~uint64_t{0}) {
            for (size_t pixel = i; pixel < i + 8; pixel++) {
                grey[pixel] = on_white(grey[pixel], alpha[pixel]);
            }
        }
    }
    for (; i < count; i++) {
        grey[i] = on_white(grey[i], alpha[i]);
    }
}

void put_white_under_colors(uint8_t *rgb, const uint8_t *alpha, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t channel = 3 * i; channel < 3 * i + 3; channel++) {
            rgb[channel] = on_white(rgb[channel], alpha[i]);
        }
    }
}

/// Colours on white as grey, which takes the first third of their place. Whole numbers only, so that every machine gets the
/// same grey.
void make_grey(uint8_t *pixels, const uint8_t *alpha, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const uint8_t *rgb = pixels + 3 * i;
        pixels[i] = static_cast<uint8_t>((77 * on_white(rgb[0], alpha[i]) + 151 * on_white(rgb[1], alpha[i])
                                          + 28 * on_white(rgb[2], alpha[i]) + 128) >> 8);
    }
}

} // namespace

pdf_document::pdf_document(std::unique_ptr<PDFDoc> opened) : doc(std::move(opened)) { }

// Here, where the devices are known; they go before the document does.
pdf_document::~pdf_document() = default;

pdf_status pdf_draw_page(pdf_document *document, int32_t index, int32_t width, int32_t height, pdf_coloring coloring,
                         uint8_t **pixels)
{
    *pixels = nullptr;
    return pdf::guarded([&] {
        Page *page = pdf::page_at(document, index);
        if (!page || !page->isOk() || width < 1 || height < 1) {
            return pdf_damaged;
        }
        const bool sideways = page->getRotate() % 180 != 0;
        const double pageWidth = sideways ? page->getCropHeight() : page->getCropWidth();
        const double pageHeight = sideways ? page->getCropWidth() : page->getCropHeight();
        if (!(pageWidth > 0) || !(pageHeight > 0)) {
            return pdf_damaged;
        }
        std::unique_ptr<SplashOutputDev> &kept = device_of(document, coloring);
        // Given back only when the page was drawn: a device that stopped within a page is not used again.
        std::unique_ptr<SplashOutputDev> held = std::move(kept);
        SplashOutputDev &device = *held;
        document->doc->displayPageSlice(&device, index + 1, 72.0 * width / pageWidth, 72.0 * height / pageHeight, 0, false,
                                        true, false, 0, 0, width, height);
        const std::unique_ptr<SplashBitmap> bitmap(device.takeBitmap());
        // Rows without gaps, as the devices are made.
        const int32_t rowBytes = width * (coloring == pdf_ink ? 1 : 3);
        if (!bitmap || bitmap->getWidth() != width || bitmap->getHeight() < height || bitmap->getRowSize() != rowBytes
            || !bitmap->getAlphaPtr()) {
            return pdf_damaged;
        }
        const size_t count = static_cast<size_t>(width) * static_cast<size_t>(height);
        uint8_t *drawn = bitmap->getDataPtr();
        switch (coloring) {
        case pdf_colors:
            put_white_under_colors(drawn, bitmap->getAlphaPtr(), count);
            break;
        case pdf_ink:
            put_white_under(drawn, bitmap->getAlphaPtr(), count);
            break;
        case pdf_grey_colors:
        case pdf_ink_of_pictures:
            make_grey(drawn, bitmap->getAlphaPtr(), count);
            break;
        }
        kept = std::move(held);
        uint8_t *taken = bitmap->takeData();
        // What grey leaves of its place serves the next steps: memory that was never touched costs more.
        auto *shortened = coloring == pdf_colors ? nullptr : static_cast<uint8_t *>(std::realloc(taken, count));
        *pixels = shortened ? shortened : taken;
        return pdf_ok;
    });
}
