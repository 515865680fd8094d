/* How plain words are cut into parts: `words.py` says the same in Python. */

#include <stddef.h>
#include <stdint.h>

#define MAX_WORD 64 /* characters; longer ones are no words */

enum { CAPITAL = 1, SMALL = 2, OTHER = 4, BEYOND = 8 };

/* What each byte may be in a word of UTF-8; 0 for what is in none. */
static uint8_t KIND[256];

static void
prepare_kinds(void)
{
    for (int at = 0; at < 256; at++) {
        int small = at >= 'a' && at <= 'z', capital = at >= 'A' && at <= 'Z';
        int other = (at >= '0' && at <= '9') || at == '_';
        KIND[at] = small ? SMALL : capital ? CAPITAL : other ? OTHER : at >= 0x80 ? BEYOND : 0;
    }
}

static inline void
lower(const uint8_t *word, size_t length, uint8_t *lowered)
{
    for (size_t at = 0; at < length; at++)
        lowered[at] = KIND[word[at]] & CAPITAL ? (uint8_t)(word[at] | 0x20) : word[at];
}

/* Whether a part begins at a capital: not after another one, unless a small letter follows. */
static inline int
begins_part(const uint8_t *word, size_t at, size_t length)
{
    if (!(KIND[word[at]] & CAPITAL))
        return 0;
    return !(KIND[word[at - 1]] & CAPITAL) || (at + 1 < length && KIND[word[at + 1]] & SMALL);
}

/* The part behind the one that ends at `end`, which is 0 at first; 0 where there is none. */
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
