/* Numbers for drawing: those of facelet.generators.options.deforming.worlds.Dice, in its order. */
#ifndef FACELET_DICE_H
#define FACELET_DICE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdint.h>
#include <string.h>

enum { OPTIONS = 4 };

typedef struct {
    PyObject *left, *more; /* numbers that are drawn, taken from the end, and how to draw more */
    double *numbers;
    Py_ssize_t count;
    int failed;
} Dice;

typedef struct {
    uint32_t kind, taken; /* an operation, as the world numbers it */
} Step;

static int load(Dice *d) {
    d->count = PyList_Size(d->left);
    double *numbers = PyMem_Realloc(d->numbers, (size_t)(d->count + 1) * sizeof *numbers);
    if (!numbers) {
        PyErr_NoMemory();
        return d->failed = 1;
    }
    d->numbers = numbers;
    for (Py_ssize_t i = 0; i < d->count; i++)
        numbers[i] = PyFloat_AsDouble(PyList_GetItem(d->left, i));
    return d->failed = PyErr_Occurred() != NULL;
}

static int drop(Dice *d) {
    return PyList_SetSlice(d->left, d->count, PyList_Size(d->left), NULL);
}

/* A number from 0 to size - 1; 0 once drawing has failed. */
static int below(Dice *d, int size) {
    if (!d->count && !d->failed) {
        PyObject *nothing = drop(d) ? NULL : PyObject_CallNoArgs(d->more);
        Py_XDECREF(nothing);
        if (!nothing || load(d)) d->failed = 1;
        else if (!d->count) {
            PyErr_SetString(PyExc_ValueError, "no more numbers are drawn");
            d->failed = 1;
        }
    }
    return d->failed ? 0 : (int)(d->numbers[--d->count] * size);
}

static void shuffle(Dice *d, int *order) {
    for (int i = 0; i < OPTIONS; i++) order[i] = i;
    for (int i = OPTIONS - 1; i > 0; i--) {
        int other = below(d, i + 1), kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
}

#endif
