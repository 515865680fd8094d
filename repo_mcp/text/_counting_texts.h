/* Cuts a text into words and sums what they give. */

#include "_counting_words.h"

#define CODE_POINTS 0x110000
#define WAITING 32 /* words that are cut before the first of them is looked up */

#if defined(__GNUC__)
#define PREFETCH(address) __builtin_prefetch(address)
#define LOWEST_BIT(bits) ((unsigned)__builtin_ctzll(bits))
#else
#define PREFETCH(address) ((void)(address))
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

/* Whether words may hold the character: 1 or 0, -1 for an error. Each is asked of Python once. */
static int
is_alphanumeric(Counter *self, uint32_t character)
{
    uint8_t *held;
    int shift = 2 * (character & 3), said;
    PyObject *text, *answer;
    if (character >= CODE_POINTS)
        return 0;
    if (!self->alphanumeric && !(self->alphanumeric = calloc(CODE_POINTS / 4, 1))) {
        PyErr_NoMemory();
        return -1;
    }
    held = self->alphanumeric + character / 4;
    if (*held >> shift & 1)
        return *held >> shift >> 1 & 1;
    text = PyUnicode_FromOrdinal((int)character);
    answer = text ? PyObject_CallMethod(text, "isalnum", NULL) : NULL;
    said = answer ? PyObject_IsTrue(answer) : -1;
    Py_XDECREF(text);
    Py_XDECREF(answer);
    if (said >= 0)
        *held |= (uint8_t)((1 | said << 1) << shift);
    return said;
}

/* The next character of UTF-8 that may hold surrogates, and how many bytes it has. */
static inline uint32_t
character_at(const uint8_t *at, const uint8_t *end, size_t *size)
{
    size_t wanted = *at < 0x80 ? 1 : *at < 0xE0 ? 2 : *at < 0xF0 ? 3 : 4;
    uint32_t value = wanted == 1 ? *at : *at & (0x7Fu >> wanted);
    *size = (size_t)(end - at) < wanted ? (size_t)(end - at) : wanted;
    for (size_t i = 1; i < *size; i++)
        value = value << 6 | (at[i] & 0x3F);
    return value;
}

/* Counts the words in a run of plain characters and others; `end` is where reading has to stop. */
static int
count_mixed(Counter *self, const uint8_t *at, const uint8_t *run_end, const uint8_t *end)
{
    const uint8_t *begin = at;
    size_t characters = 0, size = 0;
    int plain = 1;
    for (;; at += size) {
        int inside = 0;
        uint32_t character = 0;
        if (at < run_end) {
            character = character_at(at, run_end, &size);
            inside = character < 0x80 ? 1 : is_alphanumeric(self, character);
            if (inside < 0)
                return 0;
        }
        if (inside) {
            characters++;
            plain &= character < 0x80;
            continue;
        }
        if (characters > MAX_WORD) {
            self->long_times++;
        } else if (characters) {
            Text text = text_of(&self->key, begin, (size_t)(at - begin), end);
            if (!count_word(self, &text, plain))
                return 0;
        }
        if (at >= run_end)
            return 1;
        begin = at + size;
        characters = 0;
        plain = 1;
    }
}

/* One term of the text that is being counted, whose own terms begin at `first`. */
static inline int
add_term(Counter *self, uint32_t term, uint32_t times, size_t first)
{
    size_t place = first + self->place.items[term];
    if (place < self->found.count && self->found.items[place] == term) {
        self->frequencies.items[place] += times;
        return 1;
    }
    self->place.items[term] = (uint32_t)(self->found.count - first);
    if (!push(&self->found, term) || !push(&self->frequencies, times)) {
        PyErr_NoMemory();
        return 0;
    }
    return 1;
}

/* What the words of the text come to; forgets the text. */
static int
finish_text(Counter *self)
{
    size_t first = self->found.count;
    for (size_t at = 0; at < self->met.count; at++) {
        Word *word = self->of_word + self->met.items[at];
        uint32_t times = word->times, end = word[1].given;
        word->times = 0;
        for (uint32_t i = word->given; i < end; i++)
            if (!add_term(self, self->given.items[i], times, first))
                return 0;
    }
    self->met.count = 0;
    if (self->long_times) {
        static const uint8_t name[] = "\0long";
        if (!self->long_term) {
            int64_t number = term_number(self, name, sizeof name - 1, name + sizeof name);
            if (number < 0)
                return 0;
            self->long_term = (uint32_t)number + 1;
        }
        if (!add_term(self, self->long_term - 1, self->long_times, first))
            return 0;
        self->long_times = 0;
    }
    return 1;
}

/* The text that is being counted: words wait a little, until their slots have come from memory. */
typedef struct {
    const uint8_t *end;
    int unicode; /* whether bytes beyond ASCII are UTF-8; else they end words */
    size_t waiting;
    Text words[WAITING];
} Scan;

static int
count_waiting(Counter *self, Scan *scan)
{
    for (size_t at = 0; at < scan->waiting; at++)
        if (!count_word(self, scan->words + at, 1))
            return 0;
    scan->waiting = 0;
    return 1;
}

static inline int
is_ascii(const uint8_t *at, const uint8_t *end)
{
    uint8_t bits = 0;
    for (; at < end; at++)
        bits |= *at;
    return bits < 0x80;
}

/* Counts a run of bytes that may belong to words. */
static inline int
count_run(Counter *self, Scan *scan, const uint8_t *at, const uint8_t *end)
{
    if (scan->unicode && !is_ascii(at, end))
        return count_waiting(self, scan) && count_mixed(self, at, end, scan->end);
    if (end - at > MAX_WORD) {
        self->long_times++;
        return 1;
    }
    Text text = text_of(&self->key, at, (size_t)(end - at), scan->end);
    PREFETCH(self->words.slots + (text.hash >> 1 & self->words.mask));
    scan->words[scan->waiting++] = text;
    return scan->waiting < WAITING || count_waiting(self, scan);
}

/* Which of up to 64 bytes may belong to words, one bit each. */
static inline uint64_t
runs_of(const uint8_t *at, size_t count, const uint8_t in_run[256])
{
    uint64_t bits = 0;
    if (count >= 64)
        for (size_t i = 0; i < 64; i++)
            bits |= (uint64_t)in_run[at[i]] << i;
    else
        for (size_t i = 0; i < count; i++)
            bits |= (uint64_t)in_run[at[i]] << i;
    return bits;
}

static int
count_text(Counter *self, const uint8_t *text, size_t length, int unicode)
{
    Scan scan;
    const uint8_t *begin = NULL;
    uint64_t inside = 0;
    scan.end = text + length;
    scan.unicode = unicode;
    scan.waiting = 0;
    for (size_t block = 0; block < length; block += 64) {
        uint64_t runs = runs_of(text + block, length - block, IN_RUN[unicode]);
        uint64_t edges = runs ^ (runs << 1 | inside);
        inside = runs >> 63;
        for (; edges; edges &= edges - 1) {
            const uint8_t *edge = text + block + LOWEST_BIT(edges);
            if (!begin) {
                begin = edge;
                continue;
            }
            if (!count_run(self, &scan, begin, edge))
                return 0;
            begin = NULL;
        }
    }
    if (begin && !count_run(self, &scan, begin, scan.end))
        return 0;
    return count_waiting(self, &scan) && finish_text(self);
}
