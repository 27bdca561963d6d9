// SPDX-License-Identifier: Apache-2.0
#include "Confinement.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "CSandbox.h"

const int confinement_exit_unavailable = sandbox_exit_unavailable;
const int confinement_exit_memory = sandbox_exit_memory;

static const char *confine_for(uint32_t seconds, uint64_t bytes)
{
    const sandbox_limits limits = {
        .memory_bytes = bytes, .cpu_seconds = seconds, .cpu_seconds_at_most = seconds,
        .wall_seconds = 2 * seconds, .dies_with_parent = true, .takes_files = false};
    return sandbox_enter(&limits);
}

/// What nests deeper than the stack is deep is a sheet's fault.
static char *stack_top;
static const size_t stack_bytes = 96 << 20;

static void on_fault(int number, siginfo_t *info, void *context)
{
    (void)context;
    const char *place = info->si_addr;
    if (place < stack_top && place > stack_top - stack_bytes - (16 << 20)) {
        static const char message[] = "The sheet's file is too damaged to be written anew: it nests too deeply.\n";
        (void)!write(STDERR_FILENO, message, sizeof message - 1);
        _exit(1);
    }
    signal(number, SIG_DFL);
    raise(number);
}

/// Gives the process a deep stack, and a place to stand when it is used up.
static void prepare_stack(void)
{
    static char place_to_stand[1 << 16];
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) == 0) {
        // The kernel keeps room for 128 MiB free below.
        limit.rlim_cur = limit.rlim_max == RLIM_INFINITY || limit.rlim_max > stack_bytes ? stack_bytes : limit.rlim_max;
        setrlimit(RLIMIT_STACK, &limit);
    }
    char here;
    stack_top = &here;
    const stack_t other = {.ss_sp = place_to_stand, .ss_size = sizeof place_to_stand};
    const struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    if (sigaltstack(&other, NULL) == 0) {
        sigaction(SIGSEGV, &action, NULL);
    }
}

const char *confine(void)
{
    prepare_stack();
    return confine_for(30, (uint64_t)2 << 30);
}

void confinement_keep_file(const char *path) { sandbox_keep_file(path); }

static const char *outcome(sandbox_attempt_kind kind)
{
    const pid_t child = fork();
    if (child == 0) {
        _exit(confine_for(1, 512 << 20) ? confinement_exit_unavailable : sandbox_attempt(kind) ? 1 : 0);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFSIGNALED(status)) {
        return "killed";
    }
    switch (WEXITSTATUS(status)) {
    case 0: return "denied";
    case sandbox_exit_unavailable: return "no sandbox";
    default: return "allowed";
    }
}

bool confinement_holds(void)
{
    bool is_tight = true;
    for (int kind = sandbox_try_nothing; kind < sandbox_attempts; kind++) {
        const char *happened = outcome((sandbox_attempt_kind)kind);
        const bool is_shut = happened[0] == 'd' || (happened[0] == 'k' && kind != sandbox_try_nothing);
        is_tight = is_tight && is_shut;
        printf("%s: %s\n", happened, sandbox_attempt_name((sandbox_attempt_kind)kind));
        fflush(stdout);
    }
    return is_tight;
}
