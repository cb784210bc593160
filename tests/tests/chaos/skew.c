/* Moves what a process takes for the time of day by CHAOS_SKEW milliseconds. Loaded before the C library. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

int clock_gettime(clockid_t clock, struct timespec *now) {
    static int (*real)(clockid_t, struct timespec *);
    static long skew;
    if (!real) {
        const char *by = getenv("CHAOS_SKEW");
        skew = by ? atol(by) / 1000 : 0;
        real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    }
    int result = real(clock, now);
    if (result == 0 && clock == CLOCK_REALTIME)
        now->tv_sec += skew;
    return result;
}
