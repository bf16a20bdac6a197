/* Shapes: four lists of operations by design.
 *
 * Turns and mirrors of a row come to one of eight symmetries of the square. So a list is kept as its
 * other operations and the two places at which the lists differ (its events), with a symmetry before
 * each and one at the end: a list costs what its few events do, however long it is.
 */
#include "_shape.h"

typedef Shape State;

#include "../options/deformation/_drawing.h"

enum { SYMMETRIES = 8, MOST_EVENTS = 10 };
enum { WITHOUT = 4 }; /* Symmetries that a gap can come to if one of its turns is left out: the whole
                       * gap, after either rotation, or after either of two of the four mirrors. */
enum {
    LISTS = 400, /* lists that are drawn at most */
    PAIRS = 16,  /* pairs of places that are tried with a list */
    FEW = 180,   /* draws of four single operations */
};
static const int LIMIT[2] = {5, 7}; /* operations of a list that are no turns, in 2d and in 2.5d */

typedef struct {
    int place;
    int differs;        /* whether its steps are not all the same */
    Step step[OPTIONS]; /* by track */
} Event;

typedef struct {
    int level, count;
    Event event[MOST_EVENTS];
    uint8_t gap[MOST_EVENTS + 1]; /* the symmetry before each event, and after the last */
} List;

static uint8_t product[SYMMETRIES][SYMMETRIES]; /* of one and then the other */
static uint8_t inverse[SYMMETRIES];
static const uint8_t TURNS[] = {0, 1, 3, 4}; /* by kind: the symmetry that it is */

static int is_turn(Step step) {
    return step.kind == CLOCKWISE || step.kind == COUNTERCLOCKWISE || step.kind == MIRROR;
}

/* A symmetry is 4 if left and right are swapped, plus the clockwise turns that follow. */
static Shape seen(Shape shape, int symmetry) {
    static const Rules none;
    if (symmetry & 4) shape = apply(&none, shape, (Step){MIRROR, 0});
    if ((symmetry & 3) == 3) return apply(&none, shape, (Step){COUNTERCLOCKWISE, 0});
    for (int i = 0; i < (symmetry & 3); i++) shape = apply(&none, shape, (Step){CLOCKWISE, 0});
    return shape;
}

static void prepare_symmetries(void) {
    const Shape mark = 010 | 020 << 6 | 030 << 12 | (Shape)040 << 18;
    for (int a = 0; a < SYMMETRIES; a++)
        for (int b = 0; b < SYMMETRIES; b++)
            for (int c = 0; c < SYMMETRIES; c++)
                if (seen(seen(mark, a), b) == seen(mark, c)) {
                    product[a][b] = (uint8_t)c;
                    if (!c) inverse[a] = (uint8_t)b;
                }
}

/* ---- drawing operations ---------------------------------------------------------------------- */

static uint32_t draw_piece(const Rules *r, Dice *d) {
    uint32_t type = below(d, (uint32_t)r->types);
    if (type == 3 && r->types == 4) type = 4; /* no fan: the star takes its place */
    return (type + 1) << 3 | below(d, COLOURS);
}

static uint32_t draw_quadrant(const Rules *r, Dice *d) {
    return below(d, 4) ? draw_piece(r, d) : 0;
}

static Step draw_other(const Rules *r, Dice *d, uint32_t kind) {
    uint32_t upper = 0;
    if (kind == FILL && r->fill_with) {
        for (int q = 0; q < QUADRANTS; q++) upper |= draw_piece(r, d) << BITS * q;
        return (Step){FILL, upper};
    }
    if (kind == COLOUR) return (Step){kind, below(d, COLOURS)};
    if (kind == FILL) return (Step){kind, draw_piece(r, d)};
    if (kind != STACK) return (Step){kind, 0};
    while (!upper)
        for (int q = 0; q < QUADRANTS; q++) upper |= draw_quadrant(r, d) << BITS * q;
    return (Step){STACK, upper};
}

/* An operation that is no turn. */
static Step draw_event(const Rules *r, Dice *d) {
    static const uint32_t kinds[] = {CUT, COLOUR, FILL, STACK};
    uint32_t kind;
    if (r->kinds == 6 && r->filling) kind = kinds[below(d, 3)];
    else if (r->filling) kind = kinds[below(d, 4)];
    else if ((kind = kinds[below(d, 3)]) == FILL) kind = STACK;
    return draw_other(r, d, kind);
}

/* By turn, the two that do not undo it. */
static const uint8_t AFTER[][2] = {
    [CLOCKWISE] = {CLOCKWISE, MIRROR},
    [COUNTERCLOCKWISE] = {COUNTERCLOCKWISE, MIRROR},
    [MIRROR] = {CLOCKWISE, COUNTERCLOCKWISE},
};

static Step draw_turn(Dice *d) { return (Step){CLOCKWISE + below(d, 3), 0}; }

/* An operation that may stand in another one's place; the other may as well stand in its. */
static Step alternative(const Rules *r, Dice *d, Step step) {
    Step found = step;
    if (is_turn(step)) {
        found.kind = CLOCKWISE + (step.kind - CLOCKWISE + 1 + below(d, 2)) % 3;
        return found;
    }
    int drops = step.kind == STACK;
    if (!drops && !(step.kind == FILL && r->fill_with)) return draw_other(r, d, step.kind);
    for (int q = 0; q < QUADRANTS; q++)
        if (below(d, 2)) {
            found.taken &= ~(uint32_t)(63 << BITS * q);
            found.taken |= (drops ? draw_quadrant(r, d) : draw_piece(r, d)) << BITS * q;
        }
    return found.taken ? found : step;
}

static int undoes(Step one, Step other) {
    if (!is_turn(one) || !is_turn(other)) return 0;
    return !product[TURNS[one.kind]][TURNS[other.kind]];
}

/* ---- lists as events -------------------------------------------------------------------------- */

/* The symmetry that the turns from a place to another come to; turned[k] is that of the first k. */
static uint8_t between(const uint8_t *turned, int from, int to) {
    return product[inverse[turned[from]]][turned[to]];
}

/* What a track makes of a shape.
 *
 * Of places before `first` nothing is carried out, but of `gap`, the symmetry before the event
 * there; event `without` is left out, and where `turns` only turns are carried out.
 */
static Shape follow(const Rules *r, const List *l, int track, Shape shape, int first, uint8_t gap,
                    int without, int turns) {
    for (int e = first;; e++) {
        shape = seen(shape, e == first ? gap : l->gap[e]);
        if (e == l->count) return shape;
        Step step = l->event[e].step[track];
        if (e != without && !(turns && !is_turn(step))) shape = apply(r, shape, step);
    }
}

/* Whether no operation of a track can be left out; `turned` as in between. */
static int all_live(const Rules *r, const List *l, const uint8_t *turned, int track, Shape start,
                    Shape result) {
    Shape shape = start;
    int place = 0;
    for (int e = 0; e <= l->count; e++) {
        int end = e == l->count ? l->level : l->event[e].place;
        int tried = 0, left = WITHOUT; /* tried: a bit for each symmetry */
        for (; place < end && left; place++) {
            uint8_t before = between(turned, e ? l->event[e - 1].place + 1 : 0, place);
            uint8_t without = product[before][between(turned, place + 1, end)];
            if (tried >> without & 1) continue;
            tried |= 1 << without, left--;
            if (follow(r, l, track, shape, e, without, -1, 0) == result) return 0;
        }
        if (e == l->count) return 1;
        if (follow(r, l, track, shape, e, l->gap[e], e, 0) == result) return 0;
        shape = apply(r, seen(shape, l->gap[e]), l->event[e].step[track]);
        place = end + 1;
    }
    return 1;
}

/* ---- what partial players learn --------------------------------------------------------------- */

static int same_quadrants(Shape one, Shape other) {
    Shape bits = one ^ other;
    bits = (bits | bits >> 1 | bits >> 2 | bits >> 3 | bits >> 4 | bits >> 5) & EVERY(LOWEST);
    return MAX_LAYERS * QUADRANTS - __builtin_popcountll((uint64_t)bits) -
           __builtin_popcountll((uint64_t)(bits >> 64));
}

static Shape types(Shape shape) { return shape & ~(EVERY(LOWEST) * 7); }

static Shape mask(Shape shape) { return filled(shape); }

/* The pieces of each layer in order, wherever they lie in it. */
static Shape contents(Shape shape) {
    Shape found = 0;
    for (int place = 0; place < MAX_LAYERS * LAYER_BITS; place += LAYER_BITS) {
        uint32_t layer = (uint32_t)(shape >> place) & LAYER, piece[QUADRANTS];
        if (!layer) continue;
        for (int q = 0; q < QUADRANTS; q++) {
            uint32_t mine = layer >> BITS * q & 63;
            int at = q;
            for (; at && piece[at - 1] < mine; at--) piece[at] = piece[at - 1];
            piece[at] = mine;
        }
        for (int q = 0; q < QUADRANTS; q++) found |= (Shape)piece[q] << (place + BITS * q);
    }
    return found;
}

static double distinct(Shape (*look)(Shape), const Shape *results) {
    Shape looks[OPTIONS];
    int found = 0;
    for (int track = 0; track < OPTIONS; track++) {
        int first = 0;
        looks[track] = look(results[track]);
        while (looks[first] != looks[track]) first++;
        found += first == track;
    }
    return found > 2 ? found / 4.0 - 0.5 : 0;
}

/* By how much players that do a part beat one in two; 0 if none does and every quadrant splits the
 * results two and two, or is the same in all. What is told only adds up: from `least` on, if that is
 * not below 0, some number that is no less may stand for it. */
static double told(const Rules *r, const List *l, const uint8_t *turned, Shape start,
                   const Shape *results, double least) {
    double found = distinct(mask, results);
    if (least >= 0 && found >= least) return found;
    found += distinct(contents, results);
    int most = 1;
    Shape apart = 0; /* the bits that are not the same in all results */
    for (int track = 1; track < OPTIONS; track++) apart |= results[0] ^ results[track];
    for (int place = 0; apart >> place; place += BITS) {
        if (!((uint32_t)(apart >> place) & 63)) continue;
        uint32_t piece[OPTIONS];
        int kinds = 0, lone = 0;
        for (int track = 0; track < OPTIONS; track++)
            piece[track] = (uint32_t)(results[track] >> place) & 63;
        for (int track = 0; track < OPTIONS; track++) {
            int same = 0, first = 1;
            for (int other = 0; other < OPTIONS; other++) same += piece[other] == piece[track];
            for (int other = 0; other < track; other++) first &= piece[other] != piece[track];
            kinds += first, lone |= same == 1;
        }
        if (kinds > most) most = kinds;
        if (lone) found += 0.125;
    }
    if (most > 2) found += most - 2;
    if (least >= 0 && found >= least) return found;
    int agreed[2][OPTIONS][OPTIONS], half[OPTIONS][OPTIONS];
    int from = l->level / 2, first = 0;
    while (first < l->count && l->event[first].place < from) first++;
    int end = first < l->count ? l->event[first].place : l->level;
    uint8_t gap = between(turned, from, end);
    for (int track = 0; track < OPTIONS; track++) {
        Shape turns = follow(r, l, track, start, 0, l->gap[0], -1, 1);
        Shape last = follow(r, l, track, start, first, gap, -1, 0);
        for (int other = 0; other < OPTIONS; other++) {
            agreed[0][track][other] = same_quadrants(turns, results[other]);
            agreed[1][track][other] = same_quadrants(types(turns), types(results[other]));
            half[track][other] = same_quadrants(last, results[other]);
        }
    }
    return found + excess(agreed[0]) + excess(agreed[1]) + excess(half);
}

/* ---- design ----------------------------------------------------------------------------------- */

/* What each track leads to; whether all steps may be asked about and all results differ. */
static int lead(const Rules *r, const List *l, Shape start, Shape *results) {
    for (int track = 0; track < OPTIONS; track++) {
        Shape shape = start;
        for (int e = 0; e < l->count; e++) {
            Shape before = seen(shape, l->gap[e]);
            shape = apply(r, before, l->event[e].step[track]);
            if (!shape || !(r->floating || supported(shape))) return 0;
            if (shape == before) return 0;
        }
        results[track] = seen(shape, l->gap[l->count]);
        for (int other = 0; other < track; other++)
            if (results[other] == results[track]) return 0;
    }
    return 1;
}

static int one_operation(const Rules *r, Shape start, Drawn *d, Dice *dice) {
    uint32_t kind = 0;
    double least = -1;
    for (int tried = 0; tried < FEW && least != 0; tried++) {
        /* A kind that is among the four, so that each kind is asked about; one that can be. */
        if (least < 0 && tried % (FEW / 6) == 0) {
            kind = below(dice, (uint32_t)r->kinds);
            if (kind == FILL && !r->filling) kind = STACK;
        }
        List l = {.level = 1, .count = 1, .event = {{.differs = 1}}};
        Shape results[OPTIONS];
        uint8_t turned[2] = {0, 0};
        for (int track = 0; track < OPTIONS; track++) {
            uint32_t mine = track ? below(dice, (uint32_t)r->kinds) : kind;
            if (mine == FILL && !r->filling) mine = STACK;
            l.event[0].step[track] = draw_other(r, dice, mine);
        }
        if (!lead(r, &l, start, results)) continue;
        double found = told(r, &l, turned, start, results, least);
        if (least >= 0 && found >= least) continue;
        least = found;
        memcpy(d->own[0], l.event[0].step, sizeof d->own[0]);
    }
    return least >= 0;
}

/* Draw a list in d->shared: turns, and at some places other operations. No turn undoes the one
 * before it, so after a turn there are two, each as likely. turned[k] is the symmetry that the
 * first k operations come to. */
static void draw_list(const Rules *r, Drawn *d, Dice *dice, int *others, int *count,
                      uint8_t *turned) {
    int level = d->level, limit = LIMIT[r->kinds == 7 || !r->filling];
    if (limit > level) limit = level;
    *count = 1 + (int)below(dice, (uint32_t)limit);
    for (int i = 0; i < *count; i++) {
        int place, again;
        do {
            place = (int)below(dice, (uint32_t)level), again = 0;
            for (int k = 0; k < i; k++) again |= others[k] == place;
        } while (again);
        int at = i;
        for (; at && others[at - 1] > place; at--) others[at] = others[at - 1];
        others[at] = place;
    }
    uint64_t bits = 0;
    uint32_t last = CUT; /* the turn before; CUT where there is none */
    turned[0] = 0;
    for (int place = 0, next = 0, left = 0; place < level; place++) {
        if (next < *count && others[next] == place) {
            Step step = draw_event(r, dice);
            d->shared[place] = step, next++;
            turned[place + 1] = turned[place];
            last = CUT;
            continue;
        }
        if (last == CUT) {
            last = draw_turn(dice).kind;
        } else {
            if (!left) bits = word(dice), left = 64;
            last = AFTER[last][bits & 1];
            bits >>= 1, left--;
        }
        d->shared[place] = (Step){last, 0};
        turned[place + 1] = product[turned[place]][TURNS[last]];
    }
}

/* Choose two places and what else stands there; make the events. Whether no turn undoes the next. */
static int choose(const Rules *r, const Drawn *d, Dice *dice, const int *others, int count,
                  const uint8_t *turned, List *l) {
    int place[2];
    for (int i = 0; i < 2; i++) {
        int other = count == d->level || below(dice, 2);
        place[i] = other ? others[below(dice, (uint32_t)count)] : (int)below(dice, (uint32_t)d->level);
    }
    if (place[0] == place[1]) return 0;
    if (place[0] > place[1]) {
        int kept = place[0];
        place[0] = place[1], place[1] = kept;
    }
    *l = (List){.level = d->level};
    for (int next = 0, mine = 0; next < count || mine < 2;) {
        int at = next < count && (mine == 2 || others[next] <= place[mine]) ? others[next] : place[mine];
        Event *event = &l->event[l->count++];
        event->place = at;
        for (int track = 0; track < OPTIONS; track++) event->step[track] = d->shared[at];
        if (mine < 2 && at == place[mine]) {
            event->differs = 1;
            Step other = alternative(r, dice, d->shared[at]);
            if (other.kind == d->shared[at].kind && other.taken == d->shared[at].taken) return 0;
            for (int track = 0; track < OPTIONS; track++)
                if (track & (mine ? 1 : 2)) event->step[track] = other;
            for (int track = 0; track < OPTIONS; track++) {
                Step step = event->step[track];
                int near = l->count > 1 && l->event[l->count - 2].place == at - 1;
                if (at && undoes(near ? l->event[l->count - 2].step[track] : d->shared[at - 1], step))
                    return 0;
                if (at + 1 < d->level && !(mine == 0 && place[1] == at + 1) &&
                    undoes(step, d->shared[at + 1]))
                    return 0;
            }
            mine++;
        }
        if (next < count && at == others[next]) next++;
    }
    for (int e = 0; e <= l->count; e++)
        l->gap[e] = between(turned, e ? l->event[e - 1].place + 1 : 0,
                            e < l->count ? l->event[e].place : l->level);
    return 1;
}

static int design(const Rules *r, Shape start, Drawn *d, Dice *dice) {
    if (d->level == 1) return one_operation(r, start, d, dice);
    size_t level = (size_t)d->level;
    uint8_t *turned = PyMem_Malloc(level + 1);
    Step *best = PyMem_Malloc(level * sizeof *best);
    double least = turned && best ? -1 : 0;
    int failed = !turned || !best;
    for (int drawn = 0; drawn < LISTS && least != 0; drawn++) {
        int others[MOST_EVENTS], count;
        draw_list(r, d, dice, others, &count, turned);
        for (int tried = 0; tried < PAIRS && least != 0; tried++) {
            List l;
            Shape results[OPTIONS];
            if (!choose(r, d, dice, others, count, turned, &l)) continue;
            if (!lead(r, &l, start, results)) continue;
            double found = told(r, &l, turned, start, results, least);
            if (least >= 0 && found >= least) continue;
            int live = 1;
            for (int track = 0; live && track < OPTIONS; track++)
                live = all_live(r, &l, turned, track, start, results[track]);
            if (!live) continue;
            least = found;
            memcpy(best, d->shared, level * sizeof *best);
            for (int e = 0, mine = 0; e < l.count; e++) {
                if (!l.event[e].differs) continue;
                d->place[mine] = l.event[e].place;
                memcpy(d->own[mine++], l.event[e].step, sizeof d->own[0]);
            }
        }
    }
    if (!failed && least >= 0) memcpy(d->shared, best, level * sizeof *best);
    PyMem_Free(turned);
    PyMem_Free(best);
    return failed ? -1 : least >= 0;
}

/* ---- the door --------------------------------------------------------------------------------- */

static int read_rules(Rules *r, const uint8_t *bytes, Py_ssize_t size) {
    if (size != 6 || bytes[0] < 6 || bytes[0] > 7) return 0;
    *r = (Rules){bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5]};
    return 1;
}

static int read_state(State *state, const uint8_t *bytes, Py_ssize_t size) {
    if (size != 12) return 0;
    *state = 0;
    while (size--) *state = *state << 8 | bytes[size];
    return 1;
}

static PyObject *as_object(State shape) {
    if (!(shape >> 64)) return PyLong_FromUnsignedLongLong((uint64_t)shape);
    PyObject *high = PyLong_FromUnsignedLongLong((uint64_t)(shape >> 64));
    PyObject *low = PyLong_FromUnsignedLongLong((uint64_t)shape), *by = PyLong_FromLong(64);
    PyObject *raised = high && low && by ? PyNumber_Lshift(high, by) : NULL;
    PyObject *number = raised ? PyNumber_Or(raised, low) : NULL;
    Py_XDECREF(high);
    Py_XDECREF(low);
    Py_XDECREF(by);
    Py_XDECREF(raised);
    return number;
}

PyMODINIT_FUNC PyInit__four(void) {
    prepare();
    prepare_symmetries();
    return PyModule_Create(&module);
}
