/* Shapes and their operations, as facelet.generators.shapes.shape_codes and .engine define them.
 *
 * A shape is a whole number of 96 bits, six a quadrant (three for the type, below them three for
 * the colour), quadrant q of layer l at bit 24 * l + 6 * q. Here too 0 is the shape of which
 * nothing is left.
 */
#ifndef FACELET_SHAPE_H
#define FACELET_SHAPE_H

#include "../options/deformation/_dice.h"

typedef unsigned __int128 Shape;

enum { BITS = 6, QUADRANTS = 4, LAYER_BITS = BITS * QUADRANTS, MAX_LAYERS = 4, COLOURS = 8 };
enum { CUT, CLOCKWISE, COUNTERCLOCKWISE, MIRROR, COLOUR, FILL, STACK };

#define LAYER ((uint32_t)0xffffff)
#define EVERY(one) ((Shape)(one) | (Shape)(one) << 24 | (Shape)(one) << 48 | (Shape)(one) << 72)

static const uint32_t LOWEST = 0x041041; /* the lowest bit of each quadrant of a layer */
static const uint32_t FIRST = 0x3f, SECOND = 0xfc0, THIRD = 0x3f000, FOURTH = 0xfc0000;

typedef struct {
    int kinds; /* of operations, 6 or 7 */
    int filling, types, paint_all, floating, fill_with; /* see Shapes */
} Rules;

static uint8_t rests[256]; /* by 16 * upper + lower: whether a layer rests on the one below */

static void prepare(void) {
    for (int pair = 0; pair < 256; pair++) {
        int upper = pair >> 4, lower = pair & 15;
        rests[pair] = 1;
        for (int left = upper; left;) {
            int group = left & -left, before;
            do {
                before = group;
                group |= (group << 1 | group >> 3 | group >> 1 | group << 3) & upper;
            } while (group != before);
            if (!(group & lower)) rests[pair] = 0;
            left &= ~group;
        }
    }
}

/* The lowest bit of each quadrant that is filled. */
static Shape filled(Shape shape) {
    return (shape >> 3 | shape >> 4 | shape >> 5) & EVERY(LOWEST);
}

static int layers(Shape shape) {
    int count = 1;
    while (shape >>= LAYER_BITS) count++;
    return count;
}

/* The filled quadrants of a layer: bit q for quadrant q. */
static int mask_of(uint32_t layer) {
    uint32_t bits = (layer >> 3 | layer >> 4 | layer >> 5) & LOWEST;
    return (bits | bits >> 5 | bits >> 10 | bits >> 15) & 15;
}

static int supported(Shape shape) {
    int below = mask_of((uint32_t)shape & LAYER);
    while (shape >>= LAYER_BITS) {
        int mask = mask_of((uint32_t)shape & LAYER);
        if (!rests[16 * mask + below]) return 0;
        below = mask;
    }
    return 1;
}

static Shape cut(Shape shape) {
    Shape kept = 0, left = shape & EVERY(THIRD | FOURTH);
    for (int place = 0; left; left >>= LAYER_BITS) {
        uint32_t layer = (uint32_t)left & LAYER;
        if (!layer) continue;
        kept |= (Shape)layer << place;
        place += LAYER_BITS;
    }
    return kept;
}

static Shape stack(Shape shape, uint32_t upper) {
    Shape lower = filled(shape), coming = filled(upper);
    if (!lower) return upper;
    int height = layers(shape);
    while (height && !(lower & coming << (height - 1) * LAYER_BITS)) height--;
    return (height < MAX_LAYERS ? shape | (Shape)upper << height * LAYER_BITS : shape);
}

static Shape apply(const Rules *r, Shape shape, Step step) {
    Shape ones;
    int place;
    switch (step.kind) {
    case CUT:
        return cut(shape);
    case CLOCKWISE:
        return (shape & EVERY(FIRST | SECOND | THIRD)) << BITS | (shape & EVERY(FOURTH)) >> 3 * BITS;
    case COUNTERCLOCKWISE:
        return (shape & EVERY(SECOND | THIRD | FOURTH)) >> BITS | (shape & EVERY(FIRST)) << 3 * BITS;
    case MIRROR:
        return (shape & EVERY(FIRST)) << 3 * BITS | (shape & EVERY(SECOND)) << BITS |
               (shape & EVERY(THIRD)) >> BITS | (shape & EVERY(FOURTH)) >> 3 * BITS;
    case COLOUR:
        place = r->paint_all ? 0 : (layers(shape) - 1) * LAYER_BITS;
        ones = filled(shape) >> place << place;
        return (shape & ~(ones * 7)) | ones * step.taken;
    case FILL:
        ones = EVERY(LOWEST) & (((Shape)1 << layers(shape) * LAYER_BITS) - 1) & ~filled(shape);
        return shape | (r->fill_with ? (ones * 63) & EVERY(step.taken) : ones * step.taken);
    default:
        return stack(shape, step.taken);
    }
}

#endif
