// SPDX-License-Identifier: Apache-2.0
// The walls around the process that parses a hostile file. Linux only.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// Exit codes by which a reader says why it ended early.
enum {
    /// Address space ran out.
    sandbox_exit_memory = 71,
    /// The walls could not be put up: nothing was read.
    sandbox_exit_unavailable = 69,
    /// A step took more of the processor's time than `sandbox_limit_step` allowed.
    sandbox_exit_long_step = 73,
};

/// What the process may use from now on.
typedef struct {
    uint64_t memory_bytes;
    uint32_t cpu_seconds;
    /// How far `sandbox_set_cpu_seconds` may later raise it.
    uint32_t cpu_seconds_at_most;
    /// Elapsed seconds until SIGALRM; 0 for no alarm.
    uint32_t wall_seconds;
    /// Get SIGKILL when the thread that started this process ends.
    bool dies_with_parent;
    /// Whether `sandbox_receive` may be called on standard input.
    bool takes_files;
} sandbox_limits;

/// Opens a file that stays readable by its path inside the sandbox. Silently does nothing when it cannot.
void sandbox_keep_file(const char *path);

/// Makes the heap keep what is freed and use large pages: reading a sheet fills and frees many blocks of some megabytes,
/// and page by page the kernel would take longer for them than the reading. For a process with one thread, before the walls.
/// Takes an eighth of the memory there will be, at most 64 MiB, as address space.
void sandbox_prepare_heap(uint64_t memory_bytes);

/// Puts up the walls: limits, no new privileges, no other user's rights, no network, an empty root directory and a
/// list of allowed system calls. NULL when they stand, else the step that failed.
const char *sandbox_enter(const sandbox_limits *limits);
/// What the kernel refused and the sandbox does without, by its index from 0; NULL after the last.
const char *sandbox_missing(size_t index);

/// Takes one message and the descriptor that came with it, or -1, from a socket that keeps messages apart.
/// Returns the message's size, 0 when the other side is gone, -1 when the message is too large or the call failed.
ssize_t sandbox_receive(int socket, void *bytes, size_t size, int *descriptor);

/// Moves the soft CPU limit to `seconds` from now.
void sandbox_set_cpu_seconds(uint32_t seconds);
/// Has the process end once it has used so many milliseconds more of the processor's time; with 0, no more. For a step that does
/// not look at a clock itself. Returns what was left of the limit before.
uint32_t sandbox_limit_step(uint32_t milliseconds);
/// What a process that ends so writes before it exits with 0, in the place of what was set before; a copy is kept. Without any it
/// exits with `sandbox_exit_long_step`.
void sandbox_set_last_words(int descriptor, const void *bytes, size_t count);
/// Arms the alarm anew, or disarms it with 0.
void sandbox_set_alarm(uint32_t seconds);

/// The program's argument by its index, its name first; NULL after the last. To find them, Swift has the kernel describe all of
/// the memory, which takes a thirtieth of a small sheet.
const char *sandbox_argument(int index);

/// `fork`, which Swift does not offer. For a process with one thread.
pid_t sandbox_fork(void);

/// What a sandboxed process is tried for by `sandbox_attempt`.
typedef enum {
    sandbox_try_nothing = 0,
    sandbox_try_read_file,
    sandbox_try_write_file,
    sandbox_try_socket,
    sandbox_try_fork,
    sandbox_try_exec,
    sandbox_try_memory,
    sandbox_try_cpu,
    sandbox_try_signal_parent,
    sandbox_attempts,
} sandbox_attempt_kind;

/// Tries what must not work. True when it was allowed.
bool sandbox_attempt(sandbox_attempt_kind kind);
/// Its name in plain words.
const char *sandbox_attempt_name(sandbox_attempt_kind kind);
