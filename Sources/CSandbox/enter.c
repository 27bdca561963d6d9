// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CSandbox.h"
#include "internal.h"

#include <errno.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static const uid_t nobody = 65534;

static bool limit(__rlimit_resource_t resource, rlim_t soft, rlim_t hard) {
    struct rlimit current;
    if (getrlimit(resource, &current) != 0) {
        return false;
    }
    if (current.rlim_max != RLIM_INFINITY && hard > current.rlim_max) {
        hard = current.rlim_max;
    }
    const struct rlimit wanted = {soft < hard ? soft : hard, hard};
    return setrlimit(resource, &wanted) == 0;
}

// Resource limits last, or the steps before could not do their work.
static bool set_limits(const sandbox_limits *limits) {
    // One more second than the soft limit, so that SIGXCPU comes before SIGKILL.
    const rlim_t most = limits->cpu_seconds_at_most > limits->cpu_seconds ? limits->cpu_seconds_at_most
                                                                          : limits->cpu_seconds;
    return limit(RLIMIT_CORE, 0, 0) && limit(RLIMIT_FSIZE, 0, 0) && limit(RLIMIT_NPROC, 0, 0) &&
           limit(RLIMIT_MEMLOCK, 0, 0) && limit(RLIMIT_MSGQUEUE, 0, 0) &&
           limit(RLIMIT_CPU, limits->cpu_seconds, most + 1) &&
           limit(RLIMIT_AS, limits->memory_bytes, limits->memory_bytes);
}

static const char *missing[2];
static size_t missing_count;

static void note_missing(const char *what) {
    missing[missing_count++] = what;
}

const char *sandbox_missing(size_t index) { return index < missing_count ? missing[index] : NULL; }

// The folder of a process that is gone: empty for good, and nothing is left on any disk when we are killed.
static int enter_own_folder(void *unused) {
    (void)unused;
    return chroot("/proc/self/fdinfo") == 0 && chdir("/") == 0 ? 0 : 1;
}

// A child shares our root directory, moves it into its own folder and ends. Asked of the kernel, not relied on:
// without privileges and user namespaces it is refused, and the list of system calls alone keeps files out of reach.
static bool empty_root(void) {
    static char stack[16384] __attribute__((aligned(16)));
    const pid_t child = clone(enter_own_folder, stack + sizeof stack, CLONE_FS | CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);
    if (child < 0) {
        return false;
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status == 0;
}

static void leave_namespaces(void) {
    const int wanted = CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS;
    missing_count = 0;
    if (unshare(geteuid() == 0 ? wanted : wanted | CLONE_NEWUSER) != 0) {
        note_missing("network namespace");
    }
    if (!empty_root()) {
        note_missing("empty root directory");
    }
}

static bool leave_root_user(void) {
    if (geteuid() != 0) {
        return true;
    }
    return setgroups(0, NULL) == 0 && setresgid(nobody, nobody, nobody) == 0 && setresuid(nobody, nobody, nobody) == 0;
}

// A malloc that fails leaves ENOMEM behind, and poppler's allocators then abort.
static void on_abort(int signal) {
    if (errno == ENOMEM) {
        _exit(sandbox_exit_memory);
    }
    struct sigaction standard = {.sa_handler = SIG_DFL};
    sigaction(signal, &standard, NULL);
    raise(signal);
}

const char *sandbox_enter(const sandbox_limits *limits) {
    clearenv();
    umask(077);
    leave_namespaces();
    if (!leave_root_user()) {
        return "changing to an unprivileged user";
    }
    // Changing the user clears both of these.
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) {
        return "forbidding core dumps and debuggers";
    }
    if (limits->dies_with_parent && prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0) {
        return "ending with the parent";
    }
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        return "forbidding new privileges";
    }
    signal(SIGXFSZ, SIG_IGN);
    const struct sigaction abort_action = {.sa_handler = on_abort, .sa_flags = SA_RESETHAND};
    sigaction(SIGABRT, &abort_action, NULL);
    if (!set_limits(limits)) {
        return "setting resource limits";
    }
    const char *failed = sandbox_filter_calls(limits->takes_files);
    if (failed) {
        return failed;
    }
    sandbox_set_alarm(limits->wall_seconds);
    return NULL;
}

void sandbox_set_cpu_seconds(uint32_t seconds) {
    struct rusage used;
    struct rlimit current;
    if (getrusage(RUSAGE_SELF, &used) != 0 || getrlimit(RLIMIT_CPU, &current) != 0) {
        return;
    }
    const rlim_t wanted = (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec + 1) + seconds;
    current.rlim_cur = wanted < current.rlim_max ? wanted : current.rlim_max;
    setrlimit(RLIMIT_CPU, &current);
}

static struct {
    int descriptor;
    char *bytes;
    size_t count;
} last_words;

static void on_long_step(int signal) {
    (void)signal;
    size_t done = 0;
    while (done < last_words.count) {
        const ssize_t written = write(last_words.descriptor, last_words.bytes + done, last_words.count - done);
        if (written < 0 && errno != EINTR) {
            break;
        }
        done += written > 0 ? (size_t)written : 0;
    }
    _exit(done > 0 && done == last_words.count ? 0 : sandbox_exit_long_step);
}

void sandbox_set_last_words(int descriptor, const void *bytes, size_t count) {
    // Only set between steps, when no signal comes.
    char *copy = count > 0 ? malloc(count) : NULL;
    if (copy) {
        memcpy(copy, bytes, count);
    }
    free(last_words.bytes);
    last_words.descriptor = descriptor;
    last_words.bytes = copy;
    last_words.count = copy ? count : 0;
}

uint32_t sandbox_limit_step(uint32_t milliseconds) {
    const struct sigaction action = {.sa_handler = on_long_step};
    const struct itimerval timer = {
        .it_value = {.tv_sec = milliseconds / 1000, .tv_usec = (suseconds_t)(milliseconds % 1000) * 1000}};
    struct itimerval before = {.it_value = {0}};
    sigaction(SIGPROF, &action, NULL);
    setitimer(ITIMER_PROF, &timer, &before);
    return (uint32_t)before.it_value.tv_sec * 1000 + (uint32_t)before.it_value.tv_usec / 1000;
}

void sandbox_set_alarm(uint32_t seconds) {
    const struct itimerval timer = {.it_value = {.tv_sec = seconds}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

pid_t sandbox_fork(void) { return fork(); }

ssize_t sandbox_receive(int socket, void *bytes, size_t size, int *descriptor) {
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec piece = {.iov_base = bytes, .iov_len = size};
    struct msghdr message = {
        .msg_iov = &piece, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    ssize_t count;
    do {
        count = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    } while (count < 0 && errno == EINTR);
    *descriptor = -1;
    const struct cmsghdr *head = count > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS &&
        head->cmsg_len == CMSG_LEN(sizeof(int))) {
        memcpy(descriptor, CMSG_DATA(head), sizeof(int));
    }
    return message.msg_flags & MSG_TRUNC ? -1 : count;
}
