// SPDX-License-Identifier: Apache-2.0
#include "CSandbox.h"

static int argument_count;
static char **argument_values;

// glibc hands constructors what it hands `main`.
__attribute__((constructor)) static void keep_arguments(int count, char **values) {
    argument_count = count;
    argument_values = values;
}

const char *sandbox_argument(int index) { return index < argument_count ? argument_values[index] : NULL; }
