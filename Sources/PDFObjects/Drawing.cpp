// SPDX-License-Identifier: Apache-2.0
#include "Document.h"

#include <Page.h>
#include <SplashOutputDev.h>
#include <splash/SplashBitmap.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace {

/// Whole numbers only, so that every machine gets the same grey.
void copy_grey(uint8_t *grey, const uint8_t *rgb, int32_t width)
{
    for (int32_t x = 0; x < width; x++) {
        grey[x] = static_cast<uint8_t>((77 * rgb[3 * x] + 151 * rgb[3 * x + 1] + 28 * rgb[3 * x + 2] + 128) >> 8);
    }
}

} // namespace

pdf_status pdf_draw_page(
    pdf_document *document, int32_t index, int32_t width, int32_t height, bool grey, uint8_t **pixels)
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
        SplashColor white = { 255, 255, 255, 255 };
        // In colour also for grey: poppler turns the pixels of a picture with a colour profile grey one by one, which
        // takes more than ten times as long as turning whole lines to RGB.
        SplashOutputDev device(splashModeRGB8, 1, false, white, true);
        device.setFontAntialias(true);
        device.setVectorAntialias(true);
        device.setEnableFreeType(true);
        device.setFreeTypeHinting(false, false);
        device.startDoc(document->doc.get());
        document->doc->displayPageSlice(&device, index + 1, 72.0 * width / pageWidth, 72.0 * height / pageHeight, 0, false,
                                        true, false, 0, 0, width, height);
        const SplashBitmap *bitmap = device.getBitmap();
        if (!bitmap || bitmap->getWidth() < width || bitmap->getHeight() < height) {
            return pdf_damaged;
        }
        const size_t rowBytes = static_cast<size_t>(width) * (grey ? 1 : 3);
        auto *copy = static_cast<uint8_t *>(std::malloc(rowBytes * static_cast<size_t>(height)));
        if (!copy) {
            return pdf_no_memory;
        }
        const uint8_t *source = const_cast<SplashBitmap *>(bitmap)->getDataPtr();
        for (int32_t row = 0; row < height; row++) {
            const uint8_t *line = source + static_cast<ptrdiff_t>(bitmap->getRowSize()) * row;
            if (grey) {
                copy_grey(copy + rowBytes * row, line, width);
            } else {
                std::memcpy(copy + rowBytes * row, line, rowBytes);
            }
        }
        *pixels = copy;
        return pdf_ok;
    });
}
