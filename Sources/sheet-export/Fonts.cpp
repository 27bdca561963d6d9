// SPDX-License-Identifier: Apache-2.0
#include "Fonts.h"

#include "Confinement.h"

#include <cairo-ft.h>
#include <harfbuzz/hb-ot.h>

#include <algorithm>
#include <cstring>
#include <set>

namespace sheet_export {

namespace {

/// The sandbox keeps a few more.
constexpr size_t most_files = 480;
constexpr size_t most_fonts = 64;
constexpr size_t most_families = 256;

std::set<std::string> &kept_files()
{
    static std::set<std::string> files;
    return files;
}

const char *file_of(FcPattern *pattern)
{
    FcChar8 *file = nullptr;
    return FcPatternGetString(pattern, FC_FILE, 0, &file) == FcResultMatch ? reinterpret_cast<const char *>(file) : nullptr;
}

/// Whether it has outlines that both libraries read.
bool is_drawable(FcPattern *pattern)
{
    FcBool isScalable = FcFalse, isColored = FcFalse, isVariable = FcFalse;
    FcChar8 *format = nullptr;
    FcPatternGetBool(pattern, FC_SCALABLE, 0, &isScalable);
    FcPatternGetBool(pattern, FC_COLOR, 0, &isColored);
    FcPatternGetBool(pattern, FC_VARIABLE, 0, &isVariable);
    if (!isScalable || isColored || isVariable || !file_of(pattern) ||
        FcPatternGetString(pattern, FC_FONTFORMAT, 0, &format) != FcResultMatch) {
        return false;
    }
    const char *name = reinterpret_cast<const char *>(format);
    return !std::strcmp(name, "TrueType") || !std::strcmp(name, "CFF");
}

void keep(FcFontSet *set, bool onlyUpright)
{
    for (int index = 0; set && index < set->nfont && kept_files().size() < most_files; index++) {
        int weight = FC_WEIGHT_REGULAR, slant = FC_SLANT_ROMAN;
        FcPatternGetInteger(set->fonts[index], FC_WEIGHT, 0, &weight);
        FcPatternGetInteger(set->fonts[index], FC_SLANT, 0, &slant);
        const bool isUpright = weight == FC_WEIGHT_REGULAR && slant == FC_SLANT_ROMAN;
        if (is_drawable(set->fonts[index]) && (isUpright || !onlyUpright)) {
            const char *file = file_of(set->fonts[index]);
            if (kept_files().insert(file).second) {
                confinement_keep_file(file);
            }
        }
    }
}

FcFontSet *sorted(const std::string &family, FcBool trim)
{
    FcPattern *pattern = FcPatternCreate();
    FcPatternAddString(pattern, FC_FAMILY, reinterpret_cast<const FcChar8 *>(family.c_str()));
    FcPatternAddString(pattern, FC_FAMILY, reinterpret_cast<const FcChar8 *>("DejaVu Sans"));
    FcConfigSubstitute(nullptr, pattern, FcMatchPattern);
    FcDefaultSubstitute(pattern);
    FcResult result = FcResultMatch;
    FcFontSet *set = FcFontSort(nullptr, pattern, trim, nullptr, &result);
    FcPatternDestroy(pattern);
    return set;
}

/// A face of FreeType's with the bytes that it reads.
struct OpenFace {
    hb_blob_t *bytes;
    FT_Face face;

    static void close(void *open)
    {
        OpenFace *face = static_cast<OpenFace *>(open);
        FT_Done_Face(face->face);
        hb_blob_destroy(face->bytes);
        delete face;
    }
};

/// For cairo, of bytes in memory: it asks whether it may read a file in a way that the sandbox refuses. `nullptr` if it is
/// damaged.
cairo_font_face_t *drawn_face(hb_blob_t *bytes, int index)
{
    static FT_Library library = nullptr;
    static const cairo_user_data_key_t key {};
    unsigned length = 0;
    const char *start = hb_blob_get_data(bytes, &length);
    FT_Face face = nullptr;
    if ((!library && FT_Init_FreeType(&library)) ||
        FT_New_Memory_Face(library, reinterpret_cast<const FT_Byte *>(start), static_cast<FT_Long>(length), index, &face)) {
        return nullptr;
    }
    OpenFace *open = new OpenFace {hb_blob_reference(bytes), face};
    cairo_font_face_t *drawn = cairo_ft_font_face_create_for_ft_face(face, FT_LOAD_NO_HINTING);
    if (cairo_font_face_set_user_data(drawn, &key, open, OpenFace::close) != CAIRO_STATUS_SUCCESS) {
        cairo_font_face_destroy(drawn);
        OpenFace::close(open);
        return nullptr;
    }
    return drawn;
}

} // namespace

void prepare_fonts()
{
    FcInit();
    // Those that have the most letters; then one of each family; then the others.
    FcFontSet *needed = sorted("Helvetica", FcTrue);
    FcFontSet *all = FcConfigGetFonts(nullptr, FcSetSystem);
    keep(needed, false);
    keep(all, true);
    keep(all, false);
    if (needed) {
        FcFontSetDestroy(needed);
    }
}

Font::~Font()
{
    cairo_font_face_destroy(drawn);
    hb_font_destroy(shaped);
}

bool Font::open()
{
    isBroken = true;
    int index = 0;
    FcPatternGetInteger(pattern, FC_INDEX, 0, &index);
    hb_blob_t *bytes = hb_blob_create_from_file_or_fail(file_of(pattern));
    if (!bytes) {
        return false;
    }
    hb_face_t *face = hb_face_create(bytes, static_cast<unsigned>(index) & 0xFFFF);
    if (hb_face_get_glyph_count(face) > 0) {
        units = std::max(1u, hb_face_get_upem(face));
        shaped = hb_font_create(face);
        // An instance of a font that varies: the number is in the upper half.
        if (index >> 16 > 0) {
            hb_font_set_var_named_instance(shaped, static_cast<unsigned>(index >> 16) - 1);
        }
        drawn = drawn_face(bytes, index);
        isBroken = !drawn;
    }
    hb_face_destroy(face);
    hb_blob_destroy(bytes);
    return !isBroken;
}

FontShelf::~FontShelf()
{
    faces.clear();
    for (FcFontSet *set : sets) {
        FcFontSetDestroy(set);
    }
}

Font *FontShelf::face(FcPattern *pattern)
{
    FcCharSet *letters = nullptr;
    if (!is_drawable(pattern) || !kept_files().count(file_of(pattern)) ||
        FcPatternGetCharSet(pattern, FC_CHARSET, 0, &letters) != FcResultMatch) {
        return nullptr;
    }
    int index = 0;
    FcPatternGetInteger(pattern, FC_INDEX, 0, &index);
    std::unique_ptr<Font> &font = faces[file_of(pattern) + ("#" + std::to_string(index))];
    if (!font) {
        font = std::make_unique<Font>(pattern, letters);
    }
    return font.get();
}

const std::vector<Font *> &FontShelf::family(const std::string &name)
{
    const auto place = families.find(name);
    if (place != families.end()) {
        return place->second;
    }
    // Nobody writes with so many.
    if (families.size() >= most_families) {
        return families.begin()->second;
    }
    std::vector<Font *> &fonts = families[name];
    FcFontSet *set = sorted(name, FcFalse);
    if (!set) {
        return fonts;
    }
    sets.push_back(set);
    for (int index = 0; index < set->nfont && fonts.size() < most_fonts; index++) {
        if (Font *font = face(set->fonts[index])) {
            fonts.push_back(font);
        }
    }
    return fonts;
}

} // namespace sheet_export
