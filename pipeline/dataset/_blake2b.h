/* BLAKE2b of up to 64 bytes with a personalization (RFC 7693; "BLAKE2: simpler, smaller, fast as
 * MD5", section 2.5, has the parameter block), of a message that lies in one piece.
 */
#ifndef FACELET_BLAKE2B_H
#define FACELET_BLAKE2B_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { BLOCK = 128, PERSON = 16 };

static const uint64_t IV[8] = {
    0x6A09E667F3BCC908u, 0xBB67AE8584CAA73Bu, 0x3C6EF372FE94F82Bu, 0xA54FF53A5F1D36F1u,
    0x510E527FADE682D1u, 0x9B05688C2B3E6C1Fu, 0x1F83D9ABFB41BD6Bu, 0x5BE0CD19137E2179u,
};

static inline uint64_t word_at(const unsigned char *at) {
    uint64_t word = 0;
    for (int byte = 7; byte >= 0; byte--) word = word << 8 | at[byte];
    return word;
}

static inline uint64_t turned(uint64_t word, int by) { return word >> by | word << (64 - by); }

#define MIX(a, b, c, d, x, y)                                          \
    do {                                                               \
        a += b + (x), d = turned(d ^ a, 32), c += d, b = turned(b ^ c, 24); \
        a += b + (y), d = turned(d ^ a, 16), c += d, b = turned(b ^ c, 63); \
    } while (0)

/* In which order a round takes the words of a block. */
static const unsigned char ORDERS[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
    {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
    {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
    {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
    {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
};

static void compress(uint64_t h[8], const unsigned char *block, uint64_t count, int last) {
    uint64_t m[16], v[16];
    for (int i = 0; i < 16; i++) m[i] = word_at(block + 8 * i);
    for (int i = 0; i < 8; i++) v[i] = h[i], v[i + 8] = IV[i];
    v[12] ^= count; /* No message has 2^64 bytes. */
    if (last) v[14] = ~v[14];
#pragma GCC unroll 12
    for (int round = 0; round < 12; round++) {
        const unsigned char *s = ORDERS[round % 10];
        MIX(v[0], v[4], v[8], v[12], m[s[0]], m[s[1]]);
        MIX(v[1], v[5], v[9], v[13], m[s[2]], m[s[3]]);
        MIX(v[2], v[6], v[10], v[14], m[s[4]], m[s[5]]);
        MIX(v[3], v[7], v[11], v[15], m[s[6]], m[s[7]]);
        MIX(v[0], v[5], v[10], v[15], m[s[8]], m[s[9]]);
        MIX(v[1], v[6], v[11], v[12], m[s[10]], m[s[11]]);
        MIX(v[2], v[7], v[8], v[13], m[s[12]], m[s[13]]);
        MIX(v[3], v[4], v[9], v[14], m[s[14]], m[s[15]]);
    }
    for (int i = 0; i < 8; i++) h[i] ^= v[i] ^ v[i + 8];
}

/* The state before the first block. */
static void begun(uint64_t h[8], const unsigned char person[PERSON], int size) {
    memcpy(h, IV, sizeof IV);
    h[0] ^= 0x01010000u ^ (uint64_t)size; /* no key, fanout 1, depth 1 */
    h[6] ^= word_at(person);
    h[7] ^= word_at(person + 8);
}

/* Writes the first `size` bytes of a hash whose length is said to be `size`, at most 64. */
static void blake2b(const unsigned char *data, size_t length, const unsigned char person[PERSON],
                    unsigned char *digest, int size) {
    uint64_t h[8];
    begun(h, person, size);
    size_t done = 0;
    for (; length - done > BLOCK; done += BLOCK) compress(h, data + done, done + BLOCK, 0);
    unsigned char rest[BLOCK] = {0};
    if (length > done) memcpy(rest, data + done, length - done);
    compress(h, rest, length, 1);
    for (int i = 0; i < size; i++) digest[i] = (unsigned char)(h[i / 8] >> 8 * (i % 8));
}

#endif
