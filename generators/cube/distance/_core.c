/* Compiled core of the exact solver: building pruning tables, and searching with them.
 *
 * Buffers in, plain numbers out. Every long call releases the interpreter's lock and touches
 * nothing but its buffers and constants that are filled once, so it may run in any number of
 * threads on one table. The layout of tables is described in _cube.h, the algorithms in _build.h,
 * _search.h and _around.h. Inner loops exist twice, for AVX2 with BMI2 and for any processor, and
 * give the same results; FACELET_PORTABLE=1 chooses the latter.
 */
#define _DEFAULT_SOURCE /* madvise */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdlib.h>

#ifdef __linux__
#include <sys/mman.h>
#endif

#ifdef _WIN32
#include <malloc.h>
#endif

#include "../../core/_avx2.h"
#include "_build.h"
#include "_search.h"
#include "_around.h"
#include "_reading.h"

#define VARIANT(name) name##_portable
#include "_build_kernels.h"
#include "_search_kernels.h"
#undef VARIANT
#undef COMPRESS

#ifdef FACELET_AVX2
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,bmi,bmi2,popcnt,lzcnt"))), \
                             apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,bmi,bmi2,popcnt,lzcnt")
#endif
#define KERNELS_AVX2 1
#define VARIANT(name) name##_avx2
#include "_build_kernels.h"
#include "_search_kernels.h"
#undef VARIANT
#undef COMPRESS
#undef KERNELS_AVX2
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

static uint64_t (*run_level)(const Build *, int, int) = build_level_portable;
static void (*run_finish)(const Build *, int, int) = build_finish_portable;
static int (*run_survey)(const Search *, const Table *, Node *) = survey_portable;
static int (*run_search)(Search *, const Table *, uint64_t) = search_portable;
static const char *instruction_set = "portable";

static int prepare(void) {
    const size_t huge = (size_t)1 << 21, size = (sizeof *cubes_memory + huge - 1) / huge * huge;
#ifdef _WIN32
    cubes_memory = _aligned_malloc(size, huge);
#else
    cubes_memory = aligned_alloc(huge, size);
#endif
    if (!cubes_memory) return -1;
#ifdef MADV_HUGEPAGE
    madvise(cubes_memory, size, MADV_HUGEPAGE);
#endif
    memset(cubes_memory, 0, size);
    fill_group();
    fill_edges();
    if (fill_corners()) return -2;
    fill_search();
#ifdef FACELET_AVX2
    if (uses_avx2()) {
        run_level = build_level_avx2;
        run_finish = build_finish_avx2;
        run_survey = survey_avx2;
        run_search = search_avx2;
        instruction_set = "avx2";
    }
#endif
    return 0;
}

/* programs(kept) -> bytes: how blocks turn into each other, for `level`. */
static PyObject *py_programs(PyObject *self, PyObject *args) {
    int kept;
    (void)self;
    if (!PyArg_ParseTuple(args, "i", &kept) || check_kept(kept)) return NULL;
    const Py_ssize_t size = (Py_ssize_t)sizeof(Program) * MOVES * AXIAL * SLICES;
    PyObject *made = PyBytes_FromStringAndSize(NULL, size);
    if (!made) return NULL;
    Program *programs = (Program *)PyBytes_AsString(made);
    Py_BEGIN_ALLOW_THREADS
    fill_programs(programs, kept);
    Py_END_ALLOW_THREADS
    return made;
}

static int check_build(const Build *b, Py_ssize_t out, Py_ssize_t other, Py_ssize_t minima,
                       int low, int high) {
    if (check_kept(b->kept)) return -1;
    if ((size_t)out != 2 * block_bytes(b->kept) * blocks() ||
        (size_t)other != block_bytes(b->kept) * blocks())
        return refuse("the planes do not have the size of the table");
    if ((size_t)minima != minima_bytes(b->kept)) return refuse("the minima have the wrong size");
    if (low < 0 || high > CLASSES || low > high || low % 2)
        return refuse("classes must be a range from an even number within 0 to 9930");
    return 0;
}

/* level(out, other, active, active_classes, active_next, minima, programs, kept, base, level,
 *       quarter_turns, low, high) -> cosets first reached at `level`, for a range of classes.
 * Level 0 sets the solved block only. */
static PyObject *py_level(PyObject *self, PyObject *args) {
    Py_buffer out, other, active, active_classes, next, minima, programs;
    Build b = {0};
    int low, high;
    (void)self;
    if (!PyArg_ParseTuple(args, "w*w*y*y*w*w*y*iiiiii", &out, &other, &active, &active_classes,
                          &next, &minima, &programs, &b.kept, &b.base, &b.level,
                          &b.quarter_turns, &low, &high))
        return NULL;
    uint64_t count = 0;
    int bad = check_build(&b, out.len, other.len, minima.len, low, high);
    if (!bad && ((size_t)active.len != blocks() || (size_t)next.len != blocks() ||
                 active_classes.len != CLASSES ||
                 (size_t)programs.len != sizeof(Program) * MOVES * AXIAL * SLICES))
        bad = refuse("active or programs has the wrong size");
    if (!bad && (b.level < 0 || b.level > 30)) bad = refuse("level must be 0 to 30");
    if (!bad) {
        b.out = out.buf, b.other = other.buf, b.active = active.buf;
        b.active_classes = active_classes.buf, b.active_next = next.buf;
        b.minima = minima.buf, b.programs = programs.buf;
        Py_BEGIN_ALLOW_THREADS
        if (b.level == 0) {
            const size_t block = cubes.slice_start[0xf00] / AXIAL, bytes = block_bytes(b.kept);
            const size_t stripe = block << (b.kept < 6 ? 0 : b.kept - 6);
            b.out[2 * block * bytes] = b.out[(2 * block + 1) * bytes] = 1;
            b.active_next[block] = 1;
            b.minima[stripe / 2] &= (uint8_t)(0xf0 >> 4 * (stripe & 1));
            count = 1;
        } else {
            count = run_level(&b, low, high);
        }
        Py_END_ALLOW_THREADS
    }
    PyBuffer_Release(&out), PyBuffer_Release(&other), PyBuffer_Release(&active);
    PyBuffer_Release(&active_classes), PyBuffer_Release(&next);
    PyBuffer_Release(&minima), PyBuffer_Release(&programs);
    return bad ? NULL : PyLong_FromUnsignedLongLong(count);
}

/* finish(out, other, kept, base, low, high): planes to entries, for a range of classes. */
static PyObject *py_finish(PyObject *self, PyObject *args) {
    Py_buffer out, other;
    Build b = {0};
    int low, high;
    (void)self;
    if (!PyArg_ParseTuple(args, "w*y*iiii", &out, &other, &b.kept, &b.base, &low, &high))
        return NULL;
    const Py_ssize_t minima = (Py_ssize_t)minima_bytes(b.kept);
    const int bad = check_build(&b, out.len, other.len, minima, low, high);
    if (!bad) {
        b.out = out.buf, b.other = other.buf;
        Py_BEGIN_ALLOW_THREADS
        run_finish(&b, low, high);
        Py_END_ALLOW_THREADS
    }
    PyBuffer_Release(&out), PyBuffer_Release(&other);
    if (bad) return NULL;
    Py_RETURN_NONE;
}

/* search_size(limit, roots) -> bytes of working memory. */
static PyObject *py_search_size(PyObject *self, PyObject *args) {
    int limit;
    Py_ssize_t roots;
    (void)self;
    if (!PyArg_ParseTuple(args, "in", &limit, &roots)) return NULL;
    if (limit < 0 || limit > MAX_LIMIT || roots < 0 || roots > 100000)
        return refuse("limit must be 0 to 30, roots at most 100000"), NULL;
    return PyLong_FromSize_t(search_bytes(capacity_for(limit, roots)));
}

/* search_start(memory, table, kept, base, quarter_turns, state, limit, roots): fill the memory. A
 * root is a count and that many first moves, then a count and the inverses of that many last moves,
 * the last first; roots are searched from the last to the first. */
static PyObject *py_search_start(PyObject *self, PyObject *args) {
    Py_buffer memory, table, state, roots;
    int kept, base, quarter_turns, limit;
    (void)self;
    if (!PyArg_ParseTuple(args, "w*y*iiiy*iy*", &memory, &table, &kept, &base, &quarter_turns,
                          &state, &limit, &roots))
        return NULL;
    Table t;
    Cube cube;
    Py_ssize_t number = 0, place = 0;
    const uint8_t *bytes = roots.buf;
    int bad = read_table(&t, &table, kept, base) || read_cube(&cube, &state);
    if (!bad && (limit < 0 || limit > MAX_LIMIT)) bad = refuse("limit must be 0 to 30");
    while (!bad && place < roots.len) {
        Py_ssize_t end = place + 1 + bytes[place];
        if (end < roots.len) end += 1 + bytes[end];
        else bad = refuse("a root is cut off");
        if (!bad && end > roots.len) bad = refuse("a root is cut off");
        place = end;
        number++;
    }
    if (!bad && (size_t)memory.len < search_bytes(capacity_for(limit, number)))
        bad = refuse("the working memory is too small; see search_size");
    if (!bad) {
        Search *s = search_in(memory.buf);
        memset(s, 0, sizeof *s);
        s->magic = MAGIC;
        s->capacity = capacity_for(limit, number);
        s->limit = limit;
        set_costs(s, quarter_turns);
        for (place = 0; !bad && place < roots.len;) {
            if (!add_root(s, &t, &cube, bytes + place, run_survey))
                bad = refuse("a root is not a list of moves");
            place += 1 + bytes[place];
            place += 1 + bytes[place];
        }
        if (s->found) s->top = 0;
    }
    PyBuffer_Release(&memory), PyBuffer_Release(&table);
    PyBuffer_Release(&state), PyBuffer_Release(&roots);
    if (bad) return NULL;
    Py_RETURN_NONE;
}

/* search_run(memory, table, kept, base, budget) -> (done, moves or None, nodes, lookups, expanded):
 * search on for about `budget` nodes. Moves are numbers, the solution in order. */
static PyObject *py_search_run(PyObject *self, PyObject *args) {
    Py_buffer memory, table;
    int kept, base;
    unsigned long long budget;
    (void)self;
    if (!PyArg_ParseTuple(args, "w*y*iiK", &memory, &table, &kept, &base, &budget)) return NULL;
    Table t;
    int bad = read_table(&t, &table, kept, base);
    Search *s = search_in(memory.buf);
    if (!bad && ((size_t)memory.len < search_bytes(0) || s->magic != MAGIC ||
                 (size_t)memory.len < search_bytes(s->capacity)))
        bad = refuse("the working memory holds no search");
    int done = 0;
    PyObject *answer = NULL;
    if (!bad) {
        Py_BEGIN_ALLOW_THREADS
        done = s->found ? 1 : run_search(s, &t, budget);
        Py_END_ALLOW_THREADS
        if (done < 0) {
            PyErr_SetString(PyExc_MemoryError, "the stack of the search is full");
            goto release;
        }
        uint8_t word[PATH];
        PyObject *moves = s->found
            ? PyBytes_FromStringAndSize((char *)word, solution_of(&s->answer, word))
            : Py_NewRef(Py_None);
        if (moves)
            answer = Py_BuildValue("(NNKKK)", PyBool_FromLong(done), moves,
                                   (unsigned long long)s->nodes, (unsigned long long)s->lookups,
                                   (unsigned long long)s->expanded);
    }
release:
    PyBuffer_Release(&memory), PyBuffer_Release(&table);
    return answer;
}

/* bounds(table, kept, base, state) -> six (low, high): of the state along the axes, then of its
 * inverse. */
static PyObject *py_bounds(PyObject *self, PyObject *args) {
    Py_buffer table, state;
    int kept, base;
    (void)self;
    if (!PyArg_ParseTuple(args, "y*iiy*", &table, &kept, &base, &state)) return NULL;
    Table t;
    Cube cube;
    PyObject *list = NULL;
    if (!read_table(&t, &table, kept, base) && !read_cube(&cube, &state)) {
        Search *s = calloc(1, sizeof(Search));
        if (!s) {
            PyErr_NoMemory();
        } else {
            Node n = {.last = {MOVES, MOVES}, .remaining = 0};
            const Cube back = inverse(&cube);
            n.state[0] = to_bytes(&cube);
            n.state[1] = to_bytes(&back);
            set_costs(s, 0);
            run_survey(s, &t, &n);
            list = PyList_New(0);
            for (int i = 0; list && i < 6; i++) {
                const Bounds b = n.bounds[i / 3][i % 3];
                PyObject *pair = Py_BuildValue("(ii)", b.low, b.high);
                if (!pair || PyList_Append(list, pair)) Py_CLEAR(list);
                Py_XDECREF(pair);
            }
            free(s);
        }
    }
    PyBuffer_Release(&table), PyBuffer_Release(&state);
    return list;
}

/* around(memory, table, kept, base, quarter_turns, state, limit) -> (distance, bits of the moves
 * begin an optimal solution, the least one), or None if the distance is beyond the limit. The memory
 * is that of a search with this limit and one root. */
static PyObject *py_around(PyObject *self, PyObject *args) {
    Py_buffer memory, table, state;
    int kept, base, quarter_turns, limit, distance = -1;
    (void)self;
    if (!PyArg_ParseTuple(args, "w*y*iiiy*i", &memory, &table, &kept, &base, &quarter_turns,
                          &state, &limit))
        return NULL;
    Table t;
    Cube cube;
    int bad = read_table(&t, &table, kept, base) || read_cube(&cube, &state);
    if (!bad && (limit < 0 || limit > MAX_LIMIT)) bad = refuse("limit must be 0 to 30");
    if (!bad && (size_t)memory.len < search_bytes(capacity_for(limit, 1)))
        bad = refuse("the working memory is too small; see search_size");
    Search *s = search_in(memory.buf);
    if (!bad) {
        Py_BEGIN_ALLOW_THREADS
        distance = around(s, &t, &cube, quarter_turns, limit, run_survey, run_search);
        Py_END_ALLOW_THREADS
    }
    PyObject *answer = NULL;
    if (distance == -2) PyErr_SetString(PyExc_MemoryError, "the stack of the search is full");
    else if (distance >= 0)
        answer = Py_BuildValue("(iIy#)", distance, (unsigned)s->first, s->least,
                               (Py_ssize_t)s->least_length);
    else if (!bad) answer = Py_NewRef(Py_None);
    PyBuffer_Release(&memory), PyBuffer_Release(&table), PyBuffer_Release(&state);
    return answer;
}

static PyMethodDef methods[] = {
    {"programs", py_programs, METH_VARARGS, "How blocks turn into each other."},
    {"level", py_level, METH_VARARGS, "One level of a table, for a range of classes."},
    {"finish", py_finish, METH_VARARGS, "Turn planes into entries, for a range of classes."},
    {"search_size", py_search_size, METH_VARARGS, "Bytes of working memory of a search."},
    {"search_start", py_search_start, METH_VARARGS, "Fill the working memory of a search."},
    {"search_run", py_search_run, METH_VARARGS, "Search on for about so many nodes."},
    {"bounds", py_bounds, METH_VARARGS, "The six bounds of a state."},
    {"around", py_around, METH_VARARGS, "Distance and optimal solutions of a near state."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "_core", "Compiled core of the exact solver.", -1, methods,
    NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__core(void) {
    switch (prepare()) {
    case 0: break;
    case -1: return PyErr_NoMemory();
    default:
        PyErr_SetString(PyExc_SystemError, "the compiled core counts its cosets wrong");
        return NULL;
    }
    PyObject *m = PyModule_Create(&module);
    if (!m) return NULL;
    if (PyModule_AddStringConstant(m, "INSTRUCTION_SET", instruction_set) ||
        PyModule_AddIntConstant(m, "CLASSES", CLASSES) ||
        PyModule_AddIntConstant(m, "SLICES", SLICES) ||
        PyModule_AddIntConstant(m, "MAX_LIMIT", MAX_LIMIT)) {
        Py_DECREF(m);
        return NULL;
    }
    return m;
}
