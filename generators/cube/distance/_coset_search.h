/* The search for all maneuvers of one length that take a state into H.
 *
 * No two turns of a face follow each other, and opposite faces turn in one order. Every node of the
 * search leads on, as the distance to H is exact. Elements of H are bits of one map, set by any
 * number of threads at the same time; who sets one first is chance, which bits are set is not.
 */
#ifndef FACELET_COSET_SEARCH_H
#define FACELET_COSET_SEARCH_H

#include "_coset_tables.h"

enum { LONGEST_WORD = 20, WAITING = 32 };

/* The pieces: four corners each, four edges each, as in _coset_tables.h. */
typedef struct { uint16_t corners[2], edges[3]; } Pieces;

typedef struct {
    uint64_t *items;
    size_t count, room;
    int failed; /* there was no memory */
} Found;

/* What becomes of an element that was found. */
typedef enum {
    MARK,  /* its bit is set; only maneuvers whose last turn is not in H are searched */
    LIST,  /* the same for all maneuvers, and it is listed if it is new */
    WORDS, /* all maneuvers of the elements whose bit is set are listed: code and two words */
} Task;

typedef struct {
    const Cosets *t;
    uint8_t *bits;
    Task task;
    Found found;
    uint64_t waiting[WAITING]; /* bits soon to be set, whose memory is on its way */
    unsigned next_waiting;
    int length;
    uint8_t path[LONGEST_WORD];
} Coset;

static void found_add(Found *f, uint64_t item) {
    if (f->count == f->room) {
        const size_t room = f->room ? 2 * f->room : 1024;
        uint64_t *items = f->failed ? NULL : realloc(f->items, room * sizeof *items);
        if (!items) {
            f->failed = 1;
            return;
        }
        f->items = items;
        f->room = room;
    }
    f->items[f->count++] = item;
}

static void set_bit(Coset *s, uint64_t code) {
    uint8_t *at = &s->bits[code >> 3];
    const uint8_t bit = (uint8_t)(1u << (code & 7));
    if (__atomic_load_n(at, __ATOMIC_RELAXED) & bit) return;
    if (!(__atomic_fetch_or(at, bit, __ATOMIC_RELAXED) & bit) && s->task == LIST)
        found_add(&s->found, code);
}

#define NO_CODE UINT64_MAX

/* Sets a bit some elements later, when its line of memory has come. */
static void set_soon(Coset *s, uint64_t code) {
    const unsigned at = s->next_waiting++ % WAITING;
    if (s->waiting[at] != NO_CODE) set_bit(s, s->waiting[at]);
    if (code != NO_CODE) __builtin_prefetch(&s->bits[code >> 3], 1);
    s->waiting[at] = code;
}

static void list_word(Coset *s, uint64_t code) {
    if (!(s->bits[code >> 3] >> (code & 7) & 1)) return;
    uint64_t words[2] = {0, 0};
    for (int i = 0; i < s->length; i++)
        words[i / 10] |= (uint64_t)(s->path[i] + 1) << (9 - i % 10) * 5;
    found_add(&s->found, code);
    found_add(&s->found, words[0]);
    found_add(&s->found, words[1]);
}

static inline Pieces pieces_moved(const Cosets *t, Pieces p, int m) {
    const Pieces moved = {
        {t->corner_move[p.corners[0]][m], t->corner_move[p.corners[1]][m]},
        {t->four_move[p.edges[0]][m], t->four_move[p.edges[1]][m], t->four_move[p.edges[2]][m]},
    };
    return moved;
}

static inline uint64_t code_of(const Cosets *t, Pieces p) {
    const uint32_t page = p.corners[0] * ORDERS + p.corners[1] % ORDERS;
    const uint32_t pair = t->pair_of[p.edges[0]] + t->half_of[p.edges[1] % ORDERS];
    return (uint64_t)page * PAGE_BITS + pair * ORDERS + p.edges[2] % ORDERS;
}

static void arrive(Coset *s, Pieces p) {
    const uint64_t code = code_of(s->t, p);
    if (s->task == WORDS) list_word(s, code);
    else set_soon(s, code);
}

/* From a coset near H, `here` turns from it, with `left` >= here turns left. */
static void search_near(Coset *s, uint32_t id, int here, int left, int last, Pieces p) {
    const Cosets *t = s->t;
    const NearRow *row = &t->near[id];
    uint64_t moves = row->lower;
    if (here < left) moves |= row->same;
    if (here + 1 < left) moves |= row->upper;
    moves &= t->allowed[last];
    if (left == 1) {
        if (s->task == MARK && here == 0) return; /* the last turn would be one of H */
        for (; moves; moves &= moves - 1) {
            const int m = __builtin_ctzll(moves);
            s->path[s->length - 1] = (uint8_t)m;
            arrive(s, pieces_moved(t, p, m));
        }
        return;
    }
    for (; moves; moves &= moves - 1) {
        const int m = __builtin_ctzll(moves);
        const int there = here - (int)(row->lower >> m & 1) + (int)(row->upper >> m & 1);
        if (s->task == MARK && left == 2 && there == 0) continue;
        s->path[s->length - left] = (uint8_t)m;
        search_near(s, row->next[m], there, left - 1, m, pieces_moved(t, p, m));
    }
}

static void search_far(Coset *s, unsigned twist, unsigned slice, unsigned flips, int left, int last,
                       Pieces p) {
    const Cosets *t = s->t;
    uint32_t index[MOVES];
    uint16_t twists[MOVES], slices[MOVES], flipped[MOVES];
    for (uint32_t moves = t->allowed[last]; moves; moves &= moves - 1) {
        const int m = __builtin_ctz(moves);
        twists[m] = t->twist_move[twist][m];
        slices[m] = cubes.slice_move[slice][m] / AXIAL;
        flipped[m] = (uint16_t)flips_moved(flips, m);
        index[m] = distance_index(t, twists[m], slices[m], flipped[m]);
        __builtin_prefetch(&t->distance[index[m] >> 1]);
    }
    for (uint32_t moves = t->allowed[last]; moves; moves &= moves - 1) {
        const int m = __builtin_ctz(moves), there = (int)entry(t->distance, index[m]);
        if (there >= left) continue;
        const Pieces moved = pieces_moved(t, p, m);
        s->path[s->length - left] = (uint8_t)m;
        if (left - 1 > NEAR) {
            search_far(s, twists[m], slices[m], flipped[m], left - 1, m, moved);
        } else {
            const uint32_t id = near_of(t, coset_number(twists[m], slices[m], flipped[m]));
            search_near(s, id, there, left - 1, m, moved);
        }
    }
}

/* All maneuvers of s->length turns from a state, the first of which are given. */
static void search_from(Coset *s, const Cube *start, const uint8_t *first, int given) {
    const Cosets *t = s->t;
    Cube c = *start;
    uint8_t split_number[256] = {0}, split_mask[SPLITS];
    int last = MOVES;
    fill_splits(split_number, split_mask);
    for (int i = 0; i < WAITING; i++) s->waiting[i] = NO_CODE;
    for (int i = 0; i < given; i++) {
        if (!(t->allowed[last] >> first[i] & 1)) return;
        c = product(&c, &cubes.moves[first[i]]);
        s->path[i] = first[i];
        last = first[i];
    }
    Pieces p;
    for (int i = 0; i < 2; i++) p.corners[i] = (uint16_t)corner_four_of(c.cp, i, split_number);
    for (int i = 0; i < 3; i++) p.edges[i] = (uint16_t)four_of(c.ep, i);
    const unsigned twist = twist_of(&c), slice = slice_of(&c), flips = flips_of(&c);
    const uint32_t number = coset_number(twist, slice, flips);
    const int here = (int)coset_distance(t, number), left = s->length - given;
    if (here > left) return;
    if (left == 0) arrive(s, p);
    else if (left > NEAR) search_far(s, twist, slice, flips, left, last, p);
    else search_near(s, near_of(t, number), here, left, last, p);
    for (int i = 0; i < WAITING; i++) set_soon(s, NO_CODE);
}

/* --- pages ----------------------------------------------------------------------------------- */

static inline uint32_t load_24(const uint8_t *at) {
    uint32_t bits;
    memcpy(&bits, at, sizeof bits); /* a byte more than needed: the map has some to spare */
    return bits & 0xffffff;
}

static int page_empty(const uint8_t *page) {
    for (size_t i = 0; i < PAGE_BYTES; i += 8) {
        uint64_t bits;
        memcpy(&bits, page + i, sizeof bits);
        if (bits) return 0;
    }
    return 1;
}

/* Page of `to`: what is in `from`, or is one turn of H away from what is. */
static void spread_page(const Cosets *t, const uint8_t *from, uint8_t *to, unsigned page) {
    uint32_t sum[PAIRS];
    const uint8_t *own = from + (size_t)page * PAGE_BYTES;
    for (unsigned pair = 0; pair < PAIRS; pair++) sum[pair] = load_24(own + 3 * pair);
    for (int i = 0; i < PHASE_2_MOVES; i++) {
        const uint8_t *source = from + (size_t)t->page_from[page][i] * PAGE_BYTES;
        const uint16_t *at = t->pair_from[i];
        if (page_empty(source)) continue;
        if (i < PHASE_2_MOVES - HALF_TURNS) {
            for (unsigned pair = 0; pair < PAIRS; pair++) {
                uint32_t bits;
                memcpy(&bits, source + at[pair], sizeof bits);
                sum[pair] |= bits;
            }
        } else {
            const uint32_t (*image)[4096] = t->order_from[i - (PHASE_2_MOVES - HALF_TURNS)];
            for (unsigned pair = 0; pair < PAIRS; pair++) {
                uint32_t bits;
                memcpy(&bits, source + at[pair], sizeof bits);
                sum[pair] |= image[0][bits & 0xfff] | image[1][bits >> 12 & 0xfff];
            }
        }
    }
    uint8_t *out = to + (size_t)page * PAGE_BYTES;
    for (unsigned pair = 0; pair < PAIRS; pair += 8) {
        uint8_t packed[24];
        for (int i = 0; i < 8; i++) {
            packed[3 * i] = (uint8_t)sum[pair + i];
            packed[3 * i + 1] = (uint8_t)(sum[pair + i] >> 8);
            packed[3 * i + 2] = (uint8_t)(sum[pair + i] >> 16);
        }
        memcpy(out + 3 * pair, packed, sizeof packed);
    }
}

/* How many bits of a page are set in `now` and not in `before` (which may be none). */
static uint64_t count_page(const uint8_t *now, const uint8_t *before, unsigned page) {
    uint64_t count = 0;
    for (size_t i = (size_t)page * PAGE_BYTES, end = i + PAGE_BYTES; i < end; i += 8) {
        uint64_t bits, old = 0;
        memcpy(&bits, now + i, sizeof bits);
        if (before) memcpy(&old, before + i, sizeof old);
        count += (uint64_t)__builtin_popcountll(bits & ~old);
    }
    return count;
}

/* Their codes, in rising order; returns how many, at most `room`. */
static size_t list_page(const uint8_t *now, const uint8_t *before, unsigned page, uint64_t *out,
                        size_t room) {
    size_t count = 0;
    for (size_t i = (size_t)page * PAGE_BYTES, end = i + PAGE_BYTES; i < end; i += 8) {
        uint64_t bits, old = 0;
        memcpy(&bits, now + i, sizeof bits);
        if (before) memcpy(&old, before + i, sizeof old);
        for (bits &= ~old; bits; bits &= bits - 1) {
            if (count == room) return count;
            out[count++] = i * 8 + (uint64_t)__builtin_ctzll(bits);
        }
    }
    return count;
}

/* --- states ---------------------------------------------------------------------------------- */

/* The pieces of an element of H. */
static Cube element_of(const Cosets *t, uint64_t code) {
    Cube h = {{0}};
    const unsigned page = (unsigned)(code / PAGE_BITS), rest = (unsigned)(code % PAGE_BITS);
    const unsigned pair = rest / ORDERS, order = rest % ORDERS;
    memcpy(h.cp, t->page_corners[page], 8);
    memcpy(h.ep, t->pair_edges[pair], 8);
    for (int i = 0; i < 4; i++) h.ep[8 + i] = (uint8_t)(8 + t->order_edges[order][i]);
    if (t->page_parity[page] ^ t->pair_parity[pair] ^ t->order_parity[order])
        for (int i = 0; i < 8; i++)
            if (h.ep[i] >= 6) h.ep[i] ^= 1;
    return h;
}

#endif
