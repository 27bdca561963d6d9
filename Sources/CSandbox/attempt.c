// SPDX-License-Identifier: Apache-2.0
// Proofs by trying: what `sheet-inspect --check-sandbox` runs, each in a process of its own.
#define _GNU_SOURCE
#include "CSandbox.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static bool try_open(const char *path, int flags) {
    const int descriptor = open(path, flags, 0600);
    if (descriptor < 0) {
        return false;
    }
    close(descriptor);
    return true;
}

static bool try_socket(void) {
    const int descriptor = socket(AF_INET, SOCK_STREAM, 0);
    if (descriptor < 0) {
        return false;
    }
    close(descriptor);
    return true;
}

static bool try_fork(void) {
    const pid_t child = fork();
    if (child == 0) {
        _exit(0);
    }
    if (child < 0) {
        return false;
    }
    waitpid(child, NULL, 0);
    return true;
}

static bool try_memory(void) {
    for (int i = 0; i < 64; i++) {
        volatile char *block = malloc(64 << 20);
        if (!block) {
            return false;
        }
        for (size_t at = 0; at < (64 << 20); at += 4096) {
            block[at] = 1;
        }
    }
    return true;
}

static bool try_cpu(void) {
    for (volatile uint64_t i = 0; i < 400000000000; i++) {
    }
    return true;
}

bool sandbox_attempt(sandbox_attempt_kind kind) {
    switch (kind) {
    case sandbox_try_read_file: return try_open("/etc/passwd", O_RDONLY) || try_open("/proc/self/maps", O_RDONLY);
    case sandbox_try_write_file: return try_open("/tmp/sheet-inspect-attempt", O_WRONLY | O_CREAT | O_TRUNC);
    case sandbox_try_socket: return try_socket();
    case sandbox_try_fork: return try_fork();
    case sandbox_try_exec: return execl("/bin/true", "true", (char *)NULL) == 0;
    case sandbox_try_memory: return try_memory();
    case sandbox_try_cpu: return try_cpu();
    case sandbox_try_signal_parent: return kill(getppid(), 0) == 0 || fcntl(STDIN_FILENO, F_SETOWN, getppid()) == 0;
    case sandbox_try_nothing:
    case sandbox_attempts: return false;
    }
    return false;
}

const char *sandbox_attempt_name(sandbox_attempt_kind kind) {
    switch (kind) {
    case sandbox_try_nothing: return "start";
    case sandbox_try_read_file: return "read another file";
    case sandbox_try_write_file: return "write a file";
    case sandbox_try_socket: return "open a socket";
    case sandbox_try_fork: return "start a process";
    case sandbox_try_exec: return "run a program";
    case sandbox_try_memory: return "take 4 GiB of memory";
    case sandbox_try_cpu: return "compute for minutes";
    case sandbox_try_signal_parent: return "signal another process";
    case sandbox_attempts: return "";
    }
    return "";
}
