/* Iterative deepening, one iteration: is a state solved by at most `limit` moves?
 *
 * A node holds the state and its inverse. The distance to H along an axis bounds both from below. A
 * maneuver may be extended at either end: the moving side is the state (next move of the solution) or
 * its inverse (last move of the solution, inverted). If the distance of one side along axis a leaves
 * fewer than c moves, no maneuver can end, seen from that side, with a move of cost c of that axis,
 * because such a move stays in H: so the other side need not begin with it. The side with fewer moves
 * left is taken (the direction switching of Rokicki's nxopt).
 *
 * The search is depth first over batches: the last BATCH nodes of the stack are expanded together, and
 * their children go through the lookups in stages, cheapest and most promising first. Each stage first
 * computes and prefetches all its addresses, so that memory is waited for once and not child by child.
 * Order and counts depend on the state, the limit and the table only.
 */
#ifndef FACELET_SEARCH_H
#define FACELET_SEARCH_H

#include "_cube.h"

enum { BATCH = 16, PATH = 32, MAX_LIMIT = 30 };

typedef struct { uint8_t low, high; } Bounds;

typedef struct {
    const uint8_t *entries, *minima;
    Bounds bounds[4];           /* of the distance, by the entry; the minima are better for 0 */
    uint8_t passing[64];        /* by the moves that remain: the greatest entry that they may suffice for */
    uint8_t tight[64];          /* and the entry that surely leaves none to spare; 255 for none */
    int kept, base;
} Table;

typedef struct { uint8_t b[32]; } __attribute__((aligned(32))) Bytes;

/* A state as 32 bytes: 12 edges (piece + 16 * flip), then from 16 on 8 corners (piece + 8 * twist). */
typedef struct { Bytes low, high; } Relabelling;    /* of values below 16, and from 16 on */
typedef struct { Bytes from, flips, twists; } Rearrangement;

typedef struct { uint32_t corner; uint16_t slice, flips; } Seen;

typedef struct {
    Bytes state[2];             /* the state, and its inverse */
    Bounds bounds[2][3];        /* of either side along the axes */
    uint32_t allowed;           /* moves to try on the moving side */
    uint8_t side, remaining, last[2], length[2];
    uint8_t path[PATH];         /* moves of the state from the front, of the inverse from the back */
} Node;

typedef struct {
    uint8_t node, move, remaining, unknown;     /* unknown: axes of the moving side to look at last */
    uint8_t codes[8];                           /* entries: three of the moving side, two of the other */
} Candidate;

typedef struct {
    uint32_t magic, capacity, top;
    int32_t found, limit;
    uint64_t nodes, lookups, expanded;
    uint8_t cost[MOVES];
    uint32_t closed[3][3];      /* [axis][moves to spare]: what cannot come first on the other side */
    uint32_t every, single;     /* all moves, and those of cost 1 */
    Node answer;
    Node stack[];
} Search;

static const uint8_t others[3][2] = {{1, 2}, {2, 0}, {0, 1}};
static uint32_t follow[MOVES + 1];               /* moves that may follow; the last row: any */
static uint8_t axis_of[MOVES];
static Relabelling coordinates[MOVES + 1][3];    /* undo the move, turn the axis up, show */
static Relabelling values[MOVES];                /* undo the move */
static Rearrangement turned[3 + MOVES];          /* the axis turned up; then the moves */
static Bytes wrap, solved;

static void fill_relabelling(Relabelling *r, const Cube *g, int show) {
    for (int v = 0; v < 32; v++) {
        Bytes *half = v < 16 ? &r->low : &r->high;
        const int piece = v & 15, twist = v / 8;
        uint8_t edge = 0, corner = 0;
        if (piece < 12) {
            const int to = g->ep[piece], flip = g->eo[piece] ^ v / 16;
            edge = (uint8_t)(show ? flip << 7 | (to >= 8) << 6 : to | flip << 4);
        }
        if (twist < 3) {
            const int to = g->cp[v & 7], sum = (g->co[v & 7] + twist) % 3;
            corner = (uint8_t)(show ? (to < 4) << 7 | sum : to | sum << 3);
        }
        half->b[v & 15] = edge;
        half->b[16 + (v & 15)] = corner;
    }
}

static Bytes to_bytes(const Cube *c) {
    Bytes v = {{0}};
    for (int i = 0; i < 12; i++) v.b[i] = (uint8_t)(c->ep[i] | c->eo[i] << 4);
    for (int i = 0; i < 8; i++) v.b[16 + i] = (uint8_t)(c->cp[i] | c->co[i] << 3);
    return v;
}

static void fill_rearrangement(Rearrangement *r, const Cube *g) {
    memset(r, 0, sizeof *r);
    memset(&r->from, 128, sizeof r->from);
    for (int i = 0; i < 12; i++) {
        r->from.b[i] = g->ep[i];
        r->flips.b[i] = (uint8_t)(g->eo[i] << 4);
    }
    for (int i = 0; i < 8; i++) {
        r->from.b[16 + i] = g->cp[i];
        r->twists.b[16 + i] = (uint8_t)(g->co[i] << 3);
    }
}

static void fill_search(void) {
    const Cube unit = identity();
    solved = to_bytes(&unit);
    for (int i = 16; i < 24; i++) wrap.b[i] = 24;
    for (int a = 0; a < 3; a++)
        fill_rearrangement(&turned[a], &cubes.symmetries[cubes.inverse_symmetry[16 * a]]);
    for (int m = 0; m < MOVES; m++) {
        const int face = m / 3;
        for (int n = 0; n < MOVES; n++)
            if (n / 3 != face && (n / 3 % 3 != face % 3 || face < 3)) follow[m] |= 1u << n;
        for (int a = 0; a < 3; a++)
            if (cubes.move_image[16 * a][m] / 3 % 3 == 0) axis_of[m] = (uint8_t)a;
    }
    follow[MOVES] = (1u << MOVES) - 1;
    for (int m = 0; m <= MOVES; m++) {
        const Cube undone = m < MOVES ? inverse(&cubes.moves[m]) : unit;
        for (int a = 0; a < 3; a++) {
            const Cube g = product(&cubes.symmetries[16 * a], &undone);
            fill_relabelling(&coordinates[m][a], &g, 1);
        }
        if (m == MOVES) break;
        fill_relabelling(&values[m], &undone, 0);
        fill_rearrangement(&turned[3 + m], &cubes.moves[m]);
    }
}

static void set_costs(Search *s, int quarter_turns) {
    for (int m = 0; m < MOVES; m++) {
        s->cost[m] = (uint8_t)(quarter_turns && m % 3 == 1 ? 2 : 1);
        s->every |= 1u << m;
        s->single |= (uint32_t)(s->cost[m] == 1) << m;
        for (int slack = 0; slack < s->cost[m]; slack++)
            s->closed[axis_of[m]][slack] |= 1u << m;
    }
}

#endif
