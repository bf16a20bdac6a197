/* Reading: the parts of readers of replies that look at every character.
 *
 * Each does what the Python beside it does (core/replies), or tells where an expression
 * may match, so that it is not tried elsewhere. What is not done here is left to the Python: the
 * result is then None.
 */
#include "_rows.h"
#include "_spoken.h"
#include "_text.h"

enum { PIECES = 64 };

static PyObject *nothing(void) { Py_RETURN_NONE; }

/* Bytes of the mark of thoughts at a place, 0 if there is none, -1 if Python has to look. */
static int tag_at(const Byte *at, const Byte *end, int *closes) {
    const Byte *one = at + (*at == '<' ? 1 : 3);
    *closes = one < end && *one == '/';
    one += *closes;
    const char *letters = "think";
    for (; *letters; letters++, one++) {
        if (one == end) return 0;
        if (*one >= 0x80) return -1;
        if ((*one | 0x20) != (Byte)*letters) return 0;
    }
    if (one < end && (*one | 0x20) == 'i') {
        for (letters = "ing"; *letters; letters++, one++) {
            if (one == end) return 0;
            if (*one >= 0x80) return -1;
            if ((*one | 0x20) != (Byte)*letters) return 0;
        }
    }
    if (one < end && *one == '>') return (int)(one + 1 - at);
    if (end - one >= 3 && one[0] == 0xE2 && one[1] == 0x96 && one[2] == 0xB7)
        return (int)(one + 3 - at);
    return one < end && *one >= 0x80 ? -1 : 0;
}

/* The next sign that may open such a mark: "<", or U+25C1. */
static const Byte *next_sign(const Text *text, const Byte *at, const Byte *end) {
    if (text->ascii) return at < end ? memchr(at, '<', (size_t)(end - at)) : NULL;
    for (; at < end; at++)
        if (*at == '<' || (*at == 0xE2 && end - at >= 3 && at[1] == 0x97 && at[2] == 0x81))
            return at;
    return NULL;
}

static void stripped(const Byte **from, const Byte **to) {
    int bytes;
    while (*from < *to && is_blank(code_at(*from, &bytes))) *from += bytes;
    while (*from < *to) {
        const Byte *last = before(*to);
        if (!is_blank(code_at(last, &bytes))) return;
        *to = last;
    }
}

static int begins_with(const Byte *at, const Byte *end, const char *word) {
    for (; *word; word++, at++)
        if (at >= end || (*at | 0x20) != (Byte)*word) return 0;
    return 1;
}

/* Whether a sign may open a marker that Python looks up: all but tags of a letter, s aside, or answer. */
static int opens_marker(const Byte *at, const Byte *end) {
    if (*at == '[')
        return at + 1 < end && (at[1] == '|' || at[1] == '/' || begins_with(at + 1, end, "inst") ||
                                begins_with(at + 1, end, "think") ||
                                begins_with(at + 1, end, "system"));
    const Byte *one = at + (*at == '<' ? 1 : 3);
    if (one < end && *one == '/') one++;
    if (one == end) return 0;
    if (*one == '|' || *one >= 0x80) return 1;
    const Byte *first = one;
    if (one == end || (!is_letter(*one) && *one != '_')) return 0;
    while (one < end && (is_word(*one) || *one == ':' || *one == '.' || *one == '-')) one++;
    if (one == end) return 0;
    const int known = (one - first == 1 && (*first | 0x20) != 's') || (one - first == 6 && begins_with(first, end, "answer"));
    return *one >= 0x80 || *one == '|' || (!known && (*one == '>' || *one == ' ' || *one == '/'));
}

/* Whether a line may begin a turn: "user", "**Human:**", "### Instruction". */
static int begins_turn(const Byte *at, const Byte *end) {
    static const char *const roles[] = {"user",   "human",       "assistant",
                                        "system", "instruction", "gpt4"};
    while (at < end && (*at == ' ' || *at == '\t' || *at == '#' || *at == '*')) at++;
    for (int i = 0; i < 6; i++)
        if (begins_with(at, end, roles[i])) return 1;
    return 0;
}

static PyObject *visible(PyObject *self, PyObject *const *args, Py_ssize_t given) {
    (void)self;
    if (given != 2) return PyErr_Format(PyExc_TypeError, "visible takes 2 arguments");
    const Py_ssize_t tail = PyLong_AsSsize_t(args[1]);
    if (tail == -1 && PyErr_Occurred()) return NULL;
    Text text;
    const int had = text_of(args[0], &text);
    if (had < 0) return NULL;
    if (!had || tail <= 0) return nothing();
    const Byte *const end = text.at + text.size, *start = text.at;
    const Byte *pieces[PIECES][2];
    int count = 0, thinking = 0, closes;
    if (begins_turn(start, end)) return nothing();
    for (const Byte *at = start; at < end && (at = memchr(at, '\n', (size_t)(end - at)));)
        if (begins_turn(++at, end)) return nothing();
    for (const Byte *at = start; at < end && (at = memchr(at, '[', (size_t)(end - at))); at++)
        if (opens_marker(at, end)) return nothing();
    for (const Byte *at = start; (at = next_sign(&text, at, end));) {
        const int bytes = tag_at(at, end, &closes);
        if (bytes < 0) return nothing();
        if (!bytes) {
            if (opens_marker(at, end)) return nothing();
            at++;
            continue;
        }
        if (!thinking) {
            if (closes) count = 0;
            else if (count == PIECES - 1) return nothing();
            else pieces[count][0] = start, pieces[count++][1] = at;
        }
        thinking = !closes;
        start = at = at + bytes;
    }
    if (!thinking) pieces[count][0] = start, pieces[count++][1] = end;
    Byte *made = NULL;
    const Byte *from = text.at, *to = text.at;
    if (count == 1) from = pieces[0][0], to = pieces[0][1];
    else if (count > 1) {
        made = PyMem_Malloc((size_t)text.size + PIECES);
        if (!made) return PyErr_NoMemory();
        Byte *out = made;
        for (int piece = 0; piece < count; piece++) {
            const size_t size = (size_t)(pieces[piece][1] - pieces[piece][0]);
            if (piece) *out++ = '\n';
            memcpy(out, pieces[piece][0], size);
            out += size;
        }
        from = made, to = out;
    }
    stripped(&from, &to);
    PyObject *result = NULL;
    const Byte *cut = from;
    if (to - from > tail) {
        const Byte *first = to;
        for (Py_ssize_t left = tail; left > 0 && first > from; left--)
            first = text.ascii ? first - 1 : before(first);
        cut = first;
    }
    if (cut > from) {
        const Py_ssize_t size = to - cut;
        Byte *marked = PyMem_Malloc((size_t)size + 3);
        if (marked) {
            memcpy(marked, "\xE2\x80\xA6", 3);
            memcpy(marked + 3, cut, (size_t)size);
            result = PyUnicode_FromStringAndSize((const char *)marked, size + 3);
            PyMem_Free(marked);
        } else PyErr_NoMemory();
    } else if (to - from == text.size) {
        result = args[0];
        Py_INCREF(result);
    } else result = PyUnicode_FromStringAndSize((const char *)from, to - from);
    PyMem_Free(made);
    return result;
}

/* Whether what begins a comment, or a block of code, may be in a text. */
static PyObject *commented(PyObject *self, PyObject *object) {
    (void)self;
    Text text;
    const int had = text_of(object, &text);
    if (had < 0) return NULL;
    const Byte *const end = text.at + text.size;
    int found = !had || memchr(text.at, '%', (size_t)text.size) != NULL;
    for (const Byte *at = text.at; !found && (at = memchr(at, '/', (size_t)(end - at))); at++)
        found = at[1] == '/' || at[1] == '*';
    for (const Byte *at = text.at; !found && (at = memchr(at, '!', (size_t)(end - at))); at++)
        found = at > text.at && at[-1] == '<';
    for (const Byte *at = text.at; !found && (at = memchr(at, '{', (size_t)(end - at))); at++)
        found = at[1] == 'c';
    for (const Byte *at = text.at; !found && (at = memchr(at, '`', (size_t)(end - at))); at++)
        found = at[1] == '`';
    return PyBool_FromLong(found);
}

/* What a character becomes: 1 to 0x10FFFF that, ' ' and '\n' blanks, 0 nothing, -1 Python knows. */
static int32_t plain_of(uint32_t code, int lower) {
    switch (code) {
        case 0x201C: case 0x201D: case 0xAB: case 0xBB: case 0x300C: case 0x300D:
        case 0x300E: case 0x300F: case 0xFF02: case 0xFF04: case 0xFF0A: case 0xFF40: return ' ';
        case 0x3010: return '[';
        case 0x3011: return ']';
        case 0x3002: return '.';
        case 0x3001: return ',';
        case 0x2018: case 0x2019: case 0x2032: return '\'';
        case 0x200B: return 0;
        case 0xFE0F: return ' ';
    }
    if ((code >= 0x2600 && code < 0x2794) || (code >= 0x1F300 && code < 0x1FB00)) return ' ';
    if (code == '\n') return '\n';
    if (is_blank(code)) return ' ';
    if (code >= 0xFF01 && code < 0xFF5F)
        return code - 0xFEE0 == '_' && lower ? ' ' : (int32_t)(code - 0xFEE0) | (lower && code >= 0xFF21 && code < 0xFF3B ? 0x20 : 0);
    if (!lower) return (int32_t)code;
    if (code >= 0xC0 && code <= 0xDE && code != 0xD7) return (int32_t)code + 0x20;
    /* Of these none has a small letter: a test goes through all. */
    if (code < 0x100 || (code >= 0x2010 && code < 0x2070) || (code >= 0x2190 && code < 0x24B6) ||
        (code >= 0x2500 && code < 0x2C00) || (code >= 0x3000 && code < 0xA000) ||
        (code >= 0xAC00 && code < 0xD7A4) )
        return (int32_t)code;
    return -1;
}

static Byte small[2][128]; /* of ASCII: as it is, and in lower case with blanks for "_" */

/* Signs behind which Chinese and Japanese write no blank. */
static int parts(uint32_t code) {
    return code == 0x3001 || code == 0x3002 || code == 0xFF01 || code == 0xFF0C || code == 0xFF1B ||
           code == 0xFF1F;
}

static Byte *put(Byte *out, uint32_t code) {
    if (code < 0x80) *out++ = (Byte)code;
    else if (code < 0x800) *out++ = (Byte)(0xC0 | code >> 6), *out++ = (Byte)(0x80 | (code & 0x3F));
    else if (code < 0x10000) {
        *out++ = (Byte)(0xE0 | code >> 12);
        *out++ = (Byte)(0x80 | (code >> 6 & 0x3F));
        *out++ = (Byte)(0x80 | (code & 0x3F));
    } else {
        *out++ = (Byte)(0xF0 | code >> 18);
        *out++ = (Byte)(0x80 | (code >> 12 & 0x3F));
        *out++ = (Byte)(0x80 | (code >> 6 & 0x3F));
        *out++ = (Byte)(0x80 | (code & 0x3F));
    }
    return out;
}

static PyObject *squeezed(PyObject *self, PyObject *const *args, Py_ssize_t given) {
    (void)self;
    if (given != 2) return PyErr_Format(PyExc_TypeError, "squeezed takes 2 arguments");
    const int lower = PyObject_IsTrue(args[1]);
    if (lower < 0) return NULL;
    Text text;
    const int had = text_of(args[0], &text);
    if (had <= 0) return had ? NULL : nothing();
    Byte own[4096];
    Byte *made = text.size < (Py_ssize_t)sizeof own ? own : PyMem_Malloc((size_t)text.size + 1);
    if (!made) return PyErr_NoMemory();
    Byte *out = made;
    const Byte *const end = text.at + text.size, *const table = small[lower];
    int blank = 1; /* whether the last character was one, or there is none */
    for (const Byte *at = text.at; at < end;) {
        if (*at < 0x80 && *at != '\n') {
            const Byte code = table[*at++];
            *out = code; /* without a branch: every fifth character is a blank */
            out += code != ' ' || !blank;
            blank = code == ' ';
            continue;
        }
        int bytes;
        const uint32_t sign = code_at(at, &bytes);
        const int32_t code = plain_of(sign, lower);
        at += bytes;
        if (code == '\n') {
            if (blank && out > made && out[-1] == ' ') out--;
            if (out > made && out[-1] != '\n') *out++ = '\n';
            blank = 1;
        } else if (code == ' ') {
            if (!blank) *out++ = ' ';
            blank = 1;
        } else if (code > 0) {
            out = put(out, (uint32_t)code);
            blank = parts(sign);
            if (blank) *out++ = ' '; /* two bytes for three */
        } else if (code < 0) {
            if (made != own) PyMem_Free(made);
            return nothing();
        }
    }
    if (blank && out > made) out--;
    PyObject *result = PyUnicode_FromStringAndSize((const char *)made, out - made);
    if (made != own) PyMem_Free(made);
    return result;
}

/* What may announce an answer, "<" aside, begins with one of these. */
static const char *const ANNOUNCING[] = {
    "answer",     "therefore", "thus",      "conclusion", "verdict",   "result",
    "output",     "decision",  "my choice", "correction", "corrected",
    "best option", "best choice", "best candidate", "best move", "best one", "best letter",
    "right option", "right choice", "right candidate", "right move", "right one", "right letter",
    "correct option", "correct choice", "correct candidate", "correct move", "correct one", "correct letter",
    "i'd ",       "i would ",  "\\boxed",   "\xE7\xAD\x94\xE6\xA1\x88",              "ans.",
    "ans:",       "ans ",      "solution",  "choice",     "letter",    "selected",
    "selection",  "i choose",  "i pick",    "i select",   "i say",     "i guess",
    "i go with",  "i chose",   "i picked",  "i'll ",      "i will ",   "i have ",
    "i'm ",       "i am ",     "it must be", "it has to be", "it's",   "it is",
    "that's a",   "that is a", "going with", "probably",  "definitely", "most likely",
    "actually",   "i mean",    "make that", "no, ",       "wait,",     "not ",
    "or rather",  "antwort",   "respuesta", "r\xC3\xA9ponse", "risposta", "resposta",
    "\xE6\xAD\xA3\xE8\xA7\xA3", "\xE7\xAD\x94\xE3\x81\x88", "\xEC\xA0\x95\xEB\x8B\xB5",
    "\xEB\x8B\xB5\xEB\xB3\x80", "\xE9\x80\x89\xE9\xA1\xB9",
    /* Behind the name of an option, what may say that it is the right one. */
    " it is", " is ", " solves ",
};
enum {
    ANNOUNCED = sizeof ANNOUNCING / sizeof *ANNOUNCING,
    FIRST_COLON = 1,
    LAST_COLON = 7,
};

/* Which four letters any of them begins with: a bit for each value that they are mixed to. */
static uint64_t begins[1024];
static inline uint32_t four(const Byte *at) {
    uint32_t letters;
    memcpy(&letters, at, 4);
    return letters * 2654435761u >> 16;
}

static int announces(const Byte *at, const Byte *end) {
    if (*at == ' ') {
        if (at[1] == 's') return end - at > 8 && !memcmp(at, " solves ", 8);
        if (at[2] == 's') return at[3] == ' ' && strchr("abcfhimorst", at[4]) != NULL;
        return end - at >= 6 && !memcmp(at, " it is", 6) && strchr(" .!\n", at[6]) != NULL;
    }
    for (int i = 0; i < ANNOUNCED; i++) {
        const char *name = ANNOUNCING[i];
        if (*at != (Byte)*name) continue;
        const Py_ssize_t length = (Py_ssize_t)strlen(name);
        if (end - at <= length || memcmp(at, name, (size_t)length)) continue;
        const Byte *behind = at + length;
        if (i >= FIRST_COLON && i <= LAST_COLON) return *behind == ':' || *behind == ' ';
        /* Behind "not " a letter, or "option". */
        if (!strcmp(name, "not ")) return *behind >= 0x80 || strchr("abcdeiyno", *behind) != NULL;
        /* Behind "answer" comes a sign, or at once a label. */
        return i || *behind >= 0x80 || strchr(" \n:=|-([{<\\>abcdeiynotf", *behind) != NULL;
    }
    return 0;
}

static PyObject *announcing(PyObject *self, PyObject *const *args, Py_ssize_t given) {
    (void)self;
    if (given != 2) return PyErr_Format(PyExc_TypeError, "announcing takes 2 arguments");
    const Py_ssize_t start = PyLong_AsSsize_t(args[1]);
    if (start == -1 && PyErr_Occurred()) return NULL;
    Text text;
    const int had = text_of(args[0], &text);
    if (had < 0) return NULL;
    if (!had || start < 0) return nothing();
    PyObject *places = PyList_New(0);
    const Byte *const end = text.at + text.size, *counted = text.at;
    const Byte *from = text.ascii && start <= text.size ? text.at + start
                                                        : ahead(text.at, end, start);
    Py_ssize_t within = 0; /* bytes that continue a code point */
    for (const Byte *at = from; places && at < end; at++) {
        if (*at == '<') {
            if (!is_letter(at[1]) && at[1] < 0x80) continue;
        } else {
            if (end - at < 4) continue;
            const uint32_t bit = four(at);
            if (!(begins[bit >> 6] >> (bit & 63) & 1) || !announces(at, end)) continue;
        }
        for (; !text.ascii && counted < at; counted++) within += continues(*counted);
        if (noted(places, at - text.at - within) < 0) Py_CLEAR(places);
    }
    return places;
}

/* Whether an entry may begin behind a sign or at the beginning of a text. */
static int enters(const Byte *at, const Byte *end, const Byte *keys) {
    if (at < end && *at == ' ') at++;
    if (at == end) return 0;
    if (*at >= 0x80 || *at == '+' || *at == '-' || (*at >= '1' && *at <= '9')) return 1;
    if ((*at | 0x20) == 'o') return at + 1 < end && ((at[1] | 0x20) == 'p' || at[1] >= 0x80);
    if (*at == '(' || *at == '[') at++;
    if (at == end) return 0;
    if (*at >= 0x80) return 1;
    if (!keys[*at]) return 0;
    return at + 1 < end && !is_word(at[1]);
}

static PyObject *entering(PyObject *self, PyObject *const *args, Py_ssize_t given) {
    (void)self;
    if (given != 2) return PyErr_Format(PyExc_TypeError, "entering takes 2 arguments");
    Text text, letters;
    int had = text_of(args[0], &text);
    if (had > 0) had = text_of(args[1], &letters);
    if (had <= 0) return had ? NULL : nothing();
    Byte keys[128] = {0};
    for (Py_ssize_t i = 0; i < letters.size; i++) {
        if (!is_letter(letters.at[i])) return nothing();
        keys[letters.at[i] | 0x20] = keys[letters.at[i] & ~0x20] = 1;
    }
    PyObject *places = PyList_New(0);
    const Byte *const end = text.at + text.size;
    Py_ssize_t within = 0;
    if (places && text.size && enters(text.at, end, keys) && noted(places, 0) < 0)
        Py_CLEAR(places);
    for (const Byte *at = text.at; places && at < end; at++) {
        if (*at >= 0x80) {
            within += continues(*at);
            continue;
        }
        int here = 0;
        if (*at == '<') here = at + 1 < end && (at[1] >= 0x80 || keys[at[1]]);
        else if (*at == '\n' || *at == ',' || *at == ';' || *at == '{' || *at == '|')
            here = enters(at + 1, end, keys);
        if (here && (at > text.at || !PyList_Size(places)) &&
            noted(places, at - text.at - within) < 0)
            Py_CLEAR(places);
    }
    return places;
}

static PyObject *spoken(PyObject *self, PyObject *const *args, Py_ssize_t given) {
    (void)self;
    if (given != 3) return PyErr_Format(PyExc_TypeError, "spoken takes 3 arguments");
    Text text;
    const int had = text_of(args[0], &text);
    const Py_ssize_t start = PyLong_AsSsize_t(args[1]), end = PyLong_AsSsize_t(args[2]);
    if (had < 0 || PyErr_Occurred()) return NULL;
    const int all = CUE | BEHIND | ASKED | TAKEN;
    return PyLong_FromLong(!had || start < 0 || end < 0 ? all : spoken_of(&text, start, end));
}

static PyObject *matrix(PyObject *self, PyObject *const *args, Py_ssize_t given) {
    (void)self;
    if (given != 2) return PyErr_Format(PyExc_TypeError, "matrix takes 2 arguments");
    Text text;
    const int had = text_of(args[0], &text);
    if (had <= 0) return had ? NULL : nothing();
    return last_matrix(&text, args[1]);
}

/* The places of a row of three words in lower case: starts and ends in turn. */
static PyObject *rows(PyObject *self, PyObject *const *args, Py_ssize_t given) {
    (void)self;
    if (given != 4) return PyErr_Format(PyExc_TypeError, "rows takes 4 arguments");
    Text text, words[3];
    int had = text_of(args[0], &text);
    for (int word = 0; had > 0 && word < 3; word++) had = text_of(args[word + 1], &words[word]);
    if (had <= 0) return had ? NULL : nothing();
    PyObject *places = PyList_New(0);
    const Byte *const end = text.at + text.size, *counted = text.at;
    Py_ssize_t within = 0;
    for (const Byte *at = text.at; places && at < end; at++) {
        if (!is_letter(*at)) {
            /* Four signs are letters of ASCII where case does not matter. */
            if ((*at == 0xC4 && (at[1] == 0xB0 || at[1] == 0xB1)) || (*at == 0xC5 && at[1] == 0xBF) ||
                (*at == 0xE2 && at[1] == 0x84 && at[2] == 0xAA)) {
                Py_DECREF(places);
                return nothing();
            }
            continue;
        }
        if (!words[0].size || lowered(*at) != *words[0].at) continue;
        const Py_ssize_t bytes = three(at, end, words);
        if (!bytes) continue;
        for (; !text.ascii && counted < at; counted++) within += continues(*counted);
        Py_ssize_t inside = 0;
        for (Py_ssize_t i = 0; !text.ascii && i < bytes; i++) inside += continues(at[i]);
        if (noted(places, at - text.at - within) < 0 ||
            noted(places, at - text.at - within + bytes - inside) < 0)
            Py_CLEAR(places);
    }
    return places;
}

static PyMethodDef methods[] = {
    {"matrix", (PyCFunction)(void (*)(void))matrix, METH_FASTCALL, NULL},
    {"rows", (PyCFunction)(void (*)(void))rows, METH_FASTCALL, NULL},
    {"visible", (PyCFunction)(void (*)(void))visible, METH_FASTCALL, NULL},
    {"commented", commented, METH_O, NULL},
    {"squeezed", (PyCFunction)(void (*)(void))squeezed, METH_FASTCALL, NULL},
    {"announcing", (PyCFunction)(void (*)(void))announcing, METH_FASTCALL, NULL},
    {"entering", (PyCFunction)(void (*)(void))entering, METH_FASTCALL, NULL},
    {"spoken", (PyCFunction)(void (*)(void))spoken, METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_reading", NULL, -1, methods,
                                    NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__reading(void) {
    for (int code = 0; code < 128; code++) {
        Byte plain = (Byte)code;
        if (strchr("*`$\"", code) && code) plain = ' ';
        if (is_blank((uint32_t)code) && code != '\n') plain = ' ';
        small[0][code] = plain;
        small[1][code] = (Byte)(plain == '_'                    ? ' '
                                : plain >= 'A' && plain <= 'Z' ? plain | 0x20
                                                               : plain);
    }
    for (int i = 0; i < ANNOUNCED; i++) {
        const uint32_t bit = four((const Byte *)ANNOUNCING[i]);
        begins[bit >> 6] |= (uint64_t)1 << (bit & 63);
    }
    learn_words();
    learn_parting();
    return PyModule_Create(&module);
}
