// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CSpawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static int set_up(
    posix_spawn_file_actions_t *actions, posix_spawnattr_t *attributes, const int descriptors[], int count
) {
    sigset_t signals;
    int failure = posix_spawn_file_actions_addchdir_np(actions, "/");
    for (int i = 0; !failure && i < count; i++) {
        failure = descriptors[i] < 0
            ? posix_spawn_file_actions_addopen(actions, i, "/dev/null", O_RDWR, 0)
            : posix_spawn_file_actions_adddup2(actions, descriptors[i], i);
    }
    if (!failure) failure = posix_spawn_file_actions_addclosefrom_np(actions, count);
    sigemptyset(&signals);
    if (!failure) failure = posix_spawnattr_setsigmask(attributes, &signals);
    sigfillset(&signals);
    if (!failure) failure = posix_spawnattr_setsigdefault(attributes, &signals);
    if (!failure) {
        failure = posix_spawnattr_setflags(
            attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    }
    return failure;
}

static int start(pid_t *child, char *const argv[], char *const envp[], const int descriptors[], int count) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int failure = posix_spawn_file_actions_init(&actions);
    if (failure) return failure;
    failure = posix_spawnattr_init(&attributes);
    if (!failure) {
        failure = set_up(&actions, &attributes, descriptors, count);
        if (!failure) failure = posix_spawn(child, argv[0], &actions, &attributes, argv, envp);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return failure;
}

int cspawn_session(pid_t *child, char *const argv[], char *const envp[], const int descriptors[], int count) {
    // Above all numbers that the child gets, or arranging one would overwrite another.
    int above[cspawn_most_descriptors];
    if (count > cspawn_most_descriptors) return EINVAL;
    int failure = 0, made = 0;
    for (; !failure && made < count; made++) {
        above[made] = descriptors[made] < 0 ? -1 : fcntl(descriptors[made], F_DUPFD_CLOEXEC, cspawn_most_descriptors);
        if (descriptors[made] >= 0 && above[made] < 0) failure = errno;
    }
    if (!failure) failure = start(child, argv, envp, above, count);
    for (int i = 0; i < made; i++) {
        if (above[i] >= 0) close(above[i]);
    }
    return failure;
}

int cspawn_pipe(int ends[2]) {
    return pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno;
}

int cspawn_socket_pair(int ends[2]) {
    return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0 ? 0 : errno;
}

int cspawn_send(int socket, const void *bytes, size_t count, int descriptor) {
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(int))];
    } control = {.head = {.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS}};
    memcpy(CMSG_DATA(&control.head), &descriptor, sizeof descriptor);
    struct iovec piece = {.iov_base = (void *)bytes, .iov_len = count};
    const struct msghdr message = {
        .msg_iov = &piece, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    ssize_t sent;
    do {
        sent = sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    } while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)count ? 0 : sent < 0 ? errno : EMSGSIZE;
}

bool cspawn_has_ended(pid_t child) {
    siginfo_t information = {0};
    return waitid(P_PID, (id_t)child, &information, WEXITED | WNOHANG | WNOWAIT) == 0 && information.si_pid == child;
}
