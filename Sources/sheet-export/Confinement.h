// SPDX-License-Identifier: Apache-2.0
// The sandbox of CSandbox, for C++: C++20 would take its header for a module of its own.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// Exit statuses of CSandbox: the sandbox cannot be had; memory ran out.
extern const int confinement_exit_unavailable;
extern const int confinement_exit_memory;

/// Puts the process into the sandbox before it reads a sheet. `NULL` when it stands, else the step that failed.
const char *confine(void);

#ifdef __cplusplus
}
#endif
