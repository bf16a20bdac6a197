/* Spoken of: whether an answer may be one that is only spoken of, by the words around it.
 *
 * It tells where the expressions of generators/core/replies/mentions.py cannot match, and is right wherever
 * it says no; a test draws texts from these expressions. A cue reaches over words that carry it on
 * (WALKED) to the end of the text before the answer, so words are walked from there: the walk ends
 * at one that neither carries on nor belongs to a cue (TOLD).
 */
#ifndef FACELET_SPOKEN_H
#define FACELET_SPOKEN_H

#include "_text.h"

enum { CUE = 1, BEHIND = 2, ASKED = 4, TAKEN = 8 };
enum { WALK = 1, TELL = 2, OWN = 4, NOUN = 8, SAMPLE = 16, OPENS = 32, EXAMPLE = 64, FAR = 128, FAILED = 256, TAKES = 512 };
enum { BEFORE = 240, AFTER = 160, REST = 4096, LONGEST = 16, SLOTS = 2048 };

typedef struct {
    char name[LONGEST];
    int is;
} Word;

static Word words[SLOTS];

/* What carries a cue on. */
static const char WALKED[] =
    "play played playing choose choosing chose chosen pick picked picking select selected selecting "
    "use used using say saying said answer answered answering reply replied replying give given "
    "giving gave go going went mak make making made try tried trying take took taken taking send "
    "sent submit submitted submitting ask asked asking guess guessed guessing move moved moving "
    "write written writing wrote recommend recommended suggest suggested suggesting do does did doing "
    "done i we you one it he she they there to be been being is was were are am have had has the a "
    "an my your our this that any as with for on of think thinking believe claim claiming true case "
    "want need should would could really even again ever now here yet currently necessarily "
    "certainly sure certain convinced correct right final best next actual good valid legal better "
    "off mean like intend dare also well just perhaps maybe possibly then s thought";

/* Nouns carry it on too; they may stand behind "my" and two words of any kind. */
static const char NOUNS[] =
    "answer answers move moves action actions command commands query queries guess guesses choice "
    "choices option options letter letters solution solutions plan plans array matrix board grid "
    "state list lists reply line piece pieces placement placements";

/* What belongs to a cue, so that the expressions have to look. */
static const char TOLD[] =
    "not t ve isnt arent wasnt werent dont doesnt didnt wont cant wouldnt couldnt shouldnt havent "
    "hasnt hadnt mustnt neednt aint nt cannot never neither nor longer nobody no instead than "
    "opposed avoid avoiding without against from anything reject rejecte rejects rejected rejecting "
    "exclud exclude excluds excludes excluded excluding discard discarde discards discarded discarding "
    "dismiss dismisse dismisss dismisses dismissed dismissing out refus refuse refuses refused refusing "
    "declin decline declines declined declining wrong mistaken mistake foolish bad "
    "about if unless whether considered consider considering tempted let lets first initially "
    "originally initial earlier idea impulse instinct believed wanted had were could might may "
    "suppose supposing assume assuming imagine imagining say must "
    "eg g e example instance such something quote quotes quoting quoted quot copied verbatim like "
    "look looks writes says answers you me format syntax template pattern form given above shown "
    "prompt instruction instructions rule rules message task question text user statement puzzle "
    "show shows showed gives reads read states mention mentions mentioned contain contains asks "
    "wants require requires uses suggests";

/* What may stand anywhere before an answer: "if that fails, it is". */
static const char CONDITIONS[] =
    "if should case unless otherwise failing b fallback backup resort were had attempt try message "
    "even suppose supposing imagine assume assuming";

/* With what a line may end whose colon introduces a failure; a noun may stand behind. */
static const char FAILURES[] =
    "fail fails failed failing work help fit succeed solve through wrong blocked rejected refused illegal "
    "invalid incorrect forbidden impossible allowed accepted possible right correct discarded "
    "abandoned unsuccessful";

/* With what the text behind an answer begins if it takes the answer back. */
static const char TAKES_BACK[] =
    "which and is isn isnt was wasn wasnt would wouldn wouldnt seems looks will s can cann "
    "cannt cant cannot does doesn doesnt do don dont did didn didnt willn willnt won wont wo could couldn couldnt "
    "fails might may should has as like the an your example no wait oops sorry hmm actually but hold "
    "that thats this thiss if in unless";

static uint32_t slot_of(const char *name) {
    uint32_t hash = 2166136261u;
    while (*name) hash = (hash ^ (Byte)*name++) * 16777619u;
    return hash ^ hash >> 15;
}

static int is(const char *name) {
    for (uint32_t slot = slot_of(name);; slot++) {
        const Word *word = &words[slot % SLOTS];
        if (!word->name[0]) return 0;
        if (!strcmp(word->name, name)) return word->is;
    }
}

static void learn(const char *names, int kind) {
    while (*names) {
        char name[LONGEST] = {0};
        for (int length = 0; *names && *names != ' '; names++)
            if (length < LONGEST - 1) name[length++] = *names;
        if (*names) names++;
        uint32_t slot = slot_of(name);
        while (words[slot % SLOTS].name[0] && strcmp(words[slot % SLOTS].name, name)) slot++;
        strcpy(words[slot % SLOTS].name, name);
        words[slot % SLOTS].is |= kind;
    }
}

static void learn_words(void) {
    learn(WALKED, WALK);
    learn(NOUNS, WALK | NOUN);
    learn(TOLD, TELL);
    learn("my your our the", OWN);
    learn("in of from by", SAMPLE);
    learn("example format syntax template pattern form", EXAMPLE);
    learn(TAKES_BACK, OPENS);
    learn("this that these thats it the i we my our let no", TAKES);
    learn(CONDITIONS, FAR);
    learn(FAILURES, FAILED);
}

static inline int skipped_sign(uint32_t code) { /* _SIGNS */
    if (code < 0x80) return code && strchr(" \t\r\n>*`\"'$([{<\\_#|-", (int)code) != NULL;
    return code == 0x2018 || code == 0x2019 || code == 0x201C || code == 0x201D || code == 0xAB ||
           code == 0x2013 || code == 0x2014;
}

/* Signs that are no letters, whatever becomes of them. */
static inline int known_sign(uint32_t code) {
    return code == 0xAB || code == 0xBB || code == 0x2013 || code == 0x2014 ||
           (code >= 0x2018 && code <= 0x201D) || code == 0x2022 || code == 0x2026 ||
           (code >= 0x2190 && code <= 0x21FF) || code == 0x2212;
}

enum { MOST_WORDS = 160 };

typedef struct {
    int is[MOST_WORDS];
    char name[MOST_WORDS][LONGEST];
    int count;
    int colon; /* right behind the last word */
    int odd;   /* letters or signs that are not looked into */
} Walk;

/* The words before a place from the last one on, at most to the end of the sentence before. */
static void walk(const Byte *start, const Byte *at, Walk *walk) {
    const Byte *end = at;
    walk->count = walk->colon = walk->odd = 0;
    while (at > start && walk->count < MOST_WORDS) {
        const Byte last = at[-1];
        if (last >= 0x80) {
            int bytes;
            const Byte *one = before(at);
            if (!known_sign(code_at(one, &bytes))) {
                walk->odd = 1;
                return;
            }
            at = one;
        } else if (is_word(last)) {
            const Byte *begin = at;
            while (begin > start && is_word(begin[-1])) begin--;
            const Byte *first = begin, *behind = at;
            while (first < behind && *first == '_') first++;
            while (behind > first && behind[-1] == '_') behind--;
            char *name = walk->name[walk->count];
            const Py_ssize_t length = behind - first < LONGEST ? behind - first : 0;
            for (Py_ssize_t i = 0; i < length; i++)
                name[i] = (char)(is_letter(first[i]) ? first[i] | 0x20 : first[i]);
            name[length] = 0;
            walk->is[walk->count++] = is(name);
            at = begin;
        } else {
            if (last == '\n') return;
            if (last == '*' || last == '`') { /* taken away, so that it may join what it parts */
                const Byte *one = at;
                while (one > start && (one[-1] == '*' || one[-1] == '`')) one--;
                if (one > start && at < end && is_word(one[-1]) && (is_word(*at) || *at == '\''))
                    walk->odd = 1;
                at = one;
                continue;
            }
            /* "." may belong to "e. g."; else the sentence ends where a blank follows. */
            if ((last == '.' || last == '!' || last == '?' || last == ';') && at < end &&
                *at == ' ' &&
                (last != '.' || (at - start > 2 && is_letter(at[-2]) && is_letter(at[-3]))))
                return;
            if (last == ':' && !walk->count) walk->colon = 1;
            at--;
        }
    }
    if (walk->count == MOST_WORDS) walk->odd = 1;
}

static int named(const Walk *walk, int index, const char *name) {
    return index < walk->count && !strcmp(walk->name[index], name);
}

/* Whether a cue may stand before so many of the last words, and reach over them. */
static int reaches(const Walk *walk, int index) {
    for (; index < walk->count; index++) {
        const int kind = walk->is[index];
        if (kind & TELL) return 1;
        if (named(walk, index, "of") &&
            (named(walk, index + 1, "think") || named(walk, index + 1, "thinking") ||
             named(walk, index + 1, "thought")))
            return 1;
        if (named(walk, index, "have") &&
            (named(walk, index + 1, "would") || named(walk, index + 1, "should")))
            return 1;
        if (named(walk, index, "would") && named(walk, index + 1, "one")) return 1;
        if (named(walk, index, "but")) return named(walk, index + 1, "anything");
        if (!(kind & WALK)) return 0;
    }
    return 0;
}

static int cued(const Walk *walk) {
    if (walk->odd) return 1;
    if (!walk->count) return 0;
    if (reaches(walk, 0)) return 1;
    for (int index = 0; index < walk->count; index++)
        if (walk->is[index] & FAR) return 1;
    if (walk->colon && (walk->is[0] | (walk->count > 1 ? walk->is[1] : 0)) & FAILED) return 1;
    /* "not the other blue move:" */
    if (walk->colon && walk->is[0] & NOUN)
        for (int index = 1; index < 4 && index < walk->count; index++)
            if (walk->is[index] & OWN && reaches(walk, index)) return 1;
    /* "the example in the box is" */
    int example = 0;
    for (int index = 0; index < walk->count; index++) example |= walk->is[index] & EXAMPLE;
    if (!example) return 0;
    for (int index = 0; index < walk->count; index++) {
        if (index + 2 < walk->count && walk->is[index + 1] & OWN &&
            walk->is[index + 2] & SAMPLE)
            return 1;
        if (!(walk->is[index] & WALK)) return 0;
    }
    return 0;
}

/* CUE if a cue may reach to a place, ASKED if words stand before it in its sentence. */
static int spoken_before(const Byte *start, const Byte *at) {
    int newline = 0, bytes;
    while (at > start) {
        const Byte *one = before(at);
        const uint32_t code = code_at(one, &bytes);
        if (!skipped_sign(code)) {
            if (is_blank(code)) return CUE | ASKED;
            break;
        }
        newline |= code == '\n';
        at = one;
    }
    if (at == start) return 0;
    if (newline && at[-1] != ':') {
        /* A line that only says what a block of code holds is passed over. */
        const Byte *line = at;
        while (line > start && line[-1] != '\n') line--;
        while (line < at && skipped_sign(code_at(line, &bytes))) line += bytes;
        static const char *const fences[] = {"json", "text", "plaintext", "python", "markdown"};
        for (int i = 0; i < 5; i++) {
            const Py_ssize_t length = (Py_ssize_t)strlen(fences[i]);
            if (at - line != length) continue;
            Py_ssize_t same = 0;
            while (same < length && (line[same] | 0x20) == (Byte)fences[i][same]) same++;
            if (same == length) return CUE | ASKED;
        }
        /* "If I played", and the answer in the next line. */
        char first[LONGEST] = {0};
        for (int i = 0; i < LONGEST - 1 && line + i < at && is_letter(line[i]); i++)
            first[i] = (char)(line[i] | 0x20);
        if (is(first) & FAR) return CUE | ASKED;
        /* Letters that become others in lower case are not looked into. */
        if (at - line < 4 * LONGEST)
            for (; line < at; line++)
                if (*line >= 0x80) return CUE | ASKED;
        return 0;
    }
    Walk words_before;
    walk(start, at, &words_before);
    return ASKED | (cued(&words_before) ? CUE : 0);
}

/* BEHIND if what follows may take an answer back, ASKED if its sentence ends in a question mark. */
static int spoken_behind(const Byte *at, const Byte *end) {
    int found = 0;
    for (const Byte *one = at; one < end; one++)
        if (*one == '?' || *one == '.' || *one == '!' || *one == '\n') {
            if (*one == '?') found = ASKED;
            break;
        }
    while (at < end && !is_word(*at)) {
        int bytes;
        const uint32_t code = code_at(at, &bytes);
        if (code == '?') return found | BEHIND;
        if (code >= 0x80 && !known_sign(code)) {
            /* No expression begins with other signs; but a tag may hold any letters. */
            return found;
        }
        if (code == '<' && at + 1 < end && at[1] == '/') {
            const Byte *close = at;
            while (close < end && *close != '>' && *close < 0x80) close++;
            if (close == end || *close != '>') return found | BEHIND;
            at = close;
        }
        at += bytes;
    }
    char name[LONGEST] = {0};
    int length = 0;
    for (; at < end && is_word(*at); at++)
        if (length < LONGEST - 1) name[length++] = (char)(is_letter(*at) ? *at | 0x20 : *at);
    if (at < end && *at >= 0x80 && *at != 0xE2) return found | BEHIND;
    if (length && is(name) & OPENS) {
        static const char *const theirs[] = {"the", "an", "your"};
        for (int i = 0; i < 3; i++)
            if (!strcmp(name, theirs[i])) /* "(the example)" */
                return found | (end - at > 7 && (at[1] | 0x20) == 'e' && (at[2] | 0x20) == 'x'
                                    ? BEHIND
                                    : 0);
        return found | BEHIND;
    }
    return found;
}

/* TAKEN if what follows has a word without which nothing withdraws an answer. */
static int taken_back(const Byte *at, const Byte *end) {
    for (int word = 0; at < end;) {
        if (!is_word(*at)) {
            if (word && (*at == '*' || *at == '`')) return TAKEN; /* taken away, it may part a word */
            word = 0;
            at++;
            continue;
        }
        char name[LONGEST] = {0};
        int length = 0;
        word = 1;
        for (; at < end && is_word(*at); at++, length++)
            if (length < 6) name[length] = (char)(is_letter(*at) ? *at | 0x20 : *at);
        if (length < 6 && is(name) & TAKES) return TAKEN;
    }
    return 0;
}

/* What of mentions.mentioned has to be looked into: CUE, BEHIND, ASKED, TAKEN, together. */
static int spoken_of(const Text *text, Py_ssize_t start, Py_ssize_t end) {
    const Byte *last = text->at + text->size, *from, *behind, *first, *until, *rest;
    if (text->ascii) {
        from = text->at + (start < text->size ? start : text->size);
        behind = text->at + (end < text->size ? end : text->size);
        first = from - text->at > BEFORE ? from - BEFORE : text->at;
        until = last - behind > AFTER ? behind + AFTER : last;
        rest = last - behind > REST ? behind + REST : last;
    } else {
        from = ahead(text->at, last, start);
        behind = end >= start ? ahead(from, last, end - start) : ahead(text->at, last, end);
        first = from;
        for (int count = 0; count < BEFORE && first > text->at; count++) first = before(first);
        until = ahead(behind, last, AFTER);
        rest = ahead(until, last, REST - AFTER);
    }
    const int ahead_of = spoken_before(first, from), after = spoken_behind(behind, until);
    return (ahead_of & CUE) | (after & BEHIND) | (ahead_of & after & ASKED) | taken_back(behind, rest);
}

#endif
