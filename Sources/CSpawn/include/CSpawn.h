// SPDX-License-Identifier: Apache-2.0
#ifndef CSPAWN_H
#define CSPAWN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/// Most descriptors that a child is given.
enum { cspawn_most_descriptors = 8 };

/// Starts `argv[0]` in a session of its own, in `/`, with default signals. It finds `descriptors[i]` at number i and no
/// other descriptor of ours; -1 stands for /dev/null. Returns 0 or an error number, as posix_spawn does.
///
/// In C because Swift's Glibc module leaves out the GNU extensions that this takes.
int cspawn_session(pid_t *child, char *const argv[], char *const envp[], const int descriptors[], int count);

/// A pipe whose ends close at every exec. Returns 0 or an error number.
int cspawn_pipe(int ends[2]);

/// Two ends of a nameless socket that keeps messages apart; both close at every exec. Returns 0 or an error number.
int cspawn_socket_pair(int ends[2]);

/// Sends one message with a copy of a descriptor, without waiting. Returns 0 or an error number.
int cspawn_send(int socket, const void *bytes, size_t count, int descriptor);

/// Whether a child has ended. Its status stays to be taken.
bool cspawn_has_ended(pid_t child);

#endif
