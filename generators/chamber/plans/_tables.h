/* What of a chamber never changes, as `compiled.tables` writes it: one row of 32-bit numbers.
 *
 * Cells, areas and fixtures are the numbers of the chart. The tables stand in memory of an arena
 * that is freed as a whole; whatever fails leaves by `give_up`.
 */
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t u64;
typedef int16_t i16;

enum { EAST, NORTH, WEST, SOUTH, UP, DOWN };
enum { AWAY = -1, CARRIED = -2, UNSET = -1 };
enum { NOTHING, WEIGHT, TIME, LIGHT };        /* what a source senses */
enum { NO_RAY, LASER, BRIDGE, BEAM };         /* what a fixture sends out */
enum { REST, SWALLOW, THROW, SPRINT, SPRING }; /* what becomes of what lands on a fixture */
enum { MOST_BITS = 64, MOST_FIXTURES = 1024 }; /* areas, felt cells, switches: bits of a word */
enum { OUT_OF_MEMORY = 1, BAD_TABLES, RESTLESS };

typedef struct Block {
    struct Block *next;
} Block;

typedef struct {
    int count, *item;
} List;

typedef struct {
    int kind, backwards;
} Ray;

typedef struct {
    int cell, panel, plunge, landing, way, distance, rise; /* of a sprint: cells, speed of each */
    int sense, sense_cell, sense_way; /* of a source that senses time: the number of its switch */
    List inputs, solid[2], watch[2];  /* cells that it closes, and that it watches, off and on */
    Ray ray[2];                       /* what it sends, off and on */
} Fixture;

typedef struct {
    int count, **lines; /* each line: how many cells that may close, then the cells */
} Sights;

typedef struct {
    Block *blocks;
    jmp_buf *back;
    int wide, layer, cells, words; /* words: 64-bit words of a set of cells */
    int offset[6];
    int *floors, *ceilings, *areas_of, *special_at, *felt_at, *joint_at, *panel_at;
    uint8_t *free, *screen, *changing;
    int areas, *anchor;
    List *area, *drops; /* drops: pairs of the upper area and the cell that one steps into */
    int fixtures, emitters, joints, panels, things, switches, givers, puts, fixed;
    Fixture *fixture;
    int *emitter, *joint, *panel_fixture, *face_cell, *face_way, *turns, *lasts, *switch_fixture;
    int *giver_fixture, *giver_cell, *put, *fixed_verb, *fixed_item;
    List *gives;
    int goal, lying, stride; /* lying: whether it matters to rays or watchers where things lie */
    int still, unfaced, kept, anew, once; /* what is taken away, see `Omission` */
    int eye, grazing, one_place, jumps, beams; /* how rules are read, see `RuleReading` */
    i16 *first;
    Sights *sights;      /* by area and panel; count -1 until they are worked out */
    int **lines;         /* by cell and panel; NULL until they are worked out */
} Tables;

static void give_up(Tables *t, int why) { longjmp(*t->back, why); }

/* Return zeroed memory that lives as long as the tables. */
static void *claim(Tables *t, size_t size) {
    Block *block = calloc(1, sizeof(Block) + (size ? size : 1));
    if (!block) give_up(t, OUT_OF_MEMORY);
    block->next = t->blocks;
    t->blocks = block;
    return block + 1;
}

static void release(Tables *t) {
    while (t->blocks) {
        Block *next = t->blocks->next;
        free(t->blocks);
        t->blocks = next;
    }
}

static inline int is_free(const Tables *t, int cell) {
    return cell >= 0 && cell < t->cells && t->free[cell];
}

static inline int ground(const Tables *t, int column) { return column + t->layer * t->floors[column]; }

static inline int opposite(int way) { return way < UP ? (way + 2) % 4 : UP + DOWN - way; }

/* Return the panel on a face, or -1. */
static inline int panel_on(const Tables *t, int cell, int way) { return t->panel_at[6 * cell + way]; }

/* Write the ground cells of the four columns beside a cell, and how much higher each is. One in
 * rock belongs to no area. */
static void around(const Tables *t, int cell, int *cells, int *heights) {
    int height = cell / t->layer, column = cell % t->layer;
    for (int way = 0; way < 4; way++) {
        cells[way] = ground(t, column + t->offset[way]);
        heights[way] = cells[way] / t->layer - height;
    }
}

/* Write the areas beside a cell from which one gets to it, and how much higher each is. */
static int beside(const Tables *t, int cell, int *areas, int *heights) {
    int cells[4], above[4], count = 0;
    around(t, cell, cells, above);
    for (int i = 0; i < 4; i++) {
        int area = t->areas_of[cells[i]], height = above[i], open = 1;
        if (area < 0 || height < -1) continue;
        if (height < 0)
            open = is_free(t, cells[i] + t->layer);
        else
            for (int k = 0; k <= height; k++) open &= is_free(t, cell + k * t->layer);
        if (open) areas[count] = area, heights[count++] = height;
    }
    return count;
}

/* --- reading ------------------------------------------------------------------------------------ */

typedef struct {
    const int32_t *item;
    size_t count, place;
} Row;

static int take(Tables *t, Row *row, int low, int high) {
    if (row->place >= row->count) give_up(t, BAD_TABLES);
    int value = row->item[row->place++];
    if (value < low || value > high) give_up(t, BAD_TABLES);
    return value;
}

static List take_list(Tables *t, Row *row, int low, int high) {
    List list = {take(t, row, 0, 1 << 16), NULL};
    list.item = claim(t, sizeof(int) * (size_t)list.count);
    for (int i = 0; i < list.count; i++) list.item[i] = take(t, row, low, high);
    return list;
}

/* Read a list that must have so many items, or any number if `count` is below 0. */
static int *take_items(Tables *t, Row *row, int *count, int low, int high) {
    List list = take_list(t, row, low, high);
    if (*count >= 0 && list.count != *count) give_up(t, BAD_TABLES);
    *count = list.count;
    return list.item;
}

static uint8_t *take_set(Tables *t, Row *row) {
    uint8_t *set = claim(t, (size_t)t->cells);
    List cells = take_list(t, row, 0, t->cells - 1);
    for (int i = 0; i < cells.count; i++) set[cells.item[i]] = 1;
    return set;
}

/* Read pairs of a cell and a value, as a table by cell with -1 elsewhere. */
static int *take_map(Tables *t, Row *row, int high) {
    int *map = claim(t, sizeof(int) * (size_t)t->cells);
    for (int i = 0; i < t->cells; i++) map[i] = -1;
    int pairs = take(t, row, 0, t->cells);
    for (int i = 0; i < pairs; i++) {
        int cell = take(t, row, 0, t->cells - 1);
        map[cell] = take(t, row, 0, high);
    }
    return map;
}

static void take_fixture(Tables *t, Row *row, Fixture *f) {
    int last = t->cells - 1;
    f->cell = take(t, row, -1, last);
    f->panel = take(t, row, 0, 1);
    f->plunge = take(t, row, 0, 1);
    f->landing = take(t, row, REST, SPRING);
    f->way = take(t, row, 0, 3);
    f->distance = take(t, row, 0, 999);
    f->rise = take(t, row, 0, 999);
    if (f->landing == THROW && !f->distance) give_up(t, BAD_TABLES);
    if (f->landing == SPRINT && (!f->distance || !f->rise)) give_up(t, BAD_TABLES);
    f->sense = take(t, row, NOTHING, LIGHT);
    f->sense_cell = take(t, row, -1, last);
    f->sense_way = take(t, row, -1, MOST_BITS - 1);
    f->inputs = take_list(t, row, 0, t->fixtures - 1);
    for (int on = 0; on < 2; on++) {
        f->solid[on] = take_list(t, row, 0, last);
        f->watch[on] = take_list(t, row, 0, last);
        f->ray[on].kind = take(t, row, NO_RAY, BEAM);
        f->ray[on].backwards = take(t, row, 0, 1);
    }
}

static void read_places(Tables *t, Row *row) {
    t->wide = take(t, row, 3, 40);
    int deep = take(t, row, 3, 40), high = take(t, row, 3, 12);
    t->layer = t->wide * deep;
    t->cells = t->layer * (high + 1);
    t->words = (t->cells + 63) / 64;
    int offset[6] = {1, t->wide, -1, -t->wide, t->layer, -t->layer}, columns = t->layer;
    memcpy(t->offset, offset, sizeof offset);
    t->floors = take_items(t, row, &columns, 0, high);
    t->ceilings = take_items(t, row, &columns, 0, high);
    t->free = claim(t, (size_t)t->cells);
    for (int z = 0; z < high; z++)
        for (int i = 0; i < t->layer; i++)
            t->free[i + t->layer * z] = t->floors[i] <= z && z < t->ceilings[i];
    t->screen = take_set(t, row);
    t->changing = take_set(t, row);
    t->areas = take(t, row, 1, MOST_BITS);
    t->area = claim(t, sizeof(List) * (size_t)t->areas);
    t->anchor = claim(t, sizeof(int) * (size_t)t->areas);
    t->areas_of = claim(t, sizeof(int) * (size_t)t->cells);
    for (int i = 0; i < t->cells; i++) t->areas_of[i] = -1;
    for (int a = 0; a < t->areas; a++) {
        t->area[a] = take_list(t, row, 0, t->cells - 1);
        if (!t->area[a].count) give_up(t, BAD_TABLES);
        t->anchor[a] = t->area[a].item[0];
        for (int i = 0; i < t->area[a].count; i++) t->areas_of[t->area[a].item[i]] = a;
    }
    t->goal = take(t, row, 0, t->areas - 1);
}

static void read_fixtures(Tables *t, Row *row) {
    int last = t->cells - 1;
    t->fixtures = take(t, row, 1, MOST_FIXTURES);
    t->fixture = claim(t, sizeof(Fixture) * (size_t)t->fixtures);
    for (int i = 0; i < t->fixtures; i++) take_fixture(t, row, t->fixture + i);
    int top = t->fixtures - 1;
    t->special_at = take_map(t, row, top);
    t->felt_at = take_map(t, row, MOST_BITS - 1);
    t->joints = t->emitters = t->panels = t->things = t->switches = t->puts = t->fixed = -1;
    t->joint = take_items(t, row, &t->joints, 0, last);
    t->joint_at = claim(t, sizeof(int) * (size_t)t->cells);
    for (int i = 0; i < t->joints; i++) t->joint_at[t->joint[i]] = 1;
    t->emitter = take_items(t, row, &t->emitters, 0, 6 * t->cells);
    t->panel_fixture = take_items(t, row, &t->panels, 0, top);
    t->face_cell = take_items(t, row, &t->panels, 0, last);
    t->face_way = take_items(t, row, &t->panels, 0, 5);
    t->panel_at = claim(t, sizeof(int) * 6 * (size_t)t->cells);
    for (int i = 0; i < 6 * t->cells; i++) t->panel_at[i] = -1;
    for (int p = 0; p < t->panels; p++) t->panel_at[6 * t->face_cell[p] + t->face_way[p]] = p;
    t->turns = take_items(t, row, &t->things, 0, 1);
    t->switch_fixture = take_items(t, row, &t->switches, 0, top);
    t->lasts = take_items(t, row, &t->switches, 0, 999);
    if (t->switches > MOST_BITS || t->emitters % 3) give_up(t, BAD_TABLES);
    t->emitters /= 3;
    t->givers = take(t, row, 0, t->fixtures);
    t->gives = claim(t, sizeof(List) * (size_t)t->givers);
    t->giver_fixture = claim(t, sizeof(int) * (size_t)t->givers);
    t->giver_cell = claim(t, sizeof(int) * (size_t)t->givers);
    for (int g = 0; g < t->givers; g++) {
        t->giver_fixture[g] = take(t, row, 0, top);
        t->giver_cell[g] = take(t, row, 0, last);
        t->gives[g] = take_list(t, row, 0, t->things - 1);
    }
    t->put = take_items(t, row, &t->puts, 0, top);
    t->fixed_verb = take_items(t, row, &t->fixed, 0, 15);
    t->fixed_item = take_items(t, row, &t->fixed, 0, MOST_FIXTURES);
}

/* Work out from where one jumps down to each area. */
static void find_drops(Tables *t) {
    t->drops = claim(t, sizeof(List) * (size_t)t->areas);
    for (int a = 0; a < t->areas; a++) {
        List *drops = t->drops + a;
        drops->item = claim(t, sizeof(int) * 8 * (size_t)t->area[a].count);
        for (int i = 0; i < t->area[a].count; i++) {
            int cell = t->area[a].item[i], areas[4], heights[4];
            int count = beside(t, cell, areas, heights);
            for (int k = 0; k < count; k++)
                if (heights[k] >= 2) {
                    drops->item[drops->count++] = areas[k];
                    drops->item[drops->count++] = cell + heights[k] * t->layer;
                }
        }
    }
}

static void read_tables(Tables *t, const int32_t *items, size_t count) {
    Row row = {items, count, 0};
    read_places(t, &row);
    read_fixtures(t, &row);
    /* A state: player, both portals, dispensers, cells and facings of things, timers. */
    t->stride = 3 + t->givers + 2 * t->things + t->switches;
    int width = t->stride;
    int *first = take_items(t, &row, &width, -2, t->cells);
    t->first = claim(t, sizeof(i16) * (size_t)width);
    for (int i = 0; i < width; i++) t->first[i] = (i16)first[i];
    t->still = take(t, &row, 0, 1);
    t->unfaced = take(t, &row, 0, 15);
    t->kept = take(t, &row, 0, 1);
    t->anew = take(t, &row, 0, 1);
    t->once = take(t, &row, 0, 1);
    t->eye = take(t, &row, 0, 1);
    t->grazing = take(t, &row, 0, 1);
    t->one_place = take(t, &row, 0, 1);
    t->jumps = take(t, &row, 0, 1);
    t->beams = take(t, &row, 0, 2);
    if (row.place != row.count) give_up(t, BAD_TABLES);
    for (int i = 0; i < t->emitters; i++) {
        int f = t->emitter[3 * i];
        if (f >= t->fixtures || t->emitter[3 * i + 1] >= t->cells || t->emitter[3 * i + 2] > 5)
            give_up(t, BAD_TABLES);
        t->lying |= t->fixture[f].ray[0].kind == LASER || t->fixture[f].ray[1].kind == LASER;
    }
    for (int i = 0; i < t->fixtures; i++)
        t->lying |= t->fixture[i].watch[0].count || t->fixture[i].watch[1].count;
    find_drops(t);
    int pairs = t->areas * t->panels;
    t->sights = claim(t, sizeof(Sights) * (size_t)pairs);
    for (int i = 0; i < pairs; i++) t->sights[i].count = -1;
    t->lines = claim(t, sizeof(int *) * (size_t)t->cells * (size_t)t->panels);
}
