/* Cubes: four lists of rotations by design.
 *
 * A state is 54 facelets; the rules are, for each rotation, from which facelet each one comes.
 *
 * At each of two places there are two rotations that move the centres alike and that both are, or
 * both are not, odd on the corners. So centres and parity are equal in all four results; lists are
 * drawn until every sticker splits the four results two and two, or is the same in all. With one
 * rotation the four are those that move the centres alike, such as x, r, l' and M': they are one
 * turn of the cube with each of two opposite layers turned back or not.
 */
#include "../../options/deformation/_dice.h"

enum { FACELETS = 54, FACES = 6, MOST = 64 };
enum {
    LISTS = 40000, /* lists that are drawn before a question is given up */
    SAME = 400,    /* lists that are drawn before the distance of the two places is */
    PAIRS = 24,    /* pairs of other rotations that are tried with a list and each first place */
    MANY = 4000,   /* the most that are tried with a list */
};

typedef struct {
    uint8_t facelets[FACELETS];
} State;

typedef struct {
    const uint8_t *sources; /* by rotation, FACELETS indices */
    int rotations;
} Rules;

static uint8_t known[MOST * FACELETS];
static int known_count;
static uint8_t merging[MOST][MOST]; /* whether two rotations come to one, or to none */
static uint8_t alike[MOST][MOST], alike_count[MOST]; /* rotations that may stand in one's place */
static uint8_t lone[MOST][OPTIONS];                  /* four that move the centres alike */
static int lone_count;

static State turned(const uint8_t *from, const State *state) {
    State after;
    for (int i = 0; i < FACELETS; i++) after.facelets[i] = state->facelets[from[i]];
    return after;
}

static State apply(const Rules *r, State state, Step step) {
    return turned(r->sources + FACELETS * step.taken, &state);
}

static int centres_alike(const uint8_t *one, const uint8_t *other) {
    for (int face = 0; face < FACES; face++)
        if (one[9 * face + 4] != other[9 * face + 4]) return 0;
    return 1;
}

/* Whether a rotation is odd on the corners' stickers, which is what it is on the corners. */
static int odd(const uint8_t *sources) {
    int found = 0;
    uint8_t seen[FACELETS] = {0};
    for (int i = 0; i < FACELETS; i++) {
        int spot = i % 9, length = 0;
        if (spot != 0 && spot != 2 && spot != 6 && spot != 8) continue;
        for (int at = i; !seen[at]; at = sources[at]) seen[at] = 1, length++;
        if (length && !(length & 1)) found ^= 1;
    }
    return found;
}

static void prepare(const Rules *r) {
    int n = r->rotations;
    uint8_t together[FACELETS], still[FACELETS];
    for (int i = 0; i < FACELETS; i++) still[i] = (uint8_t)i;
    memset(merging, 0, sizeof merging);
    memset(alike_count, 0, sizeof alike_count);
    lone_count = 0;
    for (int a = 0; a < n; a++) {
        const uint8_t *one = r->sources + FACELETS * a;
        int members = 0;
        uint8_t four[OPTIONS];
        for (int b = 0; b < n; b++) {
            const uint8_t *other = r->sources + FACELETS * b;
            for (int i = 0; i < FACELETS; i++) together[i] = one[other[i]];
            merging[a][b] = !memcmp(together, still, FACELETS);
            for (int c = 0; c < n && !merging[a][b]; c++)
                merging[a][b] = !memcmp(together, r->sources + FACELETS * c, FACELETS);
            if (!centres_alike(one, other)) continue;
            if (members < OPTIONS) four[members] = (uint8_t)b;
            members++;
            if (a != b && odd(one) == odd(other)) alike[a][alike_count[a]++] = (uint8_t)b;
        }
        if (members == OPTIONS && four[0] == a) memcpy(lone[lone_count++], four, OPTIONS);
    }
    memcpy(known, r->sources, (size_t)n * FACELETS);
    known_count = n;
}

static int read_rules(Rules *r, const uint8_t *bytes, Py_ssize_t size) {
    if (size < FACELETS || size % FACELETS || size > MOST * FACELETS) return 0;
    for (Py_ssize_t i = 0; i < size; i++)
        if (bytes[i] >= FACELETS) return 0;
    *r = (Rules){bytes, (int)(size / FACELETS)};
    if (r->rotations != known_count || memcmp(known, bytes, (size_t)size)) prepare(r);
    return 1;
}

static int read_state(State *state, const uint8_t *bytes, Py_ssize_t size) {
    if (size != FACELETS) return 0;
    memcpy(state->facelets, bytes, FACELETS);
    return 1;
}

static PyObject *as_object(State state) {
    return PyBytes_FromStringAndSize((const char *)state.facelets, FACELETS);
}

#include "../../options/deformation/_drawing.h"

/* Whether every sticker splits four results two and two or not at all, and all four differ. Tracks
 * 0 and 1 share the rotation at the first place, 0 and 2 that at the second. */
static int even(const State *found) {
    const uint8_t *a = found[0].facelets, *b = found[1].facelets;
    const uint8_t *c = found[2].facelets, *d = found[3].facelets;
    uint8_t all = 1, rows = 1, columns = 1, crosses = 1;
    for (int i = 0; i < FACELETS; i++) {
        uint8_t row = (a[i] == b[i]) & (c[i] == d[i]), column = (a[i] == c[i]) & (b[i] == d[i]);
        uint8_t cross = (a[i] == d[i]) & (b[i] == c[i]);
        all &= row | column | cross;
        rows &= row, columns &= column, crosses &= cross;
    }
    /* Were all stickers of one kind, two of the four would be equal. */
    return all && !rows && !columns && !crosses;
}

/* Whether a sticker has three colours in the first three results, so that no fourth can make it
 * split two and two. Most pairs of places fail so at one of the first stickers, so no more of the
 * results is worked out than it takes.
 *
 * The second result is `one` with rotation y and then what `past` says, the third `other` with x
 * and then `rest`.
 */
static int three(const Rules *r, const State *result, const State *one, uint32_t y,
                 const State *past, const State *other, uint32_t x, const State *rest) {
    const uint8_t *by_y = r->sources + FACELETS * y, *by_x = r->sources + FACELETS * x;
    for (int i = 0; i < FACELETS; i++) {
        uint8_t a = result->facelets[i], b = one->facelets[by_y[past->facelets[i]]];
        if (a == b) continue;
        uint8_t c = other->facelets[by_x[rest->facelets[i]]];
        if (a != c && b != c) return 1;
    }
    return 0;
}

/* Whether who carries out the last half alone learns less than one place of the two tells. */
static int half_hidden(const Rules *r, State start, const Drawn *d, const State *results) {
    int agreed[OPTIONS][OPTIONS];
    for (int track = 0; track < OPTIONS; track++) {
        State state = start;
        for (int place = d->level / 2; place < d->level; place++)
            state = apply(r, state, step_at(d, track, place));
        for (int other = 0; other < OPTIONS; other++) {
            int same = 0;
            for (int i = 0; i < FACELETS; i++)
                same += state.facelets[i] == results[other].facelets[i];
            agreed[track][other] = same;
        }
    }
    return excess(agreed) < 1e-9;
}

static int clashes(const Drawn *d, int place, int other) {
    uint32_t mine = other;
    if (place > 0 && merging[d->shared[place - 1].taken][mine]) return 1;
    return place + 1 < d->level && merging[mine][d->shared[place + 1].taken];
}

static int design(const Rules *r, State start, Drawn *d, Dice *dice) {
    int level = d->level;
    if (level == 1) {
        if (!lone_count) return 0;
        const uint8_t *four = lone[below(dice, (uint32_t)lone_count)];
        State found[OPTIONS];
        for (int track = 0; track < OPTIONS; track++) {
            d->own[0][track] = (Step){0, four[track]};
            found[track] = apply(r, start, d->own[0][track]);
        }
        return even(found);
    }
    /* With rotations of which most come to one with any other, no list would ever be drawn. */
    for (int a = 0; a < r->rotations; a++) {
        int free = 0;
        for (int b = 0; b < r->rotations; b++) free += !merging[a][b];
        if (!free) return 0;
    }
    State *before = PyMem_Malloc(((size_t)level + 1) * sizeof *before);
    State *after = PyMem_Malloc(((size_t)level + 1) * sizeof *after);
    int done = before && after ? 0 : -1, apart = 1;
    for (int drawn = 0; !done && drawn < LISTS; drawn++) {
        if (drawn % SAME == 0) {
            int p = (int)below(dice, (uint32_t)level), q = (int)below(dice, (uint32_t)level - 1);
            q += q >= p;
            apart = p < q ? q - p : p - q;
        }
        for (int place = 0; place < level; place++) {
            uint32_t last = place ? d->shared[place - 1].taken : 0, taken;
            do taken = below(dice, (uint32_t)r->rotations);
            while (place && merging[last][taken]);
            d->shared[place] = (Step){0, taken};
        }
        before[0] = start;
        for (int place = 0; place < level; place++)
            before[place + 1] = apply(r, before[place], d->shared[place]);
        /* after[k]: where each facelet of the result stands once k rotations are carried out. */
        for (int i = 0; i < FACELETS; i++) after[level].facelets[i] = (uint8_t)i;
        for (int place = level - 1; place >= 0; place--) {
            const uint8_t *from = r->sources + FACELETS * d->shared[place].taken;
            for (int i = 0; i < FACELETS; i++)
                after[place].facelets[i] = from[after[place + 1].facelets[i]];
        }
        int firsts = level - apart, tries = firsts < MANY / PAIRS ? firsts * PAIRS : MANY;
        for (int tried = 0; !done && tried < tries; tried++) {
            int p = (int)below(dice, (uint32_t)firsts), q = p + apart;
            uint32_t a = d->shared[p].taken, b = d->shared[q].taken;
            if (!alike_count[a] || !alike_count[b]) continue;
            uint32_t x = alike[a][below(dice, alike_count[a])];
            uint32_t y = alike[b][below(dice, alike_count[b])];
            if (clashes(d, p, (int)x) || clashes(d, q, (int)y)) continue;
            if (q == p + 1 && merging[x][y]) continue;
            State between, found[OPTIONS];
            found[0] = before[level];
            if (three(r, &before[level], &before[q], y, &after[q + 1], &before[p], x, &after[p + 1]))
                continue;
            State one = apply(r, before[q], (Step){0, y});
            found[1] = turned(after[q + 1].facelets, &one);
            State other = apply(r, before[p], (Step){0, x});
            found[2] = turned(after[p + 1].facelets, &other);
            for (int i = 0; i < FACELETS; i++)
                between.facelets[after[q].facelets[i]] = after[p + 1].facelets[i];
            other = turned(between.facelets, &other);
            other = apply(r, other, (Step){0, y});
            found[3] = turned(after[q + 1].facelets, &other);
            if (!even(found)) continue;
            d->place[0] = p, d->place[1] = q;
            for (int track = 0; track < OPTIONS; track++) {
                d->own[0][track] = (Step){0, track & 2 ? x : a};
                d->own[1][track] = (Step){0, track & 1 ? y : b};
            }
            done = half_hidden(r, start, d, found);
        }
    }
    PyMem_Free(before);
    PyMem_Free(after);
    return done;
}

PyMODINIT_FUNC PyInit__four(void) { return PyModule_Create(&module); }
