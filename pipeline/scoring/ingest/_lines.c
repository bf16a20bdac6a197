/* Lines: simple lines of JSON Lines taken apart, as json_stream.py says which they are.
 *
 * It takes the lines that the expression there matches, and makes of them what is made there; a
 * test compares the two. Bytes of Python end in a zero, which ends any scan of a string here.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <string.h>

typedef unsigned char Byte;

enum { ID, PREDICTION, MODEL, SAMPLE, FIELDS };
enum { DIGITS = 9, SHORT = 64, SLOTS = 1024 };

static const char *const NAMES[FIELDS] = {"\"id\":", "\"prediction\":", "\"model\":",
                                          "\"sample_idx\":"};
static const char LETTERS[] = "ipms";

typedef struct {
    const Byte *at;
    Py_ssize_t size;
    PyObject *text; /* some list holds it */
} Known;

typedef struct {
    const Byte *at, *end;
    Py_ssize_t longest, longest_name;
    Byte *scratch;  /* room for the longest text */
    Known known[SLOTS]; /* short strings that stood before: many do again */
} Reader;

typedef struct {
    const Byte *at;
    Py_ssize_t size;
    int escaped;
} String;

/* ---------------------------------------------------------------- strings */

/* Whether one of eight signs ends a stretch of a string: '"', '\\' or a control sign. */
static inline int any_ends(uint64_t word) {
    const uint64_t ones = 0x0101010101010101u, tops = 0x8080808080808080u;
    const uint64_t quote = word ^ ones * '"', slash = word ^ ones * '\\';
    return ((((word - ones * 0x20) & ~word) | ((quote - ones) & ~quote) |
             ((slash - ones) & ~slash)) &
            tops) != 0;
}

static inline const Byte *stretched(const Byte *at, const Byte *end) {
    uint64_t word;
    while (end - at >= 8) {
        memcpy(&word, at, 8);
        if (any_ends(word)) break;
        at += 8;
    }
    while (*at >= 0x20 && *at != '"' && *at != '\\') at++;
    return at;
}

/* The end of a string of any text behind its first sign, NULL if it does not end or is too long. */
static const Byte *text_at(const Reader *reader, const Byte *at, String *string) {
    string->at = at;
    string->escaped = 0;
    for (;;) {
        at = stretched(at, reader->end);
        if (at - string->at > reader->longest) return NULL;
        if (*at == '"') break;
        if (*at != '\\' || !at[1] || !strchr("\"\\/bfnrtu", at[1])) return NULL;
        string->escaped = 1;
        at += 2;
    }
    string->size = at - string->at;
    return at + 1;
}

/* The end of a string of ASCII without escapes. */
static const Byte *name_at(const Reader *reader, const Byte *at, String *string) {
    *string = (String){at, 0, 0};
    Py_ssize_t left = reader->longest_name;
    for (; *at >= 0x20 && *at < 0x80 && *at != '"' && *at != '\\'; at++)
        if (!left--) return NULL;
    string->size = at - string->at;
    return *at == '"' && string->size ? at + 1 : NULL;
}

/* Reads four hexadecimal digits; -1 if one is none. The end of the text is none. */
static int32_t unit_at(const Byte *at) {
    int32_t unit = 0;
    for (int i = 0; i < 4; i++) {
        const Byte letter = at[i] | 0x20;
        if (at[i] >= '0' && at[i] <= '9') unit = unit << 4 | (at[i] - '0');
        else if (letter >= 'a' && letter <= 'f') unit = unit << 4 | (letter - 'a' + 10);
        else return -1;
    }
    return unit;
}

static Byte *put(Byte *to, uint32_t code) {
    if (code < 0x80) *to++ = (Byte)code;
    else {
        const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
        *to++ = (Byte)(0xFF00u >> (more + 1) | code >> 6 * more);
        for (int i = more - 1; i >= 0; i--) *to++ = (Byte)(0x80 | (code >> 6 * i & 0x3F));
    }
    return to;
}

/* A str of what stands between the signs of a string; NULL without an error if `json` has none. */
static PyObject *unescaped(const Reader *reader, const String *string) {
    const Byte *at = string->at, *const end = at + string->size;
    Byte *to = reader->scratch;
    int halves = 0; /* surrogates that are not one of a pair */
    while (at < end) {
        const Byte *slash = memchr(at, '\\', (size_t)(end - at));
        const size_t size = (size_t)((slash ? slash : end) - at);
        memcpy(to, at, size);
        to += size;
        if (!slash) break;
        at = slash + 2;
        if (slash[1] != 'u') {
            static const char named[] = "b\bf\fn\nr\rt\t";
            const char *name = strchr(named, slash[1]);
            *to++ = name ? (Byte)name[1] : slash[1];
            continue;
        }
        int32_t unit = unit_at(at);
        if (unit < 0) return NULL;
        at += 4;
        if (unit >= 0xD800 && unit < 0xE000) {
            const int32_t low = unit < 0xDC00 && at[0] == '\\' && at[1] == 'u' ? unit_at(at + 2) : 0;
            if (low >= 0xDC00 && low < 0xE000) {
                unit = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
                at += 6;
            } else halves = 1;
        }
        to = put(to, (uint32_t)unit);
    }
    if (halves) { /* Such as stand there as they are are no UTF-8. */
        PyObject *raw = PyUnicode_DecodeUTF8((const char *)string->at, string->size, NULL);
        if (!raw) return NULL;
        Py_DECREF(raw);
    }
    const char *made = (const char *)reader->scratch;
    return PyUnicode_DecodeUTF8(made, (const char *)to - made, halves ? "surrogatepass" : NULL);
}

/* A str of a string, the same one for equal short ones; NULL if it has none, or with an error. */
static PyObject *made_of(Reader *reader, const String *string) {
    Known *known = NULL;
    if (string->size <= SHORT) {
        uint64_t hash = (uint64_t)string->size;
        for (Py_ssize_t i = 0; i < string->size; i++) hash = (hash ^ string->at[i]) * 0x100000001B3u;
        known = &reader->known[(hash ^ hash >> 32) % SLOTS];
        if (known->text && known->size == string->size &&
            !memcmp(known->at, string->at, (size_t)string->size)) {
            Py_INCREF(known->text);
            return known->text;
        }
    }
    PyObject *text = string->escaped
                         ? unescaped(reader, string)
                         : PyUnicode_DecodeUTF8((const char *)string->at, string->size, NULL);
    if (text && known) *known = (Known){string->at, string->size, text};
    return text;
}

/* ---------------------------------------------------------------- lines */

typedef struct {
    String strings[SAMPLE];
    long sample;
} Line;

/* The end of a line with its fields in an order; NULL if it is not simple. */
static const Byte *line_at(const Reader *reader, const int *order, int count, Line *line) {
    const Byte *at = reader->at;
    line->sample = 0;
    for (int i = 0; i < count; i++) {
        const int field = order[i];
        if (*at++ != (i ? ',' : '{')) return NULL;
        if (i && *at == ' ') at++;
        for (const char *name = NAMES[field]; *name; name++)
            if (*at++ != (Byte)*name) return NULL;
        if (*at == ' ') at++;
        if (field == SAMPLE) {
            const Byte *first = at;
            for (; *at >= '0' && *at <= '9'; at++) {
                if (at - first == DIGITS) return NULL;
                line->sample = 10 * line->sample + (*at - '0');
            }
            if (at == first || (*first == '0' && at > first + 1)) return NULL;
            continue;
        }
        if (*at++ != '"') return NULL;
        String *string = &line->strings[field];
        at = field == PREDICTION ? text_at(reader, at, string) : name_at(reader, at, string);
        if (!at) return NULL;
    }
    if (*at++ != '}') return NULL;
    if (*at == '\r') at++;
    return *at == '\n' ? at + 1 : NULL;
}

static int noted(PyObject *list, PyObject *one) {
    const int status = one ? PyList_Append(list, one) : -1;
    Py_XDECREF(one);
    return status;
}

/* Reads lines into four lists, up to one that is not simple. */
static int read_lines(Reader *reader, const int *order, int count, PyObject *const lists[FIELDS]) {
    int named = 0;
    for (int i = 0; i < count; i++) named |= order[i] == MODEL;
    Line line;
    const Byte *end;
    while (reader->at < reader->end && (end = line_at(reader, order, count, &line))) {
        PyObject *text = made_of(reader, &line.strings[PREDICTION]);
        if (!text) {
            if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_UnicodeDecodeError)) return -1;
            PyErr_Clear();
            return 0;
        }
        const String *id = &line.strings[ID];
        PyObject *model = Py_None;
        if (noted(lists[PREDICTION], text) ||
            noted(lists[ID], PyUnicode_FromStringAndSize((const char *)id->at, id->size)))
            return -1;
        if (named) model = made_of(reader, &line.strings[MODEL]);
        else Py_INCREF(model);
        if (noted(lists[MODEL], model) || noted(lists[SAMPLE], PyLong_FromLong(line.sample)))
            return -1;
        reader->at = end;
    }
    return 0;
}

static PyObject *taken(PyObject *self, PyObject *args) {
    (void)self;
    char *data;
    const char *letters;
    Py_ssize_t size, begin, longest, longest_name;
    PyObject *bytes;
    if (!PyArg_ParseTuple(args, "Snsnn", &bytes, &begin, &letters, &longest, &longest_name) ||
        PyBytes_AsStringAndSize(bytes, &data, &size) < 0)
        return NULL;
    int order[FIELDS], count = 0, seen = 0;
    for (const char *letter = letters; *letter; letter++) {
        const char *found = strchr(LETTERS, *letter);
        const int field = found ? (int)(found - LETTERS) : FIELDS;
        if (field == FIELDS || seen >> field & 1)
            return PyErr_Format(PyExc_ValueError, "fields are %s, not %s", LETTERS, letters);
        seen |= 1 << field;
        order[count++] = field;
    }
    if ((seen & 3) != 3 || begin < 0 || longest < 0 || longest > PY_SSIZE_T_MAX / 4)
        return PyErr_Format(PyExc_ValueError, "lines have an id and a prediction, and begin there");
    const Py_ssize_t behind = begin > size ? begin - size : 0; /* bytes behind the end */
    Reader *reader = PyMem_Calloc(1, sizeof *reader);
    PyObject *lists[FIELDS] = {NULL}, *result = NULL;
    int whole = reader != NULL;
    for (int i = 0; i < FIELDS; i++) whole &= (lists[i] = PyList_New(0)) != NULL;
    if (whole && (reader->scratch = PyMem_Malloc((size_t)longest + 1))) {
        reader->at = (const Byte *)data + (begin - behind);
        reader->end = (const Byte *)data + size;
        reader->longest = longest, reader->longest_name = longest_name;
        if (!read_lines(reader, order, count, lists))
            result = Py_BuildValue("OOOOn", lists[ID], lists[PREDICTION], lists[MODEL],
                                   lists[SAMPLE], reader->at - (const Byte *)data + behind);
    } else PyErr_NoMemory();
    for (int i = 0; i < FIELDS; i++) Py_XDECREF(lists[i]);
    if (reader) PyMem_Free(reader->scratch);
    PyMem_Free(reader);
    return result;
}

static PyMethodDef methods[] = {
    {"taken", taken, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_lines", NULL, -1, methods,
                                    NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__lines(void) { return PyModule_Create(&module); }
