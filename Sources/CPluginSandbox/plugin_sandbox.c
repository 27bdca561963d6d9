// SPDX-License-Identifier: Apache-2.0
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CPluginSandbox.h"
#include "plugin_calls.h"

#include <errno.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const uid_t nobody = 65534;
static const char bubblewrap[] = "/usr/bin/bwrap";

enum { most_arguments = 128 };

static bool limit(__rlimit_resource_t resource, rlim_t value) {
    struct rlimit current;
    if (getrlimit(resource, &current) != 0) {
        return false;
    }
    if (current.rlim_max != RLIM_INFINITY && value > current.rlim_max) {
        value = current.rlim_max;
    }
    const struct rlimit wanted = {value, value};
    return setrlimit(resource, &wanted) == 0;
}

static bool set_limits(const plugin_limits *limits) {
    return limit(RLIMIT_CORE, 0) && limit(RLIMIT_MEMLOCK, 0) && limit(RLIMIT_MSGQUEUE, 0) &&
           limit(RLIMIT_NOFILE, 128) && limit(RLIMIT_CPU, limits->cpu_seconds) &&
           limit(RLIMIT_FSIZE, limits->scratch_bytes) && limit(RLIMIT_AS, limits->memory_bytes);
}

static bool leave_root_user(void) {
    if (geteuid() != 0) {
        return true;
    }
    return setgroups(0, NULL) == 0 && setresgid(nobody, nobody, nobody) == 0 && setresuid(nobody, nobody, nobody) == 0;
}

// The folder may lie where only root can go, and root is about to become nobody: it is shown at a place that every Debian
// system has, to this process and its children alone. Where the kernel refuses, its own path has to do.
static const char *within_reach(const char *folder) {
    static const char place[] = "/mnt";
    if (geteuid() != 0 || unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount(folder, place, NULL, MS_BIND, NULL) != 0) {
        return folder;
    }
    return place;
}

typedef struct {
    const char *list[most_arguments];
    int count;
    bool is_full;
} arguments;

static void add(arguments *to, const char *argument) {
    if (to->count >= most_arguments - 1) {
        to->is_full = true;
        return;
    }
    to->list[to->count++] = argument;
    to->list[to->count] = NULL;
}

// A merged /usr has links where others have folders.
static void add_system_folder(arguments *to, const char *path, const char *target) {
    struct stat status;
    if (lstat(path, &status) != 0) {
        return;
    }
    add(to, S_ISLNK(status.st_mode) ? "--symlink" : "--ro-bind");
    add(to, S_ISLNK(status.st_mode) ? target : path);
    add(to, path);
}

static void add_file_system(arguments *to, const char *folder, const char *scratch) {
    add(to, "--ro-bind");
    add(to, "/usr");
    add(to, "/usr");
    add_system_folder(to, "/bin", "usr/bin");
    add_system_folder(to, "/lib", "usr/lib");
    add_system_folder(to, "/lib64", "usr/lib64");
    // What finds libraries and the system's choice between programs; nothing that is about this machine.
    static const char *const configuration[] = {"/etc/ld.so.cache", "/etc/alternatives"};
    for (size_t i = 0; i < sizeof configuration / sizeof *configuration; i++) {
        add(to, "--ro-bind-try");
        add(to, configuration[i]);
        add(to, configuration[i]);
    }
    // No /proc: where a service's own is partly hidden (systemd's ProtectKernelTunables), the kernel grants no other.
    add(to, "--dev");
    add(to, "/dev");
    add(to, "--size");
    add(to, scratch);
    add(to, "--tmpfs");
    add(to, "/tmp");
    add(to, "--ro-bind");
    add(to, folder);
    add(to, "/plugin");
    add(to, "--chdir");
    add(to, "/plugin");
}

const char *plugin_sandbox_enter(const plugin_limits *limits, const char *folder, char *const *command) {
    char scratch[24], processes[40], filter[12];
    clearenv();
    umask(077);
    if (access(bubblewrap, X_OK) != 0) {
        return "finding /usr/bin/bwrap (Debian's package bubblewrap)";
    }
    folder = within_reach(folder);
    if (!leave_root_user()) {
        return "changing to an unprivileged user";
    }
    // Changing the user clears it; from here on it stays, for bwrap as well.
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        return "forbidding new privileges";
    }
    const int calls = plugin_calls_filter();
    if (calls < 0) {
        return "making the list of system calls";
    }
    if (!set_limits(limits)) {
        return "setting resource limits";
    }
    snprintf(scratch, sizeof scratch, "%llu", (unsigned long long)limits->scratch_bytes);
    snprintf(processes, sizeof processes, "--nproc=%u:%u", limits->processes, limits->processes);
    snprintf(filter, sizeof filter, "%d", calls);
    arguments all = {.count = 0};
    static const char *const walls[] = {
        bubblewrap, "--unshare-all", "--unshare-user", "--new-session", "--die-with-parent",
        "--hostname", "plugin", "--clearenv", "--setenv", "PATH", "/usr/bin:/bin", "--setenv", "HOME", "/tmp",
        "--setenv", "TMPDIR", "/tmp", "--setenv", "LANG", "C.UTF-8", "--setenv", "PYTHONDONTWRITEBYTECODE", "1",
        "--cap-drop", "ALL", "--seccomp",
    };
    for (size_t i = 0; i < sizeof walls / sizeof *walls; i++) {
        add(&all, walls[i]);
    }
    add(&all, filter);
    add_file_system(&all, folder, scratch);
    add(&all, "--");
    // The number of processes is counted anew in the user namespace, so it is limited from inside.
    add(&all, "/usr/bin/prlimit");
    add(&all, processes);
    add(&all, "--");
    for (int i = 0; command[i]; i++) {
        add(&all, command[i]);
    }
    if (all.is_full) {
        return "passing so many arguments";
    }
    execv(bubblewrap, (char *const *)all.list);
    return "running /usr/bin/bwrap";
}
