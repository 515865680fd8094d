/* What is known while the best lines of a file are chosen: choice.c chooses, passages.c is asked. */

#include "server.h"

#include <stdlib.h>
#include <string.h>

#include "feeds.h"
#include "marks.h"
#include "ranges.h"

#define FARTHEST ((int64_t)1 << 40) /* lines are no farther */
#define MOST_SCOPES 64

typedef struct {
    const uint8_t *begin, *end; /* without the line's end */
} Line;

/* What the caller decides. */
typedef struct {
    Py_ssize_t window, context, without_match, longest, shortest, head, around, above, most_lines;
    Py_ssize_t most_others;
    double declares, meant, worth_showing;
    const char *more; /* what stands for the rest of a long line */
    Py_ssize_t more_length;
    PyObject *comments; /* what comments begin with */
} Limits;

typedef struct {
    uint64_t mark;
    double worth;
    size_t order, unit, first, last; /* first and last line of the region that belong to it */
} Unit;

typedef struct {
    size_t line;
    uint64_t mark;
    double worth;
} Match;

/* All that is known of one call; each pointer is freed in the end. */
typedef struct {
    const uint8_t *data, *end;
    int64_t first, last;
    Query query;
    double weights[MAX_TERMS];
    const uint8_t *name; /* the whole query in small letters, without underscores; may be empty */
    size_t name_length;
    Limits limits;
    const uint8_t *names;
    Column lengths, starts, spans, parents;
    uint64_t *edges;
    Line *lines;
    size_t line_count;
    uint64_t *marks;    /* by line */
    size_t *unit_of;    /* by line, a number of a place and 1; 0 outside of all */
    Range *places;
    size_t place_count;
    uint8_t *is_meant;  /* by place */
    Unit *units;        /* by place and 1 */
    Match *matches;
    size_t match_count;
    size_t held;        /* units with matches, in front */
    int64_t *quoted;    /* lines of the region of which the passage holds one, if there are any */
    size_t quoted_count;
} Search;

enum Outcome { NOT_PLAIN, CHOSEN, NO_MEMORY };

typedef struct {
    int64_t start, stop, begin, end; /* lines of the file; `stop` is as it was without blanks */
    uint64_t mark;
    Py_ssize_t symbol; /* a place, or -1 */
    size_t unit;
} Choice;

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* choice.c: the lines to show, and what speaks for them. */
enum Outcome choose(Search *search, uint64_t letters, Choice *choice);

/* choice.c: where each name begins in the text of all names. */
enum Outcome find_edges(Search *search);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

/* The declaration around one, by number; -1 where there is none. */
static inline int64_t
scope_of(const Search *search, int64_t number)
{
    uint64_t step = number_at(&search->parents, (size_t)number);
    uint64_t around = (uint64_t)number - unfold(step);
    return step && around < search->parents.count ? (int64_t)around : -1;
}

static inline int
is_ascii(const uint8_t *at, const uint8_t *end)
{
    uint8_t all = 0;
    for (; at < end; at++)
        all |= *at;
    return all < 0x80;
}

/* The text of the lines first to last; as `find_lines`. */
static inline int
find_text(const Search *search, int64_t first, int64_t last, const uint8_t **begin,
          const uint8_t **stop)
{
    const uint8_t *end = search->end;
    *begin = skip_feeds(search->data, end, (size_t)first - 1);
    if (!*begin || *begin == end)
        return 0;
    *stop = skip_feeds(*begin, end, (size_t)(last - first) + 1);
    *stop = *stop ? *stop - 1 : end[-1] == '\n' ? end - 1 : end;
    return is_ascii(*begin, *stop);
}

static inline Line *
split_lines(const uint8_t *at, const uint8_t *stop, size_t *count)
{
    size_t most = count_line_feeds(at, (size_t)(stop - at)) + 1;
    Line *lines = malloc(most * sizeof *lines);
    for (size_t number = 0; lines && number < most; number++) {
        const uint8_t *end = number + 1 < most ? memchr(at, '\n', (size_t)(stop - at)) : stop;
        lines[number].begin = at;
        lines[number].end = end > at && end[-1] == '\r' ? end - 1 : end;
        at = end + 1;
    }
    *count = most;
    return lines;
}

static inline const uint8_t *
skip_blanks(const Line *line)
{
    const uint8_t *at = line->begin;
    while (at < line->end && is_blank(*at))
        at++;
    return at;
}
