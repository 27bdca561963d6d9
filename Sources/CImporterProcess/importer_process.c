// SPDX-License-Identifier: Apache-2.0
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CImporterProcess.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

enum { input_number = 3, artifact_number = 4, first_free_number = 10, pipes = 4 };

// Both ends above the numbers that the child gets, or arranging those would overwrite them.
static int make_pipe(int ends[2]) {
    int made[2];
    if (pipe2(made, O_CLOEXEC) != 0) {
        return errno;
    }
    int failed = 0;
    for (int i = 0; i < 2; i++) {
        ends[i] = failed ? -1 : fcntl(made[i], F_DUPFD_CLOEXEC, first_free_number);
        failed = failed ? failed : (ends[i] < 0 ? errno : 0);
        close(made[i]);
    }
    if (failed && ends[0] >= 0) {
        close(ends[0]);
        ends[0] = -1;
    }
    return failed;
}

static int arrange(posix_spawn_file_actions_t *actions, posix_spawnattr_t *attributes, int input,
                   int request, int answer, int complaints, int artifact) {
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int failed = posix_spawn_file_actions_adddup2(actions, request, STDIN_FILENO);
    failed = failed ? failed : posix_spawn_file_actions_adddup2(actions, answer, STDOUT_FILENO);
    failed = failed ? failed : posix_spawn_file_actions_adddup2(actions, complaints, STDERR_FILENO);
    failed = failed ? failed : posix_spawn_file_actions_adddup2(actions, input, input_number);
    failed = failed ? failed : posix_spawn_file_actions_adddup2(actions, artifact, artifact_number);
    failed = failed ? failed : posix_spawn_file_actions_addclosefrom_np(actions, artifact_number + 1);
    failed = failed ? failed : posix_spawn_file_actions_addchdir_np(actions, "/");
    failed = failed ? failed : posix_spawnattr_setsigmask(attributes, &none);
    failed = failed ? failed : posix_spawnattr_setsigdefault(attributes, &all);
    const short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID;
    return failed ? failed : posix_spawnattr_setflags(attributes, flags);
}

int importer_spawn(char *const *arguments, int input, importer_process *result) {
    int ends[pipes][2];
    for (int i = 0; i < pipes; i++) {
        ends[i][0] = ends[i][1] = -1;
    }
    const int file = fcntl(input, F_DUPFD_CLOEXEC, first_free_number);
    int failed = file < 0 ? errno : 0;
    for (int i = 0; i < pipes && !failed; i++) {
        failed = make_pipe(ends[i]);
    }
    if (!failed) {
        posix_spawn_file_actions_t actions;
        posix_spawnattr_t attributes;
        posix_spawn_file_actions_init(&actions);
        posix_spawnattr_init(&attributes);
        char *const environment[] = {NULL};
        failed = arrange(&actions, &attributes, file, ends[0][0], ends[1][1], ends[2][1], ends[3][1]);
        if (!failed) {
            failed = posix_spawn(&result->process, arguments[0], &actions, &attributes, arguments, environment);
        }
        posix_spawn_file_actions_destroy(&actions);
        posix_spawnattr_destroy(&attributes);
    }
    for (int i = 0; i < pipes; i++) {
        const int childs = i == 0 ? 0 : 1;
        if (ends[i][childs] >= 0) {
            close(ends[i][childs]);
        }
        if (failed && ends[i][1 - childs] >= 0) {
            close(ends[i][1 - childs]);
        }
    }
    if (file >= 0) {
        close(file);
    }
    result->request = ends[0][1];
    result->answer = ends[1][0];
    result->complaints = ends[2][0];
    result->artifact = ends[3][0];
    return failed;
}

bool importer_has_ended(pid_t process) {
    siginfo_t information = {0};
    return waitid(P_PID, (id_t)process, &information, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           information.si_pid == process;
}
