// SPDX-License-Identifier: Apache-2.0
#include "Confinement.h"

#include <stddef.h>

#include "CSandbox.h"

const int confinement_exit_unavailable = sandbox_exit_unavailable;
const int confinement_exit_memory = sandbox_exit_memory;

const char *confine(void)
{
    const sandbox_limits limits = {
        .memory_bytes = (uint64_t)2 << 30, .cpu_seconds = 60, .cpu_seconds_at_most = 60, .wall_seconds = 120,
        .dies_with_parent = true, .takes_files = false};
    return sandbox_enter(&limits);
}
