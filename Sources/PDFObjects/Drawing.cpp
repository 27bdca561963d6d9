// SPDX-License-Identifier: Apache-2.0
#include "Document.h"

#include <GfxState.h>
#include <Page.h>
#include <SplashOutputDev.h>
#include <splash/SplashBitmap.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace {

/// Takes pictures with a colour profile by the plain colours that the profile names as its substitute: what is ink does not
/// hang on the shade, and converting every pixel by its profile can take longer than all else.
class InkDevice final : public SplashOutputDev {
public:
    using SplashOutputDev::SplashOutputDev;

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

/// Whether nothing was drawn on the next eight pixels.
inline bool is_untouched(const uint8_t *alpha)
{
    uint64_t eight;
    std::memcpy(&eight, alpha, sizeof eight);
    return eight == 0;
}

/// Most of a page is white.
void copy_plain(uint8_t *target, const uint8_t *source, const uint8_t *alpha, int32_t width)
{
    int32_t x = 0;
    for (; x + 8 <= width; x += 8) {
        if (is_untouched(alpha + x)) {
            std::memset(target + x, 255, 8);
            continue;
        }
        for (int32_t i = x; i < x + 8; i++) {
            target[i] = on_white(source[i], alpha[i]);
        }
    }
    for (; x < width; x++) {
        target[x] = on_white(source[x], alpha[x]);
    }
}

void copy_colors(uint8_t *target, const uint8_t *rgb, const uint8_t *alpha, int32_t width)
{
    for (int32_t x = 0; x < width; x++) {
        for (int32_t channel = 3 * x; channel < 3 * x + 3; channel++) {
            target[channel] = on_white(rgb[channel], alpha[x]);
        }
    }
}

/// Whole numbers only, so that every machine gets the same grey.
void copy_grey(uint8_t *grey, const uint8_t *rgb, const uint8_t *alpha, int32_t width)
{
    for (int32_t x = 0; x < width; x++) {
        const uint8_t *pixel = rgb + 3 * x;
        grey[x] = static_cast<uint8_t>((77 * on_white(pixel[0], alpha[x]) + 151 * on_white(pixel[1], alpha[x])
                                        + 28 * on_white(pixel[2], alpha[x]) + 128) >> 8);
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
        const SplashBitmap *bitmap = device.getBitmap();
        if (!bitmap || bitmap->getWidth() < width || bitmap->getHeight() < height || !bitmap->getAlphaPtr()) {
            return pdf_damaged;
        }
        const size_t rowBytes = static_cast<size_t>(width) * (coloring == pdf_colors ? 3 : 1);
        auto *copy = static_cast<uint8_t *>(std::malloc(rowBytes * static_cast<size_t>(height)));
        if (!copy) {
            return pdf_no_memory;
        }
        const uint8_t *source = const_cast<SplashBitmap *>(bitmap)->getDataPtr();
        for (int32_t row = 0; row < height; row++) {
            const uint8_t *line = source + static_cast<ptrdiff_t>(bitmap->getRowSize()) * row;
            const uint8_t *alpha = bitmap->getAlphaPtr() + static_cast<ptrdiff_t>(bitmap->getWidth()) * row;
            uint8_t *target = copy + rowBytes * row;
            switch (coloring) {
            case pdf_colors:
                copy_colors(target, line, alpha, width);
                break;
            case pdf_ink:
                copy_plain(target, line, alpha, width);
                break;
            case pdf_grey_colors:
            case pdf_ink_of_pictures:
                copy_grey(target, line, alpha, width);
                break;
            }
        }
        kept = std::move(held);
        *pixels = copy;
        return pdf_ok;
    });
}
