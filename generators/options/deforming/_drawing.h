/* Four lists of operations: facelet.generators.options.deforming.drawing, compiled.
 *
 * It draws the same numbers in the same order as the plain form and comes to the same lists, which
 * the tests demand; what the steps are for is told there.
 *
 * Who includes this has defined a kind of things: State and Rules, and
 *     same(one, other)                    whether two states are one
 *     draw_step(rules, dice)              an operation
 *     apply(rules, state, step)           the state after it
 *     offered(rules, before, after)       whether such a step may be asked about
 *     unlike(one, other)                  the number of bits in which the looks of states differ
 *     read_rules(rules, bytes, size)      fill in the rules; whether they are some
 *     read_state(state, bytes, size)      fill in a state; whether it is one
 *     as_object(state)                    a state as Python has it
 */
#ifndef FACELET_DRAWING_H
#define FACELET_DRAWING_H

#include "_dice.h"

enum { MOST = 64 };
#define FAR (1 << 30)

typedef struct {
    Step step;
    State after;
} Taken;

typedef struct {
    Taken taken[MOST];
    int count;
} Pool;

typedef struct {
    Rules rules;
    int tries, pool, seeds, retreats;
    Dice *dice;
} Drawing;

typedef struct {
    Step steps[OPTIONS];
    State states[OPTIONS];
    int step_count, count;
} Place;

static int held(const State *states, int count, State state) {
    for (int i = 0; i < count; i++)
        if (same(states[i], state)) return 1;
    return 0;
}

static void fill_pool(const Drawing *w, State state, Pool *pool) {
    pool->count = 0;
    for (int i = 0; i < w->pool; i++) {
        Step step = draw_step(&w->rules, w->dice);
        int known = 0;
        for (int k = 0; k < pool->count && !known; k++)
            known = pool->taken[k].step.kind == step.kind && pool->taken[k].step.taken == step.taken;
        if (known) continue;
        State after = apply(&w->rules, state, step);
        if (offered(&w->rules, state, after)) pool->taken[pool->count++] = (Taken){step, after};
    }
}

/* ---- places -------------------------------------------------------------------------------- */

/* One operation for all; whether there is one. */
static int together(const Drawing *w, const Place *from, Place *to, int apart) {
    for (int i = 0; i < w->tries && !w->dice->failed; i++) {
        Step step = draw_step(&w->rules, w->dice);
        int count = 0;
        for (; count < from->count; count++) {
            State after = apply(&w->rules, from->states[count], step);
            if (!offered(&w->rules, from->states[count], after)) break;
            if (apart && held(to->states, count, after)) break;
            to->states[count] = after;
        }
        if (count < from->count) continue;
        to->steps[0] = step;
        to->step_count = 1;
        to->count = count;
        return 1;
    }
    return 0;
}

/* How unlike the four are that are taken; -1 if there are none. */
static int group(const Drawing *w, const State *tracks, Pool *const *pools, Place *to, int last) {
    int order[OPTIONS], total = 0;
    State had[OPTIONS];
    shuffle(w->dice, order);
    const Pool *pool = pools[order[0]];
    if (!pool->count) return -1;
    Taken seed = pool->taken[below(w->dice, pool->count)];
    to->steps[order[0]] = seed.step;
    to->states[order[0]] = had[0] = seed.after;
    for (int number = 1; number < OPTIONS; number++) {
        int track = order[number], least = FAR;
        pool = pools[track];
        int turn = pool->count ? below(w->dice, pool->count) : 0;
        Taken nearest = seed;
        for (int i = 0; i < pool->count && least; i++) {
            Taken one = pool->taken[(turn + i) % pool->count];
            int far = unlike(one.after, seed.after);
            if (far < least && !(last && held(had, number, one.after))) {
                nearest = one;
                least = far;
            }
        }
        if (least) {
            State after = apply(&w->rules, tracks[track], seed.step);
            if (offered(&w->rules, tracks[track], after) && !(last && held(had, number, after))) {
                int far = unlike(after, seed.after);
                if (far < least) {
                    nearest = (Taken){seed.step, after};
                    least = far;
                }
            }
        }
        if (least == FAR) return -1;
        to->steps[track] = nearest.step;
        to->states[track] = had[number] = nearest.after;
        total += least;
    }
    return total;
}

/* An operation for each; whether there are four. */
static int apart(const Drawing *w, const Place *from, Place *to, int last) {
    State tracks[OPTIONS];
    Pool drawn[OPTIONS], *pools[OPTIONS];
    for (int track = 0; track < OPTIONS; track++) {
        tracks[track] = from->states[from->count == OPTIONS ? track : 0];
        int first = 0;
        while (!same(tracks[first], tracks[track])) first++;
        pools[track] = &drawn[first];
        if (first == track) fill_pool(w, tracks[track], pools[track]);
    }
    Place tried = {.step_count = OPTIONS, .count = OPTIONS};
    int least = -1;
    for (int i = 0; i < w->seeds && least && !w->dice->failed; i++) {
        int far = group(w, tracks, pools, &tried, last);
        if (far >= 0 && (least < 0 || far < least)) {
            least = far;
            *to = tried;
        }
    }
    return least >= 0;
}

/* Fill places 1 to level; whether it could be done. */
static int draw_all(const Drawing *w, Place *reached, const uint8_t *wanted, int level) {
    int end = 0, back = 1, left = w->retreats + level;
    for (int place = 0; place < level; place++)
        if (wanted[place]) end = place;
    for (int place = 0; place < level && !w->dice->failed;) {
        const Place *from = &reached[place];
        Place *to = &reached[place + 1];
        if (wanted[place] ? apart(w, from, to, place == end) : together(w, from, to, place > end)) {
            place++;
            continue;
        }
        if (!left--) return 0;
        place = place > back ? place - back : 0;
        back = place ? 2 * back : 1;
    }
    return !w->dice->failed;
}

/* ---- the door ------------------------------------------------------------------------------ */

static PyObject *as_lists(const Place *reached, int level) {
    PyObject *lists = PyTuple_New(OPTIONS), *results = PyTuple_New(OPTIONS);
    for (int track = 0; lists && results && track < OPTIONS; track++) {
        PyObject *steps = PyTuple_New(level);
        for (int place = 1; steps && place <= level; place++) {
            const Place *at = &reached[place];
            Step step = at->steps[at->step_count == OPTIONS ? track : 0];
            PyObject *pair = Py_BuildValue("(II)", step.kind, step.taken);
            if (!pair || PyTuple_SetItem(steps, place - 1, pair)) Py_CLEAR(steps);
        }
        PyObject *result = steps ? as_object(reached[level].states[track]) : NULL;
        if (!result) {
            Py_XDECREF(steps);
            Py_CLEAR(lists);
            break;
        }
        if (PyTuple_SetItem(lists, track, steps)) Py_CLEAR(lists);
        if (PyTuple_SetItem(results, track, result)) Py_CLEAR(results);
    }
    PyObject *both = lists && results ? PyTuple_Pack(2, lists, results) : NULL;
    Py_XDECREF(lists);
    Py_XDECREF(results);
    return both;
}

static PyObject *drawn_four(PyObject *self, PyObject *args) {
    (void)self;
    Drawing w = {0};
    Dice dice = {0};
    const uint8_t *rules, *wanted, *start;
    Py_ssize_t rules_size, level, start_size;
    if (!PyArg_ParseTuple(args, "y#(iiii)y#y#O!O", &rules, &rules_size, &w.tries, &w.pool, &w.seeds,
                          &w.retreats, &wanted, &level, &start, &start_size, &PyList_Type,
                          &dice.left, &dice.more))
        return NULL;
    if (level < 1 || level > INT32_MAX / 2 || !memchr(wanted, 1, (size_t)level))
        return PyErr_Format(PyExc_ValueError, "%zd operations, or none that differ", level);
    if (w.pool < 1 || w.pool > MOST)
        return PyErr_Format(PyExc_ValueError, "a pool of %d is not 1 to %d", w.pool, MOST);
    Place *reached = PyMem_Calloc((size_t)level + 1, sizeof *reached);
    if (!reached) return PyErr_NoMemory();
    w.dice = &dice;
    reached[0].count = 1;
    PyObject *found = NULL;
    if (!read_rules(&w.rules, rules, rules_size) ||
        !read_state(&reached[0].states[0], start, start_size))
        PyErr_SetString(PyExc_ValueError, "these are no rules, or this is no start");
    else if (!load(&dice)) {
        int done = draw_all(&w, reached, wanted, (int)level);
        if (!dice.failed && !drop(&dice))
            found = done ? as_lists(reached, (int)level) : Py_NewRef(Py_None);
    }
    PyMem_Free(reached);
    PyMem_Free(dice.numbers);
    return found;
}

static PyMethodDef methods[] = {
    {"four", drawn_four, METH_VARARGS, "Four lists of operations and what they lead to, or None."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "_four", "Compiled drawing of four lists of operations.", -1, methods,
    NULL, NULL, NULL, NULL,
};

#endif
