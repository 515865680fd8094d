/* Counts and skips line feeds, many bytes at a time. */

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define LANES 16
#define MAX_ROUNDS 255 /* more could overflow the count of a lane */

/* Counts the line feeds in at most LANES * MAX_ROUNDS bytes. */
static inline size_t
count_feeds(const uint8_t *at, size_t count)
{
    uint8_t lanes[LANES] = {0};
    size_t whole = count / LANES * LANES, found = 0;
    for (size_t begin = 0; begin < whole; begin += LANES)
        for (size_t lane = 0; lane < LANES; lane++)
            lanes[lane] += at[begin + lane] == '\n';
    for (size_t lane = 0; lane < LANES; lane++)
        found += lanes[lane];
    for (; whole < count; whole++)
        found += at[whole] == '\n';
    return found;
}

static inline size_t
count_line_feeds(const void *text, size_t count)
{
    const uint8_t *at = text;
    const size_t step = LANES * MAX_ROUNDS;
    size_t found = 0;
    for (; count > step; at += step, count -= step)
        found += count_feeds(at, step);
    return found + count_feeds(at, count);
}

/* Skips `feeds` line feeds; NULL where there are fewer. */
static inline const uint8_t *
skip_feeds(const uint8_t *at, const uint8_t *end, size_t feeds)
{
    const size_t step = LANES * MAX_ROUNDS;
    while (feeds && (size_t)(end - at) > step) {
        size_t found = count_feeds(at, step);
        if (found >= feeds)
            break;
        feeds -= found;
        at += step;
    }
    for (; feeds; feeds--, at++)
        if (at == end || !(at = memchr(at, '\n', (size_t)(end - at))))
            return NULL;
    return at;
}
