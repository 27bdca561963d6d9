// SPDX-License-Identifier: Apache-2.0
// Starting an importer program takes what Swift's view of the C library leaves out.
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/// The ends of an importer program's pipes that stay with its supervisor.
typedef struct {
    pid_t process;
    /// Its standard input is written here.
    int request;
    /// Its standard output is read from here.
    int answer;
    /// Its descriptor 4, the artifact, is read from here.
    int artifact;
    /// Its standard error is read from here.
    int complaints;
} importer_process;

/// Runs `arguments[0]` with these arguments in a session and process group of its own: an empty environment, `/` as its
/// directory, pipes as descriptors 0, 1, 2 and 4, `input` as descriptor 3 and no other one. Returns 0 or an errno code.
int importer_spawn(char *const *arguments, int input, importer_process *result);

/// Whether a child has ended. Its status stays to be taken.
bool importer_has_ended(pid_t process);
