// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "Fonts.h"

#include <fribidi/fribidi.h>

#include <string>
#include <string_view>
#include <vector>

namespace sheet_export {

enum class Direction { natural, leftToRight, rightToLeft };

/// Letters of one font, script and direction, as they stand beside each other.
struct GlyphRun {
    const Font *font;
    bool isRightToLeft;
    double width;
    /// From the left, placed from the run's start on the base line.
    std::vector<cairo_glyph_t> glyphs;
    /// What they stand for.
    std::string text;
    std::vector<cairo_text_cluster_t> clusters;
};

struct ShapedLine {
    double width;
    /// Of the paragraph.
    bool isRightToLeft;
    /// From the left.
    std::vector<GlyphRun> runs;
};

/// One paragraph: the order of its letters by the Unicode bidirectional algorithm (FriBidi), their glyphs by HarfBuzz, lines
/// as wide as there is room.
class Paragraph {
public:
    /// `text` has no line feeds, and every letter of it has a font among `fonts`, which both must outlive this.
    Paragraph(std::u32string_view text, Direction direction, double size, const std::vector<Font *> &fonts);

    std::vector<ShapedLine> lines(double most) const;

private:
    struct Item {
        size_t begin, end;
        Font *font;
        hb_script_t script;
        FriBidiLevel level;
    };

    std::u32string_view text;
    double size;
    bool isRightToLeft = false;
    std::vector<FriBidiCharType> types;
    std::vector<FriBidiLevel> levels;
    std::vector<Item> items;
    /// Of the glyphs that begin with a letter; where none begin, a line cannot break.
    std::vector<double> advances;
    std::vector<bool> begins;

    void findLevels(Direction direction);
    void findItems(const std::vector<Font *> &fonts);
    void measure();
    void shape(const Item &item, hb_buffer_t *buffer) const;
    GlyphRun run(const Item &item) const;
    ShapedLine line(size_t begin, size_t end) const;
};

/// Draws nothing itself: joins letters, chooses among shapes, or says which way text runs.
bool is_invisible(char32_t letter);

std::string utf8(std::u32string_view text);

} // namespace sheet_export
