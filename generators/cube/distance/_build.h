/* Building a table, breadth first, 2^kept entries (a block) at a time.
 *
 * A block holds the flips of one corner class and slice as a bit set. A move, followed by the
 * symmetry that carries the corners back to their representative, turns a block into another one
 * whose bits are permuted: the flips change places, and some are toggled. Both are permutations of
 * the bits of the index, so that a whole block moves in a few dozen word operations (a Program)
 * instead of entry by entry. Every block collects its neighbours' last level and keeps what is new:
 * threads write only their own blocks, and the bytes do not depend on how many threads there are.
 *
 * While building, a block in `out` holds two planes: the entries seen so far, and one of the last
 * two levels; `other` holds the other level. `finish` turns the planes into entries of two bits.
 */
#ifndef FACELET_BUILD_H
#define FACELET_BUILD_H

#include "_cube.h"

/* source[i] -> target[j]: i = permuted(j) ^ toggled. Steps swap two bits of the index; `parity`
 * swaps one with the bit that is left out (the sum of the others), or is 255. */
typedef struct {
    uint16_t slice, toggled;
    uint8_t parity, count, steps[10];
} Program;

static void fill_program(Program *p, unsigned slice, int m, unsigned k, int kept) {
    const int places = kept == ALL_FLIPS ? 12 : kept;
    const uint32_t seen = cubes.slice_image[cubes.slice_move[slice][m] + k];
    const unsigned target = seen & 0xffff, toggles = seen >> 16;
    const unsigned mask = kept == ALL_FLIPS ? 0xfff
        : kept == OUTER_FLIPS ? cubes.outer_mask[slice] : cubes.slice_mask[slice];
    const unsigned zero = flips_image(flips_moved(0, m), k) ^ toggles;
    uint8_t to[12];
    unsigned rest = mask;
    for (int t = 0; t < places; t++, rest &= rest - 1) {
        unsigned changed = flips_image(flips_moved(rest & -rest, m), k) ^ toggles ^ zero;
        unsigned kept_bit = kept == ALL_FLIPS ? changed : pack(changed, target, kept);
        to[t] = (uint8_t)__builtin_ctz(kept_bit);
    }
    *p = (Program){.slice = (uint16_t)target, .toggled = (uint16_t)pack(zero, target, kept),
                   .parity = 255};
    for (int i = 0; i < places; i++) {
        int t = kept == ALL_FLIPS ? (i + 11) % 12 : i; /* the bit left out first */
        int b = to[t];
        if (b == t) continue;
        if (t == 11) p->parity = (uint8_t)b;
        else p->steps[p->count++] = (uint8_t)(t < b ? t << 4 | b : b << 4 | t);
        for (int u = 0; u < places; u++) to[u] = (uint8_t)(to[u] == t ? b : to[u] == b ? t : to[u]);
    }
}

static void fill_programs(Program *programs, int kept) {
    for (int m = 0; m < MOVES; m++)
        for (unsigned k = 0; k < AXIAL; k++)
            for (unsigned slice = 0; slice < SLICES; slice++)
                fill_program(programs++, slice, m, k, kept);
}

typedef struct {
    uint8_t *out, *other;           /* two planes a block, and one */
    const uint8_t *active;          /* [blocks] whether the last level has entries there */
    const uint8_t *active_classes;  /* [CLASSES] the same for whole classes */
    uint8_t *active_next;
    uint8_t *minima;                /* four bits for 64 entries (16 if a block has no more) */
    const Program *programs;        /* [MOVES][AXIAL][SLICES] */
    int kept, base, level, quarter_turns;
} Build;

#endif
