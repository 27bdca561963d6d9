// SPDX-License-Identifier: Apache-2.0
// What the reader needs of poppler's core, behind a C interface. Nothing here throws; every list is bounded.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pdf_document pdf_document;
typedef struct pdf_page pdf_page;

/// How a step ended.
typedef enum {
    pdf_ok = 0,
    /// A password is needed, or the security handler is unknown.
    pdf_encrypted,
    /// Damaged beyond repair.
    pdf_damaged,
    /// Address space ran out.
    pdf_no_memory,
} pdf_status;

/// Silences poppler and loads what must be read from disk before the sandbox closes it.
/// `keep` is called with the path of each font file that may be wanted later.
void pdf_prepare(void (*keep)(const char *path));
/// Silences poppler and loads nothing, which takes a small sheet a twelfth less. `lacking` is called when a sheet needs a font
/// of the machine, and must not return.
void pdf_prepare_without_fonts(void (*lacking)(void));
/// Whether a part of a file shows the name of a font that need not be embedded, in any style (ISO 32000-1, 9.6.2.2), or objects
/// packed into a stream (7.5.7), among which such names may be. Nothing is parsed.
bool pdf_may_name_standard_font(const char *bytes, size_t count);
/// To be called before each document: drops what poppler remembers of earlier ones, so that it cannot show in the next.
/// None may be open.
void pdf_forget(void);

/// Reads the cross-reference table and the catalog of a file in memory, which must outlive the document.
pdf_document *pdf_open(const char *bytes, int64_t length, pdf_status *status);
void pdf_close(pdf_document *document);

/// Number of pages that can be reached; 0 when there are none.
int32_t pdf_page_count(pdf_document *document);
/// What the root of the page tree claims, or -1.
int64_t pdf_declared_page_count(pdf_document *document);

/// What the objects of a file were seen to do.
typedef enum {
    pdf_trait_javascript = 1 << 0,
    pdf_trait_launch = 1 << 1,
    pdf_trait_embedded_file = 1 << 2,
    pdf_trait_xfa = 1 << 3,
    pdf_trait_external = 1 << 4,
    pdf_trait_bomb = 1 << 5,
    pdf_trait_too_complex = 1 << 6,
    /// The XFA form has no complete ordinary form beside it: without it nothing can be filled in.
    pdf_trait_xfa_alone = 1 << 7,
    /// Metadata names a folder of somebody's machine.
    pdf_trait_private_metadata = 1 << 8,
    /// A film on a page.
    pdf_trait_embedded_media = 1 << 9,
} pdf_trait;

/// Bounds of the walk over all objects.
typedef struct {
    int32_t objects;
    int64_t nodes;
    int64_t stream_bytes;
    int64_t total_stream_bytes;
    int64_t image_pixels;
    /// Of one page.
    int32_t annotations;
    /// Form XObjects, which fields and contents draw.
    int64_t forms;
} pdf_survey_bounds;

/// What the walk over all objects found.
typedef struct {
    uint32_t traits;
    int32_t objects;
} pdf_survey;

/// Looks at every object of the file, reachable or not.
pdf_status pdf_survey_objects(pdf_document *document, const pdf_survey_bounds *bounds, pdf_survey *result);

/// Texts with what belongs to each.
typedef struct pdf_list pdf_list;
typedef struct {
    const char *text;
    size_t length;
    int32_t kind;
    bool embedded;
    float x0, y0, x1, y1;
} pdf_item;

void pdf_list_free(pdf_list *list);
const pdf_item *pdf_list_items(const pdf_list *list, size_t *count);

/// What the file says of itself.
typedef struct {
    int32_t version_major, version_minor;
    bool tagged, linearized, encrypted;
} pdf_facts;

/// Kinds of items of `pdf_list_info`.
enum { pdf_info_producer = 0, pdf_info_creator = 1 };

pdf_status pdf_read_facts(pdf_document *document, pdf_facts *facts);
/// Producer and creator, where the file names them.
pdf_status pdf_list_info(pdf_document *document, pdf_list **list);

/// Kinds of items of `pdf_list_fonts`.
enum {
    pdf_font_unknown = 0,
    pdf_font_type1,
    pdf_font_type3,
    pdf_font_truetype,
    pdf_font_cid_type0,
    pdf_font_cid_truetype,
};

/// The fonts that text is drawn with on the pages read so far, in the order of their names.
pdf_status pdf_list_fonts(pdf_document *document, pdf_list **list);

/// The web and mail addresses that a page links to; `links` is the number of all links.
pdf_status pdf_list_links(pdf_document *document, int32_t index, size_t limit, int32_t *links, pdf_list **list);

/// Kinds of items of `pdf_list_fields`.
enum { pdf_field_unknown = 0, pdf_field_button, pdf_field_text, pdf_field_choice, pdf_field_signature };

/// The form fields of a page by their full names, with their rectangles as displayed.
pdf_status pdf_list_fields(pdf_document *document, int32_t index, size_t limit, pdf_list **list);

/// A page as displayed, in points: crop box, rotation and user unit applied.
typedef struct {
    double width;
    double height;
    int32_t rotation;
    double user_unit;
} pdf_page_size;

/// `pdf_damaged` when the page cannot be reached.
pdf_status pdf_get_page_size(pdf_document *document, int32_t index, pdf_page_size *size);

/// One word of the text layer. Coordinates are points of the displayed page (user unit not applied), origin top left.
typedef struct {
    float x0, y0, x1, y1;
    float font_size;
    float red, green, blue;
    uint32_t text_offset, text_length;
    int32_t block;
    int32_t line;
    /// Quarter turns, 0 for upright text.
    uint8_t turns;
    bool bold, italic, serif, space_after;
} pdf_word;

/// One painted outline: the bounds of a subpath, cut to the clip.
typedef struct {
    float x0, y0, x1, y1;
    float line_width;
    float luminance;
    bool filled;
    /// All of its edges are horizontal or vertical.
    bool straight;
    uint16_t segments;
} pdf_shape;

/// A rectangle.
typedef struct {
    float x0, y0, x1, y1;
} pdf_box;

/// Bounds of what is kept of one page.
typedef struct {
    size_t words;
    size_t shapes;
    size_t text_bytes;
    bool wants_shapes;
    /// Width and height in pixels of the page drawn as ink, with `wants_shapes`; 0 where that is not asked for.
    int32_t ink_width;
    int32_t ink_height;
    /// Processor's time that showing it may take, in seconds; what takes longer is shown in part. 0 is no bound.
    double seconds;
} pdf_page_bounds;

/// Interprets a page and keeps its words, outlines, pictures and form fields, and its ink where it is asked for.
pdf_status pdf_read_page(pdf_document *document, int32_t index, const pdf_page_bounds *bounds, pdf_page **page);
void pdf_page_free(pdf_page *page);
const pdf_word *pdf_page_words(const pdf_page *page, size_t *count);
const pdf_shape *pdf_page_shapes(const pdf_page *page, size_t *count);
const pdf_box *pdf_page_images(const pdf_page *page, size_t *count);
const pdf_box *pdf_page_fields(const pdf_page *page, size_t *count);
/// The words' text as UTF-8, which `text_offset` and `text_length` point into.
const char *pdf_page_text(const pdf_page *page, size_t *length);
/// The page as `pdf_draw_page` draws it: as `pdf_ink`, or as `pdf_ink_of_pictures` where it has pictures. They belong to the
/// caller, who releases them with `free`. Null for a page that cannot be drawn.
uint8_t *pdf_page_take_ink(pdf_page *page);
/// Whether a bound was reached.
bool pdf_page_cut_short(const pdf_page *page);
/// Whether a page was shown in part only, because it took too long.
bool pdf_is_exhausted(const pdf_document *document);

/// What a page is drawn as.
typedef enum {
    /// Red, green and blue bytes.
    pdf_colors = 0,
    /// The same colours, turned grey.
    pdf_grey_colors,
    /// Grey bytes that tell ink from ground; colour profiles of pictures do not count.
    pdf_ink,
    /// The same for a page with pictures: poppler would turn their pixels grey one by one before it shrinks them.
    pdf_ink_of_pictures,
} pdf_coloring;

/// Draws a page on white, `width` pixels wide and `height` high, rows unpadded.
/// The pixels belong to the caller, who releases them with `free`.
pdf_status pdf_draw_page(pdf_document *document, int32_t index, int32_t width, int32_t height, pdf_coloring coloring,
                         uint8_t **pixels);

#ifdef __cplusplus
}
#endif
