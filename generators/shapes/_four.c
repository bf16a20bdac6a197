/* Shapes for the compiled drawing of four lists of operations. */
#include "_shape.h"

typedef Shape State;

static int same(State one, State other) { return one == other; }

static uint32_t draw_piece(const Rules *r, Dice *d) {
    uint32_t type = (uint32_t)below(d, r->types);
    if (type == 3 && r->types == 4) type = 4; /* no fan: the star takes its place */
    return (type + 1) << 3 | (uint32_t)below(d, COLOURS);
}

static Step draw_step(const Rules *r, Dice *d) {
    uint32_t kind = (uint32_t)below(d, r->kinds), upper = 0;
    if (kind == FILL && !r->filling) kind = STACK;
    if (kind < COLOUR) return (Step){kind, 0};
    if (kind == COLOUR) return (Step){kind, (uint32_t)below(d, COLOURS)};
    if (kind == FILL) return (Step){kind, draw_piece(r, d)};
    while (!upper && !d->failed)
        for (int q = 0; q < QUADRANTS; q++)
            if (below(d, 4)) upper |= draw_piece(r, d) << BITS * q;
    return (Step){STACK, upper};
}

static int read_rules(Rules *r, const uint8_t *bytes, Py_ssize_t size) {
    if (size != 6) return 0;
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

#include "../options/deforming/_drawing.h"

PyMODINIT_FUNC PyInit__four(void) {
    prepare();
    return PyModule_Create(&module);
}
