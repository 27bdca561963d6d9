// SPDX-License-Identifier: Apache-2.0
// libjpeg tells of failures by jumping, which C++ does not bear.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    uint32_t width, height;
    /// How it is to be turned and mirrored, as in Exif: 1…8.
    int orientation;
    /// Whether it is grey, or of red, green and blue.
    bool is_plain;
} jpeg_facts;

/// What a JPEG says of itself. False if it is none.
bool jpeg_describe(const uint8_t *bytes, size_t length, jpeg_facts *facts);

/// Its pixels as 0xXXRRGGBB, `stride` bytes a row. False if it is damaged.
bool jpeg_decode(const uint8_t *bytes, size_t length, uint8_t *pixels, size_t stride);

/// The same picture with nothing beside it: no camera, no place, no thumbnail. To be freed with `free`; `NULL` if it is
/// damaged.
uint8_t *jpeg_cleaned(const uint8_t *bytes, size_t length, size_t *made);

#ifdef __cplusplus
}
#endif
