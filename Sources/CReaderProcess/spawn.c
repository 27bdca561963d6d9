// SPDX-License-Identifier: Apache-2.0
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CReaderProcess.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

static int configure(posix_spawn_file_actions_t *actions, posix_spawnattr_t *attributes, int input, int output) {
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int failed = posix_spawn_file_actions_adddup2(actions, input, STDIN_FILENO);
    failed = failed ? failed : posix_spawn_file_actions_adddup2(actions, output, STDOUT_FILENO);
    failed = failed ? failed : posix_spawn_file_actions_addopen(actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    failed = failed ? failed : posix_spawn_file_actions_addclosefrom_np(actions, STDERR_FILENO + 1);
    failed = failed ? failed : posix_spawn_file_actions_addchdir_np(actions, "/");
    failed = failed ? failed : posix_spawnattr_setsigmask(attributes, &none);
    failed = failed ? failed : posix_spawnattr_setsigdefault(attributes, &all);
    const short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID;
    return failed ? failed : posix_spawnattr_setflags(attributes, flags);
}

int reader_spawn(const char *executable, const char *request, int input, pid_t *process, int *output) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return errno;
    }
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    char *const environment[] = {NULL};
    char *const arguments[] = {(char *)executable, "--supervised", (char *)request, NULL};
    int failed = configure(&actions, &attributes, input, ends[1]);
    if (!failed) {
        failed = posix_spawn(process, executable, &actions, &attributes, arguments, environment);
    }
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    close(ends[1]);
    if (failed) {
        close(ends[0]);
        return failed;
    }
    *output = ends[0];
    return 0;
}

bool reader_has_ended(pid_t process) {
    siginfo_t information = {0};
    return waitid(P_PID, (id_t)process, &information, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           information.si_pid == process;
}
