// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "Request.h"

#include <cairo.h>
#include <fontconfig/fontconfig.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace sheet_export {

/// Writes text boxes with the fonts of this machine, letter by letter: of a box's font and those that come next to it the
/// first that has a letter writes it.
class TextDrawing {
public:
    explicit TextDrawing(std::vector<std::string> &leftOut);
    ~TextDrawing();
    TextDrawing(const TextDrawing &) = delete;
    TextDrawing &operator=(const TextDrawing &) = delete;

    void draw(cairo_t *cairo, const TextMark &mark, size_t page);

    /// Not to say what is left out.
    bool isQuiet = false;

private:
    struct Font {
        FcCharSet *letters;
        cairo_font_face_t *face;
    };
    /// Letters that one font writes.
    struct Run {
        const Font *font;
        std::u32string text;
    };
    struct Line {
        double width;
        std::vector<Run> runs;
    };

    std::vector<std::string> &leftOut;
    std::map<std::string, std::vector<Font>> families;
    std::vector<FcFontSet *> sets;
    /// Of the letters of the box that is being written.
    std::map<char32_t, double> advances;

    const std::vector<Font> &fonts(const std::string &family);
    const Font *font(char32_t letter, const std::vector<Font> &fonts) const;
    std::vector<Run> runs(std::u32string_view text, const std::vector<Font> &fonts) const;
    double advance(cairo_t *cairo, char32_t letter, const std::vector<Font> &fonts);
    std::vector<Line> wrapped(cairo_t *cairo, std::u32string_view text, double most, const std::vector<Font> &fonts);
    void show(cairo_t *cairo, const Line &line, double x, double y) const;
    void say(const TextMark &mark, size_t page, const std::string &what);
};

} // namespace sheet_export
