/* Numbers for drawing: all follow from one seed (SplitMix64), the same on every machine. */
#ifndef FACELET_DICE_H
#define FACELET_DICE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdint.h>
#include <string.h>

enum { OPTIONS = 4 };

typedef struct {
    uint64_t state;
} Dice;

typedef struct {
    uint32_t kind, taken; /* an operation, as the world numbers it */
} Step;

/* 64 bits. */
static inline uint64_t word(Dice *d) {
    uint64_t found = d->state += 0x9E3779B97F4A7C15u;
    found = (found ^ found >> 30) * 0xBF58476D1CE4E5B9u;
    found = (found ^ found >> 27) * 0x94D049BB133111EBu;
    return found ^ found >> 31;
}

static uint32_t below(Dice *d, uint32_t size) {
    return (uint32_t)((word(d) >> 32) * size >> 32);
}

#endif
