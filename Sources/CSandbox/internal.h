// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Loads the list of allowed system calls. NULL, or the step that failed.
const char *sandbox_filter_calls(void);
