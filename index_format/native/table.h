/* Tables that number texts in order of arrival, and growing arrays of numbers.

   A slot holds the first bytes of its text, which is enough to recognise a short one. Texts are
   hashed with SipHash-1-3: without the key nobody can choose texts that collide. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint64_t k0, k1;
} Key;

#define MAX_TEXTS (1u << 30) /* of a hash, 31 bits number the slots, of which half stay free */

typedef struct {
    uint64_t head; /* the first eight bytes; for a shorter text all of them and its length */
    uint32_t hash; /* lowest bit: whether the text has eight bytes or more */
    uint32_t next; /* number of the text, plus one; 0 for a free slot */
} Slot;

typedef struct {
    Slot *slots;
    size_t mask;
    uint8_t *texts;
    uint32_t *starts; /* of each text, and where the last one ends */
    uint32_t count;
    size_t room, texts_room;
} Table;

typedef struct {
    const uint8_t *at;
    size_t length;
    uint64_t head;
    uint32_t hash;
} Text;

static inline uint64_t
eight_bytes(const uint8_t *p)
{
    return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24 |
           (uint64_t)p[4] << 32 | (uint64_t)p[5] << 40 | (uint64_t)p[6] << 48 | (uint64_t)p[7] << 56;
}

/* Reads fewer than eight bytes as a number, and no byte from `end` on. */
static inline uint64_t
few_bytes(const uint8_t *p, size_t n, const uint8_t *end)
{
    uint64_t value = 0;
    if (n == 0)
        return 0;
    if (end - p >= 8)
        return eight_bytes(p) & (UINT64_MAX >> (64 - 8 * n));
    for (size_t i = 0; i < n; i++)
        value |= (uint64_t)p[i] << (8 * i);
    return value;
}

#define ROTATED(x, b) ((x) << (b) | (x) >> (64 - (b)))
#define SIP_ROUND                                                                                  \
    do {                                                                                           \
        v0 += v1, v1 = ROTATED(v1, 13), v1 ^= v0, v0 = ROTATED(v0, 32);                            \
        v2 += v3, v3 = ROTATED(v3, 16), v3 ^= v2;                                                  \
        v0 += v3, v3 = ROTATED(v3, 21), v3 ^= v0;                                                  \
        v2 += v1, v1 = ROTATED(v1, 17), v1 ^= v2, v2 = ROTATED(v2, 32);                            \
    } while (0)

/* Prepares a text for look-ups: its head, and its SipHash-1-3. */
static inline Text
text_of(const Key *key, const uint8_t *p, size_t length, const uint8_t *end)
{
    uint64_t v0 = key->k0 ^ 0x736f6d6570736575, v1 = key->k1 ^ 0x646f72616e646f6d;
    uint64_t v2 = key->k0 ^ 0x6c7967656e657261, v3 = key->k1 ^ 0x7465646279746573;
    uint64_t block;
    Text text = {p, length, 0, 0};
    const uint8_t *last = p + (length & ~(size_t)7);
    for (const uint8_t *at = p; at < last; at += 8) {
        block = eight_bytes(at);
        if (at == p)
            text.head = block;
        v3 ^= block;
        SIP_ROUND;
        v0 ^= block;
    }
    block = few_bytes(last, length & 7, end) | (uint64_t)length << 56;
    if (length < 8)
        text.head = block;
    v3 ^= block;
    SIP_ROUND;
    v0 ^= block;
    v2 ^= 0xff;
    SIP_ROUND;
    SIP_ROUND;
    SIP_ROUND;
    text.hash = (uint32_t)(v0 ^ v1 ^ v2 ^ v3) << 1 | (length >= 8);
    return text;
}

static void
table_clear(Table *table)
{
    free(table->slots);
    free(table->texts);
    free(table->starts);
    memset(table, 0, sizeof *table);
}

static inline size_t
table_length(const Table *table, uint32_t number)
{
    return table->starts[number + 1] - table->starts[number];
}

/* Finds the slot of the text, or the free one for it; at most half of the slots are taken. */
static inline Slot *
table_slot(const Table *table, const Text *text)
{
    for (size_t at = text->hash >> 1 & table->mask;; at = (at + 1) & table->mask) {
        Slot *slot = table->slots + at;
        if (!slot->next)
            return slot;
        if (slot->hash != text->hash || slot->head != text->head)
            continue;
        if (text->length < 8)
            return slot;
        uint32_t number = slot->next - 1;
        if (table_length(table, number) == text->length &&
            memcmp(table->texts + table->starts[number] + 8, text->at + 8, text->length - 8) == 0)
            return slot;
    }
}

/* Makes room for `needed` items, at least doubling it; NULL where memory is used up. */
static void *
grown(void *items, size_t *room, size_t needed, size_t size)
{
    size_t wanted = *room > SIZE_MAX / 2 ? SIZE_MAX : *room * 2;
    void *larger;
    if (needed <= *room)
        return items;
    if (wanted < needed)
        wanted = needed;
    if (wanted < 64)
        wanted = 64;
    if (wanted > SIZE_MAX / size || !(larger = realloc(items, wanted * size)))
        return NULL;
    *room = wanted;
    return larger;
}

static int
table_double(Table *table)
{
    size_t old = table->slots ? table->mask + 1 : 0, mask = old ? 2 * old - 1 : 1023;
    Slot *fresh = calloc(mask + 1, sizeof *fresh);
    if (!fresh)
        return 0;
    for (size_t at = 0; at < old; at++) {
        size_t place = table->slots[at].hash >> 1 & mask;
        if (!table->slots[at].next)
            continue;
        while (fresh[place].next)
            place = (place + 1) & mask;
        fresh[place] = table->slots[at];
    }
    free(table->slots);
    table->slots = fresh;
    table->mask = mask;
    return 1;
}

/* Adds a new text; returns 0 where memory or numbers are used up. */
static int
table_add(Table *table, const Text *text)
{
    size_t count = table->count, begin = count ? table->starts[count] : 0;
    uint32_t *starts;
    uint8_t *texts;
    if (count >= MAX_TEXTS || text->length >= UINT32_MAX - begin)
        return 0;
    if (!table->slots || 2 * (count + 1) > table->mask + 1)
        if (!table_double(table))
            return 0;
    if (!(texts = grown(table->texts, &table->texts_room, begin + text->length + 1, 1)))
        return 0;
    table->texts = texts;
    if (!(starts = grown(table->starts, &table->room, count + 2, sizeof *starts)))
        return 0;
    table->starts = starts;
    *table_slot(table, text) = (Slot){text->head, text->hash, (uint32_t)count + 1};
    memcpy(table->texts + begin, text->at, text->length);
    table->starts[count] = (uint32_t)begin;
    table->starts[count + 1] = (uint32_t)(begin + text->length);
    table->count++;
    return 1;
}

/* ---- growing arrays of numbers ---- */

typedef struct {
    uint32_t *items;
    size_t count, room;
} Numbers;

static inline int
push(Numbers *numbers, uint32_t value)
{
    if (numbers->count == numbers->room) {
        uint32_t *items = numbers->items;
        if (!(items = grown(items, &numbers->room, numbers->count + 1, sizeof *items)))
            return 0;
        numbers->items = items;
    }
    numbers->items[numbers->count++] = value;
    return 1;
}

static void
drop(Numbers *numbers)
{
    free(numbers->items);
    memset(numbers, 0, sizeof *numbers);
}
