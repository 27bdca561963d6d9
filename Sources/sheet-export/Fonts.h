// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cairo.h>
#include <fontconfig/fontconfig.h>
#include <harfbuzz/hb.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace sheet_export {

/// Finds this machine's fonts, and opens their files so that they can be read inside the sandbox. To be called before it.
void prepare_fonts();

/// One face, for drawing (cairo) and for choosing its glyphs (HarfBuzz); opened when it is first needed.
class Font {
public:
    Font(FcPattern *pattern, FcCharSet *letters) : pattern(pattern), letters(letters) { }
    ~Font();
    Font(const Font &) = delete;
    Font &operator=(const Font &) = delete;

    bool has(char32_t letter) { return FcCharSetHasChar(letters, letter) && isUsable(); }
    bool isUsable() { return !isBroken && (shaped || open()); }
    cairo_font_face_t *face() const { return drawn; }
    hb_font_t *shaper() const { return shaped; }
    /// What the shaper's numbers are parts of.
    unsigned unitsPerSize() const { return units; }

private:
    FcPattern *pattern;
    FcCharSet *letters;
    cairo_font_face_t *drawn = nullptr;
    hb_font_t *shaped = nullptr;
    unsigned units = 1;
    bool isBroken = false;

    bool open();
};

/// Fonts by what people call them: a family's own first, then those that stand in for what it lacks.
class FontShelf {
public:
    FontShelf() = default;
    ~FontShelf();
    FontShelf(const FontShelf &) = delete;
    FontShelf &operator=(const FontShelf &) = delete;

    const std::vector<Font *> &family(const std::string &name);

private:
    std::map<std::string, std::vector<Font *>> families;
    std::map<std::string, std::unique_ptr<Font>> faces;
    std::vector<FcFontSet *> sets;

    Font *face(FcPattern *pattern);
};

} // namespace sheet_export
