// SPDX-License-Identifier: Apache-2.0
#include "JPEGReading.h"

#include <CPictures.h>

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

/// A picture in finer and finer passes may have any number of them, each as dear as all of it.
enum { most_scans = 64 };

struct failure {
    struct jpeg_error_mgr manager;
    jmp_buf way_out;
};

static void leave(j_common_ptr codec) { longjmp(((struct failure *)codec->err)->way_out, 1); }
static void say_nothing(j_common_ptr codec, int level)
{
    (void)codec;
    (void)level;
}

static void limit_scans(j_common_ptr codec)
{
    if (codec->is_decompressor && ((j_decompress_ptr)codec)->input_scan_number > most_scans) {
        leave(codec);
    }
}

static struct jpeg_progress_mgr progress = {.progress_monitor = limit_scans};

static struct jpeg_error_mgr *prepare(struct failure *failure)
{
    jpeg_std_error(&failure->manager);
    failure->manager.error_exit = leave;
    failure->manager.emit_message = say_nothing;
    return &failure->manager;
}

static void begin(j_decompress_ptr reader, const uint8_t *bytes, size_t length)
{
    jpeg_create_decompress(reader);
    reader->progress = &progress;
    jpeg_mem_src(reader, bytes, length);
}

bool jpeg_describe(const uint8_t *bytes, size_t length, jpeg_facts *facts)
{
    struct jpeg_decompress_struct reader;
    struct failure failure;
    memset(&reader, 0, sizeof reader);
    reader.err = prepare(&failure);
    if (setjmp(failure.way_out)) {
        jpeg_destroy_decompress(&reader);
        return false;
    }
    begin(&reader, bytes, length);
    jpeg_save_markers(&reader, JPEG_APP0 + 1, 0xFFFF);
    jpeg_read_header(&reader, TRUE);
    facts->width = reader.image_width;
    facts->height = reader.image_height;
    facts->is_plain = reader.num_components == 1 || reader.num_components == 3;
    facts->orientation = 1;
    for (jpeg_saved_marker_ptr marker = reader.marker_list; marker; marker = marker->next) {
        if (facts->orientation == 1) {
            facts->orientation = picture_orientation(marker->data, marker->data_length);
        }
    }
    jpeg_destroy_decompress(&reader);
    return true;
}

/// Four inks as light, in place: programs that write them store them the other way round.
static void make_light(uint8_t *row, uint32_t width)
{
    for (uint32_t x = 0; x < width; x++, row += 4) {
        const uint8_t inks[4] = {row[0], row[1], row[2], row[3]};
        for (unsigned part = 0; part < 3; part++) {
            row[2 - part] = (uint8_t)(inks[part] * inks[3] / 255);
        }
        row[3] = 0xFF;
    }
}

bool jpeg_decode(const uint8_t *bytes, size_t length, uint8_t *pixels, size_t stride)
{
    struct jpeg_decompress_struct reader;
    struct failure failure;
    memset(&reader, 0, sizeof reader);
    reader.err = prepare(&failure);
    if (setjmp(failure.way_out)) {
        jpeg_destroy_decompress(&reader);
        return false;
    }
    begin(&reader, bytes, length);
    jpeg_read_header(&reader, TRUE);
    const bool is_plain = reader.num_components == 1 || reader.num_components == 3;
    reader.out_color_space = is_plain ? JCS_EXT_BGRX : JCS_CMYK;
    jpeg_start_decompress(&reader);
    // One row of four inks has as many bytes as one of pixels.
    while (reader.output_scanline < reader.output_height) {
        uint8_t *row = pixels + reader.output_scanline * stride;
        jpeg_read_scanlines(&reader, &row, 1);
        if (!is_plain) {
            make_light(row, reader.output_width);
        }
    }
    jpeg_finish_decompress(&reader);
    jpeg_destroy_decompress(&reader);
    return true;
}

uint8_t *jpeg_cleaned(const uint8_t *bytes, size_t length, size_t *made)
{
    struct jpeg_decompress_struct reader;
    struct jpeg_compress_struct writer;
    struct failure failure;
    // Not in registers, which a jump forgets.
    struct {
        unsigned char *bytes;
        unsigned long length;
    } volatile target = {NULL, 0};
    memset(&reader, 0, sizeof reader);
    memset(&writer, 0, sizeof writer);
    reader.err = writer.err = prepare(&failure);
    if (setjmp(failure.way_out)) {
        jpeg_destroy_compress(&writer);
        jpeg_destroy_decompress(&reader);
        free(target.bytes);
        return NULL;
    }
    begin(&reader, bytes, length);
    jpeg_read_header(&reader, TRUE);
    jvirt_barray_ptr *coefficients = jpeg_read_coefficients(&reader);
    jpeg_create_compress(&writer);
    jpeg_mem_dest(&writer, (unsigned char **)&target.bytes, (unsigned long *)&target.length);
    jpeg_copy_critical_parameters(&reader, &writer);
    writer.optimize_coding = TRUE;
    jpeg_write_coefficients(&writer, coefficients);
    jpeg_finish_compress(&writer);
    jpeg_destroy_compress(&writer);
    jpeg_finish_decompress(&reader);
    jpeg_destroy_decompress(&reader);
    *made = target.length;
    return target.bytes;
}
