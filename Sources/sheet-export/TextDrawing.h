// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "Fonts.h"
#include "Request.h"
#include "Shaping.h"

#include <cairo.h>

#include <string>
#include <string_view>
#include <vector>

namespace sheet_export {

/// Writes text boxes with the fonts of this machine: of a box's font and those that come next to it the first that has a
/// letter writes it.
class TextDrawing {
public:
    explicit TextDrawing(std::vector<std::string> &leftOut) : leftOut(leftOut) { }

    void draw(cairo_t *cairo, const TextMark &mark, size_t page);

    /// Not to say what is left out.
    bool isQuiet = false;

private:
    std::vector<std::string> &leftOut;
    FontShelf shelf;

    /// Puts a sign for what no font has. False if nothing can be written.
    bool replaceMissing(std::u32string &text, const std::vector<Font *> &fonts, const TextMark &mark, size_t page);
    std::vector<ShapedLine> lines(
        std::u32string_view text, const TextMark &mark, double size, const std::vector<Font *> &fonts) const;
    void say(const TextMark &mark, size_t page, const std::string &what);
};

} // namespace sheet_export
