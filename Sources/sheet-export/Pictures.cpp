// SPDX-License-Identifier: Apache-2.0
#include "Pictures.h"

#include "JPEGReading.h"

#include <png.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace sheet_export {

namespace {

// Of one, and of all on a page: four bytes each, and once more while they are written.
constexpr size_t most_pixels = 50'000'000;
constexpr size_t most_pixels_of_page = 100'000'000;
constexpr size_t most_bytes = size_t {64} << 20;

const uint8_t *start_of(std::string_view bytes) { return reinterpret_cast<const uint8_t *>(bytes.data()); }

bool is_too_large(uint32_t width, uint32_t height) { return !width || !height || size_t {width} * height > most_pixels; }

/// Makes colours those that cairo keeps: times how opaque they are.
void premultiply(uint8_t *row, uint32_t width)
{
    for (uint32_t x = 0; x < width; x++, row += 4) {
        for (int part = 0; part < 3; part++) {
            row[part] = static_cast<uint8_t>((row[part] * row[3] + 127) / 255);
        }
    }
}

cairo_surface_t *blank(cairo_format_t format, uint32_t width, uint32_t height)
{
    // Its side is limited too: cairo has half of an integer for it.
    cairo_surface_t *surface = width > 32767 || height > 32767
        ? nullptr : cairo_image_surface_create(format, static_cast<int>(width), static_cast<int>(height));
    if (surface && cairo_surface_status(surface) != CAIRO_STATUS_SUCCESS) {
        cairo_surface_destroy(surface);
        return nullptr;
    }
    return surface;
}

cairo_surface_t *png_surface(std::string_view bytes, std::string &reason)
{
    png_image image {};
    image.version = PNG_IMAGE_VERSION;
    cairo_surface_t *surface = nullptr;
    reason = "is damaged";
    if (png_image_begin_read_from_memory(&image, bytes.data(), bytes.size())) {
        if (is_too_large(image.width, image.height) ||
            !(surface = blank(CAIRO_FORMAT_ARGB32, image.width, image.height))) {
            reason = "has too many pixels";
        } else {
            image.format = PNG_FORMAT_BGRA;
            uint8_t *pixels = cairo_image_surface_get_data(surface);
            const int stride = cairo_image_surface_get_stride(surface);
            if (png_image_finish_read(&image, nullptr, pixels, stride, nullptr)) {
                for (uint32_t y = 0; y < image.height; y++) {
                    premultiply(pixels + static_cast<size_t>(stride) * y, image.width);
                }
                cairo_surface_mark_dirty(surface);
            } else {
                cairo_surface_destroy(surface);
                surface = nullptr;
            }
        }
    }
    png_image_free(&image);
    return surface;
}

cairo_surface_t *jpeg_surface(std::string_view bytes, int &orientation, std::string &reason)
{
    jpeg_facts facts {};
    reason = "is damaged";
    if (!jpeg_describe(start_of(bytes), bytes.size(), &facts)) {
        return nullptr;
    }
    orientation = facts.orientation;
    cairo_surface_t *surface =
        is_too_large(facts.width, facts.height) ? nullptr : blank(CAIRO_FORMAT_RGB24, facts.width, facts.height);
    if (!surface) {
        reason = "has too many pixels";
        return nullptr;
    }
    const size_t stride = static_cast<size_t>(cairo_image_surface_get_stride(surface));
    if (!jpeg_decode(start_of(bytes), bytes.size(), cairo_image_surface_get_data(surface), stride)) {
        cairo_surface_destroy(surface);
        return nullptr;
    }
    cairo_surface_mark_dirty(surface);
    // A PDF holds a JPEG as it is, which is smaller and loses nothing.
    size_t length = 0;
    uint8_t *cleaned = facts.is_plain ? jpeg_cleaned(start_of(bytes), bytes.size(), &length) : nullptr;
    if (cleaned && cairo_surface_set_mime_data(surface, CAIRO_MIME_TYPE_JPEG, cleaned, length, std::free, cleaned) != CAIRO_STATUS_SUCCESS) {
        std::free(cleaned);
    }
    return surface;
}

/// From the picture as it is stored to the unit square as it is to be seen.
cairo_matrix_t upright(int orientation, double width, double height)
{
    static constexpr double turns[8][6] = {
        {1, 0, 0, 1, 0, 0},  {-1, 0, 0, 1, 1, 0}, {-1, 0, 0, -1, 1, 1}, {1, 0, 0, -1, 0, 1},
        {0, 1, 1, 0, 0, 0},  {0, 1, -1, 0, 1, 0}, {0, -1, -1, 0, 1, 1}, {0, -1, 1, 0, 0, 1},
    };
    const double *turn = turns[orientation >= 1 && orientation <= 8 ? orientation - 1 : 0];
    cairo_matrix_t matrix, scale;
    cairo_matrix_init(&matrix, turn[0], turn[1], turn[2], turn[3], turn[4], turn[5]);
    cairo_matrix_init_scale(&scale, 1 / width, 1 / height);
    cairo_matrix_multiply(&matrix, &scale, &matrix);
    return matrix;
}

} // namespace

PictureDrawing::~PictureDrawing() { endPage(); }

void PictureDrawing::endPage()
{
    for (const Picture &picture : read) {
        cairo_surface_destroy(picture.surface);
    }
    read.clear();
    pixels = 0;
}

PictureDrawing::Picture PictureDrawing::decoded(size_t number)
{
    Picture picture {number, nullptr, 1, "is missing"};
    if (number >= images.size()) {
        return picture;
    }
    const std::string_view bytes = images[number];
    if (bytes.size() > most_bytes) {
        picture.reason = "has too many bytes";
    } else if (bytes.substr(0, 8) == std::string_view("\x89PNG\r\n\x1A\n", 8)) {
        picture.surface = png_surface(bytes, picture.reason);
    } else if (bytes.substr(0, 3) == "\xFF\xD8\xFF") {
        picture.surface = jpeg_surface(bytes, picture.orientation, picture.reason);
    } else {
        picture.reason = "is neither JPEG nor PNG";
    }
    if (!picture.surface) {
        return picture;
    }
    pixels += static_cast<size_t>(cairo_image_surface_get_width(picture.surface)) *
              static_cast<size_t>(cairo_image_surface_get_height(picture.surface));
    if (pixels > most_pixels_of_page) {
        cairo_surface_destroy(picture.surface);
        picture.surface = nullptr;
        picture.reason = "is too much beside the others on its page";
        return picture;
    }
    // One on many pages is written once.
    const std::string name = "sheet-export-" + std::to_string(number);
    char *copy = strdup(name.c_str());
    const auto *start = reinterpret_cast<const unsigned char *>(copy);
    if (copy && cairo_surface_set_mime_data(picture.surface, CAIRO_MIME_TYPE_UNIQUE_ID, start, name.size(), std::free, copy) != CAIRO_STATUS_SUCCESS) {
        std::free(copy);
    }
    return picture;
}

const PictureDrawing::Picture &PictureDrawing::picture(size_t number)
{
    const auto place = std::find_if(read.begin(), read.end(), [number](const Picture &other) { return other.number == number; });
    if (place != read.end()) {
        return *place;
    }
    read.push_back(decoded(number));
    return read.back();
}

void PictureDrawing::say(size_t page, const std::string &what)
{
    if (!isQuiet) {
        leftOut.push_back("Page " + std::to_string(page + 1) + ": left out a picture, which " + what + ".");
    }
}

void PictureDrawing::draw(cairo_t *cairo, const PictureMark &mark, size_t page)
{
    if (mark.width <= 0 || mark.height <= 0) {
        return;
    }
    const Picture &drawn = picture(mark.number);
    if (!drawn.surface) {
        return say(page, drawn.reason);
    }
    const double width = cairo_image_surface_get_width(drawn.surface);
    const double height = cairo_image_surface_get_height(drawn.surface);
    cairo_save(cairo);
    cairo_translate(cairo, mark.x + mark.width / 2, mark.y + mark.height / 2);
    cairo_rotate(cairo, mark.rotation);
    cairo_translate(cairo, -mark.width / 2, -mark.height / 2);
    cairo_scale(cairo, mark.width, mark.height);
    const cairo_matrix_t matrix = upright(drawn.orientation, width, height);
    cairo_transform(cairo, &matrix);
    cairo_set_source_surface(cairo, drawn.surface, 0, 0);
    cairo_pattern_set_filter(cairo_get_source(cairo), CAIRO_FILTER_GOOD);
    cairo_paint(cairo);
    cairo_restore(cairo);
}

} // namespace sheet_export
