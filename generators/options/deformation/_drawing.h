/* Four lists of operations by design, and the door to Python; see
 * facelet.generators.options.deformation.question_sampler, which says what a design is.
 *
 * Who includes this has defined a kind of things: State and Rules, and
 *     apply(rules, state, step)           the state after an operation
 *     read_rules(rules, bytes, size)      fill in the rules; whether they are some
 *     read_state(state, bytes, size)      fill in a state; whether it is one
 *     as_object(state)                    a state as Python has it
 *     design(rules, start, drawn, dice)   fill in the steps; 1 found, 0 none, -1 no memory
 */
#ifndef FACELET_DRAWING_H
#define FACELET_DRAWING_H

/* The lists differ at one or two places. Track t has there the step t of each; the others are shared. */
typedef struct {
    int level, place[2]; /* the second is -1 where there is one only */
    Step *shared, own[2][OPTIONS];
} Drawn;

static Step step_at(const Drawn *d, int track, int place) {
    if (place == d->place[0]) return d->own[0][track];
    if (place == d->place[1]) return d->own[1][track];
    return d->shared[place];
}

/* How often a player is right that takes an option which agrees best: agreed[k][m] is how well what
 * it makes of list k agrees with result m. Forward it knows the list, inverse the result. */
static double won(int agreed[OPTIONS][OPTIONS], int forward) {
    double total = 0;
    for (int gold = 0; gold < OPTIONS; gold++) {
        int most = -1, ties = 0, mine = 0;
        for (int other = 0; other < OPTIONS; other++) {
            int here = forward ? agreed[gold][other] : agreed[other][gold];
            if (here > most) most = here, ties = mine = 0;
            if (here == most) ties++, mine |= other == gold;
        }
        if (mine) total += 1.0 / ties;
    }
    return total / OPTIONS;
}

static double excess(int agreed[OPTIONS][OPTIONS]) {
    double there = won(agreed, 1) - 0.5, back = won(agreed, 0) - 0.5;
    return (there > 0 ? there : 0) + (back > 0 ? back : 0);
}

static int read_rules(Rules *rules, const uint8_t *bytes, Py_ssize_t size);
static int read_state(State *state, const uint8_t *bytes, Py_ssize_t size);
static PyObject *as_object(State state);
static int design(const Rules *rules, State start, Drawn *drawn, Dice *dice);

static PyObject *as_lists(const Rules *rules, State start, const Drawn *d) {
    PyObject *lists = PyTuple_New(OPTIONS), *results = PyTuple_New(OPTIONS), *both = NULL;
    PyObject **shared = PyMem_Calloc((size_t)d->level, sizeof *shared);
    int good = lists && results && shared;
    for (int place = 0; good && place < d->level; place++)
        if (place != d->place[0] && place != d->place[1])
            good = (shared[place] = Py_BuildValue("(II)", d->shared[place].kind,
                                                  d->shared[place].taken)) != NULL;
    for (int track = 0; good && track < OPTIONS; track++) {
        PyObject *steps = PyTuple_New(d->level);
        State state = start;
        for (int place = 0; steps && place < d->level; place++) {
            Step step = step_at(d, track, place);
            PyObject *pair = shared[place] ? Py_NewRef(shared[place])
                                           : Py_BuildValue("(II)", step.kind, step.taken);
            state = apply(rules, state, step);
            if (!pair || PyTuple_SetItem(steps, place, pair)) Py_CLEAR(steps);
        }
        PyObject *result = steps ? as_object(state) : NULL;
        good = result != NULL;
        if (steps && PyTuple_SetItem(lists, track, steps)) good = 0;
        if (result && PyTuple_SetItem(results, track, result)) good = 0;
    }
    if (good) both = PyTuple_Pack(2, lists, results);
    for (int place = 0; shared && place < d->level; place++) Py_XDECREF(shared[place]);
    PyMem_Free(shared);
    Py_XDECREF(lists);
    Py_XDECREF(results);
    return both;
}

static PyObject *draw_four(PyObject *self, PyObject *args) {
    (void)self;
    Rules rules;
    State state;
    Drawn drawn = {.place = {0, -1}};
    Dice dice;
    const uint8_t *told, *start;
    Py_ssize_t told_size, start_size;
    unsigned long long seed;
    if (!PyArg_ParseTuple(args, "y#y#iK", &told, &told_size, &start, &start_size, &drawn.level,
                          &seed))
        return NULL;
    if (drawn.level < 1)
        return PyErr_Format(PyExc_ValueError, "%d operations; give at least 1", drawn.level);
    if (!read_rules(&rules, told, told_size) || !read_state(&state, start, start_size)) {
        PyErr_SetString(PyExc_ValueError, "these are no rules, or this is no start");
        return NULL;
    }
    dice.state = seed;
    drawn.shared = PyMem_Calloc((size_t)drawn.level, sizeof *drawn.shared);
    if (!drawn.shared) return PyErr_NoMemory();
    int found = design(&rules, state, &drawn, &dice);
    PyObject *said = found < 0   ? PyErr_NoMemory()
                     : found > 0 ? as_lists(&rules, state, &drawn)
                                 : Py_NewRef(Py_None);
    PyMem_Free(drawn.shared);
    return said;
}

static PyMethodDef methods[] = {
    {"draw_four", draw_four, METH_VARARGS,
     "Four lists of operations and what they lead to, or None."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "_four", "Compiled drawing of four lists of operations.", -1, methods,
    NULL, NULL, NULL, NULL,
};

#endif
