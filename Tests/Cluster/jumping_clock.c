/* SPDX-License-Identifier: Apache-2.0
 *
 * A clock that jumps: loaded before the C library, it has this process see the time of day as many seconds later as the file
 * JUMPING_CLOCK says now. (Under libfaketime programs in Swift do not get their arguments.)
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static time_t offset(void) {
    const char *name = getenv("JUMPING_CLOCK");
    if (name == NULL) return 0;
    char text[32] = "";
    long file = syscall(SYS_openat, AT_FDCWD, name, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    long count = syscall(SYS_read, file, text, sizeof text - 1);
    syscall(SYS_close, file);
    text[count > 0 ? count : 0] = 0;
    return (time_t)strtol(text, NULL, 10);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    static __typeof__(clock_gettime) *next;
    if (next == NULL) next = (__typeof__(clock_gettime) *)dlsym(RTLD_NEXT, "clock_gettime");
    int result = next(clock, time);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) time->tv_sec += offset();
    return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    (void)zone;
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *result) {
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
    if (result != NULL) *result = now.tv_sec;
    return now.tv_sec;
}
