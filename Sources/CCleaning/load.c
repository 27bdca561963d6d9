// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CCleaning.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static __typeof__(sheet_make_clean_copy) *make_copy;

static const char *const places[] = {"/libSheetCleaning.so", "/../lib/sheetmarket/libSheetCleaning.so"};

/// The folder of this program; false when it is not known or too long.
static bool own_folder(char *folder, size_t size) {
    const ssize_t length = readlink("/proc/self/exe", folder, size);
    if (length <= 0 || (size_t)length >= size) {
        return false;
    }
    folder[length] = 0;
    char *end = strrchr(folder, '/');
    if (!end) {
        return false;
    }
    *end = 0;
    return true;
}

const char *pdf_load_cleaning(void) {
    if (make_copy) {
        return NULL;
    }
    char folder[PATH_MAX];
    char path[PATH_MAX + 64];
    void *library = NULL;
    if (!own_folder(folder, sizeof folder)) {
        return "the program's own folder is not known";
    }
    for (size_t i = 0; !library && i < sizeof places / sizeof *places; i++) {
        snprintf(path, sizeof path, "%s%s", folder, places[i]);
        // Everything is looked up now: the sandbox will not let it be.
        if (access(path, R_OK) == 0 || i + 1 == sizeof places / sizeof *places) {
            library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        }
    }
    if (library) {
        make_copy = (__typeof__(make_copy))dlsym(library, "sheet_make_clean_copy");
    }
    return make_copy ? NULL : dlerror();
}

pdf_cleaning_status pdf_make_clean_copy(const uint8_t *bytes, size_t length, size_t maximum_length, pdf_clean_copy *copy) {
    *copy = (pdf_clean_copy){0};
    return make_copy ? make_copy(bytes, length, maximum_length, copy) : pdf_cleaning_unavailable;
}
