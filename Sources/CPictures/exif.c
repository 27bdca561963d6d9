// SPDX-License-Identifier: Apache-2.0
#include "CPictures.h"

#include <stdbool.h>
#include <string.h>

static unsigned number(const uint8_t *bytes, unsigned count, bool is_little) {
    unsigned value = 0;
    for (unsigned place = 0; place < count; place++) {
        value = value << 8 | bytes[is_little ? count - 1 - place : place];
    }
    return value;
}

int picture_orientation(const uint8_t *block, size_t length) {
    if (length < 14 || memcmp(block, "Exif\0", 6) != 0) {
        return 1;
    }
    const uint8_t *tiff = block + 6;
    const size_t size = length - 6;
    const bool is_little = tiff[0] == 'I';
    const size_t directory = number(tiff + 4, 4, is_little);
    if (directory > size - 2) {
        return 1;
    }
    const unsigned entries = number(tiff + directory, 2, is_little);
    for (unsigned entry = 0; entry < entries; entry++) {
        const size_t at = directory + 2 + (size_t)12 * entry;
        if (at + 12 > size) {
            return 1;
        }
        if (number(tiff + at, 2, is_little) == 0x0112) {
            const unsigned value = number(tiff + at + 8, 2, is_little);
            return value >= 1 && value <= 8 ? (int)value : 1;
        }
    }
    return 1;
}
