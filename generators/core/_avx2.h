/* AVX2: whether it is to be used, where a compiler can be told to use it. */
#ifndef FACELET_AVX2_H
#define FACELET_AVX2_H

#if defined(__x86_64__) && defined(__GNUC__)
#define FACELET_AVX2 1
#include <cpuid.h>
#include <immintrin.h>
#include <stdlib.h>

/* Whether processor and system have AVX2, BMI1 and BMI2. It asks the processor itself: the compilers' own question
 * needs their runtime library, which not every one of them links. */
static int has_avx2(void) {
    unsigned a, b, c, d, low, high;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c >> 27 & 1) || !(c >> 28 & 1)) return 0;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    if ((low & 6) != 6) return 0; /* the system does not keep the wide registers */
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return 0;
    return (b >> 3 & 1) && (b >> 5 & 1) && (b >> 8 & 1);
}

/* Whether they are there, and FACELET_PORTABLE=1 does not forbid them. */
static int uses_avx2(void) {
    const char *forced = getenv("FACELET_PORTABLE");
    return !(forced && *forced == '1') && has_avx2();
}
#endif

#endif
