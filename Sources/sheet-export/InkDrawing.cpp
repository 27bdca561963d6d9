// SPDX-License-Identifier: Apache-2.0
#include "InkDrawing.h"

#include "Pictures.h"
#include "TextDrawing.h"

#include <cairo-pdf.h>

#include <memory>

namespace sheet_export {

namespace {

using Context = std::unique_ptr<cairo_t, decltype(&cairo_destroy)>;
using Surface = std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)>;

void check(cairo_status_t status)
{
    if (status != CAIRO_STATUS_SUCCESS) {
        throw Failure(std::string("The ink cannot be drawn: ") + cairo_status_to_string(status));
    }
}

void set_color(cairo_t *cairo, uint32_t rgba)
{
    const auto part = [rgba](int shift) { return static_cast<double>(rgba >> shift & 0xFF) / 255; };
    cairo_set_source_rgba(cairo, part(24), part(16), part(8), part(0));
}

void add_path(cairo_t *cairo, const std::vector<Step> &path)
{
    cairo_new_path(cairo);
    for (const Step &step : path) {
        const double *p = step.places;
        switch (step.kind) {
        case Step::Kind::move: cairo_move_to(cairo, p[0], p[1]); break;
        case Step::Kind::line: cairo_line_to(cairo, p[0], p[1]); break;
        case Step::Kind::curve: cairo_curve_to(cairo, p[0], p[1], p[2], p[3], p[4], p[5]); break;
        case Step::Kind::close: cairo_close_path(cairo); break;
        }
    }
}

/// What draws other things than lines.
struct Pens {
    TextDrawing texts;
    PictureDrawing pictures;
};

void draw_mark(cairo_t *cairo, const Mark &mark, Pens &pens, size_t page)
{
    set_color(cairo, mark.rgba);
    switch (mark.kind) {
    case Mark::Kind::fill:
        add_path(cairo, mark.path);
        cairo_fill(cairo);
        break;
    case Mark::Kind::line:
        add_path(cairo, mark.path);
        cairo_set_line_width(cairo, mark.width);
        cairo_stroke(cairo);
        break;
    case Mark::Kind::text: pens.texts.draw(cairo, mark.text, page); break;
    case Mark::Kind::picture: pens.pictures.draw(cairo, mark.picture, page); break;
    }
}

cairo_operator_t blending(const std::string &mode)
{
    if (mode == "multiply") {
        return CAIRO_OPERATOR_MULTIPLY;
    }
    if (mode == "screen") {
        return CAIRO_OPERATOR_SCREEN;
    }
    return mode == "overlay" ? CAIRO_OPERATOR_OVERLAY : CAIRO_OPERATOR_OVER;
}

void draw_page(cairo_t *cairo, const Page &page, Pens &pens)
{
    cairo_set_line_cap(cairo, CAIRO_LINE_CAP_ROUND);
    cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
    for (const Layer &layer : page.layers) {
        const cairo_operator_t blend = blending(layer.blendMode);
        const bool isPlain = layer.opacity >= 1 && blend == CAIRO_OPERATOR_OVER;
        if (!isPlain) {
            cairo_push_group(cairo);
        }
        for (const Mark &mark : layer.marks) {
            draw_mark(cairo, mark, pens, page.index);
        }
        if (!isPlain) {
            cairo_pop_group_to_source(cairo);
            cairo_set_operator(cairo, blend);
            cairo_paint_with_alpha(cairo, layer.opacity);
            cairo_set_operator(cairo, CAIRO_OPERATOR_OVER);
        }
    }
    check(cairo_status(cairo));
}

/// The rectangle that a page's ink covers, which is drawn once for that.
std::optional<Box> ink_box(const Page &page, Pens &pens)
{
    const Surface recording(cairo_recording_surface_create(CAIRO_CONTENT_COLOR_ALPHA, nullptr), cairo_surface_destroy);
    const Context cairo(cairo_create(recording.get()), cairo_destroy);
    Page plain = page;
    for (Layer &layer : plain.layers) {
        layer.opacity = 1;
        layer.blendMode = "normal";
    }
    draw_page(cairo.get(), plain, pens);
    Box box {};
    cairo_recording_surface_ink_extents(recording.get(), &box.x, &box.y, &box.width, &box.height);
    // Nothing beyond the page is shown.
    const double left = std::max(0.0, box.x - 1), top = std::max(0.0, box.y - 1);
    const double right = std::min(page.width, box.x + box.width + 1), bottom = std::min(page.height, box.y + box.height + 1);
    if (box.width <= 0 || box.height <= 0 || right <= left || bottom <= top) {
        return std::nullopt;
    }
    return Box {left, top, right - left, bottom - top};
}

cairo_status_t append(void *target, const unsigned char *bytes, unsigned length)
{
    static_cast<std::string *>(target)->append(reinterpret_cast<const char *>(bytes), length);
    return CAIRO_STATUS_SUCCESS;
}

} // namespace

InkDocument draw(const Request &request)
{
    InkDocument made;
    Pens pens {TextDrawing(made.leftOut), PictureDrawing(request.images, made.leftOut)};
    const Surface surface(cairo_pdf_surface_create_for_stream(append, &made.pdf, 1, 1), cairo_surface_destroy);
    for (const Page &page : request.pages) {
        made.ink.push_back(ink_box(page, pens));
        if (!made.ink.back()) {
            pens.pictures.endPage();
            continue;
        }
        cairo_pdf_surface_set_size(surface.get(), page.width, page.height);
        // Said already.
        pens.texts.isQuiet = pens.pictures.isQuiet = true;
        const Context cairo(cairo_create(surface.get()), cairo_destroy);
        draw_page(cairo.get(), page, pens);
        cairo_show_page(cairo.get());
        pens.texts.isQuiet = pens.pictures.isQuiet = false;
        pens.pictures.endPage();
    }
    cairo_surface_finish(surface.get());
    check(cairo_surface_status(surface.get()));
    return made;
}

} // namespace sheet_export
