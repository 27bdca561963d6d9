// SPDX-License-Identifier: Apache-2.0
// The system calls that programs in any language need to compute, read what they may see and write their answer.
// Whatever is not named here does not exist for them: sockets, mounts, namespaces, tracing, keys, BPF, other processes'
// memory, and everything the kernel will learn later.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "plugin_calls.h"

#include <errno.h>
#include <sched.h>
#include <seccomp.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

static const char *const allowed[] = {
    // Files, as far as the file system lets them.
    "access", "chdir", "close", "close_range", "creat", "dup", "dup2", "dup3", "faccessat", "faccessat2", "fadvise64",
    "fallocate", "fchdir", "fchmod", "fchmodat", "fcntl", "fdatasync", "flock", "fstat", "fstatfs", "fsync",
    "ftruncate", "getcwd", "getdents", "getdents64", "lseek", "lstat", "mkdir", "mkdirat", "newfstatat", "open",
    "openat", "pipe", "pipe2", "pread64", "preadv", "preadv2", "pwrite64", "pwritev", "pwritev2", "read", "readahead",
    "readlink", "readlinkat", "readv", "rename", "renameat", "renameat2", "rmdir", "sendfile", "splice", "stat",
    "statfs", "statx", "symlink", "symlinkat", "sync_file_range", "tee", "truncate", "umask", "unlink", "unlinkat",
    "utime", "utimensat", "utimes", "write", "writev", "copy_file_range", "memfd_create", "link", "linkat", "chmod",
    "getxattr", "lgetxattr", "fgetxattr", "listxattr", "flistxattr", "inotify_init1", "inotify_add_watch",
    "inotify_rm_watch",
    // Memory.
    "brk", "madvise", "mincore", "mlock", "mlock2", "mmap", "mprotect", "mremap", "msync", "munlock", "munmap",
    "membarrier", "pkey_alloc", "pkey_free", "pkey_mprotect", "get_mempolicy",
    // Processes and threads of its own.
    "arch_prctl", "capget", "execve", "execveat", "exit", "exit_group", "fork", "futex", "futex_waitv", "getcpu",
    "getegid", "geteuid", "getgid", "getgroups", "getpgid", "getpgrp", "getpid", "getppid", "getpriority",
    "getresgid", "getresuid", "getrlimit", "getrusage", "getsid", "gettid", "getuid", "kill", "pause", "pidfd_open",
    "pidfd_send_signal", "prctl", "prlimit64", "rseq", "sched_get_priority_max", "sched_get_priority_min",
    "sched_getaffinity", "sched_getattr", "sched_getparam", "sched_getscheduler", "sched_yield",
    "set_robust_list", "set_tid_address", "setpgid", "setpriority", "setrlimit", "setsid", "sysinfo",
    "sched_setaffinity", "tgkill", "times", "tkill", "uname", "vfork", "wait4", "waitid", "get_robust_list",
    // Signals, waiting and time.
    "alarm", "clock_getres", "clock_gettime", "clock_nanosleep", "epoll_create", "epoll_create1", "epoll_ctl",
    "epoll_pwait", "epoll_pwait2", "epoll_wait", "eventfd", "eventfd2", "getitimer", "gettimeofday", "nanosleep",
    "poll", "ppoll", "pselect6", "restart_syscall", "rt_sigaction", "rt_sigpending", "rt_sigprocmask",
    "rt_sigqueueinfo", "rt_sigreturn", "rt_sigsuspend", "rt_sigtimedwait", "rt_tgsigqueueinfo", "select", "setitimer",
    "sigaltstack", "signalfd", "signalfd4", "time", "timer_create", "timer_delete", "timer_getoverrun",
    "timer_gettime", "timer_settime", "timerfd_create", "timerfd_gettime", "timerfd_settime",
    "getrandom",
};

// Programs ask these as a matter of course and take no for an answer.
static const char *const refused[] = {"socket", "socketpair", "connect", "bind", "unshare", "setns", "mount", "ptrace"};

static int allow_all(scmp_filter_ctx filter) {
    int failed = 0;
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++) {
        const int number = seccomp_syscall_resolve_name(allowed[i]);
        // Negative numbers stand for calls that this architecture does not have.
        if (number >= 0) {
            failed |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, number, 0);
        }
    }
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        failed |= seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), seccomp_syscall_resolve_name(refused[i]), 0);
    }
    // Processes and threads, but no new namespaces. clone3 hides its flags in memory: "unknown" makes the C library
    // use clone.
    const scmp_datum_t namespaces = CLONE_NEWCGROUP | CLONE_NEWIPC | CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWPID |
                                    CLONE_NEWUSER | CLONE_NEWUTS;
    failed |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1,
                               SCMP_A0(SCMP_CMP_MASKED_EQ, namespaces, 0));
    // Questions about terminals and descriptors; nothing that types into somebody's terminal.
    static const unsigned long questions[] = {TCGETS, TIOCGWINSZ, FIONREAD, FIOCLEX, FIONCLEX, FIONBIO};
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        failed |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(ioctl), 1, SCMP_A1(SCMP_CMP_EQ, questions[i]));
    }
    return failed;
}

int plugin_calls_filter(void) {
    const int file = memfd_create("calls", 0);
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
    if (file < 0 || !filter || allow_all(filter) != 0 || seccomp_export_bpf(filter, file) != 0 ||
        lseek(file, 0, SEEK_SET) != 0) {
        if (filter) {
            seccomp_release(filter);
        }
        if (file >= 0) {
            close(file);
        }
        return -1;
    }
    seccomp_release(filter);
    return file;
}
