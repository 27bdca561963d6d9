// SPDX-License-Identifier: Apache-2.0
#include "CCairo.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

static cairo_functions functions;
static bool is_loaded;

static bool take(void *library, void *target, const char *name) {
    void *symbol = dlsym(library, name);
    *(void **)target = symbol;
    return symbol != NULL;
}

#define TAKE(name) is_whole &= take(library, (void *)&functions.name, "cairo_" #name)

const cairo_functions *cairo_load(void) {
    if (!is_loaded) {
        void *library = dlopen("libcairo.so.2", RTLD_NOW | RTLD_LOCAL);
        if (!library) {
            return NULL;
        }
        bool is_whole = true;
        TAKE(create);
        TAKE(destroy);
        TAKE(fill);
        TAKE(fill_preserve);
        TAKE(get_scaled_font);
        TAKE(image_surface_create);
        TAKE(image_surface_create_for_data);
        TAKE(image_surface_get_data);
        TAKE(image_surface_get_stride);
        TAKE(move_to);
        TAKE(rectangle);
        TAKE(scaled_font_reference);
        TAKE(select_font_face);
        TAKE(set_font_size);
        TAKE(set_line_width);
        TAKE(set_source_rgb);
        TAKE(set_source_rgba);
        TAKE(show_text);
        TAKE(status);
        TAKE(stroke);
        TAKE(surface_destroy);
        TAKE(surface_flush);
        TAKE(surface_mark_dirty);
        TAKE(surface_write_to_png_stream);
        TAKE(text_extents);
        is_loaded = is_whole;
    }
    return is_loaded ? &functions : NULL;
}
