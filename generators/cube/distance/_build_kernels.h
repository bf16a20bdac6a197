/* Inner loops of building: see _build.h. Included once for every instruction set, with
 * VARIANT(name) naming the copy. */

/* HIGH[a]: the positions of a word whose index has bit a. */
static const uint64_t VARIANT(HIGH)[6] = {
    0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc, 0xf0f0f0f0f0f0f0f0,
    0xff00ff00ff00ff00, 0xffff0000ffff0000, 0xffffffff00000000,
};

static inline __attribute__((always_inline)) void VARIANT(swap_bits)(
    uint64_t *x, const int words, const unsigned a, const unsigned b) {
    if (b < 6) {
        const uint64_t mask = VARIANT(HIGH)[a] & ~VARIANT(HIGH)[b];
        const unsigned shift = (1u << b) - (1u << a);
        for (int w = 0; w < words; w++) {
            uint64_t t = (x[w] >> shift ^ x[w]) & mask;
            x[w] ^= t ^ t << shift;
        }
    } else if (a < 6) {
        const uint64_t mask = VARIANT(HIGH)[a];
        const unsigned shift = 1u << a;
        const int step = 1 << (b - 6);
        for (int high = 0; high < words; high += 2 * step)
            for (int w = high; w < high + step; w++) {
                uint64_t t = (x[w + step] << shift ^ x[w]) & mask;
                x[w] ^= t;
                x[w + step] ^= t >> shift;
            }
    } else {
        const int low = 1 << (a - 6), step = 1 << (b - 6);
        for (int w = 0; w < words; w++)
            if (w & low && !(w & step)) {
                uint64_t t = x[w];
                x[w] = x[w - low + step];
                x[w - low + step] = t;
            }
    }
}

/* Toggle bit a of the index where the sum of all other bits is odd. */
static inline __attribute__((always_inline)) void VARIANT(swap_parity)(
    uint64_t *x, const int words, const unsigned a) {
    static const uint64_t ODD = 0x6996966996696996; /* positions with an odd number of bits */
    if (a < 6) {
        const uint64_t low = ~VARIANT(HIGH)[a];
        const unsigned shift = 1u << a;
        for (int w = 0; w < words; w++) {
            uint64_t mask = low & (ODD ^ -(uint64_t)(__builtin_popcount((unsigned)w) & 1));
            uint64_t t = (x[w] >> shift ^ x[w]) & mask;
            x[w] ^= t ^ t << shift;
        }
    } else {
        const int step = 1 << (a - 6);
        for (int w = 0; w < words; w++)
            if (!(w & step)) {
                uint64_t mask = ODD ^ -(uint64_t)(__builtin_popcount((unsigned)w) & 1);
                uint64_t t = (x[w] ^ x[w + step]) & mask;
                x[w] ^= t;
                x[w + step] ^= t;
            }
    }
}

static inline __attribute__((always_inline)) void VARIANT(transform)(
    uint64_t *x, const uint64_t *source, const int words, const Program *p) {
    const unsigned words_toggled = p->toggled >> 6;
    for (int w = 0; w < words; w++) x[w] = source[(unsigned)w ^ words_toggled];
    for (unsigned a = 0; a < 6; a++)
        if (p->toggled >> a & 1) {
            const uint64_t high = VARIANT(HIGH)[a];
            for (int w = 0; w < words; w++)
                x[w] = (x[w] & high) >> (1u << a) | (x[w] & ~high) << (1u << a);
        }
    if (p->parity != 255) VARIANT(swap_parity)(x, words, p->parity);
    for (int i = 0; i < p->count; i++)
        VARIANT(swap_bits)(x, words, p->steps[i] >> 4, p->steps[i] & 15);
}

static inline __attribute__((always_inline)) uint64_t VARIANT(level_block)(
    const Build *b, const int kept, const int class_low, const int class_high) {
    const int words = kept == ALL_FLIPS ? 32 : kept == OUTER_FLIPS ? 4 : 1;
    const size_t bytes = kept == MIDDLE_FLIPS ? 2 : 8 * (size_t)words;
    const uint64_t full = kept == MIDDLE_FLIPS ? 0xffff : UINT64_MAX;
    const int even = b->level % 2 == 0; /* where this level goes: out's second plane, or other */
    const uint8_t *last = even ? b->other : b->out + bytes;
    uint8_t *next = even ? b->out + bytes : b->other;
    const size_t last_step = even ? bytes : 2 * bytes, next_step = even ? 2 * bytes : bytes;
    uint64_t collected[SLICES * 32];
    uint8_t done[SLICES];
    uint64_t count = 0;
    for (int class = class_low; class < class_high; class++) {
        const size_t first = (size_t)class * SLICES;
        const CornerRow *row = &cubes.corner_move[class * 16];
        int reached = 0;
        for (int m = 0; m < MOVES; m++) reached |= b->active_classes[row->class[m]];
        if (!reached) {
            for (size_t s = first; s < first + SLICES; s++) memset(next + s * next_step, 0, bytes);
            memset(b->active_next + first, 0, SLICES);
            continue;
        }
        for (int s = 0; s < SLICES; s++) {
            uint64_t seen[32] = {0}, all = full;
            memcpy(seen, b->out + (first + (size_t)s) * 2 * bytes, bytes);
            for (int w = 0; w < words; w++) all &= seen[w], collected[s * words + w] = 0;
            done[s] = all == full;
        }
        for (int m = 0; m < MOVES; m++) {
            if ((b->quarter_turns && m % 3 == 1) || !b->active_classes[row->class[m]]) continue;
            const size_t from = (size_t)row->class[m] * SLICES;
            const Program *p = b->programs + ((size_t)m * AXIAL + row->k[m]) * SLICES;
            for (int s = 0; s < SLICES; s++, p++) {
                if (done[s] || !b->active[from + p->slice]) continue;
                uint64_t source[32], x[32];
                source[0] = 0;
                memcpy(source, last + (from + p->slice) * last_step, bytes);
                VARIANT(transform)(x, source, words, p);
                for (int w = 0; w < words; w++) collected[s * words + w] |= x[w];
            }
        }
        for (int s = 0; s < SLICES; s++) {
            const size_t block = first + (size_t)s;
            uint8_t *planes = b->out + block * 2 * bytes;
            uint64_t seen[32] = {0}, fresh[32], any = 0, entries = 0;
            memcpy(seen, planes, bytes);
            for (int w = 0; w < words; w++) {
                fresh[w] = collected[s * words + w] & ~seen[w];
                any |= fresh[w];
                entries += (uint64_t)__builtin_popcountll(fresh[w]);
                if (b->level <= b->base && fresh[w] && !seen[w]) {
                    const size_t stripe = block * (size_t)words + (size_t)w;
                    const int shift = 4 * (stripe & 1);
                    uint8_t *pair = b->minima + stripe / 2;
                    *pair = (uint8_t)((*pair & ~(15 << shift)) | b->level << shift);
                }
                seen[w] |= fresh[w];
            }
            b->active_next[block] = any != 0;
            memcpy(next + block * next_step, fresh, bytes);
            if (any) memcpy(planes, seen, bytes);
            count += entries * cubes.orbit[class];
        }
    }
    return count;
}

static uint64_t VARIANT(build_level)(const Build *b, int class_low, int class_high) {
    switch (b->kept) {
    case ALL_FLIPS: return VARIANT(level_block)(b, ALL_FLIPS, class_low, class_high);
    case OUTER_FLIPS: return VARIANT(level_block)(b, OUTER_FLIPS, class_low, class_high);
    default: return VARIANT(level_block)(b, MIDDLE_FLIPS, class_low, class_high);
    }
}

/* Bits 0..31 to the even positions of 64. */
static inline uint64_t VARIANT(spread)(uint64_t x) {
    x = (x | x << 16) & 0x0000ffff0000ffff;
    x = (x | x << 8) & 0x00ff00ff00ff00ff;
    x = (x | x << 4) & 0x0f0f0f0f0f0f0f0f;
    x = (x | x << 2) & 0x3333333333333333;
    return (x | x << 1) & 0x5555555555555555;
}

/* Entries: 0 for at most base, 1 for base + 1, 2 for base + 2, 3 for more; the last level was
 * base + 2. */
static void VARIANT(build_finish)(const Build *b, int class_low, int class_high) {
    const int words = b->kept == ALL_FLIPS ? 32 : b->kept == OUTER_FLIPS ? 4 : 1;
    const size_t bytes = b->kept == MIDDLE_FLIPS ? 2 : 8 * (size_t)words;
    for (size_t block = (size_t)class_low * SLICES; block < (size_t)class_high * SLICES; block++) {
        uint8_t *planes = b->out + block * 2 * bytes;
        uint64_t seen[32] = {0}, inner[32] = {0}, outer[32] = {0}, entries[64];
        memcpy(seen, planes, bytes);
        memcpy(inner, planes + bytes, bytes);
        memcpy(outer, b->other + block * bytes, bytes);
        for (int w = 0; w < words; w++) {
            const uint64_t one = (b->base + 1) % 2 ? outer[w] : inner[w];
            const uint64_t two = (b->base + 1) % 2 ? inner[w] : outer[w];
            const uint64_t low = one | ~seen[w], high = two | ~seen[w];
            entries[2 * w] = VARIANT(spread)(low & 0xffffffff)
                | VARIANT(spread)(high & 0xffffffff) << 1;
            entries[2 * w + 1] = VARIANT(spread)(low >> 32) | VARIANT(spread)(high >> 32) << 1;
        }
        memcpy(planes, entries, 2 * bytes);
    }
}
