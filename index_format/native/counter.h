/* Counts the words of texts: splits texts into words, finds what terms each word has once, and sums
   the terms of a text. `words.py` does the same in Python. */

#include "native.h"

#include "identifiers.h"
#include "table.h"

typedef struct {
    uint32_t first; /* of its terms in `word_terms`; they end where the next word's begin */
    uint32_t times; /* in the current text; 0 between texts */
} Word;

typedef struct {
    PyObject_HEAD
    Key key;
    PyObject *long_name; /* bytes: the term of all words longer than MAX_WORD */
    int busy;
    Table words, terms;
    Word *of_word;        /* one more than there are words */
    size_t of_word_room;
    Numbers word_terms;   /* the terms of all words, word after word */
    Numbers text_words;   /* the distinct words of the current text */
    Numbers places;       /* of each term in `out_terms`; out of date unless it stands there */
    Numbers term_numbers; /* of each term: the caller's number */
    uint32_t long_term;   /* number of `long_name`, plus one; 0 before the first long word */
    uint32_t long_times;
    uint8_t *alphanumeric; /* two bits a code point: whether Python was asked, and its answer */
    /* of one call */
    Numbers out_terms, out_times, out_wholes;
    PyObject *split_other;
} Counter;

/* Whether a byte can belong to a word: in ASCII, in UTF-8. */
static const uint8_t IN_WORD[2][256] = {BYTE_TABLE(1, 1, 1, 0), BYTE_TABLE(1, 1, 1, 1)};

/* ---- the terms of a word ---- */

/* Returns the number of a term, a new one if need be; -1 where memory is used up. */
static int64_t
term_number(Counter *self, const uint8_t *at, size_t length, const uint8_t *end)
{
    Text text = text_of(&self->key, at, length, end);
    if (self->terms.slots) {
        Slot *slot = table_slot(&self->terms, &text);
        if (slot->next)
            return slot->next - 1;
    }
    if (!table_add(&self->terms, &text) || !push(&self->places, 0)) {
        PyErr_NoMemory();
        return -1;
    }
    return (int64_t)self->terms.count - 1;
}

static int
add_word_term(Counter *self, const uint8_t *at, size_t length, const uint8_t *end)
{
    int64_t number = term_number(self, at, length, end);
    if (number < 0)
        return 0;
    if (self->word_terms.count >= UINT32_MAX || !push(&self->word_terms, (uint32_t)number)) {
        PyErr_NoMemory();
        return 0;
    }
    return 1;
}

/* Adds the terms of an ASCII word: itself, then its parts if it has several. */
static int
add_plain_word(Counter *self, const uint8_t *word, size_t length)
{
    uint8_t lowered[MAX_WORD + 8];
    const uint8_t *rest = lowered + sizeof lowered;
    size_t begin, end = 0;
    int whole_added = 0;
    lower(word, length, lowered);
    memset(lowered + length, 0, sizeof lowered - length);
    while (next_part(word, length, &begin, &end)) {
        int whole = end - begin == length;
        if (!whole && !whole_added && !add_word_term(self, lowered, length, rest))
            return 0;
        whole_added = 1;
        if (!add_word_term(self, lowered + begin, end - begin, rest))
            return 0;
    }
    return 1;
}

/* Adds the terms of any other word, for which Python is asked. */
static int
add_other_word(Counter *self, const uint8_t *word, size_t length)
{
    PyObject *bytes = PyBytes_FromStringAndSize((const char *)word, (Py_ssize_t)length);
    PyObject *terms = bytes ? PyObject_CallFunctionObjArgs(self->split_other, bytes, NULL) : NULL;
    Py_ssize_t count = -1;
    int sound = 0;
    Py_XDECREF(bytes);
    if (!terms)
        return 0;
    if (PyList_Check(terms))
        count = PyList_Size(terms);
    else
        PyErr_SetString(PyExc_TypeError, "the terms of a word have to be a list of bytes");
    for (Py_ssize_t at = 0; at < count; at++) {
        char *text;
        Py_ssize_t size;
        /* nothing is called here that could change the list */
        if (PyBytes_AsStringAndSize(PyList_GetItem(terms, at), &text, &size) < 0)
            goto done;
        if (!add_word_term(self, (uint8_t *)text, (size_t)size, (uint8_t *)text + size))
            goto done;
    }
    sound = count >= 0;
done:
    Py_DECREF(terms);
    return sound;
}

/* Makes room for the next word, whose terms begin where those of the others end. */
static int
reserve_word(Counter *self)
{
    size_t count = self->words.count;
    Word *of_word = grown(self->of_word, &self->of_word_room, count + 1, sizeof *of_word);
    if (!of_word)
        return 0;
    self->of_word = of_word;
    of_word[count] = (Word){(uint32_t)self->word_terms.count, 0};
    return 1;
}

static int
count_word(Counter *self, const Text *text, int plain)
{
    uint32_t number;
    Slot *slot = table_slot(&self->words, text);
    if (slot->next) {
        number = slot->next - 1;
        if (self->of_word[number].times++)
            return 1;
    } else {
        if (!(plain ? add_plain_word : add_other_word)(self, text->at, text->length))
            return 0;
        number = self->words.count;
        if (!table_add(&self->words, text) || !reserve_word(self)) {
            PyErr_NoMemory();
            return 0;
        }
        self->of_word[number].times = 1;
    }
    if (!push(&self->text_words, number)) {
        PyErr_NoMemory();
        return 0;
    }
    return 1;
}

/* ---- the words of a text ---- */

#define CODE_POINTS 0x110000
#define WAITING 32 /* words that are read before the first of them is looked up */

#if defined(__GNUC__)
#define PREFETCH(address) __builtin_prefetch(address)
#else
#define PREFETCH(address) ((void)(address))
#endif

/* Whether a character belongs to words: 1 or 0, -1 for an error. Python is asked once for each. */
static int
is_alphanumeric(Counter *self, uint32_t character)
{
    uint8_t *cell;
    int shift = 2 * (character & 3), known;
    PyObject *text, *answer;
    if (character >= CODE_POINTS)
        return 0;
    if (!self->alphanumeric && !(self->alphanumeric = calloc(CODE_POINTS / 4, 1))) {
        PyErr_NoMemory();
        return -1;
    }
    cell = self->alphanumeric + character / 4;
    if (*cell >> shift & 1)
        return *cell >> shift >> 1 & 1;
    text = PyUnicode_FromOrdinal((int)character);
    answer = text ? PyObject_CallMethod(text, "isalnum", NULL) : NULL;
    known = answer ? PyObject_IsTrue(answer) : -1;
    Py_XDECREF(text);
    Py_XDECREF(answer);
    if (known >= 0)
        *cell |= (uint8_t)((1 | known << 1) << shift);
    return known;
}

/* Decodes the next character of UTF-8, surrogates included, and its size in bytes. */
static inline uint32_t
character_at(const uint8_t *at, const uint8_t *end, size_t *size)
{
    size_t expected = *at < 0x80 ? 1 : *at < 0xE0 ? 2 : *at < 0xF0 ? 3 : 4;
    uint32_t value = expected == 1 ? *at : *at & (0x7Fu >> expected);
    *size = (size_t)(end - at) < expected ? (size_t)(end - at) : expected;
    for (size_t i = 1; i < *size; i++)
        value = value << 6 | (at[i] & 0x3F);
    return value;
}

/* Counts the words in a run of bytes that are not all ASCII; no byte from `end` on is read. */
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

/* Adds a term of the current text, whose terms begin at `first` in `out_terms`. */
static inline int
add_term(Counter *self, uint32_t term, uint32_t times, uint32_t wholes, size_t first)
{
    size_t place = first + self->places.items[term];
    if (place < self->out_terms.count && self->out_terms.items[place] == term) {
        self->out_times.items[place] += times;
        self->out_wholes.items[place] += wholes;
        return 1;
    }
    self->places.items[term] = (uint32_t)(self->out_terms.count - first);
    if (!push(&self->out_terms, term) || !push(&self->out_times, times) ||
        !push(&self->out_wholes, wholes)) {
        PyErr_NoMemory();
        return 0;
    }
    return 1;
}

/* Sums the terms of the current text's words, and ends the text. */
static int
finish_text(Counter *self)
{
    size_t first = self->out_terms.count;
    for (size_t at = 0; at < self->text_words.count; at++) {
        Word *word = self->of_word + self->text_words.items[at];
        uint32_t times = word->times, end = word[1].first;
        word->times = 0;
        for (uint32_t i = word->first; i < end; i++)
            /* the first of several terms is the whole word */
            if (!add_term(self, self->word_terms.items[i], times,
                          i == word->first && end - i > 1 ? times : 0, first))
                return 0;
    }
    self->text_words.count = 0;
    if (self->long_times) {
        if (!self->long_term) {
            const uint8_t *name = (const uint8_t *)PyBytes_AsString(self->long_name);
            size_t size = (size_t)PyBytes_Size(self->long_name);
            int64_t number = term_number(self, name, size, name + size);
            if (number < 0)
                return 0;
            self->long_term = (uint32_t)number + 1;
        }
        if (!add_term(self, self->long_term - 1, self->long_times, self->long_times, first))
            return 0;
        self->long_times = 0;
    }
    return 1;
}

/* The current text. Words wait until their slots have been fetched from memory. */
typedef struct {
    const uint8_t *end;
    int unicode; /* bytes beyond ASCII are UTF-8; else they end words */
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

/* Counts the words in a run of bytes that can belong to words. */
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

/* A bit for each of up to 64 bytes: whether it can belong to a word. */
static inline uint64_t
runs_of(const uint8_t *at, size_t count, const uint8_t in_word[256])
{
    uint64_t bits = 0;
    if (count >= 64)
        for (size_t i = 0; i < 64; i++)
            bits |= (uint64_t)in_word[at[i]] << i;
    else
        for (size_t i = 0; i < count; i++)
            bits |= (uint64_t)in_word[at[i]] << i;
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
        uint64_t runs = runs_of(text + block, length - block, IN_WORD[unicode]);
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
