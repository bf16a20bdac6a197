/* Compiled core of the coset search: exact distances of all states of a coset, level by level.
 *
 * Buffers in, plain numbers out; see _coset_tables.h for what a code is, and coset_search.py for
 * how levels follow from these calls. Calls release the interpreter's lock and share the tables,
 * which are not written to, and the maps, whose bits are set one by one.
 *
 * After T. Rokicki, H. Kociemba, M. Davidson and J. Dethridge, the diameter of the Rubik's cube
 * group is twenty (2010).
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "_coset_search.h"

enum { MAP_BYTES_SPARE = 8, SPLIT_KINDS = 192 * 288 };

#define MAP_BYTES ((Py_ssize_t)PAGES * PAGE_BYTES + MAP_BYTES_SPARE)

static const Cosets *tables_of(const Py_buffer *memory) {
    const Cosets *t = memory->buf;
    if (memory->len == sizeof *t && t->filled == COSETS_FILLED) return t;
    PyErr_SetString(PyExc_ValueError, "the memory holds no tables; see fill");
    return NULL;
}

static int is_map(const Py_buffer *map) {
    if (map->len == MAP_BYTES) return 1;
    PyErr_SetString(PyExc_ValueError, "a map must have MAP_BYTES bytes");
    return 0;
}

static int are_pages(int low, int high) {
    if (0 <= low && low <= high && high <= PAGES) return 1;
    PyErr_SetString(PyExc_ValueError, "pages are 0 to PAGES");
    return 0;
}

/* 40 bytes: cp, co, ep, eo. Every index that is made of them is then within its table. */
static const Cube *cube_of(const Py_buffer *state) {
    const Cube *c = state->buf;
    unsigned corners = 0, edges = 0, flips = 0, twists = 0, fits = state->len == sizeof *c;
    for (int i = 0; fits && i < 8; i++) {
        fits &= c->cp[i] < 8 && c->co[i] < 3;
        corners |= 1u << (c->cp[i] & 7);
        twists += c->co[i];
    }
    for (int i = 0; fits && i < 12; i++) {
        fits &= c->ep[i] < 12 && c->eo[i] < 2;
        edges |= 1u << (c->ep[i] & 15);
        flips += c->eo[i];
    }
    if (fits && corners == 0xff && edges == 0xfff && flips % 2 == 0 && twists % 3 == 0) return c;
    PyErr_SetString(PyExc_ValueError, "a state is 40 bytes, each piece once: cp, co, ep, eo");
    return NULL;
}

/* fill(memory, within): the tables, with the distances up to so many turns, at least NEAR. */
static PyObject *py_fill(PyObject *self, PyObject *args) {
    Py_buffer memory;
    int within, bad = 1;
    (void)self;
    if (!PyArg_ParseTuple(args, "w*i", &memory, &within)) return NULL;
    if (within < NEAR || within > FARTHEST) {
        PyErr_SetString(PyExc_ValueError, "distances are filled within 6 to 12 turns");
    } else if (memory.len != sizeof(Cosets)) {
        PyErr_SetString(PyExc_ValueError, "the memory must have BYTES bytes");
    } else {
        Py_BEGIN_ALLOW_THREADS
        bad = fill_cosets(memory.buf, (unsigned)within);
        Py_END_ALLOW_THREADS
        if (bad == -1) PyErr_NoMemory();
        if (bad == -2) PyErr_SetString(PyExc_SystemError, "the cosets are counted wrong");
    }
    PyBuffer_Release(&memory);
    if (bad) return NULL;
    Py_RETURN_NONE;
}

/* counts(memory) -> cosets at each distance from H. */
static PyObject *py_counts(PyObject *self, PyObject *args) {
    Py_buffer memory;
    PyObject *list = NULL;
    (void)self;
    if (!PyArg_ParseTuple(args, "y*", &memory)) return NULL;
    const Cosets *t = tables_of(&memory);
    if (t) list = PyList_New(0);
    for (int i = 0; list && i <= FARTHEST; i++) {
        PyObject *count = PyLong_FromUnsignedLongLong(t->counts[i]);
        if (!count || PyList_Append(list, count)) Py_CLEAR(list);
        Py_XDECREF(count);
    }
    PyBuffer_Release(&memory);
    return list;
}

/* search(memory, map, state, first, length, task) -> uint64 as bytes: see search_from and Task. */
static PyObject *py_search(PyObject *self, PyObject *args) {
    Py_buffer memory, map, state, first;
    int length, task;
    PyObject *answer = NULL;
    (void)self;
    if (!PyArg_ParseTuple(args, "y*w*y*y*ii", &memory, &map, &state, &first, &length, &task))
        return NULL;
    const Cosets *t = tables_of(&memory);
    const Cube *c = t && is_map(&map) ? cube_of(&state) : NULL;
    int fits = length >= 0 && length <= LONGEST_WORD && first.len <= length
        && task >= MARK && task <= WORDS;
    for (Py_ssize_t i = 0; fits && i < first.len; i++)
        fits = ((const uint8_t *)first.buf)[i] < MOVES;
    if (c && !fits) PyErr_SetString(PyExc_ValueError, "length, first moves or task out of range");
    if (c && fits) {
        Coset s = {.t = t, .bits = map.buf, .task = (Task)task, .length = length};
        Py_BEGIN_ALLOW_THREADS
        search_from(&s, c, first.buf, (int)first.len);
        Py_END_ALLOW_THREADS
        if (s.found.failed) PyErr_NoMemory();
        else answer = PyBytes_FromStringAndSize((const char *)s.found.items,
                                                (Py_ssize_t)(s.found.count * sizeof(uint64_t)));
        free(s.found.items);
    }
    PyBuffer_Release(&memory), PyBuffer_Release(&map);
    PyBuffer_Release(&state), PyBuffer_Release(&first);
    return answer;
}

/* spread(memory, from, to, low, high): some pages of one prepass; see spread_page. */
static PyObject *py_spread(PyObject *self, PyObject *args) {
    Py_buffer memory, from, to;
    int low, high, fits = 0;
    (void)self;
    if (!PyArg_ParseTuple(args, "y*y*w*ii", &memory, &from, &to, &low, &high)) return NULL;
    const Cosets *t = tables_of(&memory);
    if (t && is_map(&from) && is_map(&to) && are_pages(low, high)) {
        fits = 1;
        Py_BEGIN_ALLOW_THREADS
        for (int page = low; page < high; page++)
            spread_page(t, from.buf, to.buf, (unsigned)page);
        Py_END_ALLOW_THREADS
    }
    PyBuffer_Release(&memory), PyBuffer_Release(&from), PyBuffer_Release(&to);
    if (!fits) return NULL;
    Py_RETURN_NONE;
}

/* count(now, before, low, high, out): new elements of each page, as uint64. */
static PyObject *py_count(PyObject *self, PyObject *args) {
    Py_buffer now, before, out;
    int low, high, fits = 0;
    (void)self;
    if (!PyArg_ParseTuple(args, "y*y*iiw*", &now, &before, &low, &high, &out)) return NULL;
    if (is_map(&now) && (!before.len || is_map(&before)) && are_pages(low, high)) {
        fits = out.len == (high - low) * (Py_ssize_t)sizeof(uint64_t);
        if (!fits) PyErr_SetString(PyExc_ValueError, "the counts must have a uint64 for each page");
        uint64_t *counts = out.buf;
        const uint8_t *old = before.len ? before.buf : NULL;
        if (fits) {
            Py_BEGIN_ALLOW_THREADS
            for (int page = low; page < high; page++)
                counts[page - low] = count_page(now.buf, old, (unsigned)page);
            Py_END_ALLOW_THREADS
        }
    }
    PyBuffer_Release(&now), PyBuffer_Release(&before), PyBuffer_Release(&out);
    if (!fits) return NULL;
    Py_RETURN_NONE;
}

/* codes(now, before, low, high, out) -> how many: codes of new elements, in rising order. */
static PyObject *py_codes(PyObject *self, PyObject *args) {
    Py_buffer now, before, out;
    int low, high, fits = 0;
    size_t count = 0;
    (void)self;
    if (!PyArg_ParseTuple(args, "y*y*iiw*", &now, &before, &low, &high, &out)) return NULL;
    if (is_map(&now) && (!before.len || is_map(&before)) && are_pages(low, high)) {
        fits = 1;
        uint64_t *codes = out.buf;
        const size_t room = (size_t)out.len / sizeof *codes;
        const uint8_t *old = before.len ? before.buf : NULL;
        Py_BEGIN_ALLOW_THREADS
        for (int page = low; page < high; page++)
            count += list_page(now.buf, old, (unsigned)page, codes + count, room - count);
        Py_END_ALLOW_THREADS
    }
    PyBuffer_Release(&now), PyBuffer_Release(&before), PyBuffer_Release(&out);
    return fits ? PyLong_FromSize_t(count) : NULL;
}

/* For each (piece, twist) at a place, the key of the kind of every corner with every edge; see
 * coset_states.py. */
typedef struct {
    const uint8_t *corner_facelets, *edge_facelets; /* 8 x 3, 12 x 2 */
    const uint64_t *keys;                           /* [corner kind 0..191][edge kind 0..287] */
} Showing;

static void show(const Cosets *t, const Cube *base, const Showing *w, const uint64_t *codes,
                 size_t count, uint8_t *facelets, uint64_t *marks) {
    static const char letters[] = "URFDLB";
    uint8_t corners[8][3], edges[12][2], blank[54];
    uint64_t sums[12][24];
    uint64_t last_page = UINT64_MAX;
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 3; j++)
            corners[i][j] = (uint8_t)letters[w->corner_facelets[3 * i + j] / 9];
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 2; j++)
            edges[i][j] = (uint8_t)letters[w->edge_facelets[2 * i + j] / 9];
    for (int i = 0; i < 54; i++) blank[i] = (uint8_t)letters[i / 9];
    for (size_t n = 0; n < count; n++) {
        const Cube h = element_of(t, codes[n]);
        if (codes[n] / PAGE_BITS != last_page) {
            last_page = codes[n] / PAGE_BITS;
            memset(sums, 0, sizeof sums);
            for (int i = 0; i < 8; i++) {
                const int from = h.cp[i], piece = base->cp[from], twist = base->co[from];
                const uint64_t *keys = w->keys + (size_t)((i * 8 + piece) * 3 + twist) * 288;
                for (int j = 0; j < 3; j++)
                    blank[w->corner_facelets[3 * i + (j + twist) % 3]] = corners[piece][j];
                for (int e = 0; marks && e < 12; e++)
                    for (int k = 0; k < 24; k++) sums[e][k] += keys[e * 24 + k];
            }
        }
        uint64_t mark = 0;
        for (int i = 0; marks && i < 12; i++) {
            const int from = h.ep[i];
            mark += sums[i][base->ep[from] * 2 + base->eo[from]];
        }
        mark ^= mark >> 31;
        mark *= 0x9e3779b97f4a7c15u;
        if (marks) marks[n] = mark ^ mark >> 29;
        if (!facelets) continue;
        uint8_t *out = facelets + 54 * n;
        memcpy(out, blank, 54);
        for (int i = 0; i < 12; i++) {
            const int from = h.ep[i], piece = base->ep[from], flip = base->eo[from];
            out[w->edge_facelets[2 * i + flip]] = edges[piece][0];
            out[w->edge_facelets[2 * i + 1 - flip]] = edges[piece][1];
        }
    }
}

/* states(memory, base, codes, corner_facelets, edge_facelets, keys, facelets, marks): the states
 * base * element as letters, 54 bytes each, and their marks, a uint64 each; neither where the array
 * has no bytes. */
static PyObject *py_states(PyObject *self, PyObject *args) {
    Py_buffer memory, base, codes, corners, edges, keys, facelets, marks;
    int done = 0;
    (void)self;
    if (!PyArg_ParseTuple(args, "y*y*y*y*y*y*w*w*", &memory, &base, &codes, &corners, &edges, &keys,
                          &facelets, &marks))
        return NULL;
    const Cosets *t = tables_of(&memory);
    const Cube *c = t ? cube_of(&base) : NULL;
    const size_t count = (size_t)codes.len / sizeof(uint64_t);
    int fits = corners.len == 24 && edges.len == 24
        && keys.len == SPLIT_KINDS * (Py_ssize_t)sizeof(uint64_t)
        && (!facelets.len || facelets.len == (Py_ssize_t)count * 54)
        && (!marks.len || marks.len == (Py_ssize_t)(count * sizeof(uint64_t)));
    for (int i = 0; fits && i < 24; i++)
        fits = ((const uint8_t *)corners.buf)[i] < 54 && ((const uint8_t *)edges.buf)[i] < 54;
    for (size_t i = 0; fits && i < count; i++)
        fits = ((const uint64_t *)codes.buf)[i] < (uint64_t)PAGES * PAGE_BITS;
    if (c && !fits) PyErr_SetString(PyExc_ValueError, "a code or the size of an array is wrong");
    if (c && fits) {
        const Showing w = {corners.buf, edges.buf, keys.buf};
        Py_BEGIN_ALLOW_THREADS
        show(t, c, &w, codes.buf, count, facelets.len ? facelets.buf : NULL,
             marks.len ? marks.buf : NULL);
        Py_END_ALLOW_THREADS
        done = 1;
    }
    PyBuffer_Release(&memory), PyBuffer_Release(&base), PyBuffer_Release(&codes);
    PyBuffer_Release(&corners), PyBuffer_Release(&edges), PyBuffer_Release(&keys);
    PyBuffer_Release(&facelets), PyBuffer_Release(&marks);
    if (!done) return NULL;
    Py_RETURN_NONE;
}

/* place(memory, state) -> (coset, code): the number of the state's coset, and, if the state is in
 * H, its code; else None. */
static PyObject *py_place(PyObject *self, PyObject *args) {
    Py_buffer memory, state;
    PyObject *answer = NULL;
    (void)self;
    if (!PyArg_ParseTuple(args, "y*y*", &memory, &state)) return NULL;
    const Cosets *t = tables_of(&memory);
    const Cube *c = t ? cube_of(&state) : NULL;
    if (c) {
        const uint32_t number = coset_number(twist_of(c), slice_of(c), flips_of(c));
        uint8_t split_number[256] = {0}, split_mask[SPLITS];
        fill_splits(split_number, split_mask);
        if (coset_distance(t, number) == 0) {
            Pieces p;
            for (int i = 0; i < 2; i++)
                p.corners[i] = (uint16_t)corner_four_of(c->cp, i, split_number);
            for (int i = 0; i < 3; i++) p.edges[i] = (uint16_t)four_of(c->ep, i);
            answer = Py_BuildValue("(kK)", (unsigned long)number,
                                   (unsigned long long)code_of(t, p));
        } else {
            answer = Py_BuildValue("(kO)", (unsigned long)number, Py_None);
        }
    }
    PyBuffer_Release(&memory), PyBuffer_Release(&state);
    return answer;
}

static PyMethodDef methods[] = {
    {"fill", py_fill, METH_VARARGS, "Fill the tables."},
    {"counts", py_counts, METH_VARARGS, "Cosets at each distance from H."},
    {"search", py_search, METH_VARARGS, "Maneuvers of one length that lead into H."},
    {"spread", py_spread, METH_VARARGS, "What is one turn of H away, page by page."},
    {"count", py_count, METH_VARARGS, "New elements of each page."},
    {"codes", py_codes, METH_VARARGS, "Codes of new elements."},
    {"states", py_states, METH_VARARGS, "States by codes, as letters, with their marks."},
    {"place", py_place, METH_VARARGS, "The coset of a state, and its code if that is H."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "_coset", "Compiled core of the coset search.", -1, methods,
    NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__coset(void) {
    cubes_memory = calloc(1, sizeof *cubes_memory); /* pages that are not needed stay untouched */
    if (!cubes_memory) return PyErr_NoMemory();
    fill_group();
    fill_edges();
    PyObject *m = PyModule_Create(&module);
    if (m && (PyModule_AddIntConstant(m, "BYTES", sizeof(Cosets))
              || PyModule_AddIntConstant(m, "PAGES", PAGES)
              || PyModule_AddIntConstant(m, "PAGE_BITS", PAGE_BITS)
              || PyModule_AddIntConstant(m, "MARK", MARK)
              || PyModule_AddIntConstant(m, "LIST", LIST)
              || PyModule_AddIntConstant(m, "WORDS", WORDS)))
        Py_CLEAR(m);
    if (m) {
        PyObject *size = PyLong_FromSsize_t(MAP_BYTES);
        if (!size || PyModule_AddObjectRef(m, "MAP_BYTES", size)) Py_CLEAR(m);
        Py_XDECREF(size);
    }
    return m;
}
