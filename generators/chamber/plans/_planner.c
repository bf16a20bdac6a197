/* Compiled planner: breadth-first search over the states of a chamber.
 *
 * It does step for step what the tests' plain planner does with the engine in Python
 * (tests/shared/chamber_search.py), in the same order: equal plans, equal counts of states. What a
 * kind of device does comes with the tables, so the core knows no kinds.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "_acting.h"

enum { SHOOT_BLUE, SHOOT_ORANGE, BOTH, TAKE, PUT, PRESS, STAND, ENTER, DROP, WAIT };

/* A step. Arguments: an origin is an area, or below zero a fixture, -1 - its number. */
typedef struct {
    int verb, one, two, three;
} Act;

typedef struct {
    int parent, swapped;
    Act act;
} Way;

typedef struct {
    Memory m;
    Tables *t;
    i16 *states;
    Way *ways;
    int count, state_room, way_room, *slots, slot_count;
    i16 *before, *after; /* the state that is looked at, and what a step makes of it */
    int shoots;
} Search;

static u64 hash_of(const i16 *s, int width) {
    u64 hash = 0;
    for (int i = 0; i < width; i++) hash = mixed(hash, (u64)(uint16_t)s[i]);
    return hash;
}

static void widen(Search *q) {
    q->slot_count = q->slot_count ? 4 * q->slot_count : 1 << 12;
    free(q->slots);
    q->slots = calloc((size_t)q->slot_count, sizeof(int));
    if (!q->slots) give_up(q->t, OUT_OF_MEMORY);
    for (int i = 0; i < q->count; i++) {
        u64 slot = hash_of(q->states + (size_t)i * (size_t)q->t->stride, q->t->stride);
        for (slot &= (u64)(q->slot_count - 1); q->slots[slot];) slot = (slot + 1) & (u64)(q->slot_count - 1);
        q->slots[slot] = i + 1;
    }
}

/* Keep a state unless it is known. */
static void keep(Search *q, const i16 *s, int parent, const Act *act, int swapped) {
    Tables *t = q->t;
    size_t bytes = sizeof(i16) * (size_t)t->stride;
    if (2 * q->count >= q->slot_count) widen(q);
    u64 slot = hash_of(s, t->stride) & (u64)(q->slot_count - 1);
    for (; q->slots[slot]; slot = (slot + 1) & (u64)(q->slot_count - 1))
        if (!memcmp(q->states + (size_t)(q->slots[slot] - 1) * (size_t)t->stride, s, bytes)) return;
    if (q->count == q->state_room) q->states = grown(t, q->states, &q->state_room, bytes);
    if (q->count == q->way_room) q->ways = grown(t, q->ways, &q->way_room, sizeof(Way));
    memcpy(q->states + (size_t)q->count * (size_t)t->stride, s, bytes);
    q->ways[q->count] = (Way){parent, swapped, *act};
    q->slots[slot] = ++q->count;
}

/* Replace a state by what stands for it: the first area of a walk, portals in order. */
static int canonical(Search *q, i16 *s) {
    Tables *t = q->t;
    if (t->areas_of[PLAYER(s)] >= 0) {
        Situation *now = holding(&q->m, s, PLAYER(s));
        PLAYER(s) = (i16)t->anchor[lowest(walkable(t, now, hands(t, s) >= 0, PLAYER(s)))];
    }
    int blue = BLUE(s), orange = ORANGE(s);
    int swap = blue != UNSET && orange != UNSET ? blue > orange : blue == UNSET && orange != UNSET;
    if (swap) BLUE(s) = (i16)orange, ORANGE(s) = (i16)blue;
    return swap;
}

static void begin(Search *q) { memcpy(q->after, q->before, sizeof(i16) * (size_t)q->t->stride); }

/* Let an act that was done take its effect, and keep what it leads to. */
static void done(Search *q, int parent, Act act, int pressed) {
    if (!passed(&q->m, q->after, pressed)) return;
    int swapped = canonical(q, q->after);
    keep(q, q->after, parent, &act, swapped);
}

/* Return where the player may be to shoot or to wait: origins and cells. */
static int origins(const Search *q, const Stand *at, int *names, int *cells) {
    const Tables *t = q->t;
    int count = 0, player = PLAYER(q->before);
    for (int a = 0; a < t->areas; a++)
        if (at->zone >> a & 1) names[count] = a, cells[count++] = t->anchor[a];
    if (t->areas_of[player] < 0) {
        int special = t->special_at[ground(t, player % t->layer)];
        if (special >= 0) names[count] = -1 - special, cells[count++] = player;
    }
    return count;
}

static void handle(Search *q, int parent, const Stand *at, int count, const int *names, const int *cells) {
    Tables *t = q->t;
    /* Waiting matters while time runs; and to a player off plain floor, who steps off by it. */
    int waits = t->areas_of[PLAYER(q->before)] < 0;
    for (int i = 0; i < t->switches; i++) waits |= t->lasts[i] && TIMERS(t, q->before)[i] > 0;
    for (int i = 0; waits && i < count; i++) {
        begin(q);
        PLAYER(q->after) = (i16)cells[i];
        done(q, parent, (Act){WAIT, names[i], 0, 0}, -1);
    }
    for (int i = 0; at->hand < 0 && i < t->things; i++) {
        if (THINGS(t, q->before)[i] == AWAY) continue;
        begin(q);
        if (pick_up(at, q->after, i)) done(q, parent, (Act){TAKE, i, 0, 0}, -1);
    }
    for (int i = 0; at->hand >= 0 && i < t->puts; i++)
        for (int way = t->turns[at->hand] ? 0 : -1; way < (t->turns[at->hand] ? 4 : 0); way++) {
            begin(q);
            if (put_down(at, q->after, t->put[i], way))
                done(q, parent, (Act){PUT, t->put[i], way, 0}, -1);
        }
}

static void set_portals(Search *q, int parent, int cell, int blue, int orange, Act act) {
    begin(q);
    PLAYER(q->after) = (i16)cell;
    BLUE(q->after) = (i16)blue;
    ORANGE(q->after) = (i16)orange;
    done(q, parent, act, -1);
}

static void shoot(Search *q, int parent, const Stand *at, int origin, int cell, int *seen) {
    Tables *t = q->t;
    const Situation *now = t->areas_of[cell] >= 0 ? at->walking : at->here;
    int count = 0, blue = BLUE(q->before), orange = ORANGE(q->before);
    for (int p = 0; p < t->panels; p++)
        if (sees(t, now, cell, p)) seen[count++] = p;
    for (int i = 0; i < count; i++) {
        int one = seen[i];
        if (one != blue && one != orange) {
            set_portals(q, parent, cell, one, orange, (Act){SHOOT_BLUE, origin, one, 0});
            /* With no portal yet, the other colour leads to a state that counts as the same. */
            if (blue != UNSET)
                set_portals(q, parent, cell, blue, one, (Act){SHOOT_ORANGE, origin, one, 0});
        }
        for (int k = i + 1; k < count; k++) {
            int other = seen[k];
            if ((one == blue && other == orange) || (one == orange && other == blue)) continue;
            int area = t->one_place ? t->areas_of[cell] : -1;
            if (area >= 0 && !seen_from_one(t, now, area, one, other)) continue;
            set_portals(q, parent, cell, one, other, (Act){BOTH, origin, one, other});
        }
    }
}

static void do_fixed(Search *q, int parent, const Stand *at, int verb, int item) {
    int entry = -1, pressed = -1, fits = 0;
    begin(q);
    if (verb == PRESS) {
        fits = press(at, q->after, item);
        pressed = item;
    } else if (verb == STAND) {
        int area = way_to(at, item, &entry);
        fits = flown(at, q->after, area, entry);
    } else if (verb == ENTER) {
        fits = enter(at, q->after, item);
    } else {
        fits = drop(at, q->after, item);
    }
    if (fits) done(q, parent, (Act){verb, item, 0, 0}, pressed);
}

/* Look at a state; return whether the exit can be walked to, and otherwise keep what follows. */
static int look(Search *q, int number, int limit, int *seen) {
    Tables *t = q->t;
    i16 *s = q->before;
    memcpy(s, q->states + (size_t)number * (size_t)t->stride, sizeof(i16) * (size_t)t->stride);
    Stand at = {t, holding(&q->m, s, PLAYER(s)), NULL, 0, hands(t, s)};
    at.walking = t->areas_of[PLAYER(s)] >= 0 ? at.here : holding(&q->m, s, -1);
    at.zone = walkable(t, at.walking, at.hand >= 0, PLAYER(s));
    if (at.zone >> t->goal & 1) return 1;
    if (q->count > limit) return 0;
    int names[MOST_BITS + 1], cells[MOST_BITS + 1], count = origins(q, &at, names, cells);
    handle(q, number, &at, count, names, cells);
    for (int i = 0; at.hand < 0 && q->shoots && i < count; i++)
        shoot(q, number, &at, names[i], cells[i], seen);
    for (int i = 0; i < t->fixed; i++) do_fixed(q, number, &at, t->fixed_verb[i], t->fixed_item[i]);
    return 0;
}

/* Return the number of the first state from which one walks to the exit; -1 if there is none within
 * so many steps, -2 if the search gave up. */
static int searched(Search *q, int limit, int most) {
    Tables *t = q->t;
    size_t bytes = sizeof(i16) * (size_t)t->stride;
    int *seen = claim(t, sizeof(int) * (size_t)t->panels);
    q->before = claim(t, bytes);
    q->after = claim(t, bytes);
    open_memory(&q->m, t);
    memcpy(q->after, t->first, bytes);
    if (!holding(&q->m, q->after, PLAYER(q->after)) || !holding(&q->m, q->after, -1))
        give_up(t, RESTLESS);
    Act none = {0, 0, 0, 0};
    canonical(q, q->after);
    keep(q, q->after, -1, &none, 0);
    for (int number = 0, last = 0, steps = 0; number < q->count; number++) {
        if (number > last) last = q->count - 1, steps++;
        if (steps > most) return -1;
        int room = q->count <= limit;
        if (look(q, number, limit, seen)) return number;
        if (!room) return -2;
    }
    return -1;
}

static PyObject *plan_of(const Search *q, int number) {
    PyObject *plan = PyList_New(0);
    for (; plan && number >= 0 && q->ways[number].parent >= 0; number = q->ways[number].parent) {
        const Way *w = q->ways + number;
        PyObject *step = Py_BuildValue(
            "(iiiii)", w->act.verb, w->act.one, w->act.two, w->act.three, w->swapped);
        if (!step || PyList_Append(plan, step)) Py_CLEAR(plan);
        Py_XDECREF(step);
    }
    if (plan && PyList_Reverse(plan)) Py_CLEAR(plan);
    return plan;
}

static PyObject *py_shortest(PyObject *self, PyObject *args) {
    (void)self;
    Py_buffer view;
    int limit, shoots, most;
    if (!PyArg_ParseTuple(args, "y*iii", &view, &limit, &shoots, &most)) return NULL;
    Tables tables = {0};
    Search *q = calloc(1, sizeof(Search));
    volatile int number = -1, failed = q ? 0 : OUT_OF_MEMORY;
    jmp_buf back;
    if (q) {
        q->t = &tables;
        q->shoots = shoots;
        tables.back = &back;
        Py_BEGIN_ALLOW_THREADS
        failed = setjmp(back);
        if (!failed) {
            read_tables(&tables, view.buf, (size_t)view.len / sizeof(int32_t));
            number = searched(q, limit, most);
        }
        Py_END_ALLOW_THREADS
    }
    PyObject *result = NULL;
    if (failed == OUT_OF_MEMORY) {
        PyErr_NoMemory();
    } else if (failed == RESTLESS) {
        PyErr_SetString(PyExc_ValueError, "devices of the chamber switch each other for ever");
    } else if (failed) {
        PyErr_SetString(PyExc_ValueError, "the chamber is larger than the planner's tables");
    } else {
        PyObject *plan = plan_of(q, number);
        if (plan) result = Py_BuildValue("(iiN)", number, q->count, plan);
    }
    if (q) {
        close_memory(&q->m);
        free(q->states);
        free(q->ways);
        free(q->slots);
        free(q);
    }
    release(&tables);
    PyBuffer_Release(&view);
    return result;
}

static PyMethodDef methods[] = {
    {"shortest", py_shortest, METH_VARARGS, "Search a chamber for a shortest plan."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "_planner", "Compiled planner of test chambers.", -1, methods,
    NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__planner(void) { return PyModule_Create(&module); }
