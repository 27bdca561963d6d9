// SPDX-License-Identifier: Apache-2.0
#include "Shaping.h"

#include <algorithm>
#include <new>

namespace sheet_export {

namespace {

/// Joins the letter before it: an accent, a vowel sign.
bool is_mark(char32_t letter)
{
    const hb_unicode_general_category_t kind = hb_unicode_general_category(hb_unicode_funcs_get_default(), letter);
    return kind == HB_UNICODE_GENERAL_CATEGORY_NON_SPACING_MARK || kind == HB_UNICODE_GENERAL_CATEGORY_SPACING_MARK ||
           kind == HB_UNICODE_GENERAL_CATEGORY_ENCLOSING_MARK;
}

/// Of a script that is written without spaces: a line breaks after any of these.
bool breaks_after(char32_t letter)
{
    return (letter >= 0x2E80 && letter <= 0x9FFF) || (letter >= 0xAC00 && letter <= 0xD7A3) ||
           (letter >= 0xF900 && letter <= 0xFAFF) || (letter >= 0x20000 && letter <= 0x3FFFF);
}

Font *font_of(std::u32string_view letters, const std::vector<Font *> &fonts)
{
    for (Font *font : fonts) {
        const auto isKnown = [font](char32_t letter) { return is_invisible(letter) || font->has(letter); };
        if (font->isUsable() && std::all_of(letters.begin(), letters.end(), isKnown)) {
            return font;
        }
    }
    return nullptr;
}

} // namespace

bool is_invisible(char32_t letter)
{
    return (letter >= 0x200B && letter <= 0x200F) || (letter >= 0x202A && letter <= 0x202E) ||
           (letter >= 0x2060 && letter <= 0x206F) || (letter >= 0xFE00 && letter <= 0xFE0F) || letter == 0xFEFF ||
           letter == 0x00AD || letter == 0x034F || letter == 0x061C;
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

Paragraph::Paragraph(std::u32string_view text, Direction direction, double size, const std::vector<Font *> &fonts)
    : text(text), size(size), types(text.size()), levels(text.size()), advances(text.size()), begins(text.size())
{
    findLevels(direction);
    findItems(fonts);
    measure();
}

void Paragraph::findLevels(Direction direction)
{
    FriBidiParType base = direction == Direction::rightToLeft   ? FRIBIDI_PAR_RTL
                          : direction == Direction::leftToRight ? FRIBIDI_PAR_LTR
                                                                : FRIBIDI_PAR_ON;
    const FriBidiStrIndex count = static_cast<FriBidiStrIndex>(text.size());
    const FriBidiChar *letters = reinterpret_cast<const FriBidiChar *>(text.data());
    std::vector<FriBidiBracketType> brackets(text.size());
    fribidi_get_bidi_types(letters, count, types.data());
    fribidi_get_bracket_types(letters, count, types.data(), brackets.data());
    if (!fribidi_get_par_embedding_levels_ex(types.data(), brackets.data(), count, &base, levels.data())) {
        throw std::bad_alloc();
    }
    isRightToLeft = FRIBIDI_IS_RTL(base);
}

void Paragraph::findItems(const std::vector<Font *> &fonts)
{
    hb_unicode_funcs_t *unicode = hb_unicode_funcs_get_default();
    hb_script_t script = HB_SCRIPT_COMMON;
    for (size_t at = 0; at < text.size();) {
        size_t end = at + 1;
        while (end < text.size() && (is_mark(text[end]) || is_invisible(text[end])) && levels[end] == levels[at]) {
            end++;
        }
        const hb_script_t own = hb_unicode_script(unicode, text[at]);
        const bool isOwn = own != HB_SCRIPT_COMMON && own != HB_SCRIPT_INHERITED && own != HB_SCRIPT_UNKNOWN;
        if (isOwn && script == HB_SCRIPT_COMMON && !items.empty()) {
            // Blanks and signs at the start go with the first script.
            for (Item &item : items) {
                item.script = own;
            }
        }
        script = isOwn ? own : script;
        Font *font = font_of(text.substr(at, end - at), fonts);
        if (!font) {
            // A mark that no font has beside its letter stands alone.
            end = at + 1;
            font = font_of(text.substr(at, 1), fonts);
        }
        // Blanks go with the letters before them.
        if (!items.empty() && items.back().level == levels[at] && text[at] == U' ' && items.back().font->has(U' ')) {
            font = items.back().font;
        }
        if (!items.empty() && items.back().font == font && items.back().script == script && items.back().level == levels[at]) {
            items.back().end = end;
        } else {
            items.push_back({at, end, font, script, levels[at]});
        }
        at = end;
    }
}

void Paragraph::shape(const Item &item, hb_buffer_t *buffer) const
{
    hb_buffer_clear_contents(buffer);
    // With all of the text, since a letter's form depends on its neighbours.
    hb_buffer_add_utf32(
        buffer, reinterpret_cast<const uint32_t *>(text.data()), static_cast<int>(text.size()),
        static_cast<unsigned>(item.begin), static_cast<int>(item.end - item.begin));
    hb_buffer_set_direction(buffer, FRIBIDI_LEVEL_IS_RTL(item.level) ? HB_DIRECTION_RTL : HB_DIRECTION_LTR);
    hb_buffer_set_script(buffer, item.script);
    hb_buffer_guess_segment_properties(buffer);
    hb_shape(item.font->shaper(), buffer, nullptr, 0);
}

void Paragraph::measure()
{
    hb_buffer_t *buffer = hb_buffer_create();
    for (const Item &item : items) {
        shape(item, buffer);
        unsigned count = 0;
        const hb_glyph_info_t *glyphs = hb_buffer_get_glyph_infos(buffer, &count);
        const hb_glyph_position_t *places = hb_buffer_get_glyph_positions(buffer, &count);
        const double scale = size / item.font->unitsPerSize();
        for (unsigned index = 0; index < count; index++) {
            advances[glyphs[index].cluster] += places[index].x_advance * scale;
            begins[glyphs[index].cluster] = true;
        }
    }
    hb_buffer_destroy(buffer);
}

GlyphRun Paragraph::run(const Item &item) const
{
    GlyphRun run {item.font, FRIBIDI_LEVEL_IS_RTL(item.level) != 0, 0, {}, utf8(text.substr(item.begin, item.end - item.begin)), {}};
    hb_buffer_t *buffer = hb_buffer_create();
    shape(item, buffer);
    unsigned count = 0;
    const hb_glyph_info_t *glyphs = hb_buffer_get_glyph_infos(buffer, &count);
    const hb_glyph_position_t *places = hb_buffer_get_glyph_positions(buffer, &count);
    const double scale = size / item.font->unitsPerSize();
    for (unsigned index = 0; index < count; index++) {
        const hb_glyph_position_t &place = places[index];
        run.glyphs.push_back({glyphs[index].codepoint, run.width + place.x_offset * scale, -place.y_offset * scale});
        run.width += place.x_advance * scale;
    }
    // In the order of the text, which is the glyphs' from the end where it runs to the left.
    for (unsigned taken = 0; taken < count;) {
        const auto cluster = [&](unsigned index) { return glyphs[run.isRightToLeft ? count - 1 - index : index].cluster; };
        unsigned next = taken + 1;
        while (next < count && cluster(next) == cluster(taken)) {
            next++;
        }
        const size_t begin = cluster(taken), end = next < count ? cluster(next) : item.end;
        const int bytes = static_cast<int>(utf8(text.substr(begin, end - begin)).size());
        run.clusters.push_back({bytes, static_cast<int>(next - taken)});
        taken = next;
    }
    hb_buffer_destroy(buffer);
    return run;
}

ShapedLine Paragraph::line(size_t begin, size_t end) const
{
    ShapedLine made {0, isRightToLeft, {}};
    if (begin >= end) {
        return made;
    }
    // Blanks at the end of a line stand at its end, whichever way the letters before them run.
    std::vector<FriBidiLevel> levels(this->levels.begin() + static_cast<long>(begin), this->levels.begin() + static_cast<long>(end));
    for (size_t at = end; at > begin && text[at - 1] == U' '; at--) {
        levels[at - 1 - begin] = isRightToLeft ? 1 : 0;
    }
    std::vector<Item> parts;
    for (const Item &item : items) {
        for (size_t at = std::max(begin, item.begin); at < std::min(end, item.end); at++) {
            const FriBidiLevel level = levels[at - begin];
            if (!parts.empty() && at != std::max(begin, item.begin) && parts.back().level == level) {
                parts.back().end = at + 1;
            } else {
                parts.push_back({at, at + 1, item.font, item.script, level});
            }
        }
    }
    // From the highest level down, whatever stands at it or above is turned around.
    FriBidiLevel highest = 0;
    for (const Item &part : parts) {
        highest = std::max(highest, part.level);
    }
    for (FriBidiLevel level = highest; level > 0; level--) {
        for (auto first = parts.begin(); first != parts.end();) {
            first = std::find_if(first, parts.end(), [level](const Item &part) { return part.level >= level; });
            const auto last = std::find_if(first, parts.end(), [level](const Item &part) { return part.level < level; });
            std::reverse(first, last);
            first = last;
        }
    }
    for (const Item &part : parts) {
        made.runs.push_back(run(part));
        made.width += made.runs.back().width;
    }
    return made;
}

std::vector<ShapedLine> Paragraph::lines(double most) const
{
    std::vector<ShapedLine> lines;
    // As many words as fit into a line; of a word that is too long as many letters, at least one.
    size_t begin = 0, stop = 0;
    double width = 0;
    for (size_t at = 0; at < text.size(); at++) {
        width += advances[at];
        if (text[at] == U' ') {
            stop = at + 1;
        } else if (width > most && at > begin && begins[at]) {
            const bool hasStop = stop > begin;
            const size_t next = hasStop ? stop : at;
            lines.push_back(line(begin, hasStop && text[next - 1] == U' ' ? next - 1 : next));
            begin = next;
            at = begin - 1;
            width = 0;
            continue;
        }
        if (breaks_after(text[at]) && at + 1 < text.size() && begins[at + 1]) {
            stop = at + 1;
        }
    }
    lines.push_back(line(begin, text.size()));
    return lines;
}

} // namespace sheet_export
