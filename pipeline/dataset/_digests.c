/* Digests: rows that lie in Arrow's columns, as canonical JSON and its hash; four rows are hashed at
 * once where there is AVX2, unless FACELET_PORTABLE=1 forbids it.
 *
 * It does what row_hashes.py does beside it. A column is a tuple of its buffers; what they hold may
 * come from anybody's file, so each length, offset and sign is checked before it is used, and
 * whatever is not as Arrow demands is left to the Python: the result is then None.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "_blake2b.h"
#include "_blake2b_four.h"
#include "_columns.h"

enum { SIZE = 16, FIRST = 4096, SLOTS = 256 };

typedef struct {
    uint64_t bits;
    size_t size; /* 0: none */
    char text[32];
} Double;

typedef struct {
    Byte *begin, *at, *end;
    Double doubles[SLOTS]; /* how the last ones were spelled: rows of a table share many */
} Out;

/* Makes room for so many bytes more. */
static int room(Out *out, size_t more) {
    if ((size_t)(out->end - out->at) >= more) return DONE;
    const size_t used = (size_t)(out->at - out->begin);
    if (more > SIZE_MAX / 4 || used > SIZE_MAX / 4) return NO_MEMORY;
    const size_t size = 2 * (used + more);
    Byte *begin = realloc(out->begin, size);
    if (!begin) return NO_MEMORY;
    out->begin = begin, out->at = begin + used, out->end = begin + size;
    return DONE;
}

static int put(Out *out, const void *bytes, size_t size) {
    if (room(out, size)) return NO_MEMORY;
    memcpy(out->at, bytes, size);
    out->at += size;
    return DONE;
}

static inline Byte *put_unit(Byte *at, uint32_t unit) {
    static const char digits[] = "0123456789abcdef";
    *at++ = '\\', *at++ = 'u';
    for (int shift = 12; shift >= 0; shift -= 4) *at++ = (Byte)digits[unit >> shift & 15];
    return at;
}

/* The code point at a place and its bytes, 0 bytes where the text is not UTF-8. */
static uint32_t code_at(const Byte *at, const Byte *end, int *bytes) {
    const Byte lead = *at;
    const int more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
    *bytes = 0;
    if (lead < 0xC2 || lead > 0xF4 || end - at <= more) return 0;
    uint32_t code = lead & (0x3Fu >> more);
    for (int i = 1; i <= more; i++) {
        if ((at[i] & 0xC0) != 0x80) return 0;
        code = code << 6 | (at[i] & 0x3F);
    }
    if (more > 1 && code < (more == 2 ? 0x800u : 0x10000u)) return 0;
    if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return 0;
    *bytes = more + 1;
    return code;
}

static inline int is_plain(Byte byte) {
    return byte >= 0x20 && byte < 0x7F && byte != '"' && byte != '\\';
}

/* Whether one of eight signs is not plain: only below such a one does a difference borrow. */
static inline int any_special(uint64_t word) {
    const uint64_t ones = 0x0101010101010101u, tops = 0x8080808080808080u;
    const uint64_t quote = word ^ ones * '"', slash = word ^ ones * '\\', last = word ^ ones * 0x7F;
    return ((word | (word - ones * 0x20) | (quote - ones) | (slash - ones) | (last - ones)) &
            tops) != 0;
}

/* Spells a text as `json` does: quoted, in ASCII. */
static int put_text(Out *out, const Byte *at, Py_ssize_t size) {
    const Byte *const end = at + size;
    if ((size_t)size > SIZE_MAX / 16 || room(out, 6 * (size_t)size + 2)) return NO_MEMORY;
    Byte *to = out->at;
    *to++ = '"';
    while (at < end) {
        uint64_t word;
        while (end - at >= 8) {
            memcpy(&word, at, 8);
            if (any_special(word)) break;
            memcpy(to, at, 8);
            at += 8, to += 8;
        }
        while (at < end && is_plain(*at)) *to++ = *at++;
        if (at == end) break;
        const Byte byte = *at;
        if (byte >= 0x80) {
            int bytes;
            const uint32_t code = code_at(at, end, &bytes);
            if (!bytes) return ODD;
            if (code < 0x10000) to = put_unit(to, code);
            else {
                to = put_unit(to, 0xD800 + ((code - 0x10000) >> 10));
                to = put_unit(to, 0xDC00 + ((code - 0x10000) & 0x3FF));
            }
            at += bytes;
            continue;
        }
        at++;
        if (byte == '"' || byte == '\\') *to++ = '\\', *to++ = byte;
        else {
            static const char named[] = "\bb\ff\nn\rr\tt";
            const char *name = byte ? strchr(named, byte) : NULL;
            if (name) *to++ = '\\', *to++ = (Byte)name[1];
            else to = put_unit(to, byte);
        }
    }
    *to++ = '"';
    out->at = to;
    return DONE;
}

static int put_number(Out *out, uint64_t size, int negative) {
    Byte digits[24], *at = digits + sizeof digits;
    do *--at = (Byte)('0' + size % 10);
    while (size /= 10);
    if (negative) *--at = '-';
    return put(out, at, (size_t)(digits + sizeof digits - at));
}

static int put_signed(Out *out, int64_t value) {
    return put_number(out, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, value < 0);
}

/* Spells a number as its `repr`. Whoever calls does not hold the interpreter. */
static int put_double(Out *out, double value) {
    if (!isfinite(value)) return ODD;
    const double size = fabs(value);
    /* Of at most 15 digits one decimal number alone is a double, and it is the shortest. Quotients of
     * whole numbers below 2**53 and these powers of ten are rounded right. */
    if (size >= 1e-4 && size < 1e9) {
        static const double powers[] = {1e1, 1e2, 1e3, 1e4, 1e5, 1e6};
        for (int digits = 1; digits <= 6; digits++) {
            const double power = powers[digits - 1];
            const uint64_t whole = (uint64_t)(size * power + 0.5);
            if ((double)whole / power != size) continue;
            const uint64_t part = (uint64_t)power;
            int status = put_number(out, whole / part, value < 0);
            Byte behind[8] = {'.'};
            uint64_t rest = whole % part;
            for (int place = digits; place > 0; place--, rest /= 10)
                behind[place] = (Byte)('0' + rest % 10);
            return status ? status : put(out, behind, (size_t)digits + 1);
        }
    }
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    Double *known = &out->doubles[bits * 0x9E3779B97F4A7C15u >> 56];
    if (!known->size || known->bits != bits) {
        const PyGILState_STATE state = PyGILState_Ensure();
        char *told = PyOS_double_to_string(value, 'r', 0, Py_DTSF_ADD_DOT_0, NULL);
        known->size = told ? strlen(told) : 0; /* 24 at most */
        known->bits = bits;
        if (told) memcpy(known->text, told, known->size);
        else PyErr_Clear(); /* the status tells it */
        PyMem_Free(told);
        PyGILState_Release(state);
    }
    return known->size ? put(out, known->text, known->size) : NO_MEMORY;
}

static inline int bit(const Py_buffer *bits, Py_ssize_t place) {
    return ((const Byte *)bits->buf)[place / 8] >> place % 8 & 1;
}

#define NUMBER(type, name)                                                       \
    type name;                                                                   \
    memcpy(&name, (const Byte *)column->data.buf + place * column->width, sizeof name)

/* Spells a value of a column. */
static int put_value(Out *out, const Column *column, Py_ssize_t index) {
    const Py_ssize_t place = column->offset + index;
    if (column->valid.obj && !bit(&column->valid, place)) return put(out, "null", 4);
    switch (column->kind) {
        case '?': return bit(&column->data, place) ? put(out, "true", 4) : put(out, "false", 5);
        case 'b': { NUMBER(int8_t, value); return put_signed(out, value); }
        case 'h': { NUMBER(int16_t, value); return put_signed(out, value); }
        case 'i': { NUMBER(int32_t, value); return put_signed(out, value); }
        case 'q': { NUMBER(int64_t, value); return put_signed(out, value); }
        case 'B': { NUMBER(uint8_t, value); return put_number(out, value, 0); }
        case 'H': { NUMBER(uint16_t, value); return put_number(out, value, 0); }
        case 'I': { NUMBER(uint32_t, value); return put_number(out, value, 0); }
        case 'Q': { NUMBER(uint64_t, value); return put_number(out, value, 0); }
        case 'd': { NUMBER(double, value); return put_double(out, value); }
        case 's':
            for (Py_ssize_t i = 0; i < column->count; i++) {
                const Column *one = &column->inside[i];
                int status = put(out, one->head, (size_t)one->head_size);
                if (!status) status = put_value(out, one, index);
                if (status) return status;
            }
            return put(out, "}", 1);
    }
    int32_t ends[2];
    memcpy(ends, (const Byte *)column->places.buf + 4 * place, sizeof ends);
    const Py_ssize_t begin = ends[0], end = ends[1];
    if (begin < 0 || begin > end) return ODD;
    if (column->kind == 'l') {
        if (end > column->inside->length) return ODD;
        int status = put(out, "[", 1);
        for (Py_ssize_t i = begin; !status && i < end; i++) {
            if (i > begin) status = put(out, ",", 1);
            if (!status) status = put_value(out, column->inside, i);
        }
        return status ? status : put(out, "]", 1);
    }
    if (end > column->data.len) return ODD;
    const Byte *text = end > begin ? (const Byte *)column->data.buf + begin : (const Byte *)"";
    return put_text(out, text, end - begin);
}

enum { TOGETHER = 4 };

static int wide; /* whether TOGETHER rows are hashed at once */

/* Writes the hashes of all rows. */
static int hash_rows(Out *out, const Column *rows, const Byte *person, int together, Byte *digest) {
    int status = room(out, FIRST);
    for (Py_ssize_t row = 0; status == DONE && row < rows->length;) {
        const int count = rows->length - row < together ? 1 : together;
        size_t ends[TOGETHER + 1] = {0};
        out->at = out->begin;
        for (int i = 0; i < count; i++) {
            status = put_value(out, rows, row + i);
            if (status) return status;
            ends[i + 1] = (size_t)(out->at - out->begin);
        }
#ifdef FACELET_AVX2
        if (count == LANES) {
            const Byte *data[LANES];
            size_t lengths[LANES];
            for (int i = 0; i < LANES; i++)
                data[i] = out->begin + ends[i], lengths[i] = ends[i + 1] - ends[i];
            blake2b_four(data, lengths, person, digest, SIZE);
        } else
#endif
            blake2b(out->begin, ends[1], person, digest, SIZE);
        digest += SIZE * count;
        row += count;
    }
    return status;
}

static PyObject *digests(PyObject *self, PyObject *const *args, Py_ssize_t given) {
    (void)self;
    if (given != 3 || !PyBytes_Check(args[1]) || PyBytes_Size(args[1]) != PERSON)
        return PyErr_Format(PyExc_TypeError, "digests takes a column, %d bytes, and a bool", PERSON);
    const int together = args[2] == Py_True && wide ? TOGETHER : 1;
    static_assert(SLOTS == 1 << 8, "slots are chosen by a byte");
    Column rows = {0};
    Out out = {0};
    PyObject *made = NULL;
    int status = learned(args[0], &rows, 0);
    if (status == DONE && rows.length > PY_SSIZE_T_MAX / SIZE) status = NO_MEMORY;
    if (status == DONE && !(made = PyBytes_FromStringAndSize(NULL, SIZE * rows.length))) status = -1;
    if (status == DONE) {
        const Byte *person = (const Byte *)PyBytes_AsString(args[1]);
        Byte *digest = (Byte *)PyBytes_AsString(made);
        Py_BEGIN_ALLOW_THREADS
        status = hash_rows(&out, &rows, person, together, digest);
        free(out.begin);
        Py_END_ALLOW_THREADS
    }
    dropped(&rows);
    if (status == DONE) return made;
    Py_XDECREF(made);
    if (status == NO_MEMORY) return PyErr_NoMemory();
    if (status < 0) return NULL;
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"digests", (PyCFunction)(void (*)(void))digests, METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_digests", NULL, -1, methods,
                                    NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__digests(void) {
#ifdef FACELET_AVX2
    wide = uses_avx2();
#endif
    return PyModule_Create(&module);
}
