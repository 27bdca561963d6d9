// SPDX-License-Identifier: Apache-2.0
// Reads PNG and JPEG, which strangers may have made: to be used inside the sandbox alone. libjpeg and libpng tell of failures
// by jumping, which Swift does not bear.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    /// Red, green and blue of each pixel, rows from the top, on white; to be freed with `free`.
    uint8_t *pixels;
    uint32_t width, height;
    /// How it is to be turned and mirrored, as in Exif: 1…8.
    int orientation;
} picture;

typedef enum {
    picture_read = 0,
    picture_damaged,
    picture_too_large,
    picture_animated,
    picture_no_memory,
} picture_outcome;

/// Reads a PNG of at most so many pixels.
picture_outcome picture_read_png(const uint8_t *bytes, size_t length, size_t most_pixels, picture *made);

/// Reads a JPEG of at most so many pixels; one that has far more than `least_side` on each side is made smaller on the way.
picture_outcome picture_read_jpeg(
    const uint8_t *bytes, size_t length, size_t most_pixels, uint32_t least_side, picture *made);

/// The orientation in an Exif block, as a JPEG's marker holds it; 1 if it says none.
int picture_orientation(const uint8_t *block, size_t length);

#ifdef __cplusplus
}
#endif
