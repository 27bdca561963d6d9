// SPDX-License-Identifier: Apache-2.0
#include "CPictures.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

static uint32_t big_endian(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

// An animation says so before its first pixels (APNG); libpng would show the first picture and pass over the rest.
static bool is_animated(const uint8_t *bytes, size_t length) {
    size_t place = 8;
    while (place + 12 <= length) {
        const uint8_t *name = bytes + place + 4;
        if (memcmp(name, "acTL", 4) == 0) {
            return true;
        }
        if (memcmp(name, "IDAT", 4) == 0) {
            return false;
        }
        const size_t size = big_endian(bytes + place);
        if (size > length - place - 12) {
            return false;
        }
        place += 12 + size;
    }
    return false;
}

picture_outcome picture_read_png(const uint8_t *bytes, size_t length, size_t most_pixels, picture *made) {
    if (is_animated(bytes, length)) {
        return picture_animated;
    }
    png_image image;
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    if (!png_image_begin_read_from_memory(&image, bytes, length)) {
        return picture_damaged;
    }
    picture_outcome outcome = picture_damaged;
    uint8_t *pixels = NULL;
    if (!image.width || !image.height || (size_t)image.width * image.height > most_pixels) {
        outcome = picture_too_large;
    } else if (!(pixels = malloc((size_t)image.width * image.height * 3))) {
        outcome = picture_no_memory;
    } else {
        const png_color white = {255, 255, 255};
        image.format = PNG_FORMAT_RGB;
        if (png_image_finish_read(&image, &white, pixels, 0, NULL)) {
            *made = (picture) {.pixels = pixels, .width = image.width, .height = image.height, .orientation = 1};
            return picture_read;
        }
    }
    free(pixels);
    png_image_free(&image);
    return outcome;
}
