/* Where the player can walk to, and what it sees from there; as in engine/active_devices.py and
 * engine/static_tables.py.
 */
#include "_situation.h"

/* --- walking ------------------------------------------------------------------------------------ */

static u64 whole(const Tables *t, const Zones *z, u64 mask) {
    u64 found = 0;
    for (int a = 0; a < t->areas; a++)
        if (mask >> a & 1) found |= z->of[a];
    return found;
}

static void join(const Tables *t, Zones *z, u64 mask) {
    u64 all = whole(t, z, mask);
    for (int a = 0; a < t->areas; a++)
        if (all >> a & 1) z->of[a] = all;
}

static u64 areas_beside(const Tables *t, int cell) {
    int areas[4], heights[4], count = beside(t, cell, areas, heights);
    u64 mask = 0;
    for (int i = 0; i < count; i++)
        if (heights[i] <= 1) mask |= bit(areas[i]);
    return mask;
}

/* Return whether one can step between two cells that are no plain floor. */
static int touch(const Tables *t, const Situation *now, int one, int other) {
    int z = one / t->layer, w = other / t->layer, a = one % t->layer, b = other % t->layer;
    int across = abs(a % t->wide - b % t->wide) + abs(a / t->wide - b / t->wide);
    if (across != 1 || abs(z - w) > 1) return 0;
    return z == w || is_open(t, now, (one < other ? one : other) + t->layer);
}

static int place_of(const Zones *z, int cell) {
    for (int i = 0; i < z->count; i++)
        if (z->cells[i] == cell) return i;
    return -1;
}

static void find_passable(Tables *t, const Situation *now, Zones *z, int burdened) {
    int most = t->joints, place = 0;
    for (int w = 0; w < t->words; w++) most += __builtin_popcountll(now->decks[w]);
    z->cells = claim(t, sizeof(int) * (size_t)most);
    z->joined = claim(t, sizeof(u64) * (size_t)most);
    for (int i = 0; i < t->joints; i++) {
        int top = top_of(t, now, t->joint[i]);
        if (is_free(t, top) && !(burdened && t->screen[top]) && !has(now->watched, top))
            z->cells[z->count++] = top;
    }
    for (; place < t->words; place++)
        for (u64 left = now->decks[place]; left; left &= left - 1) {
            int cell = 64 * place + lowest(left);
            if (t->areas_of[cell] < 0 && t->special_at[cell] < 0 &&
                !(burdened && t->screen[cell]) && !has(now->watched, cell) && place_of(z, cell) < 0)
                z->cells[z->count++] = cell;
        }
}

/* Join the areas around cells that touch each other; clumps get the number of their first cell. */
static void join_clumps(Tables *t, const Situation *now, Zones *z, int *clump) {
    int *found = claim(t, sizeof(int) * (size_t)z->count);
    for (int i = 0; i < z->count; i++) clump[i] = -1;
    for (int first = 0; first < z->count; first++) {
        if (clump[first] >= 0) continue;
        int count = 1;
        u64 mask = 0;
        found[0] = first;
        clump[first] = first;
        for (int k = 0; k < count; k++) {
            mask |= areas_beside(t, z->cells[found[k]]);
            for (int other = 0; other < z->count; other++)
                if (clump[other] < 0 && touch(t, now, z->cells[found[k]], z->cells[other])) {
                    clump[other] = first;
                    found[count++] = other;
                }
        }
        for (int k = 0; k < count; k++) z->joined[found[k]] = mask;
        join(t, z, mask);
    }
}

/* Join both ends of a pair of portals that one can walk through. */
static void join_portals(const Tables *t, const Situation *now, Zones *z, const int *clump) {
    if (now->blue == UNSET || now->orange == UNSET) return;
    int panels[2] = {now->blue, now->orange}, place[2];
    u64 mask = 0;
    for (int i = 0; i < 2; i++) {
        int cell = t->face_cell[panels[i]], area = t->areas_of[cell];
        if (t->face_way[panels[i]] >= UP) return;
        place[i] = place_of(z, cell);
        if (area < 0 && place[i] < 0) return;
        mask |= area >= 0 ? bit(area) : z->joined[place[i]];
    }
    join(t, z, mask);
    for (int i = 0; i < 2; i++)
        if (place[i] >= 0)
            for (int k = 0; k < z->count; k++)
                if (clump[k] == clump[place[i]]) z->joined[k] = mask;
}

static const Zones *zones(Tables *t, Situation *now, int burdened) {
    Zones *z = now->zones + burdened;
    if (z->ready) return z;
    for (int a = 0; a < t->areas; a++) z->of[a] = bit(a);
    find_passable(t, now, z, burdened);
    int *clump = claim(t, sizeof(int) * (size_t)z->count);
    join_clumps(t, now, z, clump);
    join_portals(t, now, z, clump);
    z->ready = 1;
    return z;
}

/* Return the areas that a player can walk to from a cell. */
static u64 walkable(Tables *t, Situation *now, int burdened, int cell) {
    const Zones *z = zones(t, now, burdened);
    int area = t->areas_of[cell];
    if (area >= 0) return z->of[area];
    u64 mask = areas_beside(t, cell);
    for (int i = 0; i < z->count; i++)
        if (z->cells[i] == cell || touch(t, now, cell, z->cells[i])) mask |= z->joined[i];
    return whole(t, z, mask);
}

/* --- sight -------------------------------------------------------------------------------------- */

static void place(const Tables *t, int cell, int *at) {
    at[2] = cell / t->layer;
    at[0] = cell % t->layer % t->wide;
    at[1] = cell % t->layer / t->wide;
}

/* Add a cell to those that a line passes, if it may close; return whether nothing lies there. */
static int passes(const Tables *t, const int *at, int *cells, int *count) {
    int number = at[0] + t->wide * at[1] + t->layer * at[2];
    if (!is_free(t, number) || t->screen[number]) return 0;
    if (t->changing[number]) cells[(*count)++] = number;
    return 1;
}

/* Add the cells that a line touches only, where it crosses several borders at a time. */
static int grazes(const Tables *t, const int *at, const int *by, int *cells, int *count) {
    for (int some = 1; some < 8; some++) {
        int beside[3], moved = 0, whole = 1;
        for (int axis = 0; axis < 3; axis++) {
            int part = some >> axis & 1 ? by[axis] : 0;
            beside[axis] = at[axis] + part;
            moved |= some >> axis & 1 && !by[axis];
            whole &= part == by[axis];
        }
        if (!moved && !whole && !passes(t, beside, cells, count)) return 0;
    }
    return 1;
}

/* Return the cells that must be open for a panel to be seen from a cell: count and cells; a count
 * of -1 if nothing helps. */
static int *line(Tables *t, int cell, int panel) {
    static const int delta[6][3] = {{1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    static int blind[1] = {-1};
    int **known = t->lines + (size_t)cell * (size_t)t->panels + panel;
    if (*known) return *known;
    const int *way = delta[t->face_way[panel]];
    int eye[3], face[3], cells[7 * 160], count = 0;
    int64_t span[3], units[3], after[3], all = 1;
    place(t, t->eye && is_free(t, cell + t->layer) ? cell + t->layer : cell, eye);
    place(t, t->face_cell[panel], face);
    for (int axis = 0; axis < 3; axis++) {
        if ((face[axis] - eye[axis]) * way[axis] < 0) return *known = blind;
        span[axis] = 2 * (face[axis] - eye[axis]) + way[axis];
        all *= span[axis] ? llabs(span[axis]) : 1;
    }
    /* Times at which the line crosses the next border on each axis, over one common denominator. */
    for (int axis = 0; axis < 3; axis++) {
        units[axis] = span[axis] ? all / llabs(span[axis]) : 0;
        after[axis] = span[axis] ? units[axis] : all;
    }
    for (;;) {
        if (!passes(t, eye, cells, &count)) return *known = blind;
        int64_t time = after[0] < after[1] ? after[0] : after[1];
        if (after[2] < time) time = after[2];
        if (time >= all) break;
        int by[3] = {0, 0, 0};
        for (int axis = 0; axis < 3; axis++)
            if (after[axis] == time) {
                by[axis] = (span[axis] > 0) - (span[axis] < 0);
                after[axis] += 2 * units[axis];
            }
        if (!t->grazing && !grazes(t, eye, by, cells, &count)) return *known = blind;
        for (int axis = 0; axis < 3; axis++) eye[axis] += by[axis];
    }
    int *found = claim(t, sizeof(int) * (size_t)(count + 1));
    found[0] = count;
    if (count) memcpy(found + 1, cells, sizeof(int) * (size_t)count);
    return *known = found;
}

static void find_sights(Tables *t, int area, int panel, Sights *sights) {
    const List *cells = t->area + area;
    sights->count = 0;
    sights->lines = claim(t, sizeof(int *) * (size_t)cells->count);
    for (int i = 0; i < cells->count; i++) {
        int *one = line(t, cells->item[i], panel), known = 0;
        if (one[0] < 0) continue;
        if (!one[0]) {
            sights->lines[0] = one;
            sights->count = 1;
            return;
        }
        for (int k = 0; k < sights->count && !known; k++)
            known = sights->lines[k][0] == one[0] &&
                    !memcmp(sights->lines[k], one, sizeof(int) * (size_t)(1 + one[0]));
        if (!known) sights->lines[sights->count++] = one;
    }
}

static int is_clear(const Situation *now, const int *line) {
    for (int i = 1; i <= line[0]; i++)
        if (has(now->closed, line[i])) return 0;
    return line[0] >= 0;
}

/* Return whether a panel is seen from a player's cell, or from somewhere in its area. */
static int sees(Tables *t, const Situation *now, int origin, int panel) {
    int area = t->areas_of[origin];
    if (area < 0) return is_clear(now, line(t, origin, panel));
    Sights *sights = t->sights + area * t->panels + panel;
    if (sights->count < 0) find_sights(t, area, panel, sights);
    for (int i = 0; i < sights->count; i++)
        if (is_clear(now, sights->lines[i])) return 1;
    return 0;
}

/* Return whether some cell of an area sees two panels. */
static int seen_from_one(Tables *t, const Situation *now, int area, int one, int other) {
    for (int i = 0; i < t->area[area].count; i++) {
        int cell = t->area[area].item[i];
        if (is_clear(now, line(t, cell, one)) && is_clear(now, line(t, cell, other))) return 1;
    }
    return 0;
}
