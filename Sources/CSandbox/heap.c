// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CSandbox.h"

#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

void sandbox_prepare_heap(uint64_t memory_bytes) {
    // glibc maps every larger block anew and gives it back at once, and the kernel clears each of its pages on first use.
    const uintptr_t large = 2 << 20;
    const size_t most = 64 << 20;
    const size_t reserve = (memory_bytes / 8 < most ? (size_t)memory_bytes / 8 : most) & ~(large - 1);
    if (reserve < 2 * large) {
        return;
    }
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    mallopt(M_TOP_PAD, reserve);
    // Makes the heap grow by the reserve, which is address space until it is used.
    void *volatile block = malloc(1 << 20);
    free(block);
    mallopt(M_TOP_PAD, 1 << 20);
    const uintptr_t end = (uintptr_t)sbrk(0) & ~(large - 1);
    const uintptr_t start = end - (reserve - large);
    // Where the kernel has no large pages, small ones do.
    (void)madvise((void *)start, end - start, MADV_HUGEPAGE);
}
