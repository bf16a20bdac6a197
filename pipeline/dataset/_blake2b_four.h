/* BLAKE2b of four messages at once: a word of each in the four lanes of a register of AVX2.
 *
 * A lane whose message has ended goes on with zeros, and nobody reads what comes of it.
 */
#ifndef FACELET_BLAKE2B_FOUR_H
#define FACELET_BLAKE2B_FOUR_H

#include "../../generators/core/_avx2.h"
#include "_blake2b.h"

#ifdef FACELET_AVX2
#define WIDE static inline __attribute__((target("avx2"), always_inline))

enum { LANES = 4 };

WIDE __m256i mixed(__m256i a, __m256i b) { return _mm256_xor_si256(a, b); }
WIDE __m256i added(__m256i a, __m256i b) { return _mm256_add_epi64(a, b); }
WIDE __m256i turned32(__m256i a) { return _mm256_shuffle_epi32(a, 0xB1); }
WIDE __m256i turned63(__m256i a) { return mixed(_mm256_srli_epi64(a, 63), added(a, a)); }
WIDE __m256i turned24(__m256i a) {
    return _mm256_shuffle_epi8(a, _mm256_setr_epi8(
        3, 4, 5, 6, 7, 0, 1, 2, 11, 12, 13, 14, 15, 8, 9, 10,
        3, 4, 5, 6, 7, 0, 1, 2, 11, 12, 13, 14, 15, 8, 9, 10));
}
WIDE __m256i turned16(__m256i a) {
    return _mm256_shuffle_epi8(a, _mm256_setr_epi8(
        2, 3, 4, 5, 6, 7, 0, 1, 10, 11, 12, 13, 14, 15, 8, 9,
        2, 3, 4, 5, 6, 7, 0, 1, 10, 11, 12, 13, 14, 15, 8, 9));
}

WIDE void mix_four(__m256i *v, int a, int b, int c, int d, __m256i x, __m256i y) {
    v[a] = added(added(v[a], v[b]), x), v[d] = turned32(mixed(v[d], v[a]));
    v[c] = added(v[c], v[d]), v[b] = turned24(mixed(v[b], v[c]));
    v[a] = added(added(v[a], v[b]), y), v[d] = turned16(mixed(v[d], v[a]));
    v[c] = added(v[c], v[d]), v[b] = turned63(mixed(v[b], v[c]));
}

/* Four words of each of four blocks, from lanes behind each other to lanes beside each other. */
WIDE void loaded(__m256i m[4], const unsigned char *const blocks[LANES], int at) {
    __m256i row[LANES], pair[LANES];
    for (int i = 0; i < LANES; i++) row[i] = _mm256_loadu_si256((const __m256i *)(blocks[i] + at));
    for (int i = 0; i < LANES; i += 2) {
        pair[i] = _mm256_unpacklo_epi64(row[i], row[i + 1]);
        pair[i + 1] = _mm256_unpackhi_epi64(row[i], row[i + 1]);
    }
    m[0] = _mm256_permute2x128_si256(pair[0], pair[2], 0x20);
    m[1] = _mm256_permute2x128_si256(pair[1], pair[3], 0x20);
    m[2] = _mm256_permute2x128_si256(pair[0], pair[2], 0x31);
    m[3] = _mm256_permute2x128_si256(pair[1], pair[3], 0x31);
}

static __attribute__((target("avx2"))) void compress_four(
    __m256i h[8], const unsigned char *const blocks[LANES], const uint64_t counts[LANES],
    const uint64_t last[LANES]) {
    __m256i m[16], v[16];
    for (int i = 0; i < 4; i++) loaded(m + 4 * i, blocks, 32 * i);
    for (int i = 0; i < 8; i++) v[i] = h[i], v[i + 8] = _mm256_set1_epi64x((long long)IV[i]);
    v[12] = mixed(v[12], _mm256_loadu_si256((const __m256i *)counts));
    v[14] = mixed(v[14], _mm256_loadu_si256((const __m256i *)last));
#pragma GCC unroll 12
    for (int round = 0; round < 12; round++) {
        const unsigned char *s = ORDERS[round % 10];
        mix_four(v, 0, 4, 8, 12, m[s[0]], m[s[1]]);
        mix_four(v, 1, 5, 9, 13, m[s[2]], m[s[3]]);
        mix_four(v, 2, 6, 10, 14, m[s[4]], m[s[5]]);
        mix_four(v, 3, 7, 11, 15, m[s[6]], m[s[7]]);
        mix_four(v, 0, 5, 10, 15, m[s[8]], m[s[9]]);
        mix_four(v, 1, 6, 11, 12, m[s[10]], m[s[11]]);
        mix_four(v, 2, 7, 8, 13, m[s[12]], m[s[13]]);
        mix_four(v, 3, 4, 9, 14, m[s[14]], m[s[15]]);
    }
    for (int i = 0; i < 8; i++) h[i] = mixed(h[i], mixed(v[i], v[i + 8]));
}

/* Writes what `blake2b` writes of each of four messages, one after the other. */
static __attribute__((target("avx2"))) void blake2b_four(
    const unsigned char *const data[LANES], const size_t lengths[LANES],
    const unsigned char person[PERSON], unsigned char *digests, int size) {
    static const unsigned char nothing[BLOCK];
    uint64_t start[8], lanes[LANES];
    unsigned char rests[LANES][BLOCK];
    __m256i h[8];
    begun(start, person, size);
    for (int i = 0; i < 8; i++) h[i] = _mm256_set1_epi64x((long long)start[i]);
    int left = LANES;
    for (size_t done = 0; left; done += BLOCK) {
        const unsigned char *blocks[LANES];
        uint64_t counts[LANES], last[LANES];
        int ends[LANES];
        for (int i = 0; i < LANES; i++) {
            const int ended = done && lengths[i] <= done; /* with a block before this one */
            ends[i] = !ended && lengths[i] - done <= BLOCK;
            blocks[i] = ended ? nothing : data[i] + done;
            counts[i] = ended ? 0 : ends[i] ? lengths[i] : done + BLOCK;
            last[i] = ends[i] ? UINT64_MAX : 0;
            if (ends[i]) {
                memset(rests[i], 0, BLOCK);
                if (lengths[i] > done) memcpy(rests[i], data[i] + done, lengths[i] - done);
                blocks[i] = rests[i];
                left--;
            }
        }
        compress_four(h, blocks, counts, last);
        for (int word = 0; 8 * word < size; word++) {
            _mm256_storeu_si256((__m256i *)lanes, h[word]);
            for (int i = 0; i < LANES; i++)
                for (int byte = 8 * word; ends[i] && byte < 8 * word + 8 && byte < size; byte++)
                    digests[size * i + byte] = (unsigned char)(lanes[i] >> 8 * (byte % 8));
        }
    }
}

#undef WIDE
#endif

#endif
