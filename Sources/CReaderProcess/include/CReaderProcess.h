// SPDX-License-Identifier: Apache-2.0
// Starting a reader takes what Swift's view of the C library leaves out.
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/// Runs `executable --supervised request` in a session and process group of its own, with an empty environment, `/` as its directory, `input`
/// as standard input, a pipe as standard output, standard error discarded, and no other descriptor.
/// Returns 0 and gives the process and the pipe's other end, or an errno code.
int reader_spawn(const char *executable, const char *request, int input, pid_t *process, int *output);

/// Whether a child has ended. Its status stays to be taken.
bool reader_has_ended(pid_t process);
