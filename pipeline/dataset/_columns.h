/* Columns: what Arrow's buffers hold, as row_hashes.py describes it, with lengths that are checked.
 *
 * What a buffer says, as an offset of a text or a list, is checked by whoever reads it.
 */
#ifndef FACELET_COLUMNS_H
#define FACELET_COLUMNS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

typedef unsigned char Byte;

enum { DEEPEST = 16 }; /* columns inside each other */
enum { DONE, ODD, NO_MEMORY };

typedef struct Column {
    int kind; /* "b", "h", "i", "q" and in capitals: integers; "d"ouble, "?", "t"ext, "l"ist, "s"truct */
    Py_ssize_t offset, length, count, width; /* count: of what is inside */
    Py_buffer valid, places, data;           /* `obj` is NULL where there is none */
    struct Column *inside;
    PyObject *heads; /* of a struct: what stands before each value, which `head` of each points to */
    const char *head;
    Py_ssize_t head_size;
} Column;

static void dropped(Column *column) {
    for (Py_ssize_t i = 0; i < column->count; i++) dropped(&column->inside[i]);
    PyMem_Free(column->inside);
    if (column->valid.obj) PyBuffer_Release(&column->valid);
    if (column->places.obj) PyBuffer_Release(&column->places);
    if (column->data.obj) PyBuffer_Release(&column->data);
    Py_CLEAR(column->heads);
}

static int buffer(PyObject *object, Py_buffer *view) {
    return object == Py_None ? 0 : PyObject_GetBuffer(object, view, PyBUF_SIMPLE);
}

/* Bytes of a number of a kind, 0 for what is none. */
static Py_ssize_t width_of(int kind) {
    switch (kind) {
        case 'b': case 'B': return 1;
        case 'h': case 'H': return 2;
        case 'i': case 'I': return 4;
        case 'q': case 'Q': case 'd': return 8;
    }
    return 0;
}

/* Whether the buffers are as long as Arrow demands of so many values. */
static int holds(const Column *column) {
    if (column->offset < 0 || column->length < 0) return 0;
    if (column->offset > PY_SSIZE_T_MAX / 16 || column->length > PY_SSIZE_T_MAX / 16) return 0;
    const Py_ssize_t end = column->offset + column->length, bits = (end + 7) / 8;
    if (!column->length) return 1;
    if (column->valid.obj && column->valid.len < bits) return 0;
    switch (column->kind) {
        case 'l':
            if (column->count != 1) return 0; /* fall through */
        case 't': return column->places.len >= 4 * (end + 1);
        case '?': return column->data.len >= bits;
        case 's':
            for (Py_ssize_t i = 0; i < column->count; i++)
                if (column->inside[i].length < column->length) return 0;
            return column->count > 0 && column->inside[0].head;
    }
    return column->width && column->data.len >= end * column->width;
}

/* Reads a column that row_hashes.py describes (`ColumnBuffers`); DONE, ODD, or -1 with an error
 * set. */
static int learned(PyObject *told, Column *column, int depth) {
    PyObject *valid, *places, *data, *inside;
    if (!PyTuple_Check(told)) {
        PyErr_SetString(PyExc_TypeError, "a column is a tuple");
        return -1;
    }
    if (!PyArg_ParseTuple(told, "CnnOOOO!O!", &column->kind, &column->offset, &column->length,
                          &valid, &places, &data, &PyTuple_Type, &inside, &PyTuple_Type,
                          &column->heads)) {
        column->heads = NULL;
        return -1;
    }
    Py_INCREF(column->heads);
    if (depth == DEEPEST) return ODD;
    if (buffer(valid, &column->valid) || buffer(places, &column->places) ||
        buffer(data, &column->data))
        return -1;
    column->width = width_of(column->kind);
    const Py_ssize_t count = PyTuple_Size(inside);
    column->inside = PyMem_Calloc((size_t)count + 1, sizeof *column->inside);
    if (!column->inside) {
        PyErr_NoMemory();
        return -1;
    }
    for (; column->count < count;) {
        Column *one = &column->inside[column->count++];
        const int status = learned(PyTuple_GetItem(inside, column->count - 1), one, depth + 1);
        if (status) return status;
    }
    const Py_ssize_t heads = PyTuple_Size(column->heads);
    if (heads && heads != count) return ODD;
    for (Py_ssize_t i = 0; i < heads; i++) {
        PyObject *head = PyTuple_GetItem(column->heads, i);
        if (!PyBytes_Check(head)) {
            PyErr_SetString(PyExc_TypeError, "what stands before a value is bytes");
            return -1;
        }
        column->inside[i].head = PyBytes_AsString(head);
        column->inside[i].head_size = PyBytes_Size(head);
    }
    return holds(column) ? DONE : ODD;
}

#endif
