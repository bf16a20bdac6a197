/* Drawing: what a numpy generator draws, without the cost of a call of numpy.
 *
 * Numbers come from the bit generator of a numpy Generator, through the pointers that it hands out
 * in its capsule, and are bounded as numpy bounds them (Lemire, "Fast random integer generation in
 * an interval", 2019). So a draw here and one by numpy may follow each other. `spread` is what
 * SeedSequence makes of a seed (O'Neill's seed_seq_fe, with numpy's constants).
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <string.h>

typedef struct { /* numpy's bitgen_t */
    void *state;
    uint64_t (*next_uint64)(void *);
    uint32_t (*next_uint32)(void *);
    double (*next_double)(void *);
    uint64_t (*next_raw)(void *);
} Bits;

enum { MOST = 10000 }; /* numbers that are shuffled or chosen from */

static PyObject *name_of_bits, *name_of_capsule;

static Bits *bits_of(PyObject *rng) {
    PyObject *generator = PyObject_GetAttr(rng, name_of_bits);
    if (!generator) return NULL;
    PyObject *capsule = PyObject_GetAttr(generator, name_of_capsule);
    Py_DECREF(generator);
    if (!capsule) return NULL;
    Bits *bits = PyCapsule_GetPointer(capsule, "BitGenerator");
    Py_DECREF(capsule); /* the generator, which the caller holds, keeps what it points to */
    return bits;
}

/* A number from 0 to most. */
static uint32_t upto(Bits *bits, uint32_t most) {
    if (!most) return 0;
    const uint32_t count = most + 1;
    uint64_t product = (uint64_t)bits->next_uint32(bits->state) * count;
    if ((uint32_t)product < count) {
        const uint32_t least = (UINT32_MAX - most) % count;
        while ((uint32_t)product < least)
            product = (uint64_t)bits->next_uint32(bits->state) * count;
    }
    return (uint32_t)(product >> 32);
}

/* Reads the generator and one or two whole numbers, each at most its limit. */
static Bits *taken(PyObject *const *args, Py_ssize_t given, Py_ssize_t wanted, const char *name,
                   long long least, const long long *limits, long long *values) {
    if (given != wanted) {
        PyErr_Format(PyExc_TypeError, "%s takes %zd arguments, not %zd", name, wanted, given);
        return NULL;
    }
    for (Py_ssize_t i = 1; i < wanted; i++) {
        values[i - 1] = PyLong_AsLongLong(args[i]);
        if (values[i - 1] == -1 && PyErr_Occurred()) return NULL;
        if (values[i - 1] < least || values[i - 1] > limits[i - 1]) {
            PyErr_Format(PyExc_ValueError, "%s: a number is %lld; %lld to %lld can be had", name,
                         values[i - 1], least, limits[i - 1]);
            return NULL;
        }
    }
    return bits_of(args[0]);
}

static PyObject *below(PyObject *self, PyObject *const *args, Py_ssize_t given) {
    (void)self;
    long long count;
    Bits *bits = taken(args, given, 2, "below", 1, (long long[]){UINT32_MAX}, &count);
    return bits ? PyLong_FromUnsignedLong(upto(bits, (uint32_t)(count - 1))) : NULL;
}

static PyObject *listed(const uint32_t *numbers, Py_ssize_t count) {
    PyObject *list = PyList_New(count);
    for (Py_ssize_t i = 0; list && i < count; i++) {
        PyObject *number = PyLong_FromUnsignedLong(numbers[i]);
        if (!number || PyList_SetItem(list, i, number)) Py_CLEAR(list);
    }
    return list;
}

static PyObject *several(PyObject *self, PyObject *const *args, Py_ssize_t given) {
    (void)self;
    uint32_t numbers[MOST];
    long long values[2];
    Bits *bits = taken(args, given, 3, "several", 0, (long long[]){UINT32_MAX, MOST}, values);
    if (!bits) return NULL;
    if (!values[0]) {
        PyErr_SetString(PyExc_ValueError, "several: there is no number below 0");
        return NULL;
    }
    for (long long i = 0; i < values[1]; i++) numbers[i] = upto(bits, (uint32_t)(values[0] - 1));
    return listed(numbers, (Py_ssize_t)values[1]);
}

static void shuffle(Bits *bits, uint32_t *numbers, uint32_t count,
                    uint32_t (*drawn)(Bits *, uint32_t)) {
    for (uint32_t i = count; i-- > 1;) {
        const uint32_t j = drawn(bits, i), number = numbers[i];
        numbers[i] = numbers[j];
        numbers[j] = number;
    }
}

/* A number from 0 to most, the other way: numpy shuffles arrays so, and a choice by the above. */
static uint32_t masked(Bits *bits, uint32_t most) {
    uint32_t mask = most, number;
    for (int shift = 1; shift < 32; shift *= 2) mask |= mask >> shift;
    do number = bits->next_uint32(bits->state) & mask;
    while (number > most);
    return number;
}

static PyObject *shuffled(PyObject *self, PyObject *const *args, Py_ssize_t given) {
    (void)self;
    uint32_t numbers[MOST];
    long long count;
    Bits *bits = taken(args, given, 2, "shuffled", 0, (long long[]){MOST}, &count);
    if (!bits) return NULL;
    for (uint32_t i = 0; i < (uint32_t)count; i++) numbers[i] = i;
    shuffle(bits, numbers, (uint32_t)count, masked);
    return listed(numbers, (Py_ssize_t)count);
}

static PyObject *chosen(PyObject *self, PyObject *const *args, Py_ssize_t given) {
    (void)self;
    uint32_t numbers[MOST];
    uint8_t named[MOST];
    long long values[2];
    Bits *bits = taken(args, given, 3, "chosen", 0, (long long[]){MOST, MOST}, values);
    if (!bits) return NULL;
    const uint32_t size = (uint32_t)values[0], count = (uint32_t)values[1];
    if (count > size) {
        PyErr_Format(PyExc_ValueError, "chosen: %u of %u numbers cannot be had", count, size);
        return NULL;
    }
    memset(named, 0, size);
    for (uint32_t i = 0, last = size - count; i < count; i++, last++) { /* Floyd's algorithm */
        const uint32_t number = upto(bits, last);
        numbers[i] = named[number] ? last : number;
        named[numbers[i]] = 1;
    }
    shuffle(bits, numbers, count, upto);
    return listed(numbers, (Py_ssize_t)count);
}

enum { MOST_WAYS = 8, MOST_PLACES = 2048 };

/* A tree of all places, drawn evenly: walks from each place to it, loops cut out (Wilson,
 * "Generating random spanning trees more quickly than the cover time", 1996). */
static PyObject *spanned(PyObject *self, PyObject *const *args, Py_ssize_t given) {
    (void)self;
    uint16_t ways[MOST_PLACES][MOST_WAYS], tree[MOST_PLACES];
    uint8_t counts[MOST_PLACES], joined[MOST_PLACES];
    if (given != 2 || !PyTuple_Check(args[1])) {
        PyErr_SetString(PyExc_TypeError, "spanned takes a generator and a tuple of tuples");
        return NULL;
    }
    const Py_ssize_t size = PyTuple_Size(args[1]);
    if (size < 1 || size > MOST_PLACES) {
        PyErr_Format(PyExc_ValueError, "spanned: %zd places; 1 to %d can be had", size, MOST_PLACES);
        return NULL;
    }
    for (Py_ssize_t place = 0; place < size; place++) {
        PyObject *around = PyTuple_GetItem(args[1], place);
        const Py_ssize_t count = PyTuple_Check(around) ? PyTuple_Size(around) : -1;
        if (count < (size > 1) || count > MOST_WAYS) {
            PyErr_Format(PyExc_ValueError, "spanned: place %zd leads to %zd others, not 1 to %d",
                         place, count, MOST_WAYS);
            return NULL;
        }
        for (Py_ssize_t way = 0; way < count; way++) {
            const long after = PyLong_AsLong(PyTuple_GetItem(around, way));
            if (after == -1 && PyErr_Occurred()) return NULL;
            if (after < 0 || after >= size) {
                PyErr_Format(PyExc_ValueError, "spanned: there is no place %ld", after);
                return NULL;
            }
            ways[place][way] = (uint16_t)after;
        }
        counts[place] = (uint8_t)count;
        joined[place] = !place;
    }
    Bits *bits = bits_of(args[0]);
    if (!bits) return NULL;
    for (Py_ssize_t place = 1; place < size; place++) {
        Py_ssize_t here = place;
        for (long steps = 1; !joined[here]; steps++) {
            here = tree[here] = ways[here][upto(bits, counts[here] - 1u)];
            if (!(steps % (1 << 24)) && PyErr_CheckSignals()) return NULL;
        }
        for (here = place; !joined[here]; here = tree[here]) joined[here] = 1;
    }
    PyObject *list = PyList_New(size);
    for (Py_ssize_t place = 0; list && place < size; place++) {
        PyObject *next = PyLong_FromLong(place ? tree[place] : -1);
        if (!next || PyList_SetItem(list, place, next)) Py_CLEAR(list);
    }
    return list;
}

enum { WORDS = 8, POOL = 4 };

static uint32_t stirred(uint32_t value, uint32_t *constant) {
    value ^= *constant;
    *constant *= 0x931e8875u;
    value *= *constant;
    return value ^ value >> 16;
}

static uint32_t mixed(uint32_t one, uint32_t other) {
    const uint32_t value = 0xca01f9ddu * one - 0x4973f715u * other;
    return value ^ value >> 16;
}

static PyObject *spread(PyObject *self, PyObject *seed) {
    (void)self;
    char *bytes;
    Py_ssize_t length;
    if (PyBytes_AsStringAndSize(seed, &bytes, &length)) return NULL;
    if (length != 4 * WORDS) {
        PyErr_Format(PyExc_ValueError, "spread takes %d bytes, not %zd", 4 * WORDS, length);
        return NULL;
    }
    uint32_t word[WORDS], pool[POOL], constant = 0x43b0d7e5u;
    for (int i = 0; i < WORDS; i++) {
        const unsigned char *at = (const unsigned char *)bytes + 4 * i;
        word[i] = at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    }
    int words = WORDS; /* zeros at the end are no part of the number */
    while (words && !word[words - 1]) words--;
    for (int i = 0; i < POOL; i++) pool[i] = stirred(i < words ? word[i] : 0, &constant);
    for (int from = 0; from < POOL; from++)
        for (int to = 0; to < POOL; to++)
            if (from != to) pool[to] = mixed(pool[to], stirred(pool[from], &constant));
    for (int from = POOL; from < words; from++)
        for (int to = 0; to < POOL; to++)
            pool[to] = mixed(pool[to], stirred(word[from], &constant));
    unsigned char found[4 * WORDS];
    constant = 0x8b51f9ddu;
    for (int i = 0; i < WORDS; i++) {
        uint32_t value = pool[i % POOL] ^ constant;
        constant *= 0x58f38dedu;
        value *= constant;
        value ^= value >> 16;
        for (int k = 0; k < 4; k++) found[4 * i + k] = (unsigned char)(value >> 8 * k);
    }
    return PyBytes_FromStringAndSize((const char *)found, sizeof found);
}

static PyMethodDef methods[] = {
    {"below", (PyCFunction)(void (*)(void))below, METH_FASTCALL, NULL},
    {"several", (PyCFunction)(void (*)(void))several, METH_FASTCALL, NULL},
    {"shuffled", (PyCFunction)(void (*)(void))shuffled, METH_FASTCALL, NULL},
    {"chosen", (PyCFunction)(void (*)(void))chosen, METH_FASTCALL, NULL},
    {"spanned", (PyCFunction)(void (*)(void))spanned, METH_FASTCALL, NULL},
    {"spread", spread, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_drawing", NULL, -1, methods,
                                    NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__drawing(void) {
    name_of_bits = PyUnicode_InternFromString("bit_generator");
    name_of_capsule = PyUnicode_InternFromString("capsule");
    if (!name_of_bits || !name_of_capsule) return NULL;
    return PyModule_Create(&module);
}
