// SPDX-License-Identifier: Apache-2.0
// The sandbox of CSandbox, for C++: C++20 would take its header for a module of its own.
#pragma once

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Exit statuses of CSandbox: the sandbox cannot be had; memory ran out.
extern const int confinement_exit_unavailable;
extern const int confinement_exit_memory;

/// Opens a file that stays readable by its path inside the sandbox.
void confinement_keep_file(const char *path);

/// Puts the process into the sandbox before it reads a request. `NULL` when it stands, else the step that failed.
const char *confine(void);

/// Tries each way out in a process of its own, says on standard output what happened, and whether all were shut.
bool confinement_holds(void);

#ifdef __cplusplus
}
#endif
