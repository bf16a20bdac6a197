/* Text: a str of Python as UTF-8, and what is a blank in it. */
#ifndef FACELET_TEXT_H
#define FACELET_TEXT_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <string.h>

typedef unsigned char Byte;

typedef struct {
    const Byte *at;
    Py_ssize_t size; /* bytes */
    int ascii;
} Text;

/* 1, or 0 where it cannot be had, as with half a surrogate pair; -1 with an error set. */
static int text_of(PyObject *object, Text *text) {
    if (!PyUnicode_Check(object)) {
        PyErr_SetString(PyExc_TypeError, "a text must be a str");
        return -1;
    }
    text->at = (const Byte *)PyUnicode_AsUTF8AndSize(object, &text->size);
    if (!text->at) {
        if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) return -1;
        PyErr_Clear();
        return 0;
    }
    text->ascii = PyUnicode_GetLength(object) == text->size;
    return 1;
}

static inline int continues(Byte byte) { return (byte & 0xC0) == 0x80; }

/* The code point at a place, and its bytes. */
static inline uint32_t code_at(const Byte *at, int *bytes) {
    if (at[0] < 0x80) return *bytes = 1, at[0];
    if (at[0] < 0xE0) return *bytes = 2, (uint32_t)(at[0] & 0x1F) << 6 | (at[1] & 0x3F);
    if (at[0] < 0xF0)
        return *bytes = 3,
               (uint32_t)(at[0] & 0x0F) << 12 | (uint32_t)(at[1] & 0x3F) << 6 | (at[2] & 0x3F);
    return *bytes = 4, (uint32_t)(at[0] & 0x07) << 18 | (uint32_t)(at[1] & 0x3F) << 12 |
                           (uint32_t)(at[2] & 0x3F) << 6 | (at[3] & 0x3F);
}

/* The start of the code point before a place. */
static inline const Byte *before(const Byte *at) {
    do at--;
    while (continues(*at));
    return at;
}

/* The place so many code points behind another, `end` at most. */
static const Byte *ahead(const Byte *at, const Byte *end, Py_ssize_t count) {
    while (count > 0 && at < end) {
        at++;
        while (at < end && continues(*at)) at++;
        count--;
    }
    return at;
}

/* Whether str.isspace says so. */
static inline int is_blank(uint32_t code) {
    if (code < 0x80) return code == ' ' || (code >= 9 && code <= 13) || (code >= 28 && code <= 31);
    return code == 0x85 || code == 0xA0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200A) ||
           code == 0x2028 || code == 0x2029 || code == 0x202F || code == 0x205F || code == 0x3000;
}

static inline int is_letter(Byte byte) { return (Byte)((byte | 0x20) - 'a') < 26; }
static inline int is_word(Byte byte) {
    return is_letter(byte) || (Byte)(byte - '0') < 10 || byte == '_';
}

/* Places in a text as indices of Python, ascending: a list that grows. */
static int noted(PyObject *list, Py_ssize_t place) {
    PyObject *number = PyLong_FromSsize_t(place);
    if (!number) return -1;
    const int status = PyList_Append(list, number);
    Py_DECREF(number);
    return status;
}

#endif
