/* What holds in a state: rays, closed cells, and where the player can walk to; as in
 * engine/active_devices.py.
 *
 * Situations are worked out once. Things matter to one only where a laser passes while the sources
 * settle, and in rows that are watched; so an entry keeps these cells and the things that lay there,
 * and serves every state of equal weights, switches and portals whose things agree on these cells.
 */
#include "_tables.h"

enum { MOST_ROUNDS = 64, NO_SITUATION = -1 };

typedef struct {
    int ready;
    u64 of[MOST_BITS];   /* the areas that one can walk to from each */
    int count, *cells;   /* the other cells that one may walk over */
    u64 *joined;         /* the areas around each of them */
} Zones;

typedef struct {
    int fixture, first;  /* a beam's first cell */
    u64 near;            /* the areas beside it */
} BeamPath;

typedef struct {
    u64 hash;
    int blue, orange;
    uint8_t *on;
    u64 *closed, *decks, *watched;
    i16 *rides;          /* by cell: where a beam carries what is there, or -1; NULL without beams */
    BeamPath *beam;
    int beams;
    Zones zones[2];      /* with free hands, and burdened */
} Situation;

typedef struct {
    u64 felt, running;
    int blue, orange, situation, next;
    u64 *lit;            /* the cells of the lasers, and those that are watched */
    int count, *held;    /* the things that lie there: cell and facing */
} Entry;

typedef struct {
    Tables *t;
    Situation **situation;
    int situations, room, *by_content, content_slots;
    Entry *entry;
    int entries, entry_room, *by_key, key_slots;
    int *stamp, stamps; /* what tracing needs at hand */
    int *path, paths, path_room; /* fixture, kind, end cell, end way, count, cells, and so on */
    u64 *lit, *watched;
} Memory;

/* The parts of a state. */
#define PLAYER(s) ((s)[0])
#define BLUE(s) ((s)[1])
#define ORANGE(s) ((s)[2])
#define GIVEN(t, s) ((s) + 3)
#define THINGS(t, s) ((s) + 3 + (t)->givers)
#define FACINGS(t, s) ((s) + 3 + (t)->givers + (t)->things)
#define TIMERS(t, s) ((s) + 3 + (t)->givers + 2 * (t)->things)

static inline int has(const u64 *set, int cell) { return (int)(set[cell >> 6] >> (cell & 63) & 1); }
static inline void put_in(u64 *set, int cell) { set[cell >> 6] |= (u64)1 << (cell & 63); }
static inline u64 bit(int i) { return (u64)1 << i; }
static inline int lowest(u64 bits) { return __builtin_ctzll(bits); }

static u64 mixed(u64 hash, u64 value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 29;
}

static void *grown(Tables *t, void *items, int *room, size_t size) {
    int wanted = *room ? 2 * *room : 256;
    void *larger = realloc(items, size * (size_t)wanted);
    if (!larger) give_up(t, OUT_OF_MEMORY);
    *room = wanted;
    return larger;
}

/* --- rays --------------------------------------------------------------------------------------- */

static void add_to_path(Memory *m, int value) {
    if (m->paths == m->path_room) m->path = grown(m->t, m->path, &m->path_room, sizeof(int));
    m->path[m->paths++] = value;
}

/* Return the face to which a portal on a face leads, as 6 * cell + way, or -1. */
static int linked(const Tables *t, int blue, int orange, int cell, int way) {
    int panel = panel_on(t, cell, way);
    if (panel < 0 || blue == UNSET || orange == UNSET || (panel != blue && panel != orange)) return -1;
    int other = panel == blue ? orange : blue;
    return 6 * t->face_cell[other] + t->face_way[other];
}

/* Return what a laser meets at a cell: -2 nothing, -1 a thing that stops it, else a direction. */
static int met(const Tables *t, const i16 *s, int cell) {
    int found = -2;
    for (int i = 0; i < t->things; i++)
        if (THINGS(t, s)[i] == cell) found = t->turns[i] ? FACINGS(t, s)[i] : -1;
    return found;
}

/* Add the way of a ray to the paths; nothing if it begins in a closed cell. */
static void trace(Memory *m, const i16 *s, const u64 *closed, int fixture, int kind, int cell, int way) {
    const Tables *t = m->t;
    int start = m->paths, laser = kind == LASER, ends = 1;
    if (has(closed, cell)) return;
    int header[5] = {fixture, kind, -1, -1, 0};
    for (int i = 0; i < 5; i++) add_to_path(m, header[i]);
    m->stamps++;
    while (!has(closed, cell)) {
        if (m->stamp[6 * cell + way] == m->stamps) {
            ends = 0;
            break;
        }
        m->stamp[6 * cell + way] = m->stamps;
        add_to_path(m, cell);
        if (laser) {
            put_in(m->lit, cell);
            int facing = met(t, s, cell);
            if (facing == -1) {
                ends = 0;
                break;
            }
            if (facing >= 0) way = facing;
        }
        int ahead = cell + t->offset[way];
        if (is_free(t, ahead)) {
            if (has(closed, ahead)) break;
            cell = ahead;
            continue;
        }
        int face = linked(t, BLUE(s), ORANGE(s), cell, way);
        if (face < 0) break;
        cell = face / 6;
        way = opposite(face % 6);
    }
    if (ends) m->path[start + 2] = cell, m->path[start + 3] = way;
    m->path[start + 4] = m->paths - start - 5;
}

/* --- what holds --------------------------------------------------------------------------------- */

static void close_cells(const Tables *t, const uint8_t *on, u64 *closed) {
    memset(closed, 0, sizeof(u64) * (size_t)t->words);
    for (int i = 0; i < t->fixtures; i++) {
        const List *solid = &t->fixture[i].solid[on[i]];
        for (int k = 0; k < solid->count; k++) put_in(closed, solid->item[k]);
    }
}

static void trace_all(Memory *m, const i16 *s, const uint8_t *on, const u64 *closed) {
    const Tables *t = m->t;
    m->paths = 0;
    for (int e = 0; e < t->emitters; e++) {
        int i = t->emitter[3 * e];
        const Ray *ray = &t->fixture[i].ray[on[i]];
        if (ray->kind) trace(m, s, closed, i, ray->kind, t->emitter[3 * e + 1], t->emitter[3 * e + 2]);
    }
}

/* Work out which fixtures are on after a round. */
static void drive(Memory *m, u64 felt, u64 running, uint8_t *on) {
    const Tables *t = m->t;
    for (int i = 0; i < t->fixtures; i++) {
        const Fixture *f = t->fixture + i;
        on[i] = 1;
        if (f->sense == WEIGHT) {
            int place = t->felt_at[f->sense_cell];
            on[i] = place >= 0 && felt >> place & 1;
        } else if (f->sense == TIME) {
            on[i] = running >> f->sense_way & 1;
        } else if (f->sense == LIGHT) {
            on[i] = 0;
            for (int at = 0; at < m->paths; at += 5 + m->path[at + 4])
                if (m->path[at + 1] == LASER && m->path[at + 2] == f->sense_cell &&
                    m->path[at + 3] == f->sense_way)
                    on[i] = 1;
        }
    }
    /* In their order, as the inputs of one may be driven themselves. */
    for (int i = 0; i < t->fixtures; i++) {
        const List *inputs = &t->fixture[i].inputs;
        if (!inputs->count) continue;
        int all = 1;
        for (int k = 0; k < inputs->count; k++) all &= on[inputs->item[k]];
        on[i] = (uint8_t)all;
    }
}

static void carry(Situation *now, const Tables *t, const int *path) {
    int fixture = path[0], count = path[4];
    int end = path[5 + (t->fixture[fixture].ray[now->on[fixture]].backwards ? 0 : count - 1)];
    BeamPath *beam = now->beam + now->beams++;
    *beam = (BeamPath){fixture, path[5], 0};
    for (int k = 0; k < count; k++) {
        int cell = path[5 + k], areas[4], heights[4];
        /* Where two beams cross, what comes there is held. */
        int before = now->rides[cell] < 0 ? end : now->rides[cell];
        now->rides[cell] = (i16)(before == end ? end : cell);
        if (t->areas_of[cell] >= 0) beam->near |= bit(t->areas_of[cell]);
        int sides = beside(t, cell, areas, heights);
        for (int i = 0; i < sides; i++)
            if (heights[i] <= 1) beam->near |= bit(areas[i]);
    }
}

static Situation *gathered(Memory *m, const i16 *s, const uint8_t *on, const u64 *closed, u64 hash) {
    Tables *t = m->t;
    size_t set = sizeof(u64) * (size_t)t->words;
    Situation *now = claim(t, sizeof(Situation));
    now->hash = hash;
    now->blue = BLUE(s);
    now->orange = ORANGE(s);
    now->on = memcpy(claim(t, (size_t)t->fixtures), on, (size_t)t->fixtures);
    now->closed = memcpy(claim(t, set), closed, set);
    now->watched = memcpy(claim(t, set), m->watched, set);
    now->decks = claim(t, set);
    now->beam = claim(t, sizeof(BeamPath) * (size_t)t->emitters);
    for (int at = 0; at < m->paths; at += 5 + m->path[at + 4]) {
        const int *path = m->path + at;
        if (path[1] == BRIDGE)
            for (int k = 0; k < path[4]; k++) put_in(now->decks, path[5 + k]);
        if (path[1] == BEAM) {
            if (!now->rides) {
                now->rides = claim(t, sizeof(i16) * (size_t)t->cells);
                for (int i = 0; i < t->cells; i++) now->rides[i] = -1;
            }
            carry(now, t, path);
        }
    }
    return now;
}

/* Gather the cells in which nobody walks who is seen there: those of each row that come before the
 * first that is closed or that a thing lies in. Whole rows count as lit: things matter there. */
static void watch(Memory *m, const i16 *s, const uint8_t *on, const u64 *closed) {
    const Tables *t = m->t;
    memset(m->watched, 0, sizeof(u64) * (size_t)t->words);
    for (int i = 0; i < t->fixtures; i++) {
        const List *row = t->fixture[i].watch + on[i];
        for (int k = 0, seen = 1; k < row->count; k++) {
            put_in(m->lit, row->item[k]);
            seen &= !has(closed, row->item[k]) && met(t, s, row->item[k]) == -2;
            if (seen) put_in(m->watched, row->item[k]);
        }
    }
}

/* Return the number of the situation that follows from what is on, what is watched and where portals
 * are. All but where lasers go does, and they matter by what they turn on alone. */
static int kept(Memory *m, const i16 *s, const uint8_t *on, const u64 *closed) {
    Tables *t = m->t;
    u64 hash = mixed(mixed(1, (u64)(BLUE(s) + 1)), (u64)(ORANGE(s) + 1));
    for (int i = 0; i < t->fixtures; i++) hash = mixed(hash, on[i]);
    size_t set = sizeof(u64) * (size_t)t->words;
    for (int i = 0; i < t->words; i++)
        if (m->watched[i]) hash = mixed(hash, m->watched[i] + (u64)i);
    if (2 * m->situations >= m->content_slots) {
        m->content_slots = m->content_slots ? 4 * m->content_slots : 1024;
        m->by_content = claim(t, sizeof(int) * (size_t)m->content_slots);
        for (int i = 0; i < m->situations; i++) {
            u64 slot = m->situation[i]->hash & (u64)(m->content_slots - 1);
            while (m->by_content[slot]) slot = (slot + 1) & (u64)(m->content_slots - 1);
            m->by_content[slot] = i + 1;
        }
    }
    u64 slot = hash & (u64)(m->content_slots - 1);
    for (; m->by_content[slot]; slot = (slot + 1) & (u64)(m->content_slots - 1)) {
        const Situation *other = m->situation[m->by_content[slot] - 1];
        if (other->hash == hash && other->blue == BLUE(s) && other->orange == ORANGE(s) &&
            !memcmp(other->on, on, (size_t)t->fixtures) && !memcmp(other->watched, m->watched, set))
            return m->by_content[slot] - 1;
    }
    Situation *now = gathered(m, s, on, closed, hash);
    if (m->situations == m->room)
        m->situation = grown(t, m->situation, &m->room, sizeof(Situation *));
    m->situation[m->situations] = now;
    m->by_content[slot] = ++m->situations;
    return m->situations - 1;
}

/* Let the sources settle; return the number of the situation, or NO_SITUATION. */
static int settle(Memory *m, const i16 *s, u64 felt, u64 running) {
    Tables *t = m->t;
    uint8_t on[MOST_ROUNDS + 1][MOST_FIXTURES];
    static _Thread_local u64 closed[(40 * 40 * 13 + 63) / 64];
    size_t width = (size_t)t->fixtures;
    memset(on[0], 0, width);
    memset(m->lit, 0, sizeof(u64) * (size_t)t->words);
    for (int round = 0; round < MOST_ROUNDS; round++) {
        for (int k = 0; k < round; k++)
            if (!memcmp(on[k], on[round], width)) return NO_SITUATION;
        close_cells(t, on[round], closed);
        trace_all(m, s, on[round], closed);
        drive(m, felt, running, on[round + 1]);
        if (!memcmp(on[round], on[round + 1], width)) {
            watch(m, s, on[round], closed);
            return kept(m, s, on[round], closed);
        }
    }
    return NO_SITUATION;
}

static int serves(const Memory *m, const Entry *e, const i16 *s, u64 felt, u64 running) {
    const Tables *t = m->t;
    if (e->felt != felt || e->running != running || e->blue != BLUE(s) || e->orange != ORANGE(s))
        return 0;
    if (!t->lying) return 1;
    int count = 0;
    for (int i = 0; i < t->things; i++) {
        int cell = THINGS(t, s)[i], found = 0;
        if (cell < 0 || !has(e->lit, cell)) continue;
        int facing = t->turns[i] ? FACINGS(t, s)[i] : -1;
        for (int k = 0; k < e->count; k++)
            found |= e->held[2 * k] == cell && e->held[2 * k + 1] == facing;
        if (!found) return 0;
        count++;
    }
    return count == e->count;
}

static void remember(Memory *m, const i16 *s, u64 felt, u64 running, int situation, u64 slot) {
    Tables *t = m->t;
    if (m->entries == m->entry_room) m->entry = grown(t, m->entry, &m->entry_room, sizeof(Entry));
    Entry *e = m->entry + m->entries;
    *e = (Entry){felt, running, BLUE(s), ORANGE(s), situation, m->by_key[slot], NULL, 0, NULL};
    if (t->lying) {
        size_t set = sizeof(u64) * (size_t)t->words;
        e->lit = memcpy(claim(t, set), m->lit, set);
        e->held = claim(t, 2 * sizeof(int) * (size_t)t->things);
        for (int i = 0; i < t->things; i++) {
            int cell = THINGS(t, s)[i];
            if (cell < 0 || !has(e->lit, cell)) continue;
            e->held[2 * e->count] = cell;
            e->held[2 * e->count++ + 1] = t->turns[i] ? FACINGS(t, s)[i] : -1;
        }
    }
    m->by_key[slot] = ++m->entries;
}

/* Return what holds in a state whose player stands at a cell, or nowhere (-1); NULL if nothing. */
static Situation *holding(Memory *m, const i16 *s, int player) {
    Tables *t = m->t;
    u64 felt = 0, running = 0;
    if (player >= 0 && t->felt_at[player] >= 0) felt |= bit(t->felt_at[player]);
    for (int i = 0; i < t->things; i++) {
        int cell = THINGS(t, s)[i];
        if (cell >= 0 && t->felt_at[cell] >= 0) felt |= bit(t->felt_at[cell]);
    }
    for (int i = 0; i < t->switches; i++)
        if (TIMERS(t, s)[i] > 0) running |= bit(i);
    u64 hash = mixed(mixed(felt + 7, running), (u64)(BLUE(s) + 1) << 20 | (u64)(ORANGE(s) + 1));
    u64 slot = hash & (u64)(m->key_slots - 1);
    for (int e = m->by_key[slot]; e; e = m->entry[e - 1].next)
        if (serves(m, m->entry + e - 1, s, felt, running)) {
            int known = m->entry[e - 1].situation;
            return known < 0 ? NULL : m->situation[known];
        }
    int found = settle(m, s, felt, running);
    remember(m, s, felt, running, found, slot);
    return found < 0 ? NULL : m->situation[found];
}

static void open_memory(Memory *m, Tables *t) {
    m->t = t;
    m->key_slots = 1 << 8; /* Few: lists of some entries cost nothing, and each is compared. */
    m->by_key = claim(t, sizeof(int) * (size_t)m->key_slots);
    m->stamp = claim(t, 6 * sizeof(int) * (size_t)t->cells);
    m->lit = claim(t, sizeof(u64) * (size_t)t->words);
    m->watched = claim(t, sizeof(u64) * (size_t)t->words);
}

static void close_memory(Memory *m) {
    free(m->situation);
    free(m->entry);
    free(m->path);
}

static inline int is_open(const Tables *t, const Situation *now, int cell) {
    return is_free(t, cell) && !has(now->closed, cell);
}

static inline int is_deck(const Situation *now, int cell) { return has(now->decks, cell); }

static inline int ride(const Situation *now, int cell) { return now->rides ? now->rides[cell] : -1; }

/* Return the lowest cell, from this one up, that no device closes. */
static int top_of(const Tables *t, const Situation *now, int cell) {
    while (has(now->closed, cell)) cell += t->layer;
    return cell;
}

static int holds(const Tables *t, const Situation *now, int cell) {
    return is_deck(now, cell) || !is_open(t, now, cell - t->layer);
}

/* Return whether something at a cell stays there. */
static int is_held(const Tables *t, const Situation *now, int cell) {
    int to = ride(now, cell);
    if (to >= 0) return to == cell;
    return !has(now->closed, cell) && holds(t, now, cell);
}
