// SPDX-License-Identifier: Apache-2.0
// Names that look like others (Unicode Technical Standard 39), by ICU.
#ifndef SHEETMARKET_SPOOF_H
#define SHEETMARKET_SPOOF_H

#include <stdbool.h>
#include <stddef.h>

// Writes the skeleton of `length` bytes of UTF-8 to `skeleton`, which holds `capacity` bytes: texts that look alike have
// the same. Gives its length, or -1 when it does not fit or ICU cannot tell.
int spoof_skeleton(const char *text, size_t length, char *skeleton, size_t capacity);

// Whether a name mixes scripts as no language does, has digits of several systems, or hides characters.
bool spoof_is_suspicious(const char *text, size_t length);

#endif
