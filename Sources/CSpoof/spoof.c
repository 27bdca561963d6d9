// SPDX-License-Identifier: Apache-2.0
#include "spoof.h"

#include <limits.h>
#include <pthread.h>
#include <unicode/uspoof.h>

// Checkers are safe for many threads once they are set up.
static pthread_once_t once = PTHREAD_ONCE_INIT;
static USpoofChecker *checker;

static void open_checker(void) {
    UErrorCode status = U_ZERO_ERROR;
    USpoofChecker *fresh = uspoof_open(&status);
    if (U_FAILURE(status)) return;
    uspoof_setRestrictionLevel(fresh, USPOOF_HIGHLY_RESTRICTIVE);
    uspoof_setChecks(fresh, USPOOF_RESTRICTION_LEVEL | USPOOF_INVISIBLE | USPOOF_MIXED_NUMBERS, &status);
    if (U_FAILURE(status)) {
        uspoof_close(fresh);
        return;
    }
    checker = fresh;
}

int spoof_skeleton(const char *text, size_t length, char *skeleton, size_t capacity) {
    pthread_once(&once, open_checker);
    if (checker == NULL || length > INT_MAX || capacity > INT_MAX) return -1;
    UErrorCode status = U_ZERO_ERROR;
    int32_t written = uspoof_getSkeletonUTF8(checker, 0, text, (int32_t)length, skeleton, (int32_t)capacity, &status);
    return U_FAILURE(status) || written > (int32_t)capacity ? -1 : written;
}

bool spoof_is_suspicious(const char *text, size_t length) {
    pthread_once(&once, open_checker);
    if (checker == NULL || length > INT_MAX) return false;
    UErrorCode status = U_ZERO_ERROR;
    int32_t found = uspoof_check2UTF8(checker, text, (int32_t)length, NULL, &status);
    return U_SUCCESS(status) && found != 0;
}
