/* Cubes for the compiled drawing of four lists of operations.
 *
 * A state is 54 facelets; the rules are, for each rotation, from which facelet each one comes.
 */
#include "../../options/deforming/_dice.h"

enum { FACELETS = 54 };

typedef struct {
    uint8_t facelets[FACELETS];
} State;

typedef struct {
    const uint8_t *sources; /* by rotation, FACELETS indices */
    int rotations;
} Rules;

static int same(State one, State other) { return !memcmp(&one, &other, sizeof one); }

static Step draw_step(const Rules *r, Dice *d) { return (Step){0, (uint32_t)below(d, r->rotations)}; }

static State apply(const Rules *r, State state, Step step) {
    const uint8_t *from = r->sources + FACELETS * step.taken;
    State after;
    for (int i = 0; i < FACELETS; i++) after.facelets[i] = state.facelets[from[i]];
    return after;
}

/* No rotation leaves a cube as it is. */
static int offered(const Rules *r, State before, State after) {
    (void)r, (void)before, (void)after;
    return 1;
}

/* Every cube shows the same stickers, whatever has been turned. */
static int unlike(State one, State other) {
    (void)one, (void)other;
    return 0;
}

static int read_rules(Rules *r, const uint8_t *bytes, Py_ssize_t size) {
    if (size < FACELETS || size % FACELETS) return 0;
    for (Py_ssize_t i = 0; i < size; i++)
        if (bytes[i] >= FACELETS) return 0;
    *r = (Rules){bytes, (int)(size / FACELETS)};
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

#include "../../options/deforming/_drawing.h"

PyMODINIT_FUNC PyInit__four(void) { return PyModule_Create(&module); }
