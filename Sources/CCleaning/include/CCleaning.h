// SPDX-License-Identifier: Apache-2.0
// Loads the library that makes clean copies, `PDFCleaning`.
#pragma once

#include "../../PDFCleaning/include/PDFCleaning.h"

/// Loads the library, from beside this program or from `../lib/sheetmarket`; before the sandbox. NULL, or what failed.
const char *pdf_load_cleaning(void);
/// Makes a clean copy by what was loaded.
pdf_cleaning_status pdf_make_clean_copy(const uint8_t *bytes, size_t length, size_t maximum_length, pdf_clean_copy *copy);
