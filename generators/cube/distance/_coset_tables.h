/* Tables of the coset search: distances to H, the cosets near it, and the elements of H by pages.
 *
 * H is the subgroup that U, D and half turns of the other faces make (see _phases.h). For a state r
 * the coset search looks for all maneuvers w that take r into H. It knows
 *
 *   a coset     by twist (0..2,186), slice (0..494) and flips (12 bits, one follows from the rest);
 *               its number is (twist * 495 + slice) * 2,048 + the lower eleven flips
 *   an element  of H by its code, page * 483,840 + pair * 24 + order: the page numbers the corners
 *               (places and order of corners 0..3, then the order of the others), the pair the
 *               eight U and D edges but for an exchange of the last two, the order the four middle
 *               edges; whether those two are exchanged follows, as parities are equal
 *
 * `distance` has the exact number of turns from every coset to H, four bits each; sixteen
 * symmetries keep H, so 168 classes of twists stand for 2,187. The cosets within NEAR turns of H
 * have numbers of their own in rising order of distance, with their neighbours listed: what is
 * near is where a search spends its time. Everything is filled once and only read afterwards.
 */
#ifndef FACELET_COSET_TABLES_H
#define FACELET_COSET_TABLES_H

#include <stdlib.h>

#include "_phases.h"

enum {
    NEAR = 6, NEAR_COSETS = 1138856, NEAR_SLOTS = 1 << 21, HALF = FLIPS / 2,
    DISTANCES = TWIST_CLASSES * SLICES * HALF, FARTHEST = 12,
    PAGES = PERMUTATIONS, PAIRS = PERMUTATIONS / 2, PAGE_BITS = PAIRS * ORDERS,
    PAGE_BYTES = PAGE_BITS / 8, CORNER_FOURS = SPLITS * ORDERS, HALF_TURNS = 4, NOWHERE = -1,
};

/* The turns of H, those of U and D first. */
static const uint8_t TURNS[PHASE_2_MOVES] = {0, 1, 2, 9, 10, 11, 4, 7, 13, 16};

typedef struct {
    uint64_t lower, same, upper; /* the moves to a coset nearer to H, as near, farther */
    uint32_t next[MOVES];
} NearRow;

typedef struct {
    uint64_t filled;
    uint64_t counts[FARTHEST + 1]; /* cosets at each distance */
    uint16_t twist_move[TWISTS][MOVES];
    uint16_t twist_class[TWISTS];
    uint16_t twist_orbit[TWIST_CLASSES];
    uint16_t keeping[TWIST_CLASSES]; /* bit k: symmetry k leaves the representative as it is */
    uint16_t twist_least[TWIST_CLASSES];
    uint16_t four_move[FOURS][MOVES];
    uint16_t corner_move[CORNER_FOURS][MOVES]; /* four corners: set of places * 24 + order */
    uint16_t pair_of[FOURS];                   /* of the U edges: 12 * 0..1,679 */
    uint8_t half_of[ORDERS];                   /* of the order of the D edges: 0..11 */
    uint16_t page_from[PAGES][PHASE_2_MOVES];  /* the page that a turn takes here */
    uint16_t pair_from[PHASE_2_MOVES][PAIRS];  /* the pair, times three: the byte of the page */
    uint32_t order_from[HALF_TURNS][2][4096];  /* 24 bits, twelve at a time */
    uint8_t page_corners[PAGES][8], page_parity[PAGES];
    uint8_t pair_edges[PAIRS][8], pair_parity[PAIRS];
    uint8_t order_edges[ORDERS][4], order_parity[ORDERS];
    uint32_t allowed[MOVES + 1];               /* the moves after a move; at the end, at first */
    uint32_t near_within[NEAR + 1];            /* cosets within so many turns */
    NearRow near[NEAR_COSETS];
    uint32_t near_key[NEAR_SLOTS], near_value[NEAR_SLOTS];
    uint8_t distance[DISTANCES / 2];
} Cosets;

#define COSETS_FILLED 0x636f736574732d31u

static inline uint32_t coset_number(unsigned twist, unsigned slice, unsigned flips) {
    return (twist * SLICES + slice) * HALF + flips % HALF;
}

static inline uint32_t distance_index(const Cosets *t, unsigned twist, unsigned slice,
                                      unsigned flips) {
    const unsigned first = t->twist_class[twist], k = first & 15;
    const uint32_t seen = cubes.slice_image[slice * AXIAL + k];
    return ((first >> 4) * SLICES + (seen & 0xffff)) * HALF
        + (flips_image(flips, k) ^ seen >> 16) % HALF;
}

static inline uint32_t near_slot(uint32_t number) {
    return (uint32_t)(number * 2654435769u) >> (32 - 21);
}

/* The number of a coset among those near H; it must be one of them. */
static inline uint32_t near_of(const Cosets *t, uint32_t number) {
    uint32_t slot = near_slot(number);
    while (t->near_key[slot] != number) slot = (slot + 1) % NEAR_SLOTS;
    return t->near_value[slot];
}

static int parity_of(const uint8_t *order, int size) {
    int odd = 0;
    for (int i = 0; i < size; i++)
        for (int j = i + 1; j < size; j++) odd ^= order[j] < order[i];
    return odd;
}

/* Places and order of four corners among eight places. */
static unsigned corner_four_of(const uint8_t *cp, int group, const uint8_t *split_number) {
    uint8_t order[4];
    unsigned mask = 0;
    for (int i = 0, found = 0; i < 8; i++)
        if (cp[i] / 4 == group) {
            mask |= 1u << i;
            order[found++] = cp[i] % 4;
        }
    return split_number[mask] * ORDERS + number_of(order, 4);
}

static void fill_splits(uint8_t *split_number, uint8_t *split_mask) {
    for (unsigned mask = 0, next = 0; mask < 256; mask++)
        if (__builtin_popcount(mask) == 4) {
            split_number[mask] = (uint8_t)next;
            split_mask[next++] = (uint8_t)mask;
        }
}

/* Four things at the places of a mask in some order, and 4 elsewhere. */
static void spread_four(unsigned mask, unsigned number, int places, uint8_t *out) {
    uint8_t order[4];
    order_of(number, 4, order);
    for (int i = 0, next = 0; i < places; i++) out[i] = mask >> i & 1 ? order[next++] : 4;
}

static void fill_coset_moves(Cosets *t) {
    uint8_t split_number[256] = {0}, split_mask[SPLITS], ep[12], moved[12];
    fill_splits(split_number, split_mask);
    for (unsigned i = 0; i < FOURS; i++) {
        spread_four(cubes.slice_mask[i / ORDERS], i % ORDERS, 12, ep);
        for (int m = 0; m < MOVES; m++) {
            for (int j = 0; j < 12; j++) moved[j] = ep[cubes.moves[m].ep[j]];
            t->four_move[i][m] = (uint16_t)four_of(moved, 0);
        }
    }
    for (unsigned i = 0; i < CORNER_FOURS; i++) {
        spread_four(split_mask[i / ORDERS], i % ORDERS, 8, ep);
        for (int m = 0; m < MOVES; m++) {
            for (int j = 0; j < 8; j++) moved[j] = ep[cubes.moves[m].cp[j]];
            t->corner_move[i][m] = (uint16_t)corner_four_of(moved, 0, split_number);
        }
    }
    for (unsigned twist = 0; twist < TWISTS; twist++) {
        const Cube c = with_corners(twist, 0x0f);
        for (int m = 0; m < MOVES; m++) {
            const Cube turned = product(&c, &cubes.moves[m]);
            t->twist_move[twist][m] = (uint16_t)twist_of(&turned);
        }
    }
    for (int last = 0; last <= MOVES; last++)
        for (int m = 0; m < MOVES; m++) {
            const int face = m / 3, before = last / 3;
            if (last < MOVES && (face == before || (face % 3 == before % 3 && face < before)))
                continue;
            t->allowed[last] |= 1u << m;
        }
}

/* --- pages ----------------------------------------------------------------------------------- */

static unsigned page_of(const uint8_t *cp, const uint8_t *split_number) {
    return corner_four_of(cp, 0, split_number) * ORDERS
        + corner_four_of(cp, 1, split_number) % ORDERS;
}

static unsigned pair_number(const Cosets *t, const uint8_t *ep) {
    return t->pair_of[four_of(ep, 0)] + t->half_of[four_of(ep, 1) % ORDERS];
}

/* A turn takes the state x to x * m, so that what comes here by m comes from x * m^-1. */
static void fill_pages(Cosets *t) {
    uint8_t split_number[256] = {0}, split_mask[SPLITS], order[4];
    fill_splits(split_number, split_mask);
    for (unsigned slice = 0, outer = 0; slice < SLICES; slice++) {
        if (cubes.slice_mask[slice] & 0xf00) continue;
        for (unsigned i = 0; i < ORDERS; i++)
            t->pair_of[slice * ORDERS + i] = (uint16_t)(12 * outer++);
    }
    for (unsigned i = 0, next = 0; i < ORDERS; i++) { /* pieces 2 and 3 of the four are alike */
        uint8_t other[4];
        order_of(i, 4, order);
        for (int j = 0; j < 4; j++) other[j] = order[j] < 2 ? order[j] : 5 - order[j];
        const unsigned twin = number_of(other, 4);
        t->half_of[i] = twin < i ? t->half_of[twin] : (uint8_t)next++;
        memcpy(t->order_edges[i], order, 4);
        t->order_parity[i] = (uint8_t)parity_of(order, 4);
    }
    for (unsigned up = 0; up < CORNER_FOURS; up++)
        for (unsigned low = 0; low < ORDERS; low++) {
            const unsigned page = up * ORDERS + low;
            uint8_t *cp = t->page_corners[page], rest[8];
            spread_four(split_mask[up / ORDERS], up % ORDERS, 8, cp);
            spread_four(split_mask[up / ORDERS] ^ 0xffu, low, 8, rest);
            for (int i = 0; i < 8; i++)
                if (cp[i] == 4) cp[i] = (uint8_t)(4 + rest[i]);
            t->page_parity[page] = (uint8_t)parity_of(cp, 8);
        }
    for (unsigned page = 0; page < PAGES; page++)
        for (int i = 0; i < PHASE_2_MOVES; i++) {
            const int m = TURNS[i], back = m / 3 * 3 + 2 - m % 3;
            uint8_t cp[8];
            for (int j = 0; j < 8; j++) cp[j] = t->page_corners[page][cubes.moves[back].cp[j]];
            t->page_from[page][i] = (uint16_t)page_of(cp, split_number);
        }
    for (unsigned up = 0; up < FOURS; up++) {
        const unsigned mask = cubes.slice_mask[up / ORDERS];
        if (mask & 0xf00) continue;
        for (unsigned low = 0; low < ORDERS; low++) {
            const unsigned pair = t->pair_of[up] + t->half_of[low];
            uint8_t ep[8], rest[8];
            spread_four(mask, up % ORDERS, 8, ep);
            spread_four(mask ^ 0xff, low, 8, rest);
            for (int i = 0; i < 8; i++)
                if (ep[i] == 4) ep[i] = (uint8_t)(4 + rest[i]);
            const int odd = parity_of(ep, 8);
            if (t->pair_edges[pair][0] || t->pair_edges[pair][1]) continue; /* its twin is there */
            memcpy(t->pair_edges[pair], ep, 8);
            t->pair_parity[pair] = (uint8_t)odd;
        }
    }
    for (unsigned pair = 0; pair < PAIRS; pair++)
        for (int i = 0; i < PHASE_2_MOVES; i++) {
            const int m = TURNS[i], back = m / 3 * 3 + 2 - m % 3;
            uint8_t ep[12] = {0, 0, 0, 0, 0, 0, 0, 0, 8, 9, 10, 11}, moved[12];
            memcpy(ep, t->pair_edges[pair], 8);
            for (int j = 0; j < 12; j++) moved[j] = ep[cubes.moves[back].ep[j]];
            t->pair_from[i][pair] = (uint16_t)(3 * pair_number(t, moved));
        }
    for (int i = 0; i < HALF_TURNS; i++)
        for (unsigned to = 0; to < ORDERS; to++) {
            const Cube *turn = &cubes.moves[TURNS[PHASE_2_MOVES - HALF_TURNS + i]];
            uint8_t moved[4];
            for (int j = 0; j < 4; j++) moved[j] = t->order_edges[to][turn->ep[8 + j] - 8];
            const unsigned from = number_of(moved, 4);
            for (unsigned bits = 0; bits < 4096; bits++)
                if (bits >> from % 12 & 1) t->order_from[i][from / 12][bits] |= 1u << to;
        }
}

/* --- distances to H -------------------------------------------------------------------------- */

typedef struct {
    uint32_t block;
    uint16_t low[64], high[64]; /* the flips' image is low[flips % 64] ^ high[flips / 64] */
} Jump;

/* Where a block (class of the twist, slice) goes by move m, or by symmetry k alone if m is none. */
static void jump_of(const Cosets *t, unsigned class, unsigned slice, int m, unsigned k, Jump *out) {
    unsigned moved = slice * AXIAL, goes_to = class;
    if (m != NOWHERE) {
        const unsigned twist = t->twist_class[t->twist_move[t->twist_least[class]][m]];
        moved = cubes.slice_move[slice][m];
        goes_to = twist >> 4;
        k = twist & 15;
    }
    const uint32_t seen = cubes.slice_image[moved + k];
    unsigned images[13];
    for (int i = 0; i < 13; i++) {
        const unsigned flips = i < 12 ? 1u << i : 0;
        images[i] = flips_image(m == NOWHERE ? flips : flips_moved(flips, m), k) ^ seen >> 16;
    }
    out->block = goes_to * SLICES + (seen & 0xffff);
    out->low[0] = (uint16_t)images[12], out->high[0] = 0;
    for (unsigned bits = 1; bits < 64; bits++) {
        const int bit = __builtin_ctz(bits);
        out->low[bits] = (uint16_t)(out->low[bits & (bits - 1)] ^ images[bit] ^ images[12]);
        out->high[bits] = (uint16_t)(out->high[bits & (bits - 1)] ^ images[6 + bit] ^ images[12]);
    }
}

/* `flips` has eleven bits; the twelfth makes their sum even. */
static inline uint32_t jumped(const Jump *jump, unsigned flips) {
    flips |= (unsigned)(__builtin_popcount(flips) & 1) << 11;
    return jump->block * HALF + (jump->low[flips & 63] ^ jump->high[flips >> 6]) % HALF;
}

static int entries_at(const uint8_t *table, uint32_t block, unsigned level, uint16_t *list) {
    const uint64_t ones = 0x1111111111111111u;
    int count = 0;
    for (unsigned flips = 0; flips < HALF; flips += 16) {
        uint64_t other;
        memcpy(&other, &table[(block * HALF + flips) / 2], sizeof other);
        other ^= ones * level;
        uint64_t same = ~(other | other >> 1 | other >> 2 | other >> 3) & ones;
        for (; same; same &= same - 1)
            list[count++] = (uint16_t)(flips + (unsigned)__builtin_ctzll(same) / 4);
    }
    return count;
}

/* A symmetry that keeps the twist makes several entries of one coset: they are all set. */
static void close_coset_block(Cosets *t, uint32_t block, unsigned level) {
    uint16_t list[HALF];
    const unsigned class = block / SLICES;
    const int count = t->keeping[class] == 1 ? 0 : entries_at(t->distance, block, level, list);
    for (unsigned k = 1; count && k < AXIAL; k++) {
        if (!(t->keeping[class] >> k & 1)) continue;
        Jump jump;
        jump_of(t, class, block % SLICES, NOWHERE, k, &jump);
        for (int i = 0; i < count; i++) set_entry(t->distance, jumped(&jump, list[i]), level);
    }
}

/* While few entries are set, those of a level set their neighbours; later, those not yet set look
 * for a neighbour of the level. */
static void grow_coset_block(Cosets *t, uint32_t block, unsigned level, int forward) {
    uint16_t list[HALF];
    int count = entries_at(t->distance, block, forward ? level : UNKNOWN, list);
    for (int m = 0; count && m < MOVES; m++) {
        Jump jump;
        int rest = 0;
        jump_of(t, block / SLICES, block % SLICES, m, 0, &jump);
        for (int i = 0; i < count; i++) {
            const uint32_t next = jumped(&jump, list[i]);
            if (forward && entry(t->distance, next) == UNKNOWN) {
                set_entry(t->distance, next, level + 1);
            } else if (!forward && entry(t->distance, next) == level) {
                set_entry(t->distance, block * HALF + list[i], level + 1);
                continue;
            }
            list[rest++] = list[i];
        }
        count = rest;
    }
}

/* Distances up to `within`; what is farther stays unknown, and counts as farther. */
static void fill_coset_distances(Cosets *t, unsigned within) {
    const uint32_t blocks = TWIST_CLASSES * SLICES;
    memset(t->distance, UNKNOWN << 4 | UNKNOWN, sizeof t->distance);
    set_entry(t->distance, distance_index(t, 0, cubes.slice_start[0xf00] / AXIAL, 0), 0);
    for (unsigned level = 0; level <= FARTHEST; level++) {
        uint64_t found = 0;
        uint16_t list[HALF];
        for (uint32_t block = 0; block < blocks; block++) {
            const int count = entries_at(t->distance, block, level, list);
            found += (uint64_t)count * t->twist_orbit[block / SLICES];
        }
        t->counts[level] = found;
        if (level == within) break;
        const int forward = level < 9;
        for (uint32_t block = 0; block < blocks; block++)
            grow_coset_block(t, block, level, forward);
        for (uint32_t block = 0; forward && block < blocks; block++)
            close_coset_block(t, block, level + 1);
    }
}

static int fill_coset_twists(Cosets *t) {
    unsigned classes = 0;
    memset(t->twist_class, 0xff, sizeof t->twist_class);
    for (unsigned twist = 0; twist < TWISTS; twist++) {
        if (t->twist_class[twist] != UINT16_MAX) continue;
        if (classes == TWIST_CLASSES) return -2;
        const Cube c = with_corners(twist, 0x0f);
        t->twist_least[classes] = (uint16_t)twist;
        for (unsigned k = 0; k < AXIAL; k++) {
            const Cube seen = image(&c, (int)k);
            const unsigned other = twist_of(&seen);
            const unsigned number = classes << 4 | cubes.inverse_symmetry[k];
            if (t->twist_class[other] == UINT16_MAX) t->twist_orbit[classes]++;
            if (number < t->twist_class[other]) t->twist_class[other] = (uint16_t)number;
            if (other == twist) t->keeping[classes] |= (uint16_t)(1u << k);
        }
        classes++;
    }
    return classes == TWIST_CLASSES ? 0 : -2;
}

/* --- near H ---------------------------------------------------------------------------------- */

static unsigned flips_whole(uint32_t number) {
    const unsigned flips = number % HALF;
    return flips | (unsigned)(__builtin_popcount(flips) & 1) << 11;
}

static uint32_t coset_moved(const Cosets *t, uint32_t number, int m) {
    const unsigned slice = number / HALF % SLICES;
    return coset_number(t->twist_move[number / HALF / SLICES][m],
                        cubes.slice_move[slice][m] / AXIAL, flips_moved(flips_whole(number), m));
}

/* Returns whether it was new. */
static int near_add(Cosets *t, uint32_t number, uint32_t value) {
    uint32_t slot = near_slot(number);
    for (; t->near_key[slot] != UINT32_MAX; slot = (slot + 1) % NEAR_SLOTS)
        if (t->near_key[slot] == number) return 0;
    t->near_key[slot] = number;
    t->near_value[slot] = value;
    return 1;
}

static unsigned coset_distance(const Cosets *t, uint32_t number) {
    return entry(t->distance, distance_index(t, number / HALF / SLICES, number / HALF % SLICES,
                                             flips_whole(number)));
}

static int fill_near(Cosets *t) {
    uint32_t *queue = malloc(sizeof *queue * NEAR_COSETS), end = 1, first = 0;
    if (!queue) return -1;
    memset(t->near_key, 0xff, sizeof t->near_key);
    queue[0] = coset_number(0, cubes.slice_start[0xf00] / AXIAL, 0);
    near_add(t, queue[0], 0);
    t->near_within[0] = 1;
    for (int level = 1; level <= NEAR; level++) {
        for (const uint32_t stop = end; first < stop; first++)
            for (int m = 0; m < MOVES; m++) {
                const uint32_t next = coset_moved(t, queue[first], m);
                if (end < NEAR_COSETS ? near_add(t, next, end) : 0) queue[end++] = next;
            }
        t->near_within[level] = end;
    }
    for (uint32_t i = 0; i < end; i++) {
        const unsigned here = coset_distance(t, queue[i]);
        NearRow *row = &t->near[i];
        for (int m = 0; m < MOVES; m++) {
            const uint32_t next = coset_moved(t, queue[i], m);
            const unsigned there = coset_distance(t, next);
            row->next[m] = there <= NEAR ? near_of(t, next) : UINT32_MAX;
            if (there < here) row->lower |= 1u << m;
            else if (there == here) row->same |= 1u << m;
            else row->upper |= 1u << m;
        }
    }
    free(queue);
    return end == NEAR_COSETS ? 0 : -2;
}

/* Returns 0, -1 if there is no memory, -2 if something is not as many as it should be. */
static int fill_cosets(Cosets *t, unsigned within) {
    memset(t, 0, sizeof *t);
    fill_coset_moves(t);
    fill_pages(t);
    int bad = fill_coset_twists(t);
    if (!bad) fill_coset_distances(t, within);
    uint64_t all = 0;
    for (int i = 0; i <= FARTHEST; i++) all += t->counts[i];
    if (!bad && within == FARTHEST && all != (uint64_t)TWISTS * SLICES * HALF) bad = -2;
    if (!bad) bad = fill_near(t);
    if (!bad) t->filled = COSETS_FILLED;
    return bad;
}

#endif
