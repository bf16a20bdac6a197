/* Every position once, by its coordinates: what the exhaustive count of census.py is made with.
 *
 * A position is a 62-bit number: the entry that a table with all flips has for it (class of corners,
 * slice, flips; see _cube.h of the certifier), and within that coset the order of the U corners, the
 * D corners, the middle edges and the others. Corners must stand as in the representative of their
 * class, so up to 48 symmetries bring a position to a number; the least is the one that counts. As
 * many symmetries give it as leave the position as it is.
 *
 * Compiled as a plain shared library, against the headers of the certifier itself. `prepare` comes
 * first; the other functions may then be called from any thread.
 */
#define _DEFAULT_SOURCE /* madvise, through _cube.h's memory */
#include <stddef.h>
#include <stdlib.h>

#include "_cube.h"

enum { FOUR = 24, EIGHT = 40320 };

#define ORDERS ((uint64_t)FOUR * FOUR * FOUR * EIGHT)

static struct { uint16_t twist; uint8_t upper; } representative[CLASSES];
static uint16_t keeps[CLASSES];                     /* bit g: symmetry g keeps the representative */
static uint8_t after[AXIAL][3];                     /* the axis turned up, then that symmetry */

static unsigned rank(const uint8_t *order, int count) {
    unsigned number = 0, left = (1u << count) - 1;
    for (int i = 0; i < count; i++) {
        number = number * (unsigned)(count - i)
            + (unsigned)__builtin_popcount(left & ((1u << order[i]) - 1));
        left &= ~(1u << order[i]);
    }
    return number;
}

static void unrank(unsigned number, int count, uint8_t *order) {
    for (int i = count - 1; i >= 0; i--) {
        order[i] = (uint8_t)(number % (unsigned)(count - i));
        number /= (unsigned)(count - i);
        for (int j = i + 1; j < count; j++) order[j] += order[j] >= order[i];
    }
}

/* The number of a position whose corners stand as in the representative of their class. */
static uint64_t number_of(const Cube *c, unsigned class) {
    uint8_t order[4][8];
    int count[4] = {0};
    for (int i = 0; i < 8; i++) {
        const int lower = c->cp[i] >= 4;
        order[lower][count[lower]++] = (uint8_t)(c->cp[i] - 4 * lower);
    }
    for (int i = 0; i < 12; i++) {
        const int outer = c->ep[i] < 8;
        order[2 + outer][count[2 + outer]++] = (uint8_t)(outer ? c->ep[i] : c->ep[i] - 8);
    }
    const uint64_t coset = (((uint64_t)class * SLICES + slice_of(c)) << ALL_FLIPS)
        + pack(flips_of(c), 0, ALL_FLIPS);
    uint64_t within = rank(order[0], 4);
    within = within * FOUR + rank(order[1], 4);
    within = within * FOUR + rank(order[2], 4);
    return coset * ORDERS + within * EIGHT + rank(order[3], 8);
}

static Cube position_of(uint64_t number) {
    const uint64_t coset = number / ORDERS, block = coset >> ALL_FLIPS;
    const unsigned class = (unsigned)(block / SLICES), slice = (unsigned)(block % SLICES);
    uint64_t within = number % ORDERS;
    uint8_t upper[4], lower[4], middle[4], outer[8];
    unrank((unsigned)(within % EIGHT), 8, outer), within /= EIGHT;
    unrank((unsigned)(within % FOUR), 4, middle), within /= FOUR;
    unrank((unsigned)(within % FOUR), 4, lower), within /= FOUR;
    unrank((unsigned)within, 4, upper);
    const unsigned kept = (unsigned)(coset & ((1u << ALL_FLIPS) - 1));
    const unsigned last = (unsigned)__builtin_popcount(kept) & 1;
    Cube c = with_corners(representative[class].twist, representative[class].upper);
    const Cube edges = with_edges(cubes.slice_mask[slice], kept | last << ALL_FLIPS);
    for (int i = 0; i < 8; i++) c.cp[i] = c.cp[i] < 4 ? upper[c.cp[i]] : 4 + lower[c.cp[i] - 4];
    for (int i = 0; i < 12; i++) {
        c.ep[i] = edges.ep[i] < 8 ? outer[edges.ep[i]] : 8 + middle[edges.ep[i] - 8];
        c.eo[i] = edges.eo[i];
    }
    return c;
}

/* The least number of a position, and how many symmetries leave the position as it is. */
static uint64_t least(const Cube *c, unsigned *keeping) {
    uint32_t corner[3], class = CLASSES;
    for (int a = 0; a < 3; a++) {
        const Cube seen = image(c, 16 * a);
        corner[a] = corner_of(twist_of(&seen), upper_of(&seen));
        if (corner[a] / AXIAL < class) class = corner[a] / AXIAL;
    }
    uint64_t found = UINT64_MAX;
    *keeping = 0;
    for (int a = 0; a < 3; a++) {
        if (corner[a] / AXIAL != class) continue;
        for (unsigned left = keeps[class]; left; left &= left - 1) {
            const unsigned k = cubes.both[(unsigned)__builtin_ctz(left) << 4 | (corner[a] & 15)];
            const Cube seen = image(c, after[k][a]);
            const uint64_t number = number_of(&seen, class);
            if (number < found) found = number, *keeping = 0;
            *keeping += number == found;
        }
    }
    return found;
}

/* Fill the tables of the certifier and of this file; 0 if that went well. */
int prepare(void) {
    const size_t size = (sizeof *cubes_memory + 63) / 64 * 64;
    cubes_memory = aligned_alloc(64, size);
    if (!cubes_memory) return -1;
    memset(cubes_memory, 0, size);
    fill_group();
    fill_edges();
    if (fill_corners()) return -2;
    for (unsigned upper = 0; upper < 256; upper++)
        for (unsigned twist = 0; __builtin_popcount(upper) == 4 && twist < TWISTS; twist++) {
            const uint32_t corner = corner_of(twist, upper);
            if (corner % AXIAL) continue;
            representative[corner / AXIAL].twist = (uint16_t)twist;
            representative[corner / AXIAL].upper = (uint8_t)upper;
            const Cube c = with_corners(twist, upper);
            for (int g = 0; g < AXIAL; g++) {
                const Cube seen = image(&c, g);
                if (twist_of(&seen) == twist && upper_of(&seen) == upper)
                    keeps[corner / AXIAL] |= (uint16_t)(1 << g);
            }
        }
    for (int k = 0; k < AXIAL; k++)
        for (int a = 0; a < 3; a++) {
            const Cube c = product(&cubes.symmetries[k], &cubes.symmetries[16 * a]);
            for (int s = 0; s < SYMMETRIES; s++)
                if (!memcmp(&c, &cubes.symmetries[s], sizeof c)) after[k][a] = (uint8_t)s;
        }
    for (int class = 0; class < CLASSES; class++)
        if (!(keeps[class] & 1)) return -2;
    return 0;
}

/* made: the numbers of all that a move makes of each position. */
void expand(const uint64_t *numbers, size_t count, int quarter_turns, uint64_t *made) {
    for (size_t i = 0; i < count; i++) {
        const Cube c = position_of(numbers[i]);
        for (int m = 0; m < MOVES; m++) {
            if (quarter_turns && m % 3 == 1) continue;
            unsigned keeping;
            const Cube moved = product(&c, &cubes.moves[m]);
            *made++ = least(&moved, &keeping);
        }
    }
}

/* orders: how many symmetries leave each position as it is. */
void symmetric(const uint64_t *numbers, size_t count, uint8_t *orders) {
    for (size_t i = 0; i < count; i++) {
        unsigned keeping;
        const Cube c = position_of(numbers[i]);
        least(&c, &keeping);
        orders[i] = (uint8_t)keeping;
    }
}

/* The least number of a position: 40 bytes, cp, co, ep, eo. */
uint64_t number(const uint8_t *state) {
    Cube cube;
    unsigned keeping;
    memcpy(&cube, state, sizeof cube);
    return least(&cube, &keeping);
}
