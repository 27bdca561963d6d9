// SPDX-License-Identifier: Apache-2.0
#include "CPictures.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#define JMAKE_ENUM_LIST
#include <jerror.h>

// A picture in finer and finer passes may have any number of them, each as dear as all of it.
enum { most_scans = 64 };

struct failure {
    struct jpeg_error_mgr manager;
    jmp_buf way_out;
    bool is_short_of_memory;
};

static void leave(j_common_ptr codec) {
    struct failure *failure = (struct failure *)codec->err;
    failure->is_short_of_memory = codec->err->msg_code == JERR_OUT_OF_MEMORY;
    longjmp(failure->way_out, 1);
}

// Of warnings only those count that say that a part of the picture is missing: it would be grey.
static void take_no_damage(j_common_ptr codec, int level) {
    const int code = codec->err->msg_code;
    if (level < 0 && (code == JWRN_JPEG_EOF || code == JWRN_HIT_MARKER)) {
        leave(codec);
    }
}

static void limit_scans(j_common_ptr codec) {
    if (codec->is_decompressor && ((j_decompress_ptr)codec)->input_scan_number > most_scans) {
        leave(codec);
    }
}

static int orientation(j_decompress_ptr reader) {
    for (jpeg_saved_marker_ptr marker = reader->marker_list; marker; marker = marker->next) {
        const int found = picture_orientation(marker->data, marker->data_length);
        if (found != 1) {
            return found;
        }
    }
    return 1;
}

static void choose_scale(j_decompress_ptr reader, uint32_t least_side) {
    const uint32_t side = reader->image_width < reader->image_height ? reader->image_width : reader->image_height;
    reader->scale_num = 1;
    reader->scale_denom = 1;
    while (reader->scale_denom < 8 && side / (2 * reader->scale_denom) >= least_side) {
        reader->scale_denom *= 2;
    }
}

// Four inks as light, in place: programs that write them store them the other way round.
static void make_light(const uint8_t *inks, uint8_t *row, uint32_t width) {
    for (uint32_t x = 0; x < width; x++, inks += 4, row += 3) {
        for (unsigned part = 0; part < 3; part++) {
            row[part] = (uint8_t)(inks[part] * inks[3] / 255);
        }
    }
}

// What a jump must not forget.
struct work {
    struct jpeg_decompress_struct reader;
    struct failure failure;
    uint8_t *pixels;
    uint8_t *inks;
};

static picture_outcome decode(struct work *work, size_t most_pixels, uint32_t least_side, picture *made) {
    j_decompress_ptr reader = &work->reader;
    jpeg_save_markers(reader, JPEG_APP0 + 1, 0xFFFF);
    jpeg_read_header(reader, TRUE);
    if ((size_t)reader->image_width * reader->image_height > most_pixels) {
        return picture_too_large;
    }
    const bool is_plain = reader->num_components == 1 || reader->num_components == 3;
    reader->out_color_space = is_plain ? JCS_EXT_RGB : JCS_CMYK;
    choose_scale(reader, least_side);
    jpeg_start_decompress(reader);
    const size_t stride = (size_t)reader->output_width * 3;
    work->pixels = malloc(stride * reader->output_height);
    work->inks = is_plain ? NULL : malloc((size_t)reader->output_width * 4);
    if (!work->pixels || (!is_plain && !work->inks)) {
        return picture_no_memory;
    }
    while (reader->output_scanline < reader->output_height) {
        uint8_t *row = work->pixels + reader->output_scanline * stride;
        uint8_t *target = is_plain ? row : work->inks;
        jpeg_read_scanlines(reader, &target, 1);
        if (!is_plain) {
            make_light(work->inks, row, reader->output_width);
        }
    }
    made->width = reader->output_width;
    made->height = reader->output_height;
    made->orientation = orientation(reader);
    jpeg_finish_decompress(reader);
    made->pixels = work->pixels;
    work->pixels = NULL;
    return picture_read;
}

picture_outcome picture_read_jpeg(
    const uint8_t *bytes, size_t length, size_t most_pixels, uint32_t least_side, picture *made) {
    static struct jpeg_progress_mgr progress = {.progress_monitor = limit_scans};
    struct work *work = calloc(1, sizeof *work);
    if (!work) {
        return picture_no_memory;
    }
    work->reader.err = jpeg_std_error(&work->failure.manager);
    work->failure.manager.error_exit = leave;
    work->failure.manager.emit_message = take_no_damage;
    picture_outcome outcome;
    if (setjmp(work->failure.way_out)) {
        outcome = work->failure.is_short_of_memory ? picture_no_memory : picture_damaged;
    } else {
        jpeg_create_decompress(&work->reader);
        work->reader.progress = &progress;
        jpeg_mem_src(&work->reader, bytes, length);
        outcome = decode(work, most_pixels, least_side, made);
    }
    jpeg_destroy_decompress(&work->reader);
    free(work->pixels);
    free(work->inks);
    free(work);
    return outcome;
}
