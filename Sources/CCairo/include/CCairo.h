// SPDX-License-Identifier: Apache-2.0
// libcairo, loaded only by who draws with it: with what it brings it is a quarter of the libraries of a reader.
#pragma once

#include <cairo/cairo.h>

/// The functions that are used, without the `cairo_` of their names.
typedef struct {
    __typeof__(cairo_create) *_Nonnull create;
    __typeof__(cairo_destroy) *_Nonnull destroy;
    __typeof__(cairo_fill) *_Nonnull fill;
    __typeof__(cairo_fill_preserve) *_Nonnull fill_preserve;
    __typeof__(cairo_get_scaled_font) *_Nonnull get_scaled_font;
    __typeof__(cairo_image_surface_create) *_Nonnull image_surface_create;
    __typeof__(cairo_image_surface_create_for_data) *_Nonnull image_surface_create_for_data;
    __typeof__(cairo_image_surface_get_data) *_Nonnull image_surface_get_data;
    __typeof__(cairo_image_surface_get_stride) *_Nonnull image_surface_get_stride;
    __typeof__(cairo_move_to) *_Nonnull move_to;
    __typeof__(cairo_rectangle) *_Nonnull rectangle;
    __typeof__(cairo_scaled_font_reference) *_Nonnull scaled_font_reference;
    __typeof__(cairo_select_font_face) *_Nonnull select_font_face;
    __typeof__(cairo_set_font_size) *_Nonnull set_font_size;
    __typeof__(cairo_set_line_width) *_Nonnull set_line_width;
    __typeof__(cairo_set_source_rgb) *_Nonnull set_source_rgb;
    __typeof__(cairo_set_source_rgba) *_Nonnull set_source_rgba;
    __typeof__(cairo_show_text) *_Nonnull show_text;
    __typeof__(cairo_status) *_Nonnull status;
    __typeof__(cairo_stroke) *_Nonnull stroke;
    __typeof__(cairo_surface_destroy) *_Nonnull surface_destroy;
    __typeof__(cairo_surface_flush) *_Nonnull surface_flush;
    __typeof__(cairo_surface_mark_dirty) *_Nonnull surface_mark_dirty;
    __typeof__(cairo_surface_write_to_png_stream) *_Nonnull surface_write_to_png_stream;
    __typeof__(cairo_text_extents) *_Nonnull text_extents;
} cairo_functions;

/// Loads libcairo at the first call, which must come before the sandbox. NULL when it is missing.
const cairo_functions *_Nullable cairo_load(void);
