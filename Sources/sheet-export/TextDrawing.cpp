// SPDX-License-Identifier: Apache-2.0
#include "TextDrawing.h"

#include <cairo-ft.h>

#include <algorithm>

namespace sheet_export {

namespace {

// Of a line, in sizes of its letters; as text boxes are made.
constexpr double line_height = 1.25;
constexpr size_t most_fonts = 64;

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
        // Marks of direction, joiners and choices between shapes are no letters.
        const bool isInvisible = (letter < 0x20 && letter != '\n') || (letter >= 0x7F && letter < 0xA0) ||
                                 (letter >= 0x200B && letter <= 0x200F) || (letter >= 0x202A && letter <= 0x202E) ||
                                 (letter >= 0x2060 && letter <= 0x206F) || (letter >= 0xFE00 && letter <= 0xFE0F) ||
                                 letter == 0xFEFF;
        if (!isInvisible) {
            made.push_back(letter);
        }
    }
    return made;
}

std::string utf8(std::u32string_view text)
{
    std::string made;
    for (const char32_t letter : text) {
        FcChar8 bytes[FC_UTF8_MAX_LEN];
        made.append(reinterpret_cast<const char *>(bytes), static_cast<size_t>(FcUcs4ToUtf8(letter, bytes)));
    }
    return made;
}

/// Of scripts that run from right to left, or whose letters change with their neighbours: that is not done here.
bool needs_shaping(char32_t letter)
{
    static constexpr char32_t ranges[][2] = {
        {0x0590, 0x08FF}, {0x0900, 0x0DFF}, {0x0F00, 0x109F}, {0x1780, 0x17FF}, {0x1800, 0x18AF},
        {0xFB1D, 0xFDFF}, {0xFE70, 0xFEFC}, {0x10800, 0x10FFF}, {0x11000, 0x11FFF}, {0x1E800, 0x1EFFF},
    };
    return std::any_of(std::begin(ranges), std::end(ranges), [letter](const char32_t(&range)[2]) {
        return letter >= range[0] && letter <= range[1];
    });
}

} // namespace

TextDrawing::TextDrawing(std::vector<std::string> &leftOut) : leftOut(leftOut) { }

TextDrawing::~TextDrawing()
{
    for (const auto &[name, fonts] : families) {
        for (const Font &font : fonts) {
            cairo_font_face_destroy(font.face);
        }
    }
    for (FcFontSet *set : sets) {
        FcFontSetDestroy(set);
    }
}

const std::vector<TextDrawing::Font> &TextDrawing::fonts(const std::string &family)
{
    const auto [place, isNew] = families.try_emplace(family);
    if (!isNew) {
        return place->second;
    }
    FcPattern *pattern = FcPatternCreate();
    FcPatternAddString(pattern, FC_FAMILY, reinterpret_cast<const FcChar8 *>(family.c_str()));
    FcPatternAddString(pattern, FC_FAMILY, reinterpret_cast<const FcChar8 *>("DejaVu Sans"));
    FcConfigSubstitute(nullptr, pattern, FcMatchPattern);
    FcDefaultSubstitute(pattern);
    FcResult result = FcResultMatch;
    FcFontSet *sorted = FcFontSort(nullptr, pattern, FcTrue, nullptr, &result);
    FcPatternDestroy(pattern);
    if (!sorted) {
        return place->second;
    }
    sets.push_back(sorted);
    for (int index = 0; index < sorted->nfont && place->second.size() < most_fonts; index++) {
        FcCharSet *letters = nullptr;
        FcBool isScalable = FcFalse, isColored = FcFalse;
        FcPatternGetBool(sorted->fonts[index], FC_SCALABLE, 0, &isScalable);
        FcPatternGetBool(sorted->fonts[index], FC_COLOR, 0, &isColored);
        if (isScalable && !isColored && FcPatternGetCharSet(sorted->fonts[index], FC_CHARSET, 0, &letters) == FcResultMatch) {
            place->second.push_back({letters, cairo_ft_font_face_create_for_pattern(sorted->fonts[index])});
        }
    }
    return place->second;
}

const TextDrawing::Font *TextDrawing::font(char32_t letter, const std::vector<Font> &fonts) const
{
    for (const Font &font : fonts) {
        if (FcCharSetHasChar(font.letters, letter)) {
            return &font;
        }
    }
    return nullptr;
}

std::vector<TextDrawing::Run> TextDrawing::runs(std::u32string_view text, const std::vector<Font> &fonts) const
{
    std::vector<Run> line;
    for (const char32_t letter : text) {
        const Font *next = font(letter, fonts);
        if (line.empty() || line.back().font != next) {
            line.push_back({next, {}});
        }
        line.back().text.push_back(letter);
    }
    return line;
}

double TextDrawing::advance(cairo_t *cairo, char32_t letter, const std::vector<Font> &fonts)
{
    const auto [place, isNew] = advances.try_emplace(letter, 0);
    if (isNew) {
        cairo_set_font_face(cairo, font(letter, fonts)->face);
        cairo_text_extents_t extents;
        cairo_text_extents(cairo, utf8({&letter, 1}).c_str(), &extents);
        place->second = extents.x_advance;
    }
    return place->second;
}

std::vector<TextDrawing::Line> TextDrawing::wrapped(
    cairo_t *cairo, std::u32string_view text, double most, const std::vector<Font> &fonts)
{
    std::vector<Line> lines;
    const auto add = [&](size_t begin, size_t end) {
        Line line {0, runs(text.substr(begin, end - begin), fonts)};
        for (size_t at = begin; at < end; at++) {
            line.width += advance(cairo, text[at], fonts);
        }
        lines.push_back(std::move(line));
    };
    // As many words as fit into a line; of a word that is too long as many letters, at least one.
    size_t begin = 0, blank = 0;
    double width = 0;
    for (size_t at = 0; at < text.size(); at++) {
        if (text[at] == U'\n') {
            add(begin, at);
            begin = at + 1;
            width = 0;
            continue;
        }
        width += advance(cairo, text[at], fonts);
        if (text[at] == U' ') {
            blank = at;
        } else if (width > most && at > begin) {
            const bool hasBlank = blank > begin;
            add(begin, hasBlank ? blank : at);
            begin = hasBlank ? blank + 1 : at;
            at = begin - 1;
            width = 0;
        }
    }
    add(begin, text.size());
    return lines;
}

void TextDrawing::show(cairo_t *cairo, const Line &line, double x, double y) const
{
    for (const Run &run : line.runs) {
        cairo_set_font_face(cairo, run.font->face);
        cairo_move_to(cairo, x, y);
        const std::string text = utf8(run.text);
        cairo_text_extents_t extents;
        cairo_text_extents(cairo, text.c_str(), &extents);
        // A PDF keeps which letters it shows, so that they can be found and copied.
        cairo_show_text(cairo, text.c_str());
        x += extents.x_advance;
    }
}

void TextDrawing::say(const TextMark &mark, size_t page, const std::string &what)
{
    if (isQuiet) {
        return;
    }
    std::u32string start = letters(mark.text);
    std::replace(start.begin(), start.end(), U'\n', U' ');
    leftOut.push_back("Page " + std::to_string(page + 1) + ": " + what + " in the text \"" + utf8(start.substr(0, 40)) +
                      (start.size() > 40 ? "...\"." : "\"."));
}

void TextDrawing::draw(cairo_t *cairo, const TextMark &mark, size_t page)
{
    std::u32string text = letters(mark.text);
    const std::vector<Font> &known = fonts(mark.font);
    if (std::any_of(text.begin(), text.end(), needs_shaping)) {
        return say(mark, page, "nothing is written of a script that cannot be written yet,");
    }
    const bool hasBox = font(U'\u25A1', known);
    const size_t whole = text.size();
    size_t missing = 0;
    for (char32_t &letter : text) {
        if (letter != U'\n' && !font(letter, known)) {
            letter = hasBox ? U'\u25A1' : U'?';
            missing++;
        }
    }
    if (missing && (missing == whole || !font(U'?', known))) {
        return say(mark, page, "no font on this machine has the letters");
    }
    if (missing) {
        const std::string count = std::to_string(missing) + (missing == 1 ? " letter is" : " letters are");
        say(mark, page, count + " in no font on this machine");
    }
    cairo_save(cairo);
    cairo_translate(cairo, mark.x + mark.width / 2, mark.y + mark.height / 2);
    cairo_rotate(cairo, mark.rotation);
    cairo_translate(cairo, -mark.width / 2, -mark.height / 2);
    cairo_set_font_size(cairo, mark.size);
    // Letters stand where they would on paper, not on the dots of a screen.
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_set_font_options(cairo, options);
    cairo_font_options_destroy(options);
    advances.clear();
    double baseline = 0.96 * mark.size;
    for (const Line &line : wrapped(cairo, text, mark.width, known)) {
        const double room = mark.width - line.width;
        const double start = mark.alignment == "trailing" ? room : mark.alignment == "center" ? room / 2 : 0;
        show(cairo, line, start, baseline);
        baseline += line_height * mark.size;
    }
    cairo_restore(cairo);
}

} // namespace sheet_export
