// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "Request.h"

#include <cairo.h>

#include <string>
#include <string_view>
#include <vector>

namespace sheet_export {

/// Draws photographs and pictures, which strangers may have made: to be used inside the sandbox alone.
class PictureDrawing {
public:
    PictureDrawing(const std::vector<std::string_view> &images, std::vector<std::string> &leftOut)
        : images(images), leftOut(leftOut) { }
    ~PictureDrawing();
    PictureDrawing(const PictureDrawing &) = delete;
    PictureDrawing &operator=(const PictureDrawing &) = delete;

    void draw(cairo_t *cairo, const PictureMark &mark, size_t page);
    /// Forgets the pixels of a page that is done.
    void endPage();

    /// Not to say what is left out.
    bool isQuiet = false;

private:
    struct Picture {
        size_t number;
        /// Empty when it cannot be drawn.
        cairo_surface_t *surface;
        /// As in Exif.
        int orientation;
        std::string reason;
    };

    const std::vector<std::string_view> &images;
    std::vector<std::string> &leftOut;
    std::vector<Picture> read;
    size_t pixels = 0;

    const Picture &picture(size_t number);
    Picture decoded(size_t number);
    void say(size_t page, const std::string &what);
};

} // namespace sheet_export
