// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>

/// Loads the list of allowed system calls. NULL, or the step that failed.
const char *sandbox_filter_calls(bool takes_files);
