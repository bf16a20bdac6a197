/* Compiled core of the labyrinth's search: which tiles a pawn can reach in how many turns.
 *
 * A turn inserts the spare tile and then moves along open corridors. For one sequence of insertions
 * the cells where the pawn can stand form one set, so the search runs over insertions and carries
 * that set as a 49-bit mask; cell = 7 * row + column. Four masks say which tiles are open to the
 * north, east, south and west. Slots are numbered 3 * side + k: sides top, right, bottom, left, at
 * row or column 2 * k + 1. A tile is its openings: 1 north, 2 east, 4 south, 8 west.
 *
 * Insertions that leave equal boards (a straight tile turned by half) are one. In the last turn the
 * new tile is first taken as closed, then as open to all sides: in most slots that decides about
 * all of its rotations at once.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdint.h>
#include <string.h>

typedef uint64_t u64;

enum { CELLS = 49, SPARE = 49, SLOTS = 12, MAX_TURNS = 8 };

#define BIT(i) ((u64)1 << (i))
#define FULL (BIT(CELLS) - 1)

typedef struct {
    u64 line;
    int step, first, last; /* the new tile comes to `first`; `last` is pushed out */
} Slot;

typedef struct {
    u64 open[4];
    int spare;
} Board;

typedef struct {
    u64 south, east; /* cells joined to their southern, eastern neighbour */
} Joints;

static Slot slots[SLOTS];
static u64 last_column;
static int rotations[16][4], rotation_count[16];

static void prepare(void) {
    for (int k = 0; k < 3; k++) {
        int place = 2 * k + 1;
        u64 row = (u64)127 << (7 * place), column = 0;
        for (int i = 0; i < 7; i++) column |= BIT(7 * i + place);
        slots[k] = (Slot){column, 7, place, 42 + place};
        slots[3 + k] = (Slot){row, -1, 7 * place + 6, 7 * place};
        slots[6 + k] = (Slot){column, -7, 42 + place, place};
        slots[9 + k] = (Slot){row, 1, 7 * place, 7 * place + 6};
    }
    last_column = 0;
    for (int row = 0; row < 7; row++) last_column |= BIT(7 * row + 6);
    for (int tile = 0; tile < 16; tile++) {
        int turned = tile, count = 0;
        do {
            rotations[tile][count++] = turned;
            turned = (turned << 1 & 15) | turned >> 3;
        } while (turned != tile && count < 4);
        rotation_count[tile] = count;
    }
}

/* What lies on a line moves on by one cell; the first cell becomes empty. */
static inline u64 push(u64 mask, const Slot *s) {
    u64 part = mask & s->line;
    part = s->step > 0 ? part << s->step : part >> -s->step;
    return (mask & ~s->line) | (part & s->line);
}

static inline u64 push_pawns(u64 pawns, const Slot *s) {
    return push(pawns, s) | (pawns >> s->last & 1) << s->first;
}

static inline u64 pull_pawns(u64 pawns, const Slot *s) {
    u64 part = pawns & s->line & ~BIT(s->first);
    part = s->step > 0 ? part >> s->step : part << -s->step;
    return (pawns & ~s->line) | part | (pawns >> s->first & 1) << s->last;
}

static inline int push_tile(int tile, const Slot *s) {
    if (tile == SPARE) return s->first;
    if (tile == s->last) return SPARE;
    return s->line >> tile & 1 ? tile + s->step : tile;
}

static inline int pull_tile(int tile, const Slot *s) {
    if (tile == SPARE) return s->last;
    if (tile == s->first) return SPARE;
    return s->line >> tile & 1 ? tile - s->step : tile;
}

static inline Board inserted(const Board *b, const Slot *s, int tile) {
    Board next;
    next.spare = 0;
    for (int d = 0; d < 4; d++) {
        next.spare |= (int)(b->open[d] >> s->last & 1) << d;
        next.open[d] = push(b->open[d], s) | (u64)(tile >> d & 1) << s->first;
    }
    return next;
}

static inline Joints joints(const Board *b) {
    return (Joints){b->open[2] & b->open[0] >> 7, b->open[1] & b->open[3] >> 1 & ~last_column};
}

static inline u64 flood(u64 reached, Joints j) {
    for (;;) {
        u64 more = reached | (reached & j.south) << 7 | (reached >> 7 & j.south) |
                   (reached & j.east) << 1 | (reached >> 1 & j.east);
        if (more == reached) return reached;
        reached = more;
    }
}

static inline int opposite(int slot) { return (slot + 6) % SLOTS; }

static inline int lowest(u64 mask) { return __builtin_ctzll(mask); }

/* --- one target: count the shortest ways, pick one of them ------------------------------------ */

typedef struct {
    u64 plans[CELLS];     /* how many plans end a turn on each cell */
    double share[CELLS];  /* how likely a player is there that draws insertions and cells evenly */
} Crowd;

typedef struct {
    u64 insertions, plans, pick; /* pick: number of the sequence to keep */
    double chance;
    int turns, first_only;
    uint8_t path[2 * MAX_TURNS], kept[2 * MAX_TURNS]; /* slot, tile as it lies, per turn */
} Count;

static inline int size(u64 mask) { return __builtin_popcountll(mask); }

static double one_of(const Board *b, int before) {
    return 1.0 / ((before >= 0 ? SLOTS - 1 : SLOTS) * rotation_count[b->spare]);
}

static void last_turn(Count *c, const Board *b, u64 pawns, const Crowd *at, int target, int before) {
    double each = one_of(b, before);
    for (int k = 0; k < SLOTS; k++) {
        if (before >= 0 && k == opposite(before)) continue;
        const Slot *s = &slots[k];
        int goal = push_tile(target, s);
        if (goal == SPARE) continue;
        Board closed = inserted(b, s, 0);
        u64 start = flood(push_pawns(pawns, s), joints(&closed));
        int always = start >> goal & 1;
        if (!always) {
            Board open = inserted(b, s, 15);
            if (!(flood(start, joints(&open)) >> goal & 1)) continue;
        }
        for (int r = 0; r < rotation_count[b->spare]; r++) {
            int tile = rotations[b->spare][r];
            Board next = inserted(b, s, tile);
            if (!always && !(flood(start, joints(&next)) >> goal & 1)) continue;
            if (c->insertions++ == c->pick) {
                c->path[2 * c->turns - 2] = (uint8_t)k;
                c->path[2 * c->turns - 1] = (uint8_t)tile;
                memcpy(c->kept, c->path, sizeof c->kept);
            }
            if (c->first_only) return;
            u64 part = flood(BIT(goal), joints(&next));
            double some = 0;
            for (u64 from = pull_pawns(part, s) & pawns; from; from &= from - 1) {
                c->plans += at->plans[lowest(from)];
                some += at->share[lowest(from)];
            }
            c->chance += some * each / size(part);
        }
    }
}

static void count(Count *c, const Board *b, u64 pawns, const Crowd *at, int target, int before,
                  int turn) {
    if (turn == c->turns - 1) {
        last_turn(c, b, pawns, at, target, before);
        return;
    }
    double each = one_of(b, before);
    for (int k = 0; k < SLOTS; k++) {
        if (before >= 0 && k == opposite(before)) continue;
        const Slot *s = &slots[k];
        for (int r = 0; r < rotation_count[b->spare]; r++) {
            int tile = rotations[b->spare][r];
            Board next = inserted(b, s, tile);
            Joints j = joints(&next);
            u64 rest = flood(push_pawns(pawns, s), j), reached = rest;
            Crowd now;
            while (!c->first_only && rest) {
                u64 part = flood(rest & -rest, j), plans = 0;
                double some = 0;
                for (u64 from = pull_pawns(part, s) & pawns; from; from &= from - 1) {
                    plans += at->plans[lowest(from)];
                    some += at->share[lowest(from)];
                }
                double share = some * each / size(part);
                for (u64 cells = part; cells; cells &= cells - 1) {
                    now.plans[lowest(cells)] = plans;
                    now.share[lowest(cells)] = share;
                }
                rest &= ~part;
            }
            c->path[2 * turn] = (uint8_t)k;
            c->path[2 * turn + 1] = (uint8_t)tile;
            count(c, &next, reached, c->first_only ? at : &now, push_tile(target, s), k, turn + 1);
            if (c->first_only && c->insertions) return;
        }
    }
}

/* --- all tiles: which are reached in exactly so many turns, and not in fewer ------------------- */

typedef struct {
    u64 missing; /* tiles not reached yet, by where they lay at the start; bit 49: the spare one */
    int turns, slot[MAX_TURNS];
} Survey;

static u64 push_set(u64 tiles, const Slot *s) {
    u64 board = push(tiles & FULL, s);
    board |= (tiles >> SPARE & 1) << s->first;
    return board | (tiles >> s->last & 1) << SPARE;
}

static void note(Survey *v, u64 hits, int turn) {
    for (; hits; hits &= hits - 1) {
        int tile = lowest(hits);
        for (int i = turn; i >= 0; i--) tile = pull_tile(tile, &slots[v->slot[i]]);
        v->missing &= ~BIT(tile);
    }
}

/* `missing`: where the tiles that are missing lie now. */
static void survey(Survey *v, const Board *b, u64 pawns, u64 missing, int before, int turn) {
    for (int k = 0; k < SLOTS && v->missing; k++) {
        if (before >= 0 && k == opposite(before)) continue;
        const Slot *s = &slots[k];
        u64 wanted = push_set(turn ? missing : v->missing, s);
        v->slot[turn] = k;
        int last = turn == v->turns - 1;
        if (last) {
            Board open = inserted(b, s, 15);
            if (!(flood(push_pawns(pawns, s), joints(&open)) & wanted)) continue;
        }
        for (int r = 0; r < rotation_count[b->spare]; r++) {
            Board next = inserted(b, s, rotations[b->spare][r]);
            u64 reached = flood(push_pawns(pawns, s), joints(&next));
            if (last)
                note(v, reached & wanted, turn);
            else
                survey(v, &next, reached, wanted, k, turn + 1);
        }
    }
}

/* --- Python ------------------------------------------------------------------------------------ */

static int read_board(Board *b, const uint8_t *tiles, Py_ssize_t length, int pawn, int before) {
    if (length != CELLS + 1) {
        PyErr_Format(PyExc_ValueError, "%zd tiles; give 50, the spare one last", length);
        return -1;
    }
    if (pawn < 0 || pawn >= CELLS || before < -1 || before >= SLOTS) {
        PyErr_Format(PyExc_ValueError, "pawn %d or slot %d is out of range", pawn, before);
        return -1;
    }
    memset(b, 0, sizeof *b);
    for (int i = 0; i <= CELLS; i++) {
        if (tiles[i] > 15) {
            PyErr_Format(PyExc_ValueError, "tile %d is %d; allowed are 0 to 15", i, tiles[i]);
            return -1;
        }
        for (int d = 0; d < 4 && i < CELLS; d++) b->open[d] |= (u64)(tiles[i] >> d & 1) << i;
    }
    b->spare = tiles[CELLS];
    return 0;
}

static int check_turns(int turns, int least) {
    if (turns >= least && turns <= MAX_TURNS) return 0;
    PyErr_Format(PyExc_ValueError, "turns is %d; allowed are %d to %d", turns, least, MAX_TURNS);
    return -1;
}

static PyObject *py_ways(PyObject *self, PyObject *args) {
    (void)self;
    const uint8_t *tiles;
    Py_ssize_t length;
    int pawn, before, target, turns;
    unsigned long long pick;
    if (!PyArg_ParseTuple(args, "y#iiiiK", &tiles, &length, &pawn, &before, &target, &turns, &pick))
        return NULL;
    Board b;
    if (read_board(&b, tiles, length, pawn, before) || check_turns(turns, 1)) return NULL;
    if (target < 0 || target > SPARE)
        return PyErr_Format(PyExc_ValueError, "target %d is not 0 to 49", target);
    Count c = {.turns = turns, .pick = pick};
    Crowd at = {{0}, {0}};
    at.plans[pawn] = 1;
    at.share[pawn] = 1;
    Py_BEGIN_ALLOW_THREADS
    count(&c, &b, BIT(pawn), &at, target, before, 0);
    Py_END_ALLOW_THREADS
    return Py_BuildValue("(KKdy#)", c.insertions, c.plans, c.chance, (char *)c.kept,
                         (Py_ssize_t)(c.insertions > pick ? 2 * turns : 0));
}

static PyObject *py_least_turns(PyObject *self, PyObject *args) {
    (void)self;
    const uint8_t *tiles;
    Py_ssize_t length;
    int pawn, before, target, limit;
    if (!PyArg_ParseTuple(args, "y#iiii", &tiles, &length, &pawn, &before, &target, &limit))
        return NULL;
    Board b;
    if (read_board(&b, tiles, length, pawn, before) || check_turns(limit, 0)) return NULL;
    if (target < 0 || target > SPARE)
        return PyErr_Format(PyExc_ValueError, "target %d is not 0 to 49", target);
    int turns = 1;
    Py_BEGIN_ALLOW_THREADS
    Crowd nobody = {{0}, {0}};
    for (; turns <= limit; turns++) {
        Count c = {.turns = turns, .first_only = 1};
        count(&c, &b, BIT(pawn), &nobody, target, before, 0);
        if (c.insertions) break;
    }
    Py_END_ALLOW_THREADS
    return PyLong_FromLong(turns);
}

static void least_turns(uint8_t *least, const Board *b, int pawn, int before, u64 missing, int limit) {
    memset(least, limit + 1, CELLS + 1);
    for (int turns = 1; turns <= limit && missing; turns++) {
        Survey v = {.missing = missing, .turns = turns};
        survey(&v, b, BIT(pawn), missing, before, 0);
        for (u64 found = missing & ~v.missing; found; found &= found - 1)
            least[lowest(found)] = (uint8_t)turns;
        missing = v.missing;
    }
}

static PyObject *py_survey(PyObject *self, PyObject *args) {
    (void)self;
    const uint8_t *tiles;
    Py_ssize_t length;
    int first, end, before, limit;
    unsigned long long wanted;
    if (!PyArg_ParseTuple(args, "y#iiiKi", &tiles, &length, &first, &end, &before, &wanted, &limit))
        return NULL;
    Board b;
    if (read_board(&b, tiles, length, first, before) || check_turns(limit, 0)) return NULL;
    if (end <= first || end > CELLS)
        return PyErr_Format(PyExc_ValueError, "pawns %d to %d are no range", first, end);
    uint8_t least[CELLS * (CELLS + 1)];
    u64 missing = wanted & (BIT(SPARE + 1) - 1);
    Py_BEGIN_ALLOW_THREADS
    for (int pawn = first; pawn < end; pawn++)
        least_turns(least + (pawn - first) * (CELLS + 1), &b, pawn, before, missing, limit);
    Py_END_ALLOW_THREADS
    return PyBytes_FromStringAndSize((char *)least, (end - first) * (CELLS + 1));
}

static PyMethodDef methods[] = {
    {"ways", py_ways, METH_VARARGS, "Count the ways to a tile in exactly so many turns."},
    {"least_turns", py_least_turns, METH_VARARGS, "The fewest turns to a tile, or limit + 1."},
    {"survey", py_survey, METH_VARARGS, "The fewest turns from each of a range of cells to some tiles."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "_search", "Compiled core of the labyrinth's search.", -1, methods,
    NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__search(void) {
    prepare();
    PyObject *m = PyModule_Create(&module);
    if (m && PyModule_AddIntConstant(m, "MAX_TURNS", MAX_TURNS)) Py_CLEAR(m);
    return m;
}
