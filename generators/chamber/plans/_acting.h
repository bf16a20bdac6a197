/* Flights, coming to rest, and acts; as in engine/flight_paths.py and engine/step_rules.py.
 *
 * Functions return a cell, or one of the numbers below zero that say that there is none.
 */
#include "_walking.h"

enum { MOST_HOPS = 12, MOST_MOVES = 64, GONE = -10, LOST = -11 };

/* --- flights ------------------------------------------------------------------------------------ */

typedef struct {
    const Tables *t;
    const Situation *now;
    int alone, burdened, origin, hops; /* origin: the area that the step began on, or -1 */
} Flight;

static int leave_portal(Flight *f, int face, int speed);
static int throw_up(Flight *f, int cell, const Fixture *plate);
static int sprint(Flight *f, int cell, const Fixture *runway);
static int step_aside(Flight *f, int cell, int speed, int barred);

static int clear_at(const Flight *f, int cell) {
    return is_open(f->t, f->now, cell) && !(f->burdened && f->t->screen[cell]);
}

static int portal_below(const Flight *f, int cell) {
    return linked(f->t, f->now->blue, f->now->orange, cell, DOWN);
}

static int land(Flight *f, int cell, int speed) {
    int special = f->t->special_at[cell], through = portal_below(f, cell);
    if (is_deck(f->now, cell) || (special < 0 && through < 0)) return cell;
    if (++f->hops > MOST_HOPS) return LOST;
    if (through >= 0) return leave_portal(f, through, speed);
    const Fixture *fixture = f->t->fixture + special;
    if (fixture->landing == SWALLOW) return GONE;
    if (fixture->landing == SPRINT) return sprint(f, cell, fixture);
    if (fixture->landing == SPRING) return step_aside(f, cell, speed, f->origin);
    return fixture->landing == THROW ? throw_up(f, cell, fixture) : cell;
}

static int fall(Flight *f, int cell, int speed) {
    int layer = f->t->layer;
    if (!clear_at(f, cell)) return LOST;
    while (ride(f->now, cell) < 0) {
        if (is_deck(f->now, cell) || !clear_at(f, cell - layer)) return land(f, cell, speed);
        cell -= layer;
        speed++;
    }
    return ride(f->now, cell);
}

static int fling(Flight *f, int cell, int way, int speed) {
    int offset = f->t->offset[way], fallen = 0, across = 0;
    while (ride(f->now, cell) < 0) {
        if (!clear_at(f, cell + offset)) return fall(f, cell, fallen);
        cell += offset;
        across++;
        while (fallen < across * across / (4 * speed) && ride(f->now, cell) < 0) {
            if (is_deck(f->now, cell) || !clear_at(f, cell - f->t->layer)) return land(f, cell, fallen);
            cell -= f->t->layer;
            fallen++;
        }
    }
    return ride(f->now, cell);
}

/* Run over a row to its last cell, and leave it in an arc. */
static int sprint(Flight *f, int cell, const Fixture *runway) {
    int offset = f->t->offset[runway->way], count = 1;
    int end = runway->cell + (runway->distance - 1) * offset;
    while (cell != end && ride(f->now, cell) < 0) {
        cell += offset;
        count++;
        if (!clear_at(f, cell)) return LOST;
    }
    return fling(f, cell, runway->way, runway->rise * count);
}

static int floor_div(int a, int b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

static int throw_up(Flight *f, int cell, const Fixture *plate) {
    int offset = f->t->offset[plate->way], layer = f->t->layer, height = 0, top = 0, across = 0;
    int far = plate->distance;
    while (ride(f->now, cell) < 0) {
        across++;
        int wanted = floor_div(4 * plate->rise * across * (far - across), far * far);
        while (height < wanted && ride(f->now, cell) < 0) {
            if (!clear_at(f, cell + layer)) return fall(f, cell, 0);
            cell += layer;
            top = ++height;
        }
        if (ride(f->now, cell) >= 0) break;
        if (!clear_at(f, cell + offset)) return fall(f, cell, top - height);
        cell += offset;
        while (height > wanted && ride(f->now, cell) < 0) {
            if (is_deck(f->now, cell) || !clear_at(f, cell - layer)) return land(f, cell, top - height);
            cell -= layer;
            height--;
        }
    }
    return ride(f->now, cell);
}

/* Return where the player steps aside after it came up through or from a floor; not onto one area. */
static int step_aside(Flight *f, int cell, int speed, int barred) {
    const Tables *t = f->t;
    int layer = t->layer, reach = 0;
    if (f->alone) return LOST;
    while (ride(f->now, cell) < 0 && reach < speed && clear_at(f, cell + layer)) {
        cell += layer;
        reach++;
    }
    if (ride(f->now, cell) >= 0) return ride(f->now, cell);
    for (int down = 0; down < reach + 2; down++) {
        int found[4], count = 0, differ = 0;
        for (int way = 0; way < 4; way++) {
            int side = cell - down * layer + t->offset[way];
            if (side < 0 || !(t->areas_of[side] >= 0 || is_deck(f->now, side))) continue;
            if (barred >= 0 && t->areas_of[side] == barred) continue;
            if (!clear_at(f, side) || !(down <= reach || clear_at(f, side + layer))) continue;
            found[count++] = side;
        }
        for (int i = 0; i < count; i++)
            differ |= t->areas_of[found[i]] < 0 || t->areas_of[found[i]] != t->areas_of[found[0]];
        if (count > 1 && differ) return LOST;
        if (count) return found[0];
    }
    return LOST;
}

static int leave_portal(Flight *f, int face, int speed) {
    int cell = face / 6, way = face % 6;
    if (!clear_at(f, cell)) return LOST;
    if (f->t->still) speed = 0;
    if (way == UP) return fall(f, cell, speed);
    if (way == DOWN) return step_aside(f, cell, speed, -1);
    return speed ? fling(f, cell, opposite(way), speed) : fall(f, cell, 0);
}

/* --- coming to rest ----------------------------------------------------------------------------- */

static int hands(const Tables *t, const i16 *s) {
    for (int i = 0; i < t->things; i++)
        if (THINGS(t, s)[i] == CARRIED) return i;
    return -1;
}

static int lies_at(const Tables *t, const i16 *s, int cell) {
    for (int i = 0; i < t->things; i++)
        if (THINGS(t, s)[i] == cell) return 1;
    return 0;
}

/* Let the player come to rest at a cell; return whether one stands there. */
static int landed(const Tables *t, i16 *s, int cell) {
    if (cell < 0 || t->joint_at[ground(t, cell % t->layer)]) return 0;
    PLAYER(s) = (i16)cell;
    return 1;
}

enum { REFUSED = -1, STILL, MOVED };
enum { CARRIES_ON_FLOORS = 1 }; /* a way to read what beams do; where it holds, cells on floors count */
enum { SPENT = -2 }; /* the timer of a switch that is pressed once only, and was */

/* Move the first that has lost its hold. */
static int moved(const Tables *t, i16 *s, const Situation *now) {
    int player = PLAYER(s), to_end = ride(now, player);
    int loose = t->areas_of[player] < 0 && !is_held(t, now, player);
    if (t->beams && to_end >= 0) loose = t->beams == CARRIES_ON_FLOORS && to_end != player;
    if (loose) {
        Flight flight = {t, now, 0, hands(t, s) >= 0, -1, 0};
        return landed(t, s, fall(&flight, top_of(t, now, player), 0)) ? MOVED : REFUSED;
    }
    for (int i = 0; i < t->things; i++) {
        int cell = THINGS(t, s)[i];
        if (cell < 0 || is_held(t, now, cell)) continue;
        Flight flight = {t, now, 1, 1, -1, 0};
        int to = fall(&flight, top_of(t, now, cell), 0);
        if (to == LOST || (to >= 0 && lies_at(t, s, to))) return REFUSED;
        THINGS(t, s)[i] = (i16)(to == GONE ? AWAY : to);
        return MOVED;
    }
    return STILL;
}

/* Let dispensers that went on give their things. */
static int given(const Tables *t, i16 *s, const Situation *now) {
    int result = STILL;
    for (int g = 0; g < t->givers; g++) {
        int on = now->on[t->giver_fixture[g]];
        if (on == GIVEN(t, s)[g]) continue;
        result = MOVED;
        GIVEN(t, s)[g] = (i16)on;
        if (!on) continue;
        const List *things = t->gives + g;
        for (int i = 0; i < things->count; i++) THINGS(t, s)[things->item[i]] = AWAY;
        for (int i = 0; i < things->count; i++) {
            Flight flight = {t, now, 1, 1, -1, 0};
            int to = fall(&flight, top_of(t, now, t->giver_cell[g]), 0);
            if (to == LOST || (to >= 0 && lies_at(t, s, to))) return REFUSED;
            THINGS(t, s)[things->item[i]] = (i16)(to == GONE ? AWAY : to);
        }
    }
    return result;
}

static int at_rest(Memory *m, i16 *s) {
    for (int round = 0; round < MOST_MOVES; round++) {
        Situation *now = holding(m, s, PLAYER(s));
        if (!now) return 0;
        int first = moved(m->t, s, now), second = first == REFUSED ? REFUSED : given(m->t, s, now);
        if (second == REFUSED) return 0;
        if (first == STILL && second == STILL) return 1;
    }
    return 0;
}

/* Let all come to rest after an act, and a step of time pass; return whether the player lives, and
 * may step off what it stands on. */
static int passed(Memory *m, i16 *s, int pressed) {
    int ran = 0;
    if (!at_rest(m, s)) return 0;
    for (int i = 0; i < m->t->switches; i++)
        if (i != pressed && m->t->lasts[i] && TIMERS(m->t, s)[i] > 0) {
            ran = 1;
            TIMERS(m->t, s)[i]--;
            if (m->t->once && !TIMERS(m->t, s)[i]) TIMERS(m->t, s)[i] = SPENT;
        }
    if (ran && !at_rest(m, s)) return 0;
    return m->t->areas_of[PLAYER(s)] >= 0 || holding(m, s, -1);
}

/* --- acts --------------------------------------------------------------------------------------- */

typedef struct {
    Tables *t;
    Situation *here, *walking;
    u64 zone;
    int hand;           /* the thing that the player carries, or -1 */
} Stand;

/* Return the only area of a set, or LOST. */
static int only(u64 areas) { return areas && !(areas & (areas - 1)) ? lowest(areas) : LOST; }

/* Return the area from which something is reached, and write the cell that one enters it by. */
static int way_to(const Stand *at, int number, int *entry) {
    Tables *t = at->t;
    const Situation *now = at->walking;
    const Fixture *f = t->fixture + number;
    if (f->ray[1].kind) {
        for (int i = 0; i < now->beams; i++)
            if (now->beam[i].fixture == number) {
                *entry = now->beam[i].first;
                return only(now->beam[i].near & at->zone);
            }
        return LOST;
    }
    int cell = top_of(t, now, f->cell), area = t->areas_of[cell];
    if (area >= 0) {
        *entry = cell;
        return at->zone >> area & 1 ? area : LOST;
    }
    int areas[4], heights[4], count = beside(t, cell, areas, heights), fits[4], best = -1;
    for (int i = 0; i < count; i++) {
        fits[i] = (at->zone >> areas[i] & 1) && (heights[i] <= 1 || t->jumps || f->plunge);
        for (int k = 0; k <= (heights[i] > 0 ? heights[i] : 0); k++)
            fits[i] &= is_open(t, now, cell + k * t->layer);
        if (!fits[i]) continue;
        /* Into a portal or onto gel from as high as can be, onto all else from as near as can be. */
        int height = abs(heights[i]);
        if (best < 0 || (f->plunge ? height > best : height < best)) best = height;
    }
    u64 near = 0;
    int lift = 0;
    for (int i = 0; i < count; i++)
        if (fits[i] && abs(heights[i]) == best) {
            near |= bit(areas[i]);
            if (heights[i] > lift) lift = heights[i];
        }
    *entry = cell + lift * t->layer;
    return only(near);
}

/* Let the player fall from a cell that it stepped into from an area, if there is one; return whether
 * it comes to rest. */
static int flown(const Stand *at, i16 *s, int area, int entry) {
    if (area < 0) return 0;
    Flight flight = {at->t, at->walking, 0, at->hand >= 0, area, 0};
    return landed(at->t, s, fall(&flight, entry, 0));
}

static int enter(const Stand *at, i16 *s, int number) {
    Tables *t = at->t;
    int entry, panel = -1;
    if (t->fixture[number].panel)
        for (int p = 0; p < t->panels; p++)
            if (t->panel_fixture[p] == number) panel = p;
    if (panel >= 0) {
        int cell = t->face_cell[panel], way = t->face_way[panel], area = t->areas_of[cell];
        int face = linked(t, at->walking->blue, at->walking->orange, cell, way);
        if (face < 0) return 0;
        if (way != DOWN) {
            if (way == UP || area < 0 || !(at->zone >> area & 1)) return 0;
            Flight flight = {t, at->walking, 0, at->hand >= 0, area, 0};
            return landed(t, s, leave_portal(&flight, face, 0));
        }
    }
    int area = way_to(at, number, &entry);
    return flown(at, s, area, entry);
}

static int drop_from(const Stand *at, i16 *s, int entry, int area) {
    Flight flight = {at->t, at->walking, 0, at->hand >= 0, -1, 0};
    int cell = fall(&flight, entry, 0);
    if (cell < 0 || at->t->areas_of[cell] != area) return 0;
    PLAYER(s) = (i16)cell;
    return 1;
}

static int drop(const Stand *at, i16 *s, int area) {
    Tables *t = at->t;
    const List *drops = t->drops + area;
    for (int i = 0; i < drops->count; i += 2)
        if (at->zone >> drops->item[i] & 1 && drop_from(at, s, drops->item[i + 1], area))
            return 1;
    if (t->areas_of[PLAYER(s)] < 0) {
        int player = PLAYER(s), cells[4], heights[4];
        around(t, player, cells, heights);
        for (int i = 0; i < 4; i++)
            if (heights[i] <= -2 && t->areas_of[cells[i]] == area &&
                drop_from(at, s, cells[i] - heights[i] * t->layer, area))
                return 1;
    }
    return 0;
}

/* Take a thing that lies somewhere; return whether it is in reach. */
static int pick_up(const Stand *at, i16 *s, int thing) {
    Tables *t = at->t;
    int cell = THINGS(t, s)[thing], area = t->areas_of[cell];
    if (t->kept && t->felt_at[cell] >= 0) return 0;
    if (t->anew && THINGS(t, t->first)[thing] >= 0 && THINGS(t, t->first)[thing] != cell) return 0;
    if (area >= 0)
        area = at->zone >> area & 1 ? area : LOST;
    else
        area = only(areas_beside(t, cell) & at->zone);
    if (area < 0) return 0;
    PLAYER(s) = (i16)t->anchor[area];
    THINGS(t, s)[thing] = CARRIED;
    return 1;
}

/* Put what the player carries; `way` is its facing, or -1 for what does not turn. */
static int put_down(const Stand *at, i16 *s, int number, int way) {
    Tables *t = at->t;
    int entry, area = way_to(at, number, &entry);
    if (area < 0 || (way >= 0 && t->unfaced >> way & 1)) return 0;
    Flight flight = {t, at->walking, 1, 1, -1, 0};
    int cell = fall(&flight, entry, 0);
    if (cell == LOST) return 0;
    if (cell == GONE) cell = AWAY;
    if (cell >= 0 && lies_at(t, s, cell)) return 0;
    PLAYER(s) = (i16)t->anchor[area];
    THINGS(t, s)[at->hand] = (i16)cell;
    if (way >= 0) FACINGS(t, s)[at->hand] = (i16)way;
    return 1;
}

static int press(const Stand *at, i16 *s, int which) {
    Tables *t = at->t;
    int cell = t->fixture[t->switch_fixture[which]].cell, area = t->areas_of[cell];
    if (area < 0 || !(at->zone >> area & 1) || (t->once && TIMERS(t, s)[which])) return 0;
    PLAYER(s) = (i16)cell;
    TIMERS(t, s)[which] = (i16)(t->lasts[which] ? t->lasts[which] : 1); /* 0: for good */
    return 1;
}
