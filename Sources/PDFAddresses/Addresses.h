// SPDX-License-Identifier: Apache-2.0
// Texts that lead somewhere, judged alike by the survey and by the cleaning. For C++ alone.
#pragma once

#include <stddef.h>

/// Where an address leads.
typedef enum {
    /// The web, mail, or nowhere in particular.
    pdf_address_harmless = 0,
    /// Another scheme, or another machine's files.
    pdf_address_external,
    /// A script.
    pdf_address_script,
} pdf_address;

/// Judges the address of a link as readers take it. Web and mail are harmless, and so is what has no scheme.
pdf_address pdf_judge_address(const char *text, size_t length);
/// Whether bytes (a text string or XMP) name a file or folder on somebody's machine.
bool pdf_names_private_path(const char *text, size_t length);
/// Whether the XML of an XFA form carries scripts. FormCalc counts as well: it runs in the reader's program too.
bool pdf_xfa_has_scripts(const char *xml, size_t length);
