/* How an ASCII word is split at underscores and capitals; `split_identifier` in words.py is the
   same rule in Python, for any word. */

#include <stddef.h>
#include <stdint.h>

/* characters; the same as in words.py, which says why */
#define MAX_WORD 127

#define TIMES_2(kind) kind, kind
#define TIMES_4(kind) TIMES_2(kind), TIMES_2(kind)
#define TIMES_8(kind) TIMES_4(kind), TIMES_4(kind)
#define TIMES_16(kind) TIMES_8(kind), TIMES_8(kind)
#define TIMES_32(kind) TIMES_16(kind), TIMES_16(kind)
#define TIMES_64(kind) TIMES_32(kind), TIMES_32(kind)
#define TIMES_10(kind) TIMES_8(kind), TIMES_2(kind)
#define TIMES_26(kind) TIMES_16(kind), TIMES_10(kind)

/* One number per byte value: those of A-Z, a-z, digits and underscore, bytes from 0x80; else 0. */
#define BYTE_TABLE(capital, small, other, beyond)                                                  \
    {                                                                                              \
        TIMES_32(0), TIMES_16(0), TIMES_10(other), TIMES_4(0), TIMES_2(0), 0, TIMES_26(capital),   \
            TIMES_4(0), other, 0, TIMES_26(small), TIMES_4(0), 0, TIMES_64(beyond),                \
            TIMES_64(beyond)                                                                       \
    }

enum { CAPITAL = 1, SMALL = 2, OTHER = 4, BEYOND = 8 };

/* What each byte can be within a word in UTF-8; 0 for bytes that end a word. */
static const uint8_t KIND[256] = BYTE_TABLE(CAPITAL, SMALL, OTHER, BEYOND);

/* Whether an ASCII byte is a blank, as Python says. */
static inline int
is_blank(uint8_t byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r') || (byte >= 0x1C && byte <= 0x1F);
}

static inline void
lower(const uint8_t *word, size_t length, uint8_t *lowered)
{
    for (size_t at = 0; at < length; at++)
        lowered[at] = KIND[word[at]] & CAPITAL ? (uint8_t)(word[at] | 0x20) : word[at];
}

/* Whether a part begins at `at`: a capital, unless it follows a capital and no small letter follows
   it. */
static inline int
begins_part(const uint8_t *word, size_t at, size_t length)
{
    if (!(KIND[word[at]] & CAPITAL))
        return 0;
    return !(KIND[word[at - 1]] & CAPITAL) || (at + 1 < length && KIND[word[at + 1]] & SMALL);
}

/* Finds the next part from `*end` on (0 for the first); returns 0 where there is none. */
static inline int
next_part(const uint8_t *word, size_t length, size_t *begin, size_t *end)
{
    size_t at = *end;
    while (at < length && word[at] == '_')
        at++;
    if (at == length)
        return 0;
    *begin = at++;
    while (at < length && word[at] != '_' && !begins_part(word, at, length))
        at++;
    *end = at;
    return 1;
}

#if defined(__GNUC__)
#define LOWEST_BIT(bits) ((unsigned)__builtin_ctzll(bits))
#else
#define LOWEST_BIT(bits) lowest_bit(bits)
static inline unsigned
lowest_bit(uint64_t bits)
{
    unsigned at = 0;
    while (!(bits >> at & 1))
        at++;
    return at;
}
#endif
