// SPDX-License-Identifier: Apache-2.0
// The system calls a reader needs after it has opened everything: memory, time, signals to itself, and reading and
// writing what is open. Opening is answered from a table of files that were opened beforehand (fonts).
#define _GNU_SOURCE
#include "CSandbox.h"
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum { most_kept_files = 512 };

static struct {
    char *path;
    int descriptor;
} kept[most_kept_files];
static int kept_count;

void sandbox_keep_file(const char *path) {
    if (kept_count >= most_kept_files) {
        return;
    }
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        return;
    }
    char *copy = strdup(path);
    if (!copy) {
        close(descriptor);
        return;
    }
    kept[kept_count].path = copy;
    kept[kept_count].descriptor = descriptor;
    kept_count++;
}

static long open_kept(const char *path, int flags) {
    if ((flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC))) {
        return -EACCES;
    }
    for (int i = 0; i < kept_count; i++) {
        if (strcmp(kept[i].path, path) == 0) {
            // The offset is shared between copies; readers of fonts map them or seek first.
            const int copy = dup(kept[i].descriptor);
            if (copy < 0) {
                return -EMFILE;
            }
            lseek(copy, 0, SEEK_SET);
            return copy;
        }
    }
    return -EACCES;
}

// Stands in for open and openat. A path the table does not hold does not exist for this process.
static void on_trapped_call(int signal, siginfo_t *info, void *context) {
    (void)signal;
    const int saved = errno;
    ucontext_t *state = context;
#if defined(__x86_64__)
    greg_t *registers = state->uc_mcontext.gregs;
    long result = -EPERM;
    if (info->si_syscall == SYS_openat) {
        result = open_kept((const char *)registers[REG_RSI], (int)registers[REG_RDX]);
    } else if (info->si_syscall == SYS_open) {
        result = open_kept((const char *)registers[REG_RDI], (int)registers[REG_RSI]);
    }
    registers[REG_RAX] = result;
#elif defined(__aarch64__)
    unsigned long long *registers = state->uc_mcontext.regs;
    long result = -EPERM;
    if (info->si_syscall == SYS_openat) {
        result = open_kept((const char *)registers[1], (int)registers[2]);
    }
    registers[0] = (unsigned long long)result;
#else
#error "the reader's sandbox knows x86-64 and arm64"
#endif
    errno = saved;
}

static const int allowed_calls[] = {
    SCMP_SYS(read), SCMP_SYS(readv), SCMP_SYS(pread64), SCMP_SYS(write), SCMP_SYS(writev), SCMP_SYS(close),
    SCMP_SYS(fstat), SCMP_SYS(lseek), SCMP_SYS(dup), SCMP_SYS(poll), SCMP_SYS(ppoll),
    SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(brk), SCMP_SYS(madvise),
    SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn), SCMP_SYS(sigaltstack),
    SCMP_SYS(futex), SCMP_SYS(getpid), SCMP_SYS(gettid), SCMP_SYS(getuid), SCMP_SYS(geteuid), SCMP_SYS(getgid),
    SCMP_SYS(getegid), SCMP_SYS(clock_gettime), SCMP_SYS(clock_getres), SCMP_SYS(gettimeofday), SCMP_SYS(time),
    SCMP_SYS(clock_nanosleep), SCMP_SYS(nanosleep), SCMP_SYS(restart_syscall),
    SCMP_SYS(getrandom), SCMP_SYS(exit), SCMP_SYS(exit_group), SCMP_SYS(sched_yield), SCMP_SYS(sched_getaffinity),
    SCMP_SYS(getrlimit), SCMP_SYS(setrlimit), SCMP_SYS(getrusage), SCMP_SYS(setitimer), SCMP_SYS(sysinfo),
    SCMP_SYS(rseq), SCMP_SYS(set_robust_list), SCMP_SYS(membarrier),
};

// No honest reader comes near these; one that does has been taken over.
static const int fatal_calls[] = {
    SCMP_SYS(execve), SCMP_SYS(execveat), SCMP_SYS(ptrace), SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev),
    SCMP_SYS(bpf), SCMP_SYS(io_uring_setup), SCMP_SYS(keyctl), SCMP_SYS(mount), SCMP_SYS(unshare), SCMP_SYS(setns),
    SCMP_SYS(socket), SCMP_SYS(connect), SCMP_SYS(bind), SCMP_SYS(sendto), SCMP_SYS(sendmsg),
};

// What streams ask of a descriptor. F_SETOWN would have the kernel signal another process when it is read from.
static const int allowed_commands[] = {F_GETFD, F_SETFD, F_GETFL, F_DUPFD, F_DUPFD_CLOEXEC};

static int allow_all(scmp_filter_ctx filter) {
    int failed = 0;
    for (size_t i = 0; i < sizeof allowed_calls / sizeof *allowed_calls; i++) {
        failed |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, allowed_calls[i], 0);
    }
    for (size_t i = 0; i < sizeof fatal_calls / sizeof *fatal_calls; i++) {
        failed |= seccomp_rule_add(filter, SCMP_ACT_KILL_PROCESS, fatal_calls[i], 0);
    }
    for (size_t i = 0; i < sizeof allowed_commands / sizeof *allowed_commands; i++) {
        failed |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(fcntl), 1,
                                   SCMP_A1(SCMP_CMP_EQ, (scmp_datum_t)allowed_commands[i]));
    }
    // Memory is never executable, signals go to nobody else, limits are the process's own.
    const pid_t self = getpid();
    failed |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1, SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
    failed |=
        seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1, SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
    failed |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1, SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)self));
    failed |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 1, SCMP_A0(SCMP_CMP_EQ, 0));
    // fstat of newer C libraries: no path, only a descriptor.
    failed |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(newfstatat), 1,
                               SCMP_A3(SCMP_CMP_MASKED_EQ, AT_EMPTY_PATH, AT_EMPTY_PATH));
    failed |= seccomp_rule_add(filter, SCMP_ACT_TRAP, SCMP_SYS(openat), 0);
    failed |= seccomp_rule_add(filter, SCMP_ACT_TRAP, SCMP_SYS(open), 0);
    return failed;
}

// One file after the other comes in over standard input, which is a socket without a name; there is no other.
static int allow_files(scmp_filter_ctx filter) {
    return seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(recvmsg), 1, SCMP_A0(SCMP_CMP_EQ, STDIN_FILENO));
}

const char *sandbox_filter_calls(bool takes_files) {
    // Room for copies of the kept files, a few at a time.
    const struct rlimit files = {(rlim_t)kept_count + 64, (rlim_t)kept_count + 64};
    if (setrlimit(RLIMIT_NOFILE, &files) != 0) {
        return "limiting open files";
    }
    const struct sigaction trap = {.sa_sigaction = on_trapped_call, .sa_flags = SA_SIGINFO | SA_NODEFER};
    if (sigaction(SIGSYS, &trap, NULL) != 0) {
        return "answering trapped system calls";
    }
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    if (!filter) {
        return "making the list of system calls";
    }
    const int failed = allow_all(filter) || (takes_files && allow_files(filter)) || seccomp_load(filter);
    seccomp_release(filter);
    return failed ? "loading the list of system calls" : NULL;
}
