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
    if (reserve < 4 * large) {
        return;
    }
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    // Makes the heap grow by the reserve, which is address space until it is used. The block stays and fills it up to where
    // the large pages begin: a large page that was touched before is one of small ones.
    const uintptr_t top = (uintptr_t)sbrk(0);
    const uintptr_t start = (top + (1 << 20) + large - 1) & ~(large - 1);
    const size_t filled = start - top - 4096;
    mallopt(M_TOP_PAD, (int)(reserve - filled));
    void *volatile block = malloc(filled);
    (void)block;
    mallopt(M_TOP_PAD, 1 << 20);
    const uintptr_t end = (uintptr_t)sbrk(0) & ~(large - 1);
    // Where the kernel has no large pages, small ones do.
    (void)madvise((void *)start, end - start, MADV_HUGEPAGE);
}
