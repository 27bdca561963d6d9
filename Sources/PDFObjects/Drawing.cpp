// SPDX-License-Identifier: Apache-2.0
#include "Document.h"
#include "OnePassDevice.h"

#include <Page.h>
#include <SplashOutputDev.h>
#include <splash/SplashBitmap.h>

#include <cstdlib>
#include <cstring>

namespace {

/// A device that draws on nothing, so that what lies below is put under it once, with the copying.
/// `smooth` is for people: ink is told from ground as well without, which saves a quarter of reading a small sheet.
template<typename Device>
std::unique_ptr<Device> device_for(pdf_document *document, SplashColorMode mode, bool smooth)
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

/// A colour on white as grey. Whole numbers only, so that every machine gets the same grey.
inline uint8_t grey_of(const uint8_t *rgb, uint8_t alpha)
{
    return static_cast<uint8_t>((77 * on_white(rgb[0], alpha) + 151 * on_white(rgb[1], alpha) + 28 * on_white(rgb[2], alpha) + 128)
                                >> 8);
}

/// Colours on white as grey, which takes the first third of their place. Most of a page is of one colour, many pixels on end.
void make_grey(uint8_t *pixels, const uint8_t *alpha, size_t count)
{
    const size_t run = 8;
    size_t i = 0;
    for (; i + run <= count; i += run) {
        const uint8_t *rgb = pixels + 3 * i;
        if (std::memcmp(alpha + i, alpha + i + 1, run - 1) == 0 && std::memcmp(rgb, rgb + 3, 3 * (run - 1)) == 0) {
            std::memset(pixels + i, grey_of(rgb, alpha[i]), run);
        } else {
            for (size_t pixel = i; pixel < i + run; pixel++) {
                pixels[pixel] = grey_of(pixels + 3 * pixel, alpha[pixel]);
            }
        }
    }
    for (; i < count; i++) {
        pixels[i] = grey_of(pixels + 3 * i, alpha[i]);
    }
}

/// Takes the picture of a page from the device that drew it; null where it drew none.
uint8_t *take_pixels(SplashOutputDev &device, int32_t width, int32_t height, pdf_coloring coloring)
{
    const std::unique_ptr<SplashBitmap> bitmap(device.takeBitmap());
    // Rows without gaps, as the devices are made.
    const int32_t rowBytes = width * (coloring == pdf_ink ? 1 : 3);
    if (!bitmap || bitmap->getWidth() != width || bitmap->getHeight() < height || bitmap->getRowSize() != rowBytes
        || !bitmap->getAlphaPtr()) {
        return nullptr;
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
    uint8_t *taken = bitmap->takeData();
    // What grey leaves of its place serves the next steps: memory that was never touched costs more.
    auto *shortened = coloring == pdf_colors ? nullptr : static_cast<uint8_t *>(std::realloc(taken, count));
    return shortened ? shortened : taken;
}

/// Draws a page; `show` shows it to the device, as large as it says, and tells whether all of it was drawn.
/// `kept` is given back only then: a device that stopped within a page is not used again.
template<typename Device, typename Show>
pdf_status draw(pdf_document *document, int32_t index, int32_t width, int32_t height, pdf_coloring coloring,
                std::unique_ptr<Device> &kept, uint8_t **pixels, Show show)
{
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
    std::unique_ptr<Device> held = std::move(kept);
    if (!show(*held, pdf::Slice { 72.0 * width / pageWidth, 72.0 * height / pageHeight, 0, 0, width, height })) {
        return pdf_damaged;
    }
    *pixels = take_pixels(*held, width, height, coloring);
    if (!*pixels) {
        return pdf_damaged;
    }
    kept = std::move(held);
    return pdf_ok;
}

/// Where the device for ink is kept; made at its first use.
std::unique_ptr<pdf::OnePassDevice> &ink_device(pdf_document *document, bool ofPictures)
{
    std::unique_ptr<pdf::OnePassDevice> &kept = ofPictures ? document->inkOfPictures : document->ink;
    if (!kept) {
        kept = device_for<pdf::OnePassDevice>(document, ofPictures ? splashModeRGB8 : splashModeMono8, false);
        kept->isLate = [document] { return pdf::is_late(document); };
    }
    return kept;
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
        const bool isInk = coloring == pdf_ink || coloring == pdf_ink_of_pictures;
        const auto show = [&](SplashOutputDev &device, const pdf::Slice &slice) {
            pdf::show_page(document, index, slice, &device);
            return true;
        };
        if (isInk) {
            return draw(document, index, width, height, coloring, ink_device(document, coloring == pdf_ink_of_pictures), pixels,
                        show);
        }
        if (!document->colors) {
            document->colors = device_for<SplashOutputDev>(document, splashModeRGB8, true);
        }
        return draw(document, index, width, height, coloring, document->colors, pixels, show);
    });
}

pdf_status pdf::draw_and_read(pdf_document *document, int32_t index, int32_t width, int32_t height, bool pictures,
                              PrimitivesDevice *reader, OnePassDevice::Course &course, uint8_t **pixels)
{
    const pdf_coloring coloring = pictures ? pdf_ink_of_pictures : pdf_ink;
    const auto show = [&](OnePassDevice &device, const Slice &slice) {
        Page *page = page_at(document, index);
        PDFRectangle box;
        bool crop = true;
        page->makeBox(72, 72, page->getRotate(), false, true, -1, -1, -1, -1, &box, &crop);
        device.letLookOn(reader, std::make_unique<GfxState>(72, 72, &box, page->getRotate(), true), pictures);
        const auto isInVain = [](void *device) { return static_cast<OnePassDevice *>(device)->progress().isInVain(); };
        show_page(document, index, slice, &device, isInVain, &device);
        course = device.endLookingOn();
        return course.isDrawnWhole;
    };
    return draw(document, index, width, height, coloring, ink_device(document, pictures), pixels, show);
}
