// SPDX-License-Identifier: Apache-2.0
// Takes out of a PDF what has no business in a sheet and leaves its pages alone: libqpdf behind a C interface, in a library
// of its own. Loading it takes as long as reading a small sheet, and most readings make no copy.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How it ended.
typedef enum {
    pdf_cleaning_ok = 0,
    /// Damaged beyond what libqpdf mends.
    pdf_cleaning_damaged,
    /// A password is needed.
    pdf_cleaning_encrypted,
    /// More objects than a sheet can need.
    pdf_cleaning_too_complex,
    /// The copy is larger than allowed.
    pdf_cleaning_too_large,
    /// Address space ran out.
    pdf_cleaning_no_memory,
    /// The library was not loaded.
    pdf_cleaning_unavailable,
} pdf_cleaning_status;

/// Kinds of things that are taken out.
typedef enum {
    pdf_removed_scripts = 0,
    pdf_removed_launches,
    pdf_removed_external_actions,
    pdf_removed_external_content,
    pdf_removed_embedded_files,
    /// Icons of attachments, drawn by the reader's program: the page shows them no more.
    pdf_removed_icons,
    pdf_removed_media,
    pdf_removed_films,
    pdf_removed_xfa,
    pdf_removed_private_metadata,
    pdf_removed_application_data,
    pdf_removed_signatures,
    pdf_removed_encryption,
    pdf_removed_kinds,
} pdf_removed_kind;

/// A clean copy; `bytes` belongs to the caller, who releases it with `free`.
typedef struct {
    uint8_t *bytes;
    size_t length;
    uint32_t removed[pdf_removed_kinds];
} pdf_clean_copy;

/// Makes a clean copy of a file in memory, the same bytes on every run. All that the library offers.
pdf_cleaning_status sheet_make_clean_copy(const uint8_t *bytes, size_t length, size_t maximum_length, pdf_clean_copy *copy);

#ifdef __cplusplus
}
#endif
