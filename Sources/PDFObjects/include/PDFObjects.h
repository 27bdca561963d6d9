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
/// Drops what poppler remembers of earlier documents, so that it cannot show in the next; none may be open.
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
} pdf_trait;

/// Bounds of the walk over all objects.
typedef struct {
    int32_t objects;
    int64_t nodes;
    int64_t stream_bytes;
    int64_t total_stream_bytes;
    int64_t image_pixels;
} pdf_survey_bounds;

/// What the walk over all objects found.
typedef struct {
    uint32_t traits;
    int32_t objects;
    /// Where a script, an action and so on was first seen: object numbers, 0 for none.
    int32_t first_object[8];
} pdf_survey;

/// Looks at every object of the file, reachable or not.
pdf_status pdf_survey_objects(pdf_document *document, const pdf_survey_bounds *bounds, pdf_survey *result);

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
} pdf_page_bounds;

/// Interprets a page once and keeps its words, outlines, pictures and form fields.
pdf_status pdf_read_page(pdf_document *document, int32_t index, const pdf_page_bounds *bounds, pdf_page **page);
void pdf_page_free(pdf_page *page);
const pdf_word *pdf_page_words(const pdf_page *page, size_t *count);
const pdf_shape *pdf_page_shapes(const pdf_page *page, size_t *count);
const pdf_box *pdf_page_images(const pdf_page *page, size_t *count);
const pdf_box *pdf_page_fields(const pdf_page *page, size_t *count);
/// The words' text as UTF-8, which `text_offset` and `text_length` point into.
const char *pdf_page_text(const pdf_page *page, size_t *length);
/// Whether a bound was reached.
bool pdf_page_cut_short(const pdf_page *page);

/// Draws a page on white, `width` pixels wide and `height` high: 3 bytes a pixel, or 1 when `grey`, rows unpadded.
/// The pixels belong to the caller, who releases them with `free`.
pdf_status pdf_draw_page(
    pdf_document *document, int32_t index, int32_t width, int32_t height, bool grey, uint8_t **pixels);

#ifdef __cplusplus
}
#endif
