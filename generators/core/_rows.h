/* Rows: the last 3 x 3 matrix of words in a text, as generators/core/replies/array.py reads it.
 *
 * Brackets end lines, and so do the names of rows; other signs part words.
 */
#ifndef FACELET_ROWS_H
#define FACELET_ROWS_H

#include "_text.h"

typedef struct {
    const Byte *at;
    int length;
} Piece;

typedef struct {
    Piece words[3][3]; /* of the rows of the run, by now */
    int rows, spoilt, named;
    Piece last[9];
    int found; /* whether `last` holds a matrix */
} Run;

static inline Byte lowered(Byte byte) {
    return byte >= 'A' && byte <= 'Z' ? (Byte)(byte | 0x20) : byte;
}

/* Bytes of a word at a place, in any case, 0 if it stands not there. */
static int stands(const Byte *at, const Byte *end, const char *word) {
    const Byte *one = at;
    for (; *word; word++, one++)
        if (one == end || lowered(*one) != (Byte)*word) return 0;
    return (int)(one - at);
}

static inline int ends_word(const Byte *at, const Byte *end) {
    return at == end || *at == ' ' || *at == '\n';
}

/* Bytes of the name of a row at the start of a word, and its number; 0 if there is none. */
static int row_named(const Byte *at, const Byte *end, int *number) {
    static const struct {
        const char *name;
        int number;
    } names[] = {{"first row", 1},  {"top row", 1},    {"upper row", 1},  {"second row", 2},
                 {"middle row", 2}, {"center row", 2}, {"centre row", 2}, {"third row", 3},
                 {"bottom row", 3}, {"lower row", 3}};
    static const char *const verbs[] = {" is", " has", " reads", " shows", " contains"};
    /* The two letters that any of them begins with: nearly all words end here. */
    static const char begins[] = "throfitoupsemicebolo";
    if (end - at < 4) return 0;
    const Byte first = lowered(at[0]), second = lowered(at[1]);
    const char *pair = begins;
    while (*pair && ((Byte)pair[0] != first || (Byte)pair[1] != second)) pair += 2;
    if (!*pair) return 0;
    const Byte *one = at + stands(at, end, "the ");
    int bytes = stands(one, end, "row");
    if (bytes) {
        one += bytes;
        if (one < end && *one == ' ') one++;
        if (one == end || *one < '1' || *one > '9') return 0;
        *number = *one++ - '0';
    } else {
        for (int i = 0; i < 10 && !bytes; i++)
            if ((bytes = stands(one, end, names[i].name))) *number = names[i].number;
        if (!bytes) return 0;
        one += bytes;
    }
    if (!ends_word(one, end)) return 0;
    for (int i = 0; i < 5; i++)
        if ((bytes = stands(one, end, verbs[i])) && ends_word(one + bytes, end)) {
            one += bytes;
            break;
        }
    return (int)(one - at);
}

static Byte parting[256]; /* what a sign becomes, 0 for those of words */

static void learn_parting(void) {
    for (int code = 0; code < 256; code++)
        parting[code] = is_letter((Byte)code) || (Byte)(code - '0') < 10     ? 0
                        : code == '\n' || (code && strchr("[](){}", code)) ? '\n'
                                                                            : ' ';
}

static void finish(Run *run) {
    run->found = !run->spoilt && run->rows == 3;
    if (run->found) memcpy(run->last, run->words, sizeof run->last);
    run->rows = run->spoilt = 0;
}

/* A word in lower case as a str of Python. */
static PyObject *small_word(Piece word) {
    char letters[64];
    for (int i = 0; i < word.length; i++) letters[i] = (char)lowered(word.at[i]);
    return PyUnicode_FromStringAndSize(letters, word.length);
}

/* 1 if the words of a line are a row of known ones, -1 with an error set. */
static int is_row(Piece *words, int count, PyObject *known) {
    if (count == 1 && words[0].length == 3) {
        for (int i = 0; i < 3; i++)
            if (words[0].at[i] < 'A' || words[0].at[i] > 'Z') {
                /* Digits have no case: such a word is of capitals if one of them is. */
                if (words[0].at[i] < '0' || words[0].at[i] > '9') return 0;
            }
        for (int i = 2; i >= 0; i--) words[i] = (Piece){words[0].at + i, 1};
        count = 3;
    }
    if (count != 3) return 0;
    for (int i = 0; i < 3; i++) {
        if (words[i].length > 64) return 0;
        PyObject *word = small_word(words[i]);
        const int has = word ? PySet_Contains(known, word) : -1;
        Py_XDECREF(word);
        if (has <= 0) return has;
    }
    return 1;
}

/* Takes a line: the number of the row that it names, 0 for none, and its words but for numbers. */
static int take_line(Run *run, int number, Piece *words, int count, PyObject *known) {
    if (number) {
        if (number == 1 && (run->rows || run->spoilt)) finish(run);
        run->spoilt |= number != run->rows + 1;
        run->named = 1;
    }
    if (!count) return 0;
    const int row = is_row(words, count, known);
    if (row < 0) return -1;
    if (row) {
        if (run->rows < 3) memcpy(run->words[run->rows], words, sizeof *run->words);
        run->rows++;
    } else if (run->named) run->spoilt = 1;
    else if (run->rows || run->spoilt) finish(run);
    run->named = 0;
    return 0;
}

/* The nine words of the last matrix as a list, which is empty if there is none. */
static PyObject *last_matrix(const Text *text, PyObject *known) {
    Byte own[4096];
    Byte *made = text->size < (Py_ssize_t)sizeof own ? own : PyMem_Malloc((size_t)text->size + 1);
    if (!made) return PyErr_NoMemory();
    Byte *out = made;
    for (const Byte *at = text->at, *end = at + text->size; at < end; at++) {
        const Byte sign = parting[*at];
        *out = sign ? sign : *at; /* without a branch: every fifth character is a blank */
        out += sign != ' ' || out == made || out[-1] != ' ';
    }
    const Byte *const end = out;
    Run run = {0};
    Piece words[3];
    int count = 0, number = 0, status = 0;
    for (const Byte *at = made; !status && at < end;) {
        if (*at == ' ') {
            at++;
        } else if (*at == '\n') {
            status = take_line(&run, number, words, count, known);
            count = number = 0;
            at++;
        } else {
            int names = 0;
            const int bytes = row_named(at, end, &names);
            if (bytes) {
                status = take_line(&run, number, words, count, known);
                count = 0, number = names, at += bytes;
                continue;
            }
            const Byte *begin = at;
            int digits = 1;
            for (; !ends_word(at, end); at++) digits &= *at <= '9';
            if (digits) continue;
            if (count < 3) words[count] = (Piece){begin, at - begin > 64 ? 65 : (int)(at - begin)};
            count += count < 4;
        }
    }
    if (!status) status = take_line(&run, number, words, count, known);
    if (!status) {
        if (run.named) run.spoilt = 1;
        else if (run.rows || run.spoilt) finish(&run);
    }
    PyObject *list = status ? NULL : PyList_New(0);
    for (int i = 0; list && run.found && i < 9; i++) {
        PyObject *word = small_word(run.last[i]);
        if (!word || PyList_Append(list, word) < 0) Py_CLEAR(list);
        Py_XDECREF(word);
    }
    if (made != own) PyMem_Free(made);
    return list;
}

/* Bytes to the end of three words with no letters between them, 0 if they do not stand there. */
static Py_ssize_t three(const Byte *at, const Byte *end, const Text *words) {
    const Byte *one = at;
    for (int word = 0; word < 3; word++) {
        while (word && one < end && !is_letter(*one)) one++;
        for (Py_ssize_t i = 0; i < words[word].size; i++, one++)
            if (one == end || lowered(*one) != words[word].at[i]) return 0;
    }
    return one - at;
}

#endif
