/* Inner loops of searching: see _search.h. Included once for every instruction set, with
 * VARIANT(name) naming the copy; with KERNELS_AVX2 it is that for AVX2 and BMI2. */

#ifdef KERNELS_AVX2
#define COMPRESS(bits, mask) _pext_u32(bits, mask)
#else
#define COMPRESS(bits, mask) compress(bits, mask)
#endif

/* The number of the entry of a coset. Corners are in class `class`, brought to its representative
 * by symmetry k; `slice` is the number of a slice times 16; `flips` are packed as in Cubes. */
static inline size_t VARIANT(entry)(
    const int kept, const size_t class, const uint32_t k, const uint32_t slice,
    const uint32_t flips) {
    const uint32_t seen = cubes.slice_image[slice + k];
    const uint32_t target = seen & 0xffff;
    uint32_t bits = cubes.flip_image[0][(flips & 0xffff) + k]
        ^ cubes.flip_image[1][(flips >> 16) + k] ^ seen >> 16;
    if (kept == ALL_FLIPS) bits &= 0x7ff;
    else if (kept == OUTER_FLIPS) bits = COMPRESS(bits, cubes.outer_mask[target]);
    else bits = COMPRESS(bits, cubes.slice_mask[target]);
    return ((class * SLICES + target) << kept) + bits;
}

static inline unsigned VARIANT(code)(const Table *t, size_t entry) {
    return t->entries[entry / 4] >> 2 * (entry & 3) & 3;
}

static inline unsigned VARIANT(minimum)(const Table *t, const int kept, size_t entry) {
    const size_t stripe = entry >> (kept < 6 ? kept : 6);
    return t->minima[stripe / 2] >> 4 * (stripe & 1) & 15;
}

/* Whether the distance may be within the moves that remain, as far as the entry tells. */
static inline unsigned VARIANT(passes)(
    const Table *t, const int kept, size_t entry, unsigned code, unsigned remaining) {
    if (__builtin_expect((int)remaining < t->base, 0))
        return !code && VARIANT(minimum)(t, kept, entry) <= remaining;
    return code <= t->passing[remaining];
}

#ifdef KERNELS_AVX2
typedef __m256i VARIANT(Vector);

static inline __m256i VARIANT(load)(const Bytes *b) {
    return _mm256_load_si256((const __m256i *)b);
}

static inline void VARIANT(store)(Bytes *b, __m256i v) { _mm256_store_si256((__m256i *)b, v); }

static inline __m256i VARIANT(relabel)(__m256i v, const Relabelling *r) {
    return _mm256_blendv_epi8(_mm256_shuffle_epi8(VARIANT(load)(&r->low), v),
                              _mm256_shuffle_epi8(VARIANT(load)(&r->high), v),
                              _mm256_slli_epi16(v, 3));
}

static inline __m256i VARIANT(rearrange)(__m256i v, const Rearrangement *r) {
    v = _mm256_shuffle_epi8(v, VARIANT(load)(&r->from));
    v = _mm256_xor_si256(v, VARIANT(load)(&r->flips));
    v = _mm256_add_epi8(v, VARIANT(load)(&r->twists));
    return _mm256_min_epu8(v, _mm256_sub_epi8(v, VARIANT(load)(&wrap)));
}

static inline Seen VARIANT(gather)(__m256i v) {
    const unsigned first = (unsigned)_mm256_movemask_epi8(v);
    const unsigned second = (unsigned)_mm256_movemask_epi8(_mm256_add_epi8(v, v));
    const __m128i twists = _mm_and_si128(_mm256_extracti128_si256(v, 1), _mm_set1_epi8(3));
    const __m128i pairs = _mm_maddubs_epi16(
        twists, _mm_setr_epi8(1, 3, 1, 3, 1, 3, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0));
    const uint64_t halves = (uint64_t)_mm_cvtsi128_si64(
        _mm_madd_epi16(pairs, _mm_setr_epi16(1, 9, 81, 729, 0, 0, 0, 0)));
    const uint32_t twist = (uint32_t)halves + (uint32_t)(halves >> 32);
    return (Seen){.corner = corner_of(twist, first >> 16 & 0xff),
                  .slice = cubes.slice_start[second & 0xfff], .flips = first & 0xfff};
}
#else
typedef Bytes VARIANT(Vector);

static inline Bytes VARIANT(load)(const Bytes *b) { return *b; }

static inline void VARIANT(store)(Bytes *b, Bytes v) { *b = v; }

static inline Bytes VARIANT(relabel)(Bytes v, const Relabelling *r) {
    Bytes out;
    for (int i = 0; i < 32; i++) {
        const Bytes *table = v.b[i] & 16 ? &r->high : &r->low;
        out.b[i] = table->b[(i & 16) | (v.b[i] & 15)];
    }
    return out;
}

static inline Bytes VARIANT(rearrange)(Bytes v, const Rearrangement *r) {
    Bytes out;
    for (int i = 0; i < 32; i++) {
        const uint8_t from = r->from.b[i];
        uint8_t x = from & 128 ? 0 : v.b[(i & 16) | from];
        x = (uint8_t)((x ^ r->flips.b[i]) + r->twists.b[i]);
        const uint8_t wrapped = (uint8_t)(x - wrap.b[i]);
        out.b[i] = wrapped < x ? wrapped : x;
    }
    return out;
}

static inline Seen VARIANT(gather)(Bytes v) {
    unsigned flipped = 0, middle = 0, upper = 0, twist = 0;
    for (int i = 0; i < 12; i++) {
        flipped |= (unsigned)(v.b[i] >> 7) << i;
        middle |= (unsigned)(v.b[i] >> 6 & 1) << i;
    }
    for (int i = 7; i >= 0; i--) {
        upper |= (unsigned)(v.b[16 + i] >> 7) << i;
        if (i < 7) twist = 3 * twist + (v.b[16 + i] & 3);
    }
    return (Seen){.corner = corner_of(twist, upper),
                  .slice = cubes.slice_start[middle], .flips = (uint16_t)flipped};
}
#endif

/* The entry of a state seen along an axis (`v` has that axis turned up) after undoing a move. */
static inline size_t VARIANT(entry_after)(
    const int kept, VARIANT(Vector) v, const Relabelling *r) {
    const Seen seen = VARIANT(gather)(VARIANT(relabel)(v, r));
    return VARIANT(entry)(kept, seen.corner >> 4, seen.corner & 15, seen.slice,
                          PACK_FLIPS((uint32_t)seen.flips));
}

/* Which moves may come next at either end, and at which end it is better to go on. Returns 0 if the
 * state cannot be solved in the moves that remain. */
static inline int VARIANT(settle)(const Search *s, Node *n) {
    uint32_t allowed[2] = {follow[n->last[0]], follow[n->last[1]]};
    for (int side = 0; side < 2; side++)
        for (int a = 0; a < 3; a++) {
            const int slack = n->remaining - n->bounds[side][a].low;
            if (slack < 2) allowed[!side] &= ~s->closed[a][slack];
        }
    if (!allowed[0] || !allowed[1]) return 0;
    n->side = __builtin_popcount(allowed[1]) < __builtin_popcount(allowed[0]);
    n->allowed = allowed[n->side];
    return 1;
}

/* Look at a state along all axes; returns 0 if it needs more moves than remain. */
static int VARIANT(survey)(const Search *s, const Table *t, Node *n) {
    int least = 1;
    for (int side = 0; side < 2; side++)
        for (int a = 0; a < 3; a++) {
            const size_t entry = VARIANT(entry_after)(
                t->kept, VARIANT(rearrange)(VARIANT(load)(&n->state[side]), &turned[a]),
                &coordinates[MOVES][a]);
            const unsigned code = VARIANT(code)(t, entry);
            Bounds b = t->bounds[code];
            if (!code) b.low = (uint8_t)VARIANT(minimum)(t, t->kept, entry);
            n->bounds[side][a] = b;
            least &= b.low <= n->remaining;
        }
    return least && VARIANT(settle)(s, n);
}

/* What a batch needs to know of a node beside the node itself. */
typedef struct {
    VARIANT(Vector) other[3];       /* the side that does not move, each axis turned up */
    const CornerRow *corner[3];     /* rows of the moving side */
    const uint16_t *slice[3];
    const uint32_t *flips[3][2];
    uint32_t certain[3];            /* moves whose child needs no lookup along the axis */
    uint8_t order[3];               /* axes, the most promising first */
} VARIANT(View);

static inline void VARIANT(view)(const Search *s, const Node *n, VARIANT(View) *v) {
    const VARIANT(Vector) moving = VARIANT(load)(&n->state[n->side]);
    const VARIANT(Vector) other = VARIANT(load)(&n->state[!n->side]);
    const Bounds *b = n->bounds[n->side];
    for (int a = 0; a < 3; a++) {
        const Seen seen = VARIANT(gather)(VARIANT(relabel)(
            VARIANT(rearrange)(moving, &turned[a]), &coordinates[MOVES][a]));
        v->corner[a] = &cubes.corner_move[seen.corner];
        __builtin_prefetch(v->corner[a]);
        v->slice[a] = cubes.slice_move[seen.slice / 16];
        v->flips[a][0] = cubes.flip_move[0][seen.flips & 63];
        v->flips[a][1] = cubes.flip_move[1][seen.flips >> 6];
        v->other[a] = VARIANT(rearrange)(other, &turned[a]);
        const int slack = n->remaining - b[a].high;
        v->certain[a] = slack >= 4 ? s->every : slack >= 2 ? s->single : 0;
    }
    int x = 0, y = 1, z = 2, w;
    if (b[y].high > b[x].high) w = x, x = y, y = w;
    if (b[z].high > b[y].high) w = y, y = z, z = w;
    if (b[y].high > b[x].high) w = x, x = y, y = w;
    v->order[0] = (uint8_t)x, v->order[1] = (uint8_t)y, v->order[2] = (uint8_t)z;
}

/* The entry of a child's moving side along an axis. */
static inline size_t VARIANT(child)(const int kept, const VARIANT(View) *v, int a, uint32_t move) {
    const uint32_t m = cubes.move_image[16 * a][move];
    return VARIANT(entry)(kept, v->corner[a]->class[m], v->corner[a]->k[m], v->slice[a][m],
                          v->flips[a][0][m] ^ v->flips[a][1][m]);
}

/* The child that a candidate stands for, but for what `settle` decides. */
static inline void VARIANT(make)(Node *child, const Node *n, const Candidate *c) {
    const int side = n->side;
    child->remaining = c->remaining;
    child->last[side] = c->move;
    child->last[!side] = n->last[!side];
    memcpy(child->path, n->path, sizeof child->path);
    child->length[0] = n->length[0];
    child->length[1] = n->length[1];
    child->path[side ? PATH - 1 - child->length[1] : child->length[0]] = c->move;
    child->length[side]++;
    VARIANT(store)(&child->state[side], VARIANT(rearrange)(
        VARIANT(load)(&n->state[side]), &turned[3 + c->move]));
    VARIANT(store)(&child->state[!side], VARIANT(relabel)(
        VARIANT(load)(&n->state[!side]), &values[c->move]));
}

/* Search on until the budget is spent; returns 1 when done, 0 when not, -1 when out of memory. */
static inline __attribute__((always_inline)) int VARIANT(search_kept)(
    Search *s, const Table *t, const int kept, uint64_t budget) {
    Node batch[BATCH];
    VARIANT(View) views[BATCH];
    Candidate candidates[BATCH * MOVES];
    uint16_t alive[BATCH * MOVES];
    size_t entries[BATCH * MOVES][2];
    const uint64_t stop = budget > UINT64_MAX - s->nodes ? UINT64_MAX : s->nodes + budget;
    /* Looked up where nothing is to be known: solved is never too far. */
    const size_t nothing = VARIANT(entry)(kept, 0, 0, cubes.slice_start[0xf00], 0);
    uint64_t lookups = 0;

    while (s->top && s->nodes < stop) {
        /* Fewer at a time where the stack is nearly full, so that the children fit. */
        const uint32_t room = (s->capacity - s->top) / MOVES;
        const uint32_t most = room < BATCH ? room : BATCH;
        const int count = (int)(s->top < most ? s->top : most);
        if (!count) return -1;
        s->top -= (uint32_t)count;
        memcpy(batch, s->stack + s->top, (size_t)count * sizeof(Node));
        s->expanded += (uint64_t)count;
        for (int i = 0; i < count; i++) VARIANT(view)(s, &batch[i], &views[i]);

        /* All children, and the most promising axis of the moving side. */
        int made = 0, living = 0;
        for (int i = 0; i < count; i++) {
            const Node *n = &batch[i];
            const VARIANT(View) *v = &views[i];
            const int a = v->order[0];
            for (uint32_t left = n->allowed; left; left &= left - 1, made++) {
                const uint32_t move = (uint32_t)__builtin_ctz(left);
                const unsigned skip = v->certain[a] >> move & 1;
                candidates[made].node = (uint8_t)i;
                candidates[made].move = (uint8_t)move;
                candidates[made].remaining = (uint8_t)(n->remaining - s->cost[move]);
                candidates[made].unknown = (uint8_t)(skip << a);
                const size_t entry = skip ? nothing : VARIANT(child)(kept, v, a, move);
                entries[made][0] = entry;
                __builtin_prefetch(t->entries + entry / 4);
                lookups += !skip;
            }
        }
        s->nodes += (uint64_t)made;
        for (int j = 0; j < made; j++) {
            const unsigned code = VARIANT(code)(t, entries[j][0]);
            candidates[j].codes[0] = (uint8_t)code;
            alive[living] = (uint16_t)j;
            living += (int)VARIANT(passes)(
                t, kept, entries[j][0], code, candidates[j].remaining);
        }

        /* The two other axes of the moving side. If none of the three leaves a move to spare, the
         * other side has no move to begin with. */
        int surviving = 0;
        for (int j = 0; j < living; j++) {
            Candidate *c = &candidates[alive[j]];
            const VARIANT(View) *v = &views[c->node];
            for (int i = 0; i < 2; i++) {
                const int a = v->order[i + 1];
                const unsigned skip = v->certain[a] >> c->move & 1;
                c->unknown |= (uint8_t)(skip << a);
                const size_t entry = skip ? nothing : VARIANT(child)(kept, v, a, c->move);
                entries[j][i] = entry;
                __builtin_prefetch(t->entries + entry / 4);
                lookups += !skip;
            }
        }
        for (int j = 0; j < living; j++) {
            Candidate *c = &candidates[alive[j]];
            const unsigned first = VARIANT(code)(t, entries[j][0]);
            const unsigned second = VARIANT(code)(t, entries[j][1]);
            const unsigned tight = t->tight[c->remaining];
            const unsigned passing =
                VARIANT(passes)(t, kept, entries[j][0], first, c->remaining)
                & VARIANT(passes)(t, kept, entries[j][1], second, c->remaining);
            c->codes[1] = (uint8_t)first;
            c->codes[2] = (uint8_t)second;
            alive[surviving] = alive[j];
            surviving += (int)passing
                & !((c->codes[0] == tight) & (first == tight) & (second == tight));
        }
        living = surviving;

        /* The other side: nothing changes along the axis of the move. */
        surviving = 0;
        for (int j = 0; j < living; j++) {
            const Candidate *c = &candidates[alive[j]];
            const uint8_t *across = others[axis_of[c->move]];
            for (int i = 0; i < 2; i++) {
                const int a = across[i];
                const size_t entry = VARIANT(entry_after)(
                    kept, views[c->node].other[a], &coordinates[c->move][a]);
                entries[j][i] = entry;
                __builtin_prefetch(t->entries + entry / 4);
            }
        }
        lookups += 2 * (uint64_t)living;
        for (int j = 0; j < living; j++) {
            Candidate *c = &candidates[alive[j]];
            const unsigned first = VARIANT(code)(t, entries[j][0]);
            const unsigned second = VARIANT(code)(t, entries[j][1]);
            const unsigned passing =
                VARIANT(passes)(t, kept, entries[j][0], first, c->remaining)
                & VARIANT(passes)(t, kept, entries[j][1], second, c->remaining);
            c->codes[3] = (uint8_t)first;
            c->codes[4] = (uint8_t)second;
            alive[surviving] = alive[j];
            surviving += (int)passing;
        }

        /* What was left out, for the survivors. */
        for (int j = 0; j < surviving; j++) {
            const Candidate *c = &candidates[alive[j]];
            for (unsigned left = c->unknown; left; left &= left - 1)
                __builtin_prefetch(t->entries + VARIANT(child)(
                    kept, &views[c->node], __builtin_ctz(left), c->move) / 4);
        }
        for (int j = 0; j < surviving; j++) {
            const Candidate *c = &candidates[alive[j]];
            const VARIANT(View) *v = &views[c->node];
            const Node *n = &batch[c->node];
            Node *child = &s->stack[s->top];
            Bounds *moving = child->bounds[n->side], *other = child->bounds[!n->side];
            VARIANT(make)(child, n, c);
            if (c->remaining <= t->base) {
                /* Entries of 0 tell too little here; this is rare. */
                if (!memcmp(&child->state[0], &solved, sizeof solved)) {
                    if (s->every_solution) {
                        note_solution(s, child);
                        continue;
                    }
                    s->found = 1;
                    s->answer = *child;
                    s->top = 0;
                    break;
                }
                lookups += 6;
                s->top += c->remaining && VARIANT(survey)(s, t, child);
                continue;
            }
            for (int i = 0; i < 3; i++) moving[v->order[i]] = t->bounds[c->codes[i]];
            for (unsigned left = c->unknown; left; left &= left - 1, lookups++) {
                const int a = __builtin_ctz(left);
                moving[a] = t->bounds[VARIANT(code)(t, VARIANT(child)(kept, v, a, c->move))];
            }
            const int own = axis_of[c->move];
            other[others[own][0]] = t->bounds[c->codes[3]];
            other[others[own][1]] = t->bounds[c->codes[4]];
            other[own] = n->bounds[!n->side][own];
            s->top += VARIANT(settle)(s, child);
        }
    }
    s->lookups += lookups;
    return s->top == 0;
}

static int VARIANT(search)(Search *s, const Table *t, uint64_t budget) {
    switch (t->kept) {
    case ALL_FLIPS: return VARIANT(search_kept)(s, t, ALL_FLIPS, budget);
    case OUTER_FLIPS: return VARIANT(search_kept)(s, t, OUTER_FLIPS, budget);
    default: return VARIANT(search_kept)(s, t, MIDDLE_FLIPS, budget);
    }
}
