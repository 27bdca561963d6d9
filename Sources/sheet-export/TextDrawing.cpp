// SPDX-License-Identifier: Apache-2.0
#include "TextDrawing.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace sheet_export {

namespace {

// Of a line, in sizes of its letters; as text boxes are made.
constexpr double line_height = 1.25;
/// Smaller than this nobody reads it.
constexpr double least_size = 4;
/// Some pages of print: what is longer takes long to set, and is not seen.
constexpr size_t most_letters = 20'000;

bool ends_paragraph(char32_t letter) { return letter == U'\n' || letter == 0x2028 || letter == 0x2029; }

std::u32string letters(const std::string &text)
{
    std::u32string made;
    const FcChar8 *bytes = reinterpret_cast<const FcChar8 *>(text.data());
    int left = static_cast<int>(text.size());
    while (left > 0) {
        FcChar32 letter = 0;
        const int length = FcUtf8ToUcs4(bytes, &letter, left);
        if (length <= 0) {
            break;
        }
        bytes += length;
        left -= length;
        if (letter == '\t') {
            letter = ' ';
        }
        const bool isControl = (letter < 0x20 && letter != '\n') || (letter >= 0x7F && letter < 0xA0);
        if (!isControl) {
            made.push_back(letter);
        }
    }
    return made;
}

void show(cairo_t *cairo, const ShapedLine &line, double x, double y)
{
    for (const GlyphRun &run : line.runs) {
        cairo_set_font_face(cairo, run.font->face());
        std::vector<cairo_glyph_t> glyphs = run.glyphs;
        for (cairo_glyph_t &glyph : glyphs) {
            glyph.x += x;
            glyph.y += y;
        }
        // A PDF keeps which letters they stand for, so that they can be found and copied.
        cairo_show_text_glyphs(
            cairo, run.text.data(), static_cast<int>(run.text.size()), glyphs.data(), static_cast<int>(glyphs.size()),
            run.clusters.data(), static_cast<int>(run.clusters.size()),
            run.isRightToLeft ? CAIRO_TEXT_CLUSTER_FLAG_BACKWARD : static_cast<cairo_text_cluster_flags_t>(0));
        x += run.width;
    }
}

Direction direction_of(const TextMark &mark)
{
    return mark.direction == "rightToLeft"   ? Direction::rightToLeft
           : mark.direction == "leftToRight" ? Direction::leftToRight
                                             : Direction::natural;
}

/// How far a line is from the left of its box.
double start_of(const ShapedLine &line, const TextMark &mark)
{
    const double room = mark.width - line.width;
    if (mark.alignment == "center") {
        return room / 2;
    }
    if (mark.alignment == "left" || mark.alignment == "right") {
        return mark.alignment == "right" ? room : 0;
    }
    return (mark.alignment == "trailing") != line.isRightToLeft ? room : 0;
}

} // namespace

void TextDrawing::say(const TextMark &mark, size_t page, const std::string &what)
{
    if (isQuiet) {
        return;
    }
    std::u32string start = letters(mark.text);
    std::replace_if(start.begin(), start.end(), ends_paragraph, U' ');
    leftOut.push_back("Page " + std::to_string(page + 1) + ": " + what + " in the text \"" + utf8(start.substr(0, 40)) +
                      (start.size() > 40 ? "...\"." : "\"."));
}

bool TextDrawing::replaceMissing(
    std::u32string &text, const std::vector<Font *> &fonts, const TextMark &mark, size_t page)
{
    const auto isKnown = [&fonts](char32_t letter) {
        return std::any_of(fonts.begin(), fonts.end(), [letter](Font *font) { return font->has(letter); });
    };
    const bool hasBox = isKnown(U'\u25A1');
    size_t missing = 0, visible = 0;
    for (char32_t &letter : text) {
        if (ends_paragraph(letter) || is_invisible(letter)) {
            continue;
        }
        visible++;
        if (!isKnown(letter)) {
            letter = hasBox ? U'\u25A1' : U'?';
            missing++;
        }
    }
    if (missing && (missing == visible || !isKnown(U'?'))) {
        say(mark, page, "no font on this machine has the letters");
        return false;
    }
    if (missing) {
        const std::string count = std::to_string(missing) + (missing == 1 ? " letter is" : " letters are");
        say(mark, page, count + " in no font on this machine");
    }
    return !fonts.empty();
}

std::vector<ShapedLine> TextDrawing::lines(
    std::u32string_view text, const TextMark &mark, double size, const std::vector<Font *> &fonts) const
{
    std::vector<ShapedLine> lines;
    for (size_t begin = 0; begin <= text.size();) {
        const size_t end = static_cast<size_t>(std::find_if(text.begin() + begin, text.end(), ends_paragraph) - text.begin());
        const Paragraph paragraph(text.substr(begin, end - begin), direction_of(mark), size, fonts);
        std::vector<ShapedLine> more = paragraph.lines(mark.width);
        std::move(more.begin(), more.end(), std::back_inserter(lines));
        begin = end + 1;
    }
    return lines;
}

void TextDrawing::draw(cairo_t *cairo, const TextMark &mark, size_t page)
{
    std::u32string text = letters(mark.text);
    if (text.size() > most_letters) {
        say(mark, page, "only the first 20000 letters are written");
        text.resize(most_letters);
    }
    const std::vector<Font *> &fonts = shelf.family(mark.font);
    if (!replaceMissing(text, fonts, mark, page)) {
        return;
    }
    double size = mark.size;
    std::vector<ShapedLine> written = lines(text, mark, size, fonts);
    while (mark.isFitted && size > least_size) {
        const double room = mark.height / (line_height * size * static_cast<double>(written.size()));
        if (room >= 1) {
            break;
        }
        // Smaller letters need fewer lines, too.
        size = std::max(least_size, size * std::min(0.95, std::sqrt(room)));
        written = lines(text, mark, size, fonts);
    }
    cairo_save(cairo);
    cairo_translate(cairo, mark.x + mark.width / 2, mark.y + mark.height / 2);
    cairo_rotate(cairo, mark.rotation);
    cairo_translate(cairo, -mark.width / 2, -mark.height / 2);
    if (mark.isFitted) {
        cairo_rectangle(cairo, 0, 0, mark.width, mark.height);
        cairo_clip(cairo);
    }
    cairo_set_font_size(cairo, size);
    // Letters stand where they would on paper, not on the dots of a screen.
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_set_font_options(cairo, options);
    cairo_font_options_destroy(options);
    double baseline = 0.96 * size;
    for (const ShapedLine &line : written) {
        show(cairo, line, start_of(line, mark), baseline);
        baseline += line_height * size;
    }
    cairo_restore(cairo);
}

} // namespace sheet_export
