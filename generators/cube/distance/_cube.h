/* The cube by pieces, its face turns and symmetries, and the coordinates of the pruning tables.
 *
 * Pieces are numbered as in facelet.generators.cube.engine.cubies: corners URF UFL ULB UBR DFR DLF DBL DRB,
 * edges UR UF UL UB DR DF DL DB FR FL BL BR; a product (a, b) is first a, then b. Moves are
 * 3 * face + quarter turns - 1 with faces U R F D L B.
 *
 * A table knows a state by its coset of the subgroup H that keeps, with respect to the U/D axis,
 * the twist of every corner, the layer (U or D) of every corner, the set of edges in the middle
 * layer and the flips of some edges. Sixteen symmetries of the cube keep that axis and so keep H:
 *
 *   corner   twists (2,187) x places of the U corners (70), numbered class * 16 + k: symmetry k
 *            carries the corner part to the representative of its class (9,930 classes);
 *   slice    places of the four middle-layer edges, 495 sets, with their 12-bit masks;
 *   flips    12 bits, bit i for the edge at place i; `pack` selects what a table keeps.
 *
 * Everything here is filled once and only read afterwards. The two other axes use the same table:
 * axis a knows a state by the coordinates of its image under the a-th power of a turn about the URF
 * corner.
 */
#ifndef FACELET_CUBE_H
#define FACELET_CUBE_H

#include <stdint.h>
#include <string.h>

enum {
    MOVES = 18, CLASSES = 9930, CORNERS = CLASSES * 16, TWISTS = 2187, SPLITS = 70, SLICES = 495,
    FLIPS = 4096, SYMMETRIES = 48, AXIAL = 16, TWIST_CLASSES = 168,
};

typedef struct { uint8_t cp[8], co[8], ep[12], eo[12]; } Cube;

/* Where the moves take a corner part; one line of the processor's cache. */
typedef struct {
    uint16_t class[MOVES];
    uint8_t k[MOVES];
} __attribute__((aligned(64))) CornerRow;

typedef struct {
    Cube moves[MOVES];
    Cube symmetries[SYMMETRIES];               /* 0..15 keep the axis; 16 * a turns axis a up */
    uint8_t inverse_symmetry[SYMMETRIES];
    uint8_t move_image[SYMMETRIES][MOVES];     /* S m S^-1 */
    CornerRow corner_move[CORNERS];
    /* A corner part is brought to its representative in two steps, twist first: small tables, which
     * stay in the cache where one of all 153,090 parts would not. See `corner_of`. */
    uint16_t twist_class[TWISTS];              /* class of the twist * 16 + k */
    uint8_t split_image[256][AXIAL];           /* mask of places holding U corners, k -> 0..69 */
    uint32_t pair_class[TWIST_CLASSES * SPLITS];        /* class * 16 + k */
    uint8_t both[AXIAL * AXIAL];               /* [second * 16 + first]: as one symmetry */
    uint16_t slice_start[4096];                /* mask of places of middle edges -> slice * 16 */
    uint16_t slice_mask[SLICES], outer_mask[SLICES];    /* that mask, and the rest */
    uint16_t slice_move[SLICES][MOVES];        /* slice * 16 */
    uint32_t slice_image[SLICES * AXIAL];      /* [slice * 16 + k] -> slice | flips toggled << 16 */
    /* Flips move and are seen one by one, so that a sum of two stands for 4,096 rows: of the lower
     * six bits and the upper six. Moves give PACK_FLIPS, whose halves, plus k, index the images. */
    uint32_t flip_move[2][64][MOVES];
    uint16_t flip_image[2][64 * AXIAL];
    uint8_t orbit[CLASSES];                    /* how many corner parts share the class */
} Cubes;

static Cubes *cubes_memory; /* in huge pages where the system has them: lookups are all over it */
#define cubes (*cubes_memory)

#define PACK_FLIPS(flips) (((flips) << 4 & 0x3f0) | ((flips) & 0xfc0) << 14)
#define UNPACK_FLIPS(packed) (((packed) >> 4 & 0x3f) | ((packed) >> 14 & 0xfc0))

static const Cube QUARTER_TURNS[6] = {
    {{3, 0, 1, 2, 4, 5, 6, 7}, {0}, {3, 0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11}, {0}},
    {{4, 1, 2, 0, 7, 5, 6, 3}, {2, 0, 0, 1, 1, 0, 0, 2},
     {8, 1, 2, 3, 11, 5, 6, 7, 4, 9, 10, 0}, {0}},
    {{1, 5, 2, 3, 0, 4, 6, 7}, {1, 2, 0, 0, 2, 1, 0, 0},
     {0, 9, 2, 3, 4, 8, 6, 7, 1, 5, 10, 11}, {0, 1, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0}},
    {{0, 1, 2, 3, 5, 6, 7, 4}, {0}, {0, 1, 2, 3, 5, 6, 7, 4, 8, 9, 10, 11}, {0}},
    {{0, 2, 6, 3, 4, 1, 5, 7}, {0, 1, 2, 0, 0, 2, 1, 0},
     {0, 1, 10, 3, 4, 5, 9, 7, 8, 2, 6, 11}, {0}},
    {{0, 1, 3, 7, 4, 5, 2, 6}, {0, 0, 1, 2, 0, 0, 2, 1},
     {0, 1, 2, 11, 4, 5, 6, 10, 8, 9, 3, 7}, {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 1}},
};

/* Turn about the URF corner, half turn about F, quarter turn about U, reflection left to right. A
 * reflected corner has twist 3 + t. */
static const Cube GENERATORS[4] = {
    {{0, 4, 5, 1, 3, 7, 6, 2}, {1, 2, 1, 2, 2, 1, 2, 1},
     {1, 8, 5, 9, 3, 11, 7, 10, 0, 4, 6, 2}, {1, 0, 1, 0, 1, 0, 1, 0, 1, 1, 1, 1}},
    {{5, 4, 7, 6, 1, 0, 3, 2}, {0}, {6, 5, 4, 7, 2, 1, 0, 3, 9, 8, 11, 10}, {0}},
    {{3, 0, 1, 2, 7, 4, 5, 6}, {0},
     {3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10}, {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1}},
    {{1, 0, 3, 2, 5, 4, 7, 6}, {3, 3, 3, 3, 3, 3, 3, 3},
     {2, 1, 0, 3, 6, 5, 4, 7, 9, 8, 11, 10}, {0}},
};

static int twist_sum(int a, int b) {
    if (a < 3) return b < 3 ? (a + b) % 3 : 3 + (a + b - 3) % 3;
    return b < 3 ? 3 + (a - b) % 3 : (a - b + 3) % 3;
}

static Cube product(const Cube *a, const Cube *b) {
    Cube c;
    for (int i = 0; i < 8; i++) {
        c.cp[i] = a->cp[b->cp[i]];
        c.co[i] = (uint8_t)twist_sum(a->co[b->cp[i]], b->co[i]);
    }
    for (int i = 0; i < 12; i++) {
        c.ep[i] = a->ep[b->ep[i]];
        c.eo[i] = a->eo[b->ep[i]] ^ b->eo[i];
    }
    return c;
}

static Cube identity(void) {
    Cube c = {{0}};
    for (int i = 0; i < 8; i++) c.cp[i] = (uint8_t)i;
    for (int i = 0; i < 12; i++) c.ep[i] = (uint8_t)i;
    return c;
}

/* The inverse of an unreflected state. */
static Cube inverse(const Cube *a) {
    Cube c;
    for (int i = 0; i < 8; i++) {
        c.cp[a->cp[i]] = (uint8_t)i;
        c.co[a->cp[i]] = (uint8_t)((3 - a->co[i]) % 3);
    }
    for (int i = 0; i < 12; i++) {
        c.ep[a->ep[i]] = (uint8_t)i;
        c.eo[a->ep[i]] = a->eo[i];
    }
    return c;
}

static Cube image(const Cube *a, int s) {
    Cube half = product(&cubes.symmetries[s], a);
    return product(&half, &cubes.symmetries[cubes.inverse_symmetry[s]]);
}

static unsigned twist_of(const Cube *a) {
    unsigned twist = 0;
    for (int i = 6; i >= 0; i--) twist = 3 * twist + a->co[i];
    return twist;
}

static unsigned upper_of(const Cube *a) {
    unsigned mask = 0;
    for (int i = 0; i < 8; i++) mask |= (unsigned)(a->cp[i] < 4) << i;
    return mask;
}

static unsigned slice_of(const Cube *a) {
    unsigned mask = 0;
    for (int i = 0; i < 12; i++) mask |= (unsigned)(a->ep[i] >= 8) << i;
    return cubes.slice_start[mask] / AXIAL;
}

static unsigned flips_of(const Cube *a) {
    unsigned flips = 0;
    for (int i = 0; i < 12; i++) flips |= (unsigned)a->eo[i] << i;
    return flips;
}

/* Some state with the given corner part, and some with the given edge part. */
static Cube with_corners(unsigned twist, unsigned mask) {
    Cube c = identity();
    unsigned total = 0, upper = 0, lower = 4;
    for (int i = 0; i < 8; i++) {
        c.cp[i] = (uint8_t)(mask >> i & 1 ? upper++ : lower++);
        c.co[i] = (uint8_t)(i < 7 ? twist % 3 : (3 - total % 3) % 3);
        total += c.co[i];
        twist /= 3;
    }
    return c;
}

static Cube with_edges(unsigned mask, unsigned flips) {
    Cube c = identity();
    unsigned middle = 8, outer = 0;
    for (int i = 0; i < 12; i++) {
        c.ep[i] = (uint8_t)(mask >> i & 1 ? middle++ : outer++);
        c.eo[i] = flips >> i & 1;
    }
    return c;
}

static void fill_group(void) {
    for (int face = 0; face < 6; face++) {
        Cube turned = QUARTER_TURNS[face];
        for (int turns = 0; turns < 3; turns++) {
            cubes.moves[3 * face + turns] = turned;
            turned = product(&turned, &QUARTER_TURNS[face]);
        }
    }
    for (int s = 0; s < SYMMETRIES; s++) {
        Cube c = identity();
        const int powers[4] = {s / 16, s / 8 % 2, s / 2 % 4, s % 2};
        for (int g = 0; g < 4; g++)
            for (int i = 0; i < powers[g]; i++) c = product(&c, &GENERATORS[g]);
        cubes.symmetries[s] = c;
    }
    const Cube unit = identity();
    for (int s = 0; s < SYMMETRIES; s++)
        for (int t = 0; t < SYMMETRIES; t++) {
            Cube c = product(&cubes.symmetries[s], &cubes.symmetries[t]);
            if (!memcmp(&c, &unit, sizeof c)) cubes.inverse_symmetry[s] = (uint8_t)t;
        }
    for (int s = 0; s < SYMMETRIES; s++)
        for (int m = 0; m < MOVES; m++) {
            Cube c = image(&cubes.moves[m], s);
            for (int n = 0; n < MOVES; n++)
                if (!memcmp(&c, &cubes.moves[n], sizeof c)) cubes.move_image[s][m] = (uint8_t)n;
        }
}

static void fill_edges(void) {
    for (unsigned mask = 0, next = 0; mask < FLIPS; mask++)
        if (__builtin_popcount(mask) == 4) {
            cubes.slice_start[mask] = (uint16_t)(next * AXIAL);
            cubes.outer_mask[next] = (uint16_t)(~mask & 0xfff);
            cubes.slice_mask[next++] = (uint16_t)mask;
        }
    for (unsigned slice = 0; slice < SLICES; slice++) {
        Cube c = with_edges(cubes.slice_mask[slice], 0);
        for (int m = 0; m < MOVES; m++) {
            Cube moved = product(&c, &cubes.moves[m]);
            cubes.slice_move[slice][m] = (uint16_t)(slice_of(&moved) * AXIAL);
        }
        for (int k = 0; k < AXIAL; k++) {
            Cube seen = image(&c, k);
            const uint32_t target = slice_of(&seen), toggled = flips_of(&seen);
            cubes.slice_image[slice * AXIAL + (unsigned)k] = target | toggled << 16;
        }
    }
    /* What moves and images toggle is added once, to the upper or the lower half. */
    const unsigned home = cubes.slice_start[0xf00];
    for (unsigned flips = 0; flips < 64; flips++)
        for (int half = 0; half < 2; half++) {
            const Cube c = with_edges(0xf00, flips << 6 * half);
            for (int m = 0; m < MOVES; m++) {
                const Cube moved = product(&c, &cubes.moves[m]);
                const unsigned after = flips_of(&moved) ^ (half ? flips_of(&cubes.moves[m]) : 0);
                cubes.flip_move[half][flips][m] = PACK_FLIPS(after);
            }
            for (int k = 0; k < AXIAL; k++) {
                const Cube seen = image(&c, k);
                const unsigned toggled = cubes.slice_image[home + (unsigned)k] >> 16;
                const unsigned after = flips_of(&seen) ^ toggled;
                cubes.flip_image[half][flips * AXIAL + (unsigned)k] = (uint16_t)after;
            }
        }
}

/* class * 16 + k of a corner part. */
static inline uint32_t corner_of(uint32_t twist, uint32_t upper_mask) {
    const uint32_t first = cubes.twist_class[twist];
    const uint32_t split = cubes.split_image[upper_mask][first & 15];
    const uint32_t second = cubes.pair_class[(first >> 4) * SPLITS + split];
    return (second & ~15u) | cubes.both[(second & 15) << 4 | (first & 15)];
}

static int fill_corners(void) {
    static uint16_t twist_move[TWISTS][MOVES], twist_image[TWISTS][AXIAL];
    static uint8_t split_mask[SPLITS], split_number[256], split_move[SPLITS][MOVES];
    static uint32_t class_of[TWISTS * SPLITS]; /* of twist * 70 + split; k in the lower four bits */
    for (unsigned mask = 0, next = 0; mask < 256; mask++)
        if (__builtin_popcount(mask) == 4) {
            split_number[mask] = (uint8_t)next;
            split_mask[next++] = (uint8_t)mask;
        }
    for (unsigned twist = 0; twist < TWISTS; twist++) {
        const Cube c = with_corners(twist, 0x0f);
        for (int m = 0; m < MOVES; m++) {
            const Cube moved = product(&c, &cubes.moves[m]);
            twist_move[twist][m] = (uint16_t)twist_of(&moved);
        }
        for (int k = 0; k < AXIAL; k++) {
            const Cube seen = image(&c, k);
            twist_image[twist][k] = (uint16_t)twist_of(&seen);
        }
    }
    for (unsigned split = 0; split < SPLITS; split++) {
        const Cube c = with_corners(0, split_mask[split]);
        for (int m = 0; m < MOVES; m++) {
            const Cube moved = product(&c, &cubes.moves[m]);
            split_move[split][m] = split_number[upper_of(&moved)];
        }
        for (int k = 0; k < AXIAL; k++) {
            const Cube seen = image(&c, k);
            cubes.split_image[split_mask[split]][k] = split_number[upper_of(&seen)];
        }
    }
    for (int second = 0; second < AXIAL; second++)
        for (int first = 0; first < AXIAL; first++) {
            const Cube c = product(&cubes.symmetries[second], &cubes.symmetries[first]);
            for (int k = 0; k < AXIAL; k++)
                if (!memcmp(&c, &cubes.symmetries[k], sizeof c))
                    cubes.both[second << 4 | first] = (uint8_t)k;
        }

    /* Representatives are the least of their classes; the image under k of one is carried back by
     * the inverse of k. */
    uint32_t twist_classes = 0, classes = 0;
    memset(cubes.twist_class, 0xff, sizeof cubes.twist_class);
    memset(class_of, 0xff, sizeof class_of);
    for (uint32_t twist = 0; twist < TWISTS; twist++) {
        const int representative = cubes.twist_class[twist] == UINT16_MAX;
        for (int k = 0; representative && k < AXIAL; k++) {
            const unsigned number = twist_classes << 4 | cubes.inverse_symmetry[k];
            uint16_t *known = &cubes.twist_class[twist_image[twist][k]];
            if (number < *known) *known = (uint16_t)number;
        }
        for (uint32_t split = 0; split < SPLITS; split++) {
            const uint32_t part = twist * SPLITS + split;
            if (class_of[part] == UINT32_MAX) {
                if (classes == CLASSES) return -1;
                for (int k = 0; k < AXIAL; k++) {
                    const uint32_t other = twist_image[twist][k] * SPLITS
                        + cubes.split_image[split_mask[split]][k];
                    const uint32_t number = classes << 4 | cubes.inverse_symmetry[k];
                    if (class_of[other] == UINT32_MAX) cubes.orbit[classes]++;
                    if (number < class_of[other]) class_of[other] = number;
                    for (int m = 0; m < MOVES; m++) {
                        CornerRow *row = &cubes.corner_move[number];
                        row->class[m] = twist_move[other / SPLITS][m]; /* for now */
                        row->k[m] = split_move[other % SPLITS][m];
                    }
                }
                classes++;
            }
            if (representative) {
                if (twist_classes == TWIST_CLASSES) return -1;
                cubes.pair_class[twist_classes * SPLITS + split] = class_of[part];
            }
        }
        twist_classes += (uint32_t)representative;
    }
    for (uint32_t number = 0; number < CORNERS; number++)
        for (int m = 0; m < MOVES; m++) {
            CornerRow *row = &cubes.corner_move[number];
            const uint32_t moved = class_of[row->class[m] * SPLITS + row->k[m]];
            row->class[m] = (uint16_t)(moved >> 4);
            row->k[m] = moved & 15;
        }
    return classes == CLASSES && twist_classes == TWIST_CLASSES ? 0 : -1;
}

static inline unsigned flips_moved(unsigned flips, int m) {
    const uint32_t packed = cubes.flip_move[0][flips & 63][m] ^ cubes.flip_move[1][flips >> 6][m];
    return UNPACK_FLIPS(packed);
}

static inline unsigned flips_image(unsigned flips, unsigned k) {
    return cubes.flip_image[0][(flips & 63) * AXIAL + k]
        ^ cubes.flip_image[1][(flips >> 6) * AXIAL + k];
}

/* What a table keeps of the flips: all (one bit follows from the others), those of the eight U and
 * D edges, or those of the four middle edges. */
enum { ALL_FLIPS = 11, OUTER_FLIPS = 8, MIDDLE_FLIPS = 4 };

static inline unsigned compress(unsigned bits, unsigned mask) {
#ifdef __BMI2__
    return __builtin_ia32_pext_si(bits, mask);
#else
    /* Close the gaps from the top down: there are at most eight. */
    bits &= mask;
    for (unsigned gaps = ~mask & 0xfff; gaps;) {
        unsigned high = 31 - (unsigned)__builtin_clz(gaps), below = (1u << high) - 1;
        bits = (bits & below) | (bits >> 1 & ~below);
        gaps ^= 1u << high;
    }
    return bits;
#endif
}

static inline unsigned pack(unsigned flips, unsigned slice, int kept) {
    if (kept == ALL_FLIPS) return flips & 0x7ff;
    return compress(flips, kept == OUTER_FLIPS ? cubes.outer_mask[slice] : cubes.slice_mask[slice]);
}

#endif
