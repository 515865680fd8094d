/* Which lines differ between two texts, as git says it (`repo_mcp/git/line_diff.py` is the model).

   Myers' algorithm from both ends, with the bounds that git's library has: lines of one text that
   the other has not, or has very often, are set aside first; a search that costs too much takes
   the best split that it has found. Groups of changed lines then slide to where they read best.
   Equal texts give equal hunks, so that blame and history say what git says. */

#include "server.h"

#include <stdlib.h>
#include <string.h>

#define COMMON_BLOCK 1024   /* a common end is cut off in blocks of so many bytes */
#define MOST_FREQUENT 1024  /* a line that is there more often is frequent, whatever the size */
#define FREQUENT_WINDOW 100 /* lines on each side that decide whether a frequent line counts */
#define LEAST_COST 256      /* a search is cut short after so many steps at least */
#define LONG_RUN 20         /* equal lines that make a diagonal promising */
#define RUN_FACTOR 4
#define MOST_SLIDING 100 /* places at which a group is tried */
#define MOST_INDENT 200
#define MOST_BLANK_LINES 20

#define NO_KIND UINT32_MAX

typedef struct {
    const uint8_t *text;
    int any_blanks;
    int64_t count;          /* lines */
    uint32_t *starts;       /* where each begins, and the end */
    uint32_t *kinds;        /* equal numbers for equal lines; NO_KIND where no line that may have
                               changed is equal */
    uint8_t *marks, *shown; /* 1 for a changed line; `shown` begins behind a mark that stays 0 */
    uint32_t *places;       /* of the lines that are compared */
    uint32_t *compared;     /* their kinds */
    int64_t compared_count;
} Side;

typedef struct {
    uint32_t hash, line, side, next; /* a line of this kind */
    uint32_t times[2];
} Kind;

/* ---- lines and their kinds ---- */

static int
is_blank(uint8_t byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

static uint32_t
hash_line(const uint8_t *at, const uint8_t *end, int any_blanks)
{
    uint64_t hash = 0x9E3779B97F4A7C15u;
    if (any_blanks) {
        for (; at < end; at++)
            if (!is_blank(*at))
                hash = (hash ^ *at) * 0x100000001B3u;
    } else {
        uint64_t word;
        for (; at + 8 <= end; at += 8) {
            memcpy(&word, at, sizeof word);
            hash = (hash ^ word) * 0xFF51AFD7ED558CCDu;
            hash ^= hash >> 32;
        }
        for (word = 0; at < end; at++)
            word = word << 8 | *at;
        hash = (hash ^ word) * 0xFF51AFD7ED558CCDu;
    }
    return (uint32_t)(hash ^ hash >> 29);
}

static int
are_same(const uint8_t *one, const uint8_t *one_end, const uint8_t *other,
         const uint8_t *other_end, int any_blanks)
{
    if (!any_blanks)
        return one_end - one == other_end - other &&
               memcmp(one, other, (size_t)(one_end - one)) == 0;
    for (;;) {
        while (one < one_end && is_blank(*one))
            one++;
        while (other < other_end && is_blank(*other))
            other++;
        if (one == one_end || other == other_end)
            return one == one_end && other == other_end;
        if (*one++ != *other++)
            return 0;
    }
}

/* How many bytes both texts begin with, counted in blocks. */
static size_t
common_begin(const uint8_t *one, const uint8_t *other, size_t size)
{
    size_t common = 0;
    while (common + COMMON_BLOCK <= size && !memcmp(one + common, other + common, COMMON_BLOCK))
        common += COMMON_BLOCK;
    return common;
}

/* Find the lines; the first `common` bytes are those of `known`, if there is one. */
static int
split_lines(Side *side, const uint8_t *text, size_t size, const Side *known, size_t common)
{
    const uint8_t *at = text, *end = text + size;
    size_t lines = 0, room = size / 24 + 16;
    side->text = text;
    side->starts = malloc((room + 1) * sizeof *side->starts);
    if (!side->starts)
        return 0;
    if (known) {
        while (lines < (size_t)known->count && known->starts[lines + 1] <= common &&
               text[known->starts[lines + 1] - 1] == '\n')
            lines++;
        if (lines > room) {
            room = lines;
            free(side->starts);
            if (!(side->starts = malloc((room + 1) * sizeof *side->starts)))
                return 0;
        }
        memcpy(side->starts, known->starts, lines * sizeof *side->starts);
        at = text + (lines ? known->starts[lines] : 0);
    }
    for (; at < end; lines++) {
        const uint8_t *feed = memchr(at, '\n', (size_t)(end - at));
        if (lines == room) {
            uint32_t *more = realloc(side->starts, (2 * room + 1) * sizeof *more);
            if (!more)
                return 0;
            side->starts = more;
            room *= 2;
        }
        side->starts[lines] = (uint32_t)(at - text);
        at = feed ? feed + 1 : end;
    }
    side->starts[lines] = (uint32_t)size;
    side->count = (int64_t)lines;
    side->kinds = malloc((lines + 1) * sizeof *side->kinds);
    side->marks = calloc(lines + 3, 1);
    if (!side->kinds || !side->marks)
        return 0;
    side->shown = side->marks + 1;
    return 1;
}

static void
free_side(Side *side)
{
    free(side->starts);
    free(side->kinds);
    free(side->places);
    free(side->compared);
    free(side->marks);
}

static int
is_line(const Side *side, int64_t line, const Side *other, int64_t of_other, int any_blanks)
{
    return are_same(side->text + side->starts[line], side->text + side->starts[line + 1],
                    other->text + other->starts[of_other],
                    other->text + other->starts[of_other + 1], any_blanks);
}

typedef struct {
    Kind *kinds;
    uint32_t *slots;
    size_t slot_count;
    uint32_t known;
} Kinds;

/* The place of a line's kind, or of none where it is to be linked to `slot`. */
static uint32_t
find_kind(const Kinds *table, const Side *sides, const Side *side, int64_t line, int any_blanks,
          uint32_t *hash)
{
    const uint8_t *begin = side->text + side->starts[line];
    *hash = hash_line(begin, side->text + side->starts[line + 1], any_blanks);
    for (uint32_t found = table->slots[*hash & (table->slot_count - 1)]; found;
         found = table->kinds[found - 1].next) {
        const Kind *kind = table->kinds + found - 1;
        if (kind->hash == *hash && is_line(side, line, sides + kind->side, kind->line, any_blanks))
            return found - 1;
    }
    return NO_KIND;
}

/* Number the kinds of the lines from `first` to before `ends` of both sides, and count them in the
   whole texts; other lines of these kinds have the numbers, too. NULL without memory. */
static Kind *
number_kinds(Side *sides, int64_t first, const int64_t *ends, int any_blanks)
{
    size_t lines = (size_t)(ends[0] + ends[1] - 2 * first);
    uint32_t hash;
    Kinds table = {malloc((lines + 1) * sizeof(Kind)), NULL, 16, 0};
    while (table.slot_count < lines * 2)
        table.slot_count *= 2;
    table.slots = calloc(table.slot_count, sizeof *table.slots);
    if (!table.kinds || !table.slots) {
        free(table.kinds);
        free(table.slots);
        return NULL;
    }
    for (uint32_t number = 0; number < 2; number++) {
        Side *side = sides + number;
        for (int64_t line = first; line < ends[number]; line++) {
            uint32_t found = find_kind(&table, sides, side, line, any_blanks, &hash);
            if (found == NO_KIND) {
                uint32_t *slot = table.slots + (hash & (table.slot_count - 1));
                table.kinds[table.known] = (Kind){hash, (uint32_t)line, number, *slot, {0, 0}};
                found = table.known++;
                *slot = table.known;
            }
            table.kinds[found].times[number]++;
            side->kinds[line] = found;
        }
    }
    for (int64_t line = 0; line < sides[0].count; line++) {
        uint32_t found;
        if (line == first)
            line = ends[0];
        if (line == sides[0].count)
            break;
        found = find_kind(&table, sides, sides, line, any_blanks, &hash);
        sides[0].kinds[line] = found;
        sides[1].kinds[line < first ? line : line - ends[0] + ends[1]] = found;
        if (found != NO_KIND) {
            table.kinds[found].times[0]++;
            table.kinds[found].times[1]++;
        }
    }
    free(table.slots);
    return table.kinds;
}

/* ---- lines that are set aside ---- */

/* About the square root. */
static int64_t
root_of(int64_t number)
{
    int64_t root = 1;
    for (; number > 0; number >>= 2)
        root <<= 1;
    return root;
}

enum { UNIQUE, COUNTS, FREQUENT }; /* the other text has it: not, sometimes, often */

/* True if lines around a frequent one are mostly without a counterpart. */
static int
is_noise(const uint8_t *classes, int64_t at, int64_t first, int64_t last)
{
    int64_t absent_before = 0, absent_behind = 0, frequent = 2;
    if (at - first > FREQUENT_WINDOW)
        first = at - FREQUENT_WINDOW;
    if (last - at > FREQUENT_WINDOW)
        last = at + FREQUENT_WINDOW;
    for (int64_t line = at - 1; line >= first && classes[line] != COUNTS; line--)
        *(classes[line] == UNIQUE ? &absent_before : &frequent) += 1;
    if (!absent_before)
        return 0;
    for (int64_t line = at + 1; line <= last && classes[line] != COUNTS; line++)
        *(classes[line] == UNIQUE ? &absent_behind : &frequent) += 1;
    if (!absent_behind)
        return 0;
    return frequent * RUN_FACTOR < frequent + absent_before + absent_behind;
}

/* Choose the lines from `first` to before `end` that are compared; others are changed. */
static int
choose_compared(Side *side, const Kind *kinds, int other, int64_t first, int64_t end)
{
    int64_t most = root_of(side->count);
    uint8_t *classes = malloc((size_t)side->count + 1);
    side->places = malloc((size_t)(end - first + 1) * sizeof *side->places);
    side->compared = malloc((size_t)(end - first + 1) * sizeof *side->compared);
    if (!classes || !side->places || !side->compared) {
        free(classes);
        return 0;
    }
    if (most > MOST_FREQUENT)
        most = MOST_FREQUENT;
    for (int64_t line = first; line < end; line++) {
        int64_t times = kinds[side->kinds[line]].times[other];
        classes[line] = !times ? UNIQUE : times >= most ? FREQUENT : COUNTS;
    }
    side->compared_count = 0;
    for (int64_t line = first; line < end; line++) {
        if (classes[line] == COUNTS ||
            (classes[line] == FREQUENT && !is_noise(classes, line, first, end - 1))) {
            side->places[side->compared_count] = (uint32_t)line;
            side->compared[side->compared_count++] = side->kinds[line];
        } else {
            side->shown[line] = 1;
        }
    }
    free(classes);
    return 1;
}

/* ---- the search for a short script ---- */

typedef struct {
    int64_t low[2], high[2]; /* the stretch of each side */
    int exact;               /* no bound on the cost */
} Box;

typedef struct {
    int64_t at[2];
    int exact_before, exact_behind;
} Split;

typedef struct {
    const uint32_t *lines[2];
    int64_t *ahead, *back; /* by diagonal: how far each search has come */
    int64_t most_cost;
} Search;

typedef struct {
    int64_t low, high;
} Diagonals;

static int64_t
step(int64_t *reach, Diagonals *open, int64_t least, int64_t most, int64_t unreached)
{
    if (open->low > least)
        reach[--open->low - 1] = unreached;
    else
        ++open->low;
    if (open->high < most)
        reach[++open->high + 1] = unreached;
    else
        --open->high;
    return open->high;
}

/* A long run of equal lines that one of the searches has come through. */
static int
find_run(const Search *search, const Box *box, const Diagonals *open, int ahead, int64_t cost,
         int64_t middle, Split *split)
{
    const uint32_t *one = search->lines[0], *other = search->lines[1];
    const int64_t *reach = ahead ? search->ahead : search->back;
    int64_t best = 0;
    for (int64_t diagonal = open->high; diagonal >= open->low; diagonal -= 2) {
        int64_t away = diagonal > middle ? diagonal - middle : middle - diagonal;
        int64_t x = reach[diagonal], y = x - diagonal, run = 0;
        int64_t gain = (ahead ? x - box->low[0] + y - box->low[1]
                              : box->high[0] - x + box->high[1] - y) -
                       away;
        if (gain <= RUN_FACTOR * cost || gain <= best)
            continue;
        if (ahead) {
            if (x < box->low[0] + LONG_RUN || x >= box->high[0] || y < box->low[1] + LONG_RUN ||
                y >= box->high[1])
                continue;
            while (run < LONG_RUN && one[x - run - 1] == other[y - run - 1])
                run++;
        } else {
            if (x <= box->low[0] || x > box->high[0] - LONG_RUN || y <= box->low[1] ||
                y > box->high[1] - LONG_RUN)
                continue;
            while (run < LONG_RUN && one[x + run] == other[y + run])
                run++;
        }
        if (run == LONG_RUN) {
            best = gain;
            *split = (Split){{x, y}, ahead, !ahead};
        }
    }
    return best > 0;
}

/* The place that is farthest from its end, where the search has cost enough. */
static void
take_farthest(const Search *search, const Box *box, const Diagonals *open, Split *split)
{
    int64_t far = -1, far_x = -1, near = INT64_MAX, near_x = INT64_MAX;
    for (int64_t diagonal = open[0].high; diagonal >= open[0].low; diagonal -= 2) {
        int64_t x = search->ahead[diagonal], y;
        if (x > box->high[0])
            x = box->high[0];
        y = x - diagonal;
        if (y > box->high[1]) {
            y = box->high[1];
            x = y + diagonal;
        }
        if (far < x + y) {
            far = x + y;
            far_x = x;
        }
    }
    for (int64_t diagonal = open[1].high; diagonal >= open[1].low; diagonal -= 2) {
        int64_t x = search->back[diagonal], y;
        if (x < box->low[0])
            x = box->low[0];
        y = x - diagonal;
        if (y < box->low[1]) {
            y = box->low[1];
            x = y + diagonal;
        }
        if (x + y < near) {
            near = x + y;
            near_x = x;
        }
    }
    if (box->high[0] + box->high[1] - near < far - (box->low[0] + box->low[1]))
        *split = (Split){{far_x, far - far_x}, 1, 0};
    else
        *split = (Split){{near_x, near - near_x}, 0, 1};
}

static Split
split_box(const Search *search, const Box *box)
{
    const uint32_t *one = search->lines[0], *other = search->lines[1];
    int64_t *ahead = search->ahead, *back = search->back;
    int64_t least = box->low[0] - box->high[1], most = box->high[0] - box->low[1];
    int64_t from = box->low[0] - box->low[1], to = box->high[0] - box->high[1];
    int is_odd = (int)((from - to) & 1);
    Diagonals open[2] = {{from, from}, {to, to}};
    Split split = {{0, 0}, 1, 1};
    ahead[from] = box->low[0];
    back[to] = box->high[0];
    for (int64_t cost = 1;; cost++) {
        int has_run = 0;
        for (int64_t d = step(ahead, open, least, most, -1); d >= open[0].low; d -= 2) {
            int64_t x = ahead[d - 1] >= ahead[d + 1] ? ahead[d - 1] + 1 : ahead[d + 1];
            int64_t begin = x, y = x - d;
            while (x < box->high[0] && y < box->high[1] && one[x] == other[y])
                x++, y++;
            has_run |= x - begin > LONG_RUN;
            ahead[d] = x;
            if (is_odd && open[1].low <= d && d <= open[1].high && back[d] <= x) {
                split.at[0] = x;
                split.at[1] = y;
                return split;
            }
        }
        for (int64_t d = step(back, open + 1, least, most, INT64_MAX); d >= open[1].low; d -= 2) {
            int64_t x = back[d - 1] < back[d + 1] ? back[d - 1] : back[d + 1] - 1;
            int64_t begin = x, y = x - d;
            while (x > box->low[0] && y > box->low[1] && one[x - 1] == other[y - 1])
                x--, y--;
            has_run |= begin - x > LONG_RUN;
            back[d] = x;
            if (!is_odd && open[0].low <= d && d <= open[0].high && x <= ahead[d]) {
                split.at[0] = x;
                split.at[1] = y;
                return split;
            }
        }
        if (box->exact)
            continue;
        if (has_run && cost > LEAST_COST &&
            (find_run(search, box, open, 1, cost, from, &split) ||
             find_run(search, box, open + 1, 0, cost, to, &split)))
            return split;
        if (cost >= search->most_cost) {
            take_farthest(search, box, open, &split);
            return split;
        }
    }
}

/* Mark what differs between the compared lines of both sides. */
static int
mark_differences(Side *sides)
{
    size_t diagonals = (size_t)(sides[0].compared_count + sides[1].compared_count) + 3;
    size_t waiting = 1, room = 64;
    int64_t *reach = malloc((2 * diagonals + 2) * sizeof *reach);
    Box *boxes = malloc(room * sizeof *boxes);
    Search search = {{sides[0].compared, sides[1].compared}, NULL, NULL, 0};
    if (!reach || !boxes)
        goto failed;
    search.ahead = reach + sides[1].compared_count + 1;
    search.back = search.ahead + diagonals;
    search.most_cost = root_of((int64_t)diagonals);
    if (search.most_cost < LEAST_COST)
        search.most_cost = LEAST_COST;
    boxes[0] = (Box){{0, 0}, {sides[0].compared_count, sides[1].compared_count}, 0};
    while (waiting) {
        Box box = boxes[--waiting];
        while (box.low[0] < box.high[0] && box.low[1] < box.high[1] &&
               sides[0].compared[box.low[0]] == sides[1].compared[box.low[1]])
            box.low[0]++, box.low[1]++;
        while (box.low[0] < box.high[0] && box.low[1] < box.high[1] &&
               sides[0].compared[box.high[0] - 1] == sides[1].compared[box.high[1] - 1])
            box.high[0]--, box.high[1]--;
        if (box.low[0] < box.high[0] && box.low[1] < box.high[1]) {
            Split split = split_box(&search, &box);
            Box behind = box;
            if (waiting + 2 > room) {
                Box *more = realloc(boxes, 2 * room * sizeof *boxes);
                if (!more)
                    goto failed;
                boxes = more;
                room *= 2;
            }
            for (int side = 0; side < 2; side++)
                box.high[side] = behind.low[side] = split.at[side];
            box.exact = split.exact_before;
            behind.exact = split.exact_behind;
            boxes[waiting++] = behind;
            boxes[waiting++] = box;
            continue;
        }
        for (int side = 0; side < 2; side++)
            for (int64_t line = box.low[side]; line < box.high[side]; line++)
                sides[side].shown[sides[side].places[line]] = 1;
    }
    free(reach);
    free(boxes);
    return 1;
failed:
    free(reach);
    free(boxes);
    return 0;
}

/* ---- where a group of changed lines stands ---- */

typedef struct {
    int64_t begin, end; /* changed lines; may be none */
} Group;

static Group
first_group(const Side *side)
{
    Group group = {0, 0};
    while (side->shown[group.end])
        group.end++;
    return group;
}

static int
next_group(const Side *side, Group *group)
{
    if (group->end == side->count)
        return 0;
    group->begin = ++group->end;
    while (side->shown[group->end])
        group->end++;
    return 1;
}

static void
previous_group(const Side *side, Group *group)
{
    if (!group->begin)
        return;
    group->end = --group->begin;
    while (side->shown[group->begin - 1])
        group->begin--;
}

static int
have_same_line(const Side *side, int64_t one, int64_t other)
{
    if (side->kinds[one] != side->kinds[other])
        return 0;
    return side->kinds[one] != NO_KIND || is_line(side, one, side, other, side->any_blanks);
}

static int
slide_down(const Side *side, Group *group)
{
    if (group->end >= side->count || !have_same_line(side, group->begin, group->end))
        return 0;
    side->shown[group->begin++] = 0;
    side->shown[group->end++] = 1;
    while (side->shown[group->end])
        group->end++;
    return 1;
}

static int
slide_up(const Side *side, Group *group)
{
    if (!group->begin || !have_same_line(side, group->begin - 1, group->end - 1))
        return 0;
    side->shown[--group->begin] = 1;
    side->shown[--group->end] = 0;
    while (side->shown[group->begin - 1])
        group->begin--;
    return 1;
}

/* Columns before the text of a line; -1 for a blank one. */
static int64_t
indent_of(const Side *side, int64_t line)
{
    const uint8_t *at = side->text + side->starts[line];
    const uint8_t *end = side->text + side->starts[line + 1];
    int64_t columns = 0;
    for (; at < end; at++) {
        if (!is_blank(*at))
            return columns;
        if (*at == ' ')
            columns++;
        else if (*at == '\t')
            columns += 8 - columns % 8;
        if (columns >= MOST_INDENT)
            return MOST_INDENT;
    }
    return -1;
}

typedef struct {
    int64_t indent, penalty;
} Score;

/* The first line with text from a line on: its indent, and how many blank ones are before it. */
static int64_t
text_from(const Side *side, int64_t line, int64_t direction, int64_t *blank)
{
    *blank = 0;
    for (; line >= 0 && line < side->count; line += direction) {
        int64_t indent = indent_of(side, line);
        if (indent != -1)
            return indent;
        if (++*blank == MOST_BLANK_LINES)
            return 0;
    }
    return -1;
}

/* Add how badly a text is cut before this line. */
static void
add_cut(const Side *side, int64_t line, Score *score)
{
    int64_t blank_before, blank_behind;
    int64_t indent = line >= side->count ? -1 : indent_of(side, line);
    int64_t before = text_from(side, line - 1, -1, &blank_before);
    int64_t behind = text_from(side, line + 1, 1, &blank_behind);
    int64_t blank, own = indent != -1 ? indent : behind;
    blank_behind = indent == -1 ? blank_behind + 1 : 0;
    blank = blank_before + blank_behind;
    if (before == -1 && !blank_before)
        score->penalty += 1;
    if (line >= side->count)
        score->penalty += 21;
    score->penalty += 6 * blank_behind - 30 * blank;
    score->indent += own;
    if (own == -1 || before == -1 || own == before)
        return;
    if (own > before)
        score->penalty += blank ? 10 : -4;
    else if (behind != -1 && behind > own)
        score->penalty += blank ? 17 : 24;
    else
        score->penalty += blank ? 17 : 23;
}

static int
is_no_worse(const Score *one, const Score *other)
{
    int64_t order = (one->indent > other->indent) - (one->indent < other->indent);
    return 60 * order + one->penalty - other->penalty <= 0;
}

/* The end of a group of so many lines that reads best, from `first` to where it ends now. */
static int64_t
best_end(const Side *side, const Group *group, int64_t size, int64_t first)
{
    int64_t best = -1;
    Score lowest = {0, 0};
    if (first < group->end - size - 1)
        first = group->end - size - 1;
    if (first < group->end - MOST_SLIDING)
        first = group->end - MOST_SLIDING;
    for (int64_t end = first; end <= group->end; end++) {
        Score score = {0, 0};
        add_cut(side, end, &score);
        add_cut(side, end - size, &score);
        if (best == -1 || is_no_worse(&score, &lowest)) {
            lowest = score;
            best = end;
        }
    }
    return best;
}

static void
slide_groups(const Side *side, const Side *other)
{
    Group group = first_group(side), beside = first_group(other);
    do {
        int64_t size, earliest, aligned;
        if (group.begin == group.end)
            continue;
        do {
            size = group.end - group.begin;
            aligned = -1;
            while (slide_up(side, &group))
                previous_group(other, &beside);
            earliest = group.end;
            if (beside.end > beside.begin)
                aligned = group.end;
            while (slide_down(side, &group)) {
                next_group(other, &beside);
                if (beside.end > beside.begin)
                    aligned = group.end;
            }
        } while (size != group.end - group.begin);
        if (group.end == earliest)
            continue;
        if (aligned != -1) {
            while (beside.end == beside.begin && slide_up(side, &group))
                previous_group(other, &beside);
        } else {
            int64_t best = best_end(side, &group, size, earliest);
            while (group.end > best && slide_up(side, &group))
                previous_group(other, &beside);
        }
    } while (next_group(side, &group) && (next_group(other, &beside), 1));
}

/* ---- all of it ---- */

static int
compare(Side *sides, int any_blanks)
{
    int64_t first = 0, ends[2] = {sides[0].count, sides[1].count};
    int sound = 1;
    while (first < ends[0] && first < ends[1] &&
           is_line(sides, first, sides + 1, first, any_blanks))
        first++;
    while (ends[0] > first && ends[1] > first &&
           is_line(sides, ends[0] - 1, sides + 1, ends[1] - 1, any_blanks))
        ends[0]--, ends[1]--;
    if (first == ends[0] || first == ends[1]) { /* lines are new, or gone, and nothing else */
        for (int side = 0; side < 2; side++) {
            memset(sides[side].kinds, 0xFF, (size_t)sides[side].count * sizeof(uint32_t));
            memset(sides[side].shown + first, 1, (size_t)(ends[side] - first));
        }
    } else {
        Kind *kinds = number_kinds(sides, first, ends, any_blanks);
        sound = kinds && choose_compared(sides, kinds, 1, first, ends[0]) &&
                choose_compared(sides + 1, kinds, 0, first, ends[1]) && mark_differences(sides);
        free(kinds);
    }
    if (sound) {
        slide_groups(sides, sides + 1);
        slide_groups(sides + 1, sides);
    }
    return sound;
}

/* The sizes without a common end, of which a line and up to a block are left. */
static void
cut_common_end(const uint8_t *const *texts, size_t *sizes)
{
    size_t smaller = sizes[0] < sizes[1] ? sizes[0] : sizes[1], cut = 0, back = 0;
    const uint8_t *one = texts[0] + sizes[0], *other = texts[1] + sizes[1];
    while (cut + COMMON_BLOCK <= smaller &&
           memcmp(one - cut - COMMON_BLOCK, other - cut - COMMON_BLOCK, COMMON_BLOCK) == 0)
        cut += COMMON_BLOCK;
    while (back < cut && *(one - cut + back++) != '\n')
        ;
    sizes[0] -= cut - back;
    sizes[1] -= cut - back;
}

static PyObject *
hunks_of(const Side *sides)
{
    size_t found = 0, room = 0;
    uint32_t *hunks = NULL;
    PyObject *result;
    int64_t at[2] = {0, 0};
    while (at[0] < sides[0].count || at[1] < sides[1].count) {
        uint32_t hunk[8];
        if (!sides[0].shown[at[0]] && !sides[1].shown[at[1]]) {
            at[0]++, at[1]++;
            continue;
        }
        for (int side = 0; side < 2; side++) {
            hunk[2 * side] = (uint32_t)at[side];
            hunk[4 + 2 * side] = sides[side].starts[at[side]];
            while (sides[side].shown[at[side]])
                at[side]++;
            hunk[2 * side + 1] = (uint32_t)at[side];
            hunk[5 + 2 * side] = sides[side].starts[at[side]];
        }
        if (found == room) {
            uint32_t *more = realloc(hunks, (room = 2 * room + 16) * sizeof hunk);
            if (!more) {
                free(hunks);
                return PyErr_NoMemory();
            }
            hunks = more;
        }
        memcpy(hunks + 8 * found++, hunk, sizeof hunk);
    }
    result = PyBytes_FromStringAndSize((const char *)hunks, (Py_ssize_t)(found * 8 * 4));
    free(hunks);
    return result;
}

PyDoc_STRVAR(diff_lines_doc,
             "diff_lines(old, new, any_blanks, whole)\n--\n\n"
             "Eight numbers (uint32) for each hunk: lines of `old` and of `new` from and to, from\n"
             "0 on, then the bytes of both. Lines that differ in blanks alone are equal with\n"
             "`any_blanks`. Without `whole`, a common end is left out first, as git does where it\n"
             "shows no lines around a hunk.");

static PyObject *
diff_lines(PyObject *module, PyObject *arguments)
{
    Py_buffer texts[2];
    int any_blanks, whole, sound;
    PyObject *result = NULL;
    Side sides[2] = {{0}, {0}};
    size_t sizes[2];
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y*y*pp:diff_lines", texts, texts + 1, &any_blanks, &whole))
        return NULL;
    sizes[0] = (size_t)texts[0].len;
    sizes[1] = (size_t)texts[1].len;
    if (sizes[0] > INT32_MAX || sizes[1] > INT32_MAX) {
        PyErr_SetString(PyExc_ValueError, "a text of more than 2 GiB");
    } else {
        PyThreadState *state = PyEval_SaveThread();
        const uint8_t *const data[2] = {texts[0].buf, texts[1].buf};
        if (!whole)
            cut_common_end(data, sizes);
        sides[0].any_blanks = sides[1].any_blanks = any_blanks;
        size_t common = common_begin(data[0], data[1], sizes[0] < sizes[1] ? sizes[0] : sizes[1]);
        sound = split_lines(sides, data[0], sizes[0], NULL, 0) &&
                split_lines(sides + 1, data[1], sizes[1], sides, common) &&
                compare(sides, any_blanks);
        PyEval_RestoreThread(state);
        result = sound ? hunks_of(sides) : PyErr_NoMemory();
    }
    free_side(sides);
    free_side(sides + 1);
    PyBuffer_Release(texts);
    PyBuffer_Release(texts + 1);
    return result;
}

PyMethodDef DIFF_FUNCTIONS[] = {
    {"diff_lines", diff_lines, METH_VARARGS, diff_lines_doc},
    {NULL, NULL, 0, NULL},
};
