/* SPDX-License-Identifier: Apache-2.0
 *
 * A bad disk: loaded before the C library, it has what writes, reads and syncs files under SLOW_DISK_FOLDER wait or fail, as
 * the file SLOW_DISK_FAULT says now: "slow SECONDS", "error", or nothing.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

/* Whether `descriptor` is a file of the folder. */
static int concerns(int descriptor) {
    const char *folder = getenv("SLOW_DISK_FOLDER");
    if (folder == NULL || descriptor < 3) return 0;
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    return strncmp(path, folder, strlen(folder)) == 0;
}

/* Waits, or answers the error that the call is to end with. */
static int suffer(int descriptor) {
    int saved = errno;
    const char *name = getenv("SLOW_DISK_FAULT");
    int error = 0;
    if (name != NULL && concerns(descriptor)) {
        char text[64] = "";
        long file = syscall(SYS_openat, AT_FDCWD, name, O_RDONLY | O_CLOEXEC);
        if (file >= 0) {
            long count = syscall(SYS_read, file, text, sizeof text - 1);
            syscall(SYS_close, file);
            text[count > 0 ? count : 0] = 0;
        }
        double seconds = 0;
        if (sscanf(text, "slow %lf", &seconds) == 1) {
            struct timespec pause = {(time_t)seconds, (long)((seconds - (time_t)seconds) * 1e9)};
            nanosleep(&pause, NULL);
        } else if (strncmp(text, "error", 5) == 0) {
            error = EIO;
        }
    }
    errno = error ? error : saved;
    return error;
}

/* The C library's own. */
#define NEXT(name) static __typeof__(name) *next; if (next == NULL) next = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

ssize_t write(int descriptor, const void *bytes, size_t count) {
    NEXT(write);
    return suffer(descriptor) ? -1 : next(descriptor, bytes, count);
}

ssize_t pread(int descriptor, void *bytes, size_t count, off_t offset) {
    NEXT(pread);
    return suffer(descriptor) ? -1 : next(descriptor, bytes, count, offset);
}

ssize_t pread64(int descriptor, void *bytes, size_t count, off64_t offset) {
    NEXT(pread64);
    return suffer(descriptor) ? -1 : next(descriptor, bytes, count, offset);
}

int fsync(int descriptor) {
    NEXT(fsync);
    return suffer(descriptor) ? -1 : next(descriptor);
}
