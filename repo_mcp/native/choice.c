/* Chooses the lines of a file that answer a query best: the declaration with the most weight in its
   lines and its name, and in that the best stretch. */

#include "passages.h"

static int
is_comment(const Line *line, PyObject *comments)
{
    const uint8_t *at = skip_blanks(line);
    Py_ssize_t count = PyTuple_Size(comments);
    for (Py_ssize_t number = 0; number < count; number++) {
        PyObject *item = PyTuple_GetItem(comments, number);
        size_t length = (size_t)PyBytes_Size(item);
        if ((size_t)(line->end - at) >= length && !memcmp(at, PyBytes_AsString(item), length))
            return 1;
    }
    return 0;
}

/* ---- marks ---- */

/* The mark of ASCII text; 0 is returned where a word is too long to be sure. */
static int
mark_of(const Query *query, const uint8_t *at, const uint8_t *end, uint64_t *mark)
{
    *mark = 0;
    while (at < end) {
        const uint8_t *begin = at;
        while (at < end && KIND[*at])
            at++;
        if (at - begin > MAX_WORD)
            return 0;
        if (at > begin)
            *mark |= terms_of(query, begin, (size_t)(at - begin));
        else
            at++;
    }
    return 1;
}

/* The weights of a mark's terms, summed from the first to the last. */
static double
weigh(const Search *search, uint64_t mark)
{
    double sum = 0.0;
    for (size_t bit = 0; mark; bit++, mark >>= 1)
        if (mark & 1)
            sum += search->weights[bit];
    return sum;
}

static enum Outcome
mark_region(Search *search)
{
    const uint8_t *begin, *stop;
    if (!find_text(search, search->first, search->last, &begin, &stop))
        return NOT_PLAIN;
    if (!(search->lines = split_lines(begin, stop, &search->line_count)))
        return NO_MEMORY;
    search->marks = malloc(search->line_count * sizeof *search->marks);
    search->matches = malloc(search->line_count * sizeof *search->matches);
    search->unit_of = calloc(search->line_count, sizeof *search->unit_of);
    if (!search->marks || !search->matches || !search->unit_of)
        return NO_MEMORY;
    for (size_t line = 0; line < search->line_count; line++) {
        const Line *row = search->lines + line;
        if (!mark_of(&search->query, row->begin, row->end, search->marks + line))
            return NOT_PLAIN;
        search->match_count += search->marks[line] != 0;
    }
    return CHOSEN;
}

/* ---- declarations ---- */

enum Outcome
find_edges(Search *search)
{
    size_t count = search->lengths.count;
    if (search->edges)
        return CHOSEN;
    if (!(search->edges = malloc((count + 1) * sizeof *search->edges)))
        return NO_MEMORY;
    search->edges[0] = 0;
    for (size_t at = 0; at < count; at++) /* `overlapping` has checked the sum */
        search->edges[at + 1] = search->edges[at] + number_at(&search->lengths, at);
    return CHOSEN;
}

/* Compares a declaration's name backwards with what is left of the query's; returns how much of
   that is left then, or -1 where they differ. Sets `whole` where all of the declaration's was. */
static int64_t
compare_name(const Search *search, uint64_t begin, uint64_t length, int64_t left, int *whole)
{
    const uint8_t *name = search->names + begin, *at = name + length;
    for (; at > name; at--) {
        uint8_t letter = at[-1];
        if (letter == '_' || letter == '.')
            continue;
        if (!left)
            break;
        if (KIND[letter] & CAPITAL)
            letter |= 0x20;
        if (letter != search->name[left - 1])
            return -1;
        left--;
    }
    *whole = at == name;
    return left;
}

/* Whether the query is the name of a place, or the end of its qualified name and all of its own. */
static enum Outcome
find_meant(Search *search, size_t place)
{
    const Range *range = search->places + place;
    int whole;
    int64_t number = range->number;
    int64_t left =
        compare_name(search, range->name, range->length, (int64_t)search->name_length, &whole);
    if (left < 0 || !whole)
        return CHOSEN;
    for (int scopes = 0; left > 0; scopes++) {
        if ((number = scope_of(search, number)) < 0)
            return CHOSEN;
        if (scopes == MOST_SCOPES)
            return NOT_PLAIN;
        if (find_edges(search) != CHOSEN)
            return NO_MEMORY;
        left = compare_name(search, search->edges[number],
                            search->edges[number + 1] - search->edges[number], left, &whole);
    }
    search->is_meant[place] = left == 0;
    return CHOSEN;
}

static enum Outcome
find_places(Search *search, uint64_t letters)
{
    Py_ssize_t count;
    if (!(search->places = malloc((search->starts.count + 1) * sizeof *search->places)))
        return NO_MEMORY;
    count = overlapping(&search->starts, &search->spans, &search->lengths, letters, search->first,
                        search->last, search->places);
    if (count < 0)
        return count == -1 ? NOT_PLAIN : NO_MEMORY;
    search->place_count = (size_t)count;
    search->is_meant = calloc((size_t)count + 1, 1);
    search->units = calloc((size_t)count + 1, sizeof *search->units);
    if (!search->is_meant || !search->units)
        return NO_MEMORY;
    for (size_t at = 0; at < search->place_count; at++) {
        Range *range = search->places + at;
        if (range->begin < -FARTHEST || range->begin > FARTHEST || range->span < 0 ||
            range->span > FARTHEST ||
            memchr(search->names + range->name, '\n', (size_t)range->length))
            return NOT_PLAIN;
        if (search->name_length) {
            enum Outcome outcome = find_meant(search, at);
            if (outcome != CHOSEN)
                return outcome;
        }
    }
    return CHOSEN;
}

/* Gives each line to the innermost declaration; comments above belong to it. */
static void
divide_lines(Search *search)
{
    int64_t count = (int64_t)search->line_count;
    for (size_t place = 0; place < search->place_count; place++) {
        const Range *range = search->places + place;
        int64_t begin = range->begin - search->first, end = begin + range->span + 1, above;
        if (!range->span && !search->is_meant[place])
            continue;
        begin = begin < 0 ? 0 : begin;
        end = end > count ? count : end;
        if (begin >= end)
            continue;
        above = begin;
        while (above > 0 && begin - above < search->limits.above &&
               search->unit_of[above - 1] == search->unit_of[begin] &&
               is_comment(search->lines + above - 1, search->limits.comments))
            above--;
        for (; above < end; above++)
            search->unit_of[above] = place + 1;
    }
}

/* ---- phrases ---- */

/* The lines around a phrase that belong to the unit in which it begins: from `begin` to `end`. */
static void
find_around(const Search *search, size_t line, size_t *begin, size_t *end)
{
    size_t context = (size_t)search->limits.context, window = (size_t)search->limits.window;
    *begin = line < context ? 0 : line - context;
    *end = line + window > context ? line + window - context : 0;
    if (*end > search->line_count)
        *end = search->line_count;
}

/* Leaves the marks around the phrase whose lines have the most weight; all, where none is there. */
static enum Outcome
keep_quoted(Search *search)
{
    double best = -1.0;
    size_t begin = 0, end = 0, unit = 0, kept = 0;
    for (size_t at = 0; at < search->quoted_count; at++) {
        size_t line = (size_t)search->quoted[at], first, last, count = 0;
        uint64_t mark = 0;
        if (line >= search->line_count)
            return NOT_PLAIN;
        find_around(search, line, &first, &last);
        for (size_t near = first; near < last; near++)
            if (search->marks[near] && search->unit_of[near] == search->unit_of[line]) {
                mark |= search->marks[near];
                count++;
            }
        double worth = weigh(search, mark);
        if (worth > best) {
            best = worth;
            begin = first;
            end = last;
            unit = search->unit_of[line];
            kept = count;
        }
    }
    for (size_t line = 0; kept && line < search->line_count; line++)
        if (line < begin || line >= end || search->unit_of[line] != unit)
            search->marks[line] = 0;
    return CHOSEN;
}

/* ---- what is best ---- */

static int
compare_units(const void *one, const void *other)
{
    const Unit *a = one, *b = other;
    if (a->worth != b->worth)
        return a->worth < b->worth ? 1 : -1;
    return a->order < b->order ? -1 : 1;
}

static int
compare_matches(const void *one, const void *other)
{
    const Match *a = one, *b = other;
    if (a->worth != b->worth)
        return a->worth < b->worth ? 1 : -1;
    return a->line < b->line ? -1 : 1;
}

static int
compare_lines(const void *one, const void *other)
{
    const Match *a = one, *b = other;
    return a->line < b->line ? -1 : 1;
}

/* The units with matching lines, the best first, at the front of `units`. */
static enum Outcome
rank_units(Search *search)
{
    size_t order = 0;
    for (size_t line = 0; line < search->line_count; line++) {
        Unit *unit = search->units + search->unit_of[line];
        if (!unit->last)
            unit->first = line;
        unit->last = line + 1;
        if (!search->marks[line])
            continue;
        if (!unit->mark)
            unit->order = order++;
        unit->mark |= search->marks[line];
    }
    search->held = 0;
    for (size_t at = 0; at <= search->place_count; at++) {
        Unit unit = search->units[at];
        double named = 0.0;
        if (!unit.mark)
            continue;
        if (at) {
            const Range *range = search->places + at - 1;
            const uint8_t *name = search->names + range->name;
            uint64_t mark;
            if (!mark_of(&search->query, name, name + range->length, &mark))
                return NOT_PLAIN;
            if (mark)
                named = search->limits.declares * weigh(search, mark);
            if (search->is_meant[at - 1])
                named = search->limits.meant;
        }
        unit.unit = at;
        unit.worth = weigh(search, unit.mark) + named;
        search->units[search->held++] = unit;
    }
    qsort(search->units, search->held, sizeof *search->units, compare_units);
    return CHOSEN;
}

/* The matching lines of a unit in order; of many, only the heaviest. */
static void
list_matches(Search *search, size_t unit)
{
    size_t count = 0, most = (size_t)search->limits.most_lines;
    for (size_t line = 0; line < search->line_count; line++)
        if (search->marks[line] && search->unit_of[line] == unit)
            search->matches[count++] =
                (Match){line, search->marks[line], weigh(search, search->marks[line])};
    if (count > most) {
        qsort(search->matches, count, sizeof *search->matches, compare_matches);
        qsort(search->matches, most, sizeof *search->matches, compare_lines);
        count = most;
    }
    search->match_count = count;
}

/* The stretch of matches with the most weight in distinct terms, then in all. */
static void
find_stretch(const Search *search, size_t *first, size_t *last)
{
    double best = -1.0, most = -1.0;
    size_t window = (size_t)search->limits.window;
    *first = *last = search->matches[0].line;
    for (size_t at = 0; at < search->match_count; at++) {
        size_t begin = search->matches[at].line, end = begin;
        uint64_t held = 0;
        double every = 0.0, worth;
        for (size_t next = at; next < search->match_count && next < at + window; next++) {
            const Match *match = search->matches + next;
            if (match->line >= begin + window)
                break;
            if (match->mark & ~held) {
                end = match->line;
                held |= match->mark;
            }
            every += match->worth;
        }
        worth = weigh(search, held);
        if (worth > best || (worth == best && every > most)) {
            best = worth;
            most = every;
            *first = begin;
            *last = end;
        }
    }
}

static inline int64_t
least(int64_t one, int64_t other)
{
    return one < other ? one : other;
}

static inline int64_t
greatest(int64_t one, int64_t other)
{
    return one > other ? one : other;
}

/* The lines to show: the declaration if it is short, else some lines around the stretch. */
static void
set_extent(const Search *search, Choice *choice, int64_t begin, int64_t end)
{
    const Limits *limits = &search->limits;
    const Range *inside = choice->unit ? search->places + choice->unit - 1 : NULL;
    int64_t start = greatest(begin - limits->context, search->first);
    int64_t stop = least(end + limits->context, search->last);
    if (inside && inside->span) {
        int64_t top = inside->begin, bottom = inside->begin + inside->span;
        if (inside->span < limits->shortest) {
            start = least(begin, top);
            stop = bottom;
        } else if (end - top < limits->head) {
            start = least(begin, top);
            stop = least(top + limits->head - 1, bottom);
        } else {
            start = least(begin, greatest(start, top));
            stop = greatest(stop, least(start + limits->around - 1, bottom));
        }
    }
    choice->start = start;
    choice->stop = stop;
}

/* The innermost place around a line, or -1. */
static Py_ssize_t
place_around(const Search *search, int64_t line)
{
    for (size_t at = search->place_count; at--;) {
        const Range *range = search->places + at;
        if (range->begin <= line && line <= range->begin + range->span)
            return (Py_ssize_t)at;
    }
    return -1;
}

enum Outcome
choose(Search *search, uint64_t letters, Choice *choice)
{
    size_t begin, end;
    enum Outcome outcome = mark_region(search);
    if (outcome == CHOSEN)
        outcome = find_places(search, letters);
    if (outcome != CHOSEN)
        return outcome;
    *choice = (Choice){.start = search->first, .symbol = -1};
    if (!search->match_count) {
        for (size_t at = 0; at < search->place_count; at++)
            if (search->is_meant[at])
                return NOT_PLAIN; /* written in another style */
        choice->stop = least(search->first + search->limits.without_match - 1, search->last);
        return CHOSEN;
    }
    divide_lines(search);
    if ((outcome = keep_quoted(search)) != CHOSEN || (outcome = rank_units(search)) != CHOSEN)
        return outcome;
    choice->unit = search->units[0].unit;
    list_matches(search, choice->unit);
    find_stretch(search, &begin, &end);
    for (size_t at = 0; at < search->match_count; at++)
        choice->mark |= search->matches[at].mark;
    set_extent(search, choice, search->first + (int64_t)begin, search->first + (int64_t)end);
    choice->symbol = choice->unit ? (Py_ssize_t)choice->unit - 1
                                  : place_around(search, search->first + (int64_t)begin);
    return CHOSEN;
}
