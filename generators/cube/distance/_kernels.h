/* The inner loops. Included once for every instruction set, with VARIANT(name) naming the copy. */

/* ---- building ---------------------------------------------------------------------------------- */

/* HIGH[a]: the positions of a word whose index has bit a. */
static const uint64_t VARIANT(HIGH)[6] = {
    0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc, 0xf0f0f0f0f0f0f0f0,
    0xff00ff00ff00ff00, 0xffff0000ffff0000, 0xffffffff00000000,
};

static inline __attribute__((always_inline)) void VARIANT(swap_bits)(
    uint64_t *x, const int words, const unsigned a, const unsigned b) {
    if (b < 6) {
        const uint64_t mask = VARIANT(HIGH)[a] & ~VARIANT(HIGH)[b];
        const unsigned shift = (1u << b) - (1u << a);
        for (int w = 0; w < words; w++) {
            uint64_t t = (x[w] >> shift ^ x[w]) & mask;
            x[w] ^= t ^ t << shift;
        }
    } else if (a < 6) {
        const uint64_t mask = VARIANT(HIGH)[a];
        const unsigned shift = 1u << a;
        const int step = 1 << (b - 6);
        for (int high = 0; high < words; high += 2 * step)
            for (int w = high; w < high + step; w++) {
                uint64_t t = (x[w + step] << shift ^ x[w]) & mask;
                x[w] ^= t;
                x[w + step] ^= t >> shift;
            }
    } else {
        const int low = 1 << (a - 6), step = 1 << (b - 6);
        for (int w = 0; w < words; w++)
            if (w & low && !(w & step)) {
                uint64_t t = x[w];
                x[w] = x[w - low + step];
                x[w - low + step] = t;
            }
    }
}

/* Toggle bit a of the index where the sum of all other bits is odd. */
static inline __attribute__((always_inline)) void VARIANT(swap_parity)(
    uint64_t *x, const int words, const unsigned a) {
    static const uint64_t ODD = 0x6996966996696996; /* positions with an odd number of bits */
    if (a < 6) {
        const uint64_t low = ~VARIANT(HIGH)[a];
        const unsigned shift = 1u << a;
        for (int w = 0; w < words; w++) {
            uint64_t mask = low & (ODD ^ -(uint64_t)(__builtin_popcount((unsigned)w) & 1));
            uint64_t t = (x[w] >> shift ^ x[w]) & mask;
            x[w] ^= t ^ t << shift;
        }
    } else {
        const int step = 1 << (a - 6);
        for (int w = 0; w < words; w++)
            if (!(w & step)) {
                uint64_t mask = ODD ^ -(uint64_t)(__builtin_popcount((unsigned)w) & 1);
                uint64_t t = (x[w] ^ x[w + step]) & mask;
                x[w] ^= t;
                x[w + step] ^= t;
            }
    }
}

static inline __attribute__((always_inline)) void VARIANT(transform)(
    uint64_t *x, const uint64_t *source, const int words, const Program *p) {
    const unsigned words_toggled = p->toggled >> 6;
    for (int w = 0; w < words; w++) x[w] = source[(unsigned)w ^ words_toggled];
    for (unsigned a = 0; a < 6; a++)
        if (p->toggled >> a & 1) {
            const uint64_t high = VARIANT(HIGH)[a];
            for (int w = 0; w < words; w++)
                x[w] = (x[w] & high) >> (1u << a) | (x[w] & ~high) << (1u << a);
        }
    if (p->parity != 255) VARIANT(swap_parity)(x, words, p->parity);
    for (int i = 0; i < p->count; i++)
        VARIANT(swap_bits)(x, words, p->steps[i] >> 4, p->steps[i] & 15);
}

static inline __attribute__((always_inline)) uint64_t VARIANT(level_block)(
    const Build *b, const int kept, const int class_low, const int class_high) {
    const int words = kept == ALL_FLIPS ? 32 : kept == OUTER_FLIPS ? 4 : 1;
    const size_t bytes = kept == MIDDLE_FLIPS ? 2 : 8 * (size_t)words;
    const uint64_t full = kept == MIDDLE_FLIPS ? 0xffff : UINT64_MAX;
    const int even = b->level % 2 == 0; /* where this level goes: out's second plane, or other */
    const uint8_t *last = even ? b->other : b->out + bytes;
    uint8_t *next = even ? b->out + bytes : b->other;
    const size_t last_step = even ? bytes : 2 * bytes, next_step = even ? 2 * bytes : bytes;
    uint64_t collected[SLICES * 32];
    uint8_t done[SLICES];
    uint64_t count = 0;
    for (int class = class_low; class < class_high; class++) {
        const size_t first = (size_t)class * SLICES;
        for (int s = 0; s < SLICES; s++) {
            uint64_t seen[32] = {0}, all = full;
            memcpy(seen, b->out + (first + (size_t)s) * 2 * bytes, bytes);
            for (int w = 0; w < words; w++) all &= seen[w], collected[s * words + w] = 0;
            done[s] = all == full;
        }
        for (int m = 0; m < MOVES; m++) {
            if (b->quarter_turns && m % 3 == 1) continue;
            const uint32_t moved = cubes.corner_move[class * 16][m];
            const size_t from = (size_t)(moved >> 4) * SLICES;
            const Program *p = b->programs + ((size_t)m * AXIAL + (moved & 15)) * SLICES;
            for (int s = 0; s < SLICES; s++, p++) {
                if (done[s] || !b->active[from + p->slice]) continue;
                uint64_t source[32], x[32];
                source[0] = 0;
                memcpy(source, last + (from + p->slice) * last_step, bytes);
                VARIANT(transform)(x, source, words, p);
                for (int w = 0; w < words; w++) collected[s * words + w] |= x[w];
            }
        }
        for (int s = 0; s < SLICES; s++) {
            const size_t block = first + (size_t)s;
            uint8_t *planes = b->out + block * 2 * bytes;
            uint64_t seen[32] = {0}, fresh[32], any = 0, entries = 0;
            memcpy(seen, planes, bytes);
            for (int w = 0; w < words; w++) {
                fresh[w] = collected[s * words + w] & ~seen[w];
                any |= fresh[w];
                entries += (uint64_t)__builtin_popcountll(fresh[w]);
                if (b->level <= b->base && fresh[w] && !seen[w]) {
                    const size_t stripe = block * (size_t)words + (size_t)w;
                    const int shift = 4 * (stripe & 1);
                    uint8_t *pair = b->minima + stripe / 2;
                    *pair = (uint8_t)((*pair & ~(15 << shift)) | b->level << shift);
                }
                seen[w] |= fresh[w];
            }
            b->active_next[block] = any != 0;
            memcpy(next + block * next_step, fresh, bytes);
            if (any) memcpy(planes, seen, bytes);
            count += entries * cubes.orbit[class];
        }
    }
    return count;
}

static uint64_t VARIANT(build_level)(const Build *b, int class_low, int class_high) {
    switch (b->kept) {
    case ALL_FLIPS: return VARIANT(level_block)(b, ALL_FLIPS, class_low, class_high);
    case OUTER_FLIPS: return VARIANT(level_block)(b, OUTER_FLIPS, class_low, class_high);
    default: return VARIANT(level_block)(b, MIDDLE_FLIPS, class_low, class_high);
    }
}

/* Bits 0..31 to the even positions of 64. */
static inline uint64_t VARIANT(spread)(uint64_t x) {
    x = (x | x << 16) & 0x0000ffff0000ffff;
    x = (x | x << 8) & 0x00ff00ff00ff00ff;
    x = (x | x << 4) & 0x0f0f0f0f0f0f0f0f;
    x = (x | x << 2) & 0x3333333333333333;
    return (x | x << 1) & 0x5555555555555555;
}

/* Entries: 0 for at most base, 1 for base + 1, 2 for base + 2, 3 for more; the last level is base + 2. */
static void VARIANT(build_finish)(const Build *b, int class_low, int class_high) {
    const int words = b->kept == ALL_FLIPS ? 32 : b->kept == OUTER_FLIPS ? 4 : 1;
    const size_t bytes = b->kept == MIDDLE_FLIPS ? 2 : 8 * (size_t)words;
    for (size_t block = (size_t)class_low * SLICES; block < (size_t)class_high * SLICES; block++) {
        uint8_t *planes = b->out + block * 2 * bytes;
        uint64_t seen[32] = {0}, inner[32] = {0}, outer[32] = {0}, entries[64];
        memcpy(seen, planes, bytes);
        memcpy(inner, planes + bytes, bytes);
        memcpy(outer, b->other + block * bytes, bytes);
        for (int w = 0; w < words; w++) {
            const uint64_t one = (b->base + 1) % 2 ? outer[w] : inner[w];
            const uint64_t two = (b->base + 1) % 2 ? inner[w] : outer[w];
            const uint64_t low = one | ~seen[w], high = two | ~seen[w];
            entries[2 * w] = VARIANT(spread)(low & 0xffffffff)
                | VARIANT(spread)(high & 0xffffffff) << 1;
            entries[2 * w + 1] = VARIANT(spread)(low >> 32) | VARIANT(spread)(high >> 32) << 1;
        }
        memcpy(planes, entries, 2 * bytes);
    }
}

/* ---- searching --------------------------------------------------------------------------------- */

#ifdef __BMI2__
#define COMPRESS(bits, mask) _pext_u32(bits, mask)
#else
#define COMPRESS(bits, mask) compress(bits, mask)
#endif

static inline size_t VARIANT(entry)(
    const Table *t, const int kept, uint32_t corner, unsigned slice, unsigned flips) {
    const uint32_t seen = cubes.slice_image[slice][corner & 15];
    const unsigned target = seen & 0xffff;
    unsigned bits = cubes.flip_image[flips][corner & 15] ^ seen >> 16;
    (void)t;
    if (kept == ALL_FLIPS) bits &= 0x7ff;
    else if (kept == OUTER_FLIPS) bits = COMPRESS(bits, ~cubes.slice_mask[target] & 0xfffu);
    else bits = COMPRESS(bits, cubes.slice_mask[target]);
    return (((size_t)(corner >> 4) * SLICES + target) << kept) + bits;
}

static inline void VARIANT(prefetch)(const Table *t, size_t entry) {
    __builtin_prefetch(t->entries + entry / 4, 0, 0);
}

/* Bounds of the distance: exact if base + 1 or base + 2; the lower one is enough to prune with, and
 * is looked up in the minima only where it can matter. */
static inline Bounds VARIANT(bounds)(
    const Table *t, const int kept, size_t entry, int remaining) {
    const unsigned code = t->entries[entry / 4] >> 2 * (entry & 3) & 3;
    Bounds b = t->bounds[code];
    if (!code && remaining <= t->base) {
        const size_t stripe = entry >> (kept < 6 ? kept : 6);
        b.low = t->minima[stripe / 2] >> 4 * (stripe & 1) & 15;
    }
    return b;
}

#ifdef __AVX2__
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

static inline void VARIANT(gather)(
    __m256i v, uint32_t *corner, uint16_t *slice, uint16_t *flips) {
    const unsigned first = (unsigned)_mm256_movemask_epi8(v);
    const unsigned second = (unsigned)_mm256_movemask_epi8(_mm256_add_epi8(v, v));
    const __m128i twists = _mm_and_si128(_mm256_extracti128_si256(v, 1), _mm_set1_epi8(3));
    const __m128i pairs = _mm_maddubs_epi16(
        twists, _mm_setr_epi8(1, 3, 1, 3, 1, 3, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0));
    const uint64_t fours = (uint64_t)_mm_cvtsi128_si64(
        _mm_madd_epi16(pairs, _mm_setr_epi16(1, 9, 1, 9, 0, 0, 0, 0)));
    const unsigned twist = (unsigned)(fours & 0xffffffff) + 81 * (unsigned)(fours >> 32);
    *flips = first & 0xfff;
    *slice = cubes.slice_id[second & 0xfff];
    *corner = cubes.corner_id[twist * SPLITS + cubes.split_id[first >> 16 & 0xff]];
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

static inline void VARIANT(gather)(Bytes v, uint32_t *corner, uint16_t *slice, uint16_t *flips) {
    unsigned flipped = 0, middle = 0, upper = 0, twist = 0;
    for (int i = 0; i < 12; i++) {
        flipped |= (unsigned)(v.b[i] >> 7) << i;
        middle |= (unsigned)(v.b[i] >> 6 & 1) << i;
    }
    for (int i = 7; i >= 0; i--) {
        upper |= (unsigned)(v.b[16 + i] >> 7) << i;
        if (i < 7) twist = 3 * twist + (v.b[16 + i] & 3);
    }
    *flips = (uint16_t)flipped;
    *slice = cubes.slice_id[middle];
    *corner = cubes.corner_id[twist * SPLITS + cubes.split_id[upper]];
}
#endif

/* The coordinates of the state v as seen along axis a, after the moves that `r` stands for. */
static inline void VARIANT(look)(Seen *seen, int a, VARIANT(Vector) v, const Relabelling *r) {
    VARIANT(gather)(VARIANT(relabel)(v, r), &seen->corner[a], &seen->slice[a], &seen->flips[a]);
}

/* Which moves may come next at either end, and at which end it is better to go on. Returns 0 if the
 * state cannot be solved in the moves that remain. */
static inline int VARIANT(settle)(const Search *s, Node *n) {
    uint32_t allowed[2] = {follow[n->last[0]], follow[n->last[1]]};
    for (int side = 0; side < 2; side++)
        for (int a = 0; a < 3; a++) {
            const int slack = n->remaining - n->seen[side].bounds[a].low;
            allowed[!side] &= ~s->closed[a][slack < 2 ? slack : 2];
        }
    if (!allowed[0] || !allowed[1]) return 0;
    n->side = __builtin_popcount(allowed[1]) < __builtin_popcount(allowed[0]);
    n->allowed = allowed[n->side];
    return 1;
}

/* Look at a root along all axes; returns 0 if it needs more moves than remain. */
static int VARIANT(survey)(const Search *s, const Table *t, Node *n) {
    int least = 1;
    for (int side = 0; side < 2; side++)
        for (int a = 0; a < 3; a++) {
            Seen *seen = &n->seen[side];
            VARIANT(look)(seen, a, VARIANT(rearrange)(VARIANT(load)(&n->state[side]), &turned[a]),
                          &coordinates[MOVES][a]);
            const size_t entry = VARIANT(entry)(
                t, t->kept, seen->corner[a], seen->slice[a], seen->flips[a]);
            seen->bounds[a] = VARIANT(bounds)(t, t->kept, entry, n->remaining);
            least &= seen->bounds[a].low <= n->remaining;
        }
    return least && VARIANT(settle)(s, n);
}

static inline __attribute__((always_inline)) int VARIANT(search_kept)(
    Search *s, const Table *t, const int kept, uint64_t budget) {
    Node batch[BATCH];
    VARIANT(Vector) views[BATCH][3];
    Candidate candidates[BATCH * MOVES];
    uint16_t alive[BATCH * MOVES], pending[BATCH * MOVES];
    size_t entries[BATCH * MOVES];
    const uint64_t stop = budget > UINT64_MAX - s->nodes ? UINT64_MAX : s->nodes + budget;

    while (s->top && s->nodes < stop) {
        const int count = s->top < BATCH ? (int)s->top : BATCH;
        s->top -= (uint32_t)count;
        memcpy(batch, s->stack + s->top, (size_t)count * sizeof(Node));
        s->expanded += (uint64_t)count;

        /* All children of the batch; the axes that promise most come first. */
        int living = 0;
        for (int i = 0; i < count; i++) {
            Node *n = &batch[i];
            const Bounds *b = n->seen[n->side].bounds;
            int x = 0, y = 1, z = 2;
            if (b[y].high > b[x].high) { const int w = x; x = y; y = w; }
            if (b[z].high > b[y].high) { const int w = y; y = z; z = w; }
            if (b[y].high > b[x].high) { const int w = x; x = y; y = w; }
            n->order[0] = (uint8_t)x, n->order[1] = (uint8_t)y, n->order[2] = (uint8_t)z;
            const VARIANT(Vector) other = VARIANT(load)(&n->state[!n->side]);
            for (int a = 0; a < 3; a++) views[i][a] = VARIANT(rearrange)(other, &turned[a]);
            for (uint32_t left = n->allowed; left; left &= left - 1) {
                Candidate *c = &candidates[living];
                c->node = (uint8_t)i;
                c->move = (uint8_t)__builtin_ctz(left);
                c->remaining = (uint8_t)(n->remaining - s->cost[c->move]);
                c->unknown = 0;
                alive[living] = (uint16_t)living;
                living++;
            }
        }
        s->nodes += (uint64_t)living;

        /* The moving side: where a distance can only have come close enough, look later. */
        for (int stage = 0; stage < 3; stage++) {
            int waiting = 0, kept_alive = 0;
            for (int j = 0; j < living; j++) {
                Candidate *c = &candidates[alive[j]];
                const Node *n = &batch[c->node];
                const int a = n->order[stage], m = cubes.move_image[16 * a][c->move];
                const Seen *from = &n->seen[n->side];
                Seen *to = &c->seen[0];
                to->corner[a] = cubes.corner_move[from->corner[a]][m];
                to->slice[a] = cubes.slice_move[from->slice[a]][m];
                to->flips[a] = cubes.flip_move[from->flips[a]][m];
                if (from->bounds[a].high + s->cost[c->move] <= c->remaining) {
                    c->unknown |= (uint8_t)(1 << a);
                    pending[j] = 0;
                    continue;
                }
                entries[j] = VARIANT(entry)(t, kept, to->corner[a], to->slice[a], to->flips[a]);
                VARIANT(prefetch)(t, entries[j]);
                pending[j] = 1;
                waiting++;
            }
            for (int j = 0; j < living; j++) {
                Candidate *c = &candidates[alive[j]];
                int keep = 1;
                if (pending[j]) {
                    const int a = batch[c->node].order[stage];
                    const Bounds b = VARIANT(bounds)(t, kept, entries[j], c->remaining);
                    c->seen[0].bounds[a] = b;
                    keep = b.low <= c->remaining;
                }
                alive[kept_alive] = alive[j];
                kept_alive += keep;
            }
            s->lookups += (uint64_t)waiting;
            living = kept_alive;
        }

        /* The other side: nothing changes along the axis of the move. */
        for (int stage = 0; stage < 2; stage++) {
            int kept_alive = 0;
            for (int j = 0; j < living; j++) {
                Candidate *c = &candidates[alive[j]];
                const int a = (axis_of[c->move] + 1 + stage) % 3;
                Seen *to = &c->seen[1];
                VARIANT(look)(to, a, views[c->node][a], &coordinates[c->move][a]);
                entries[j] = VARIANT(entry)(t, kept, to->corner[a], to->slice[a], to->flips[a]);
                VARIANT(prefetch)(t, entries[j]);
            }
            for (int j = 0; j < living; j++) {
                Candidate *c = &candidates[alive[j]];
                const int a = (axis_of[c->move] + 1 + stage) % 3;
                const Bounds b = VARIANT(bounds)(t, kept, entries[j], c->remaining);
                c->seen[1].bounds[a] = b;
                alive[kept_alive] = alive[j];
                kept_alive += b.low <= c->remaining;
            }
            s->lookups += (uint64_t)living;
            living = kept_alive;
        }

        /* What was left out, for the survivors. */
        for (int j = 0; j < living; j++) {
            Candidate *c = &candidates[alive[j]];
            for (int a = 0; a < 3; a++)
                if (c->unknown >> a & 1) {
                    const Seen *to = &c->seen[0];
                    VARIANT(prefetch)(t, VARIANT(entry)(
                        t, kept, to->corner[a], to->slice[a], to->flips[a]));
                }
        }
        for (int j = 0; j < living; j++) {
            Candidate *c = &candidates[alive[j]];
            const Node *n = &batch[c->node];
            const int side = n->side;
            for (int a = 0; a < 3; a++)
                if (c->unknown >> a & 1) {
                    Seen *to = &c->seen[0];
                    to->bounds[a] = VARIANT(bounds)(t, kept, VARIANT(entry)(
                        t, kept, to->corner[a], to->slice[a], to->flips[a]), c->remaining);
                    s->lookups++;
                }
            const int own = axis_of[c->move];
            c->seen[1].corner[own] = n->seen[!side].corner[own];
            c->seen[1].slice[own] = n->seen[!side].slice[own];
            c->seen[1].flips[own] = n->seen[!side].flips[own];
            c->seen[1].bounds[own] = n->seen[!side].bounds[own];

            Node *child = &s->stack[s->top];
            child->seen[side] = c->seen[0];
            child->seen[!side] = c->seen[1];
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
            if (!memcmp(&child->state[0], &solved, sizeof solved)) {
                s->found = 1;
                s->answer = *child;
                s->top = 0;
                return 1;
            }
            if (child->remaining && VARIANT(settle)(s, child)) s->top++;
        }
    }
    return s->top == 0;
}

static int VARIANT(search)(Search *s, const Table *t, uint64_t budget) {
    switch (t->kept) {
    case ALL_FLIPS: return VARIANT(search_kept)(s, t, ALL_FLIPS, budget);
    case OUTER_FLIPS: return VARIANT(search_kept)(s, t, OUTER_FLIPS, budget);
    default: return VARIANT(search_kept)(s, t, MIDDLE_FLIPS, budget);
    }
}
