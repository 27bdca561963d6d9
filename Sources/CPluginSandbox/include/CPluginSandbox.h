// SPDX-License-Identifier: Apache-2.0
// The walls around a program of somebody else that imports files. Linux only.
#pragma once

#include <stdbool.h>
#include <stdint.h>

/// What the program and each process it starts may use.
typedef struct {
    uint64_t memory_bytes;
    uint32_t cpu_seconds;
    /// Size of its private scratch folder, which lies in memory.
    uint64_t scratch_bytes;
    uint32_t processes;
} plugin_limits;

/// Exit code when the walls could not be put up: nothing was run.
enum { plugin_exit_unavailable = 69 };

/// Replaces this process by `command` behind the walls: another user when this one is root, no new privileges, resource
/// limits, namespaces of its own (no network), a file system of the system's programs and libraries, `folder` (as
/// `/plugin`, the working directory) and a scratch folder in memory, and a list of system calls. Descriptors 0 to 4 go
/// along. Returns only when it failed, with the step that did.
const char *plugin_sandbox_enter(const plugin_limits *limits, const char *folder, char *const *command);
