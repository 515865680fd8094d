/* Finds which words of a list stand beside each other in text, with nothing but blanks between:
   `pairs.py` does the same in Python. */

#include "native.h"

#include <stdlib.h>
#include <string.h>

#include "identifiers.h"

#define LONGEST 16  /* bytes of a word of the list; the same as in pairs.py */
#define MOST 2048   /* words of a list; the same as in pairs.py */
#define NOT_LISTED -1
#define UNKNOWN -2    /* was not looked up */
#define SLOTS 4096  /* a power of two, twice as many as there are words */

typedef struct {
    uint64_t low, high; /* a word in small letters, zeros behind it */
} Key;

typedef struct {
    Key key;
    int32_t number; /* plus one; 0 where there is none */
} Slot;

typedef struct {
    Slot *slots;
    size_t count;
    uint8_t *seen;     /* a bit for each pair, of the current stretch */
    uint32_t *numbers; /* of all stretches */
    size_t length, room;
} Pairs;

/* What makes letters small; digits stay, and the underscore becomes what no word has. */
#define SMALL_LETTERS UINT64_C(0x2020202020202020)

static inline Key
key_of(const uint8_t *at, size_t length)
{
    uint8_t bytes[LONGEST] = {0};
    Key key;
    for (size_t i = 0; i < length; i++)
        bytes[i] = at[i] | 0x20;
    memcpy(&key, bytes, sizeof key);
    return key;
}

/* The same where as many bytes as the longest word has may be read. */
static inline Key
key_within(const uint8_t *at, size_t length)
{
    static const uint8_t MASK[2 * LONGEST] = {TIMES_16(0xFF)};
    Key key, kept;
    memcpy(&kept, MASK + LONGEST - length, sizeof kept);
    memcpy(&key, at, sizeof key);
    key.low = (key.low | SMALL_LETTERS) & kept.low;
    key.high = (key.high | SMALL_LETTERS) & kept.high;
    return key;
}

static inline Slot *
slot_of(const Pairs *pairs, Key key)
{
    uint64_t mixed = key.low * UINT64_C(0x9E3779B97F4A7C15) ^ key.high * UINT64_C(0xC2B2AE3D27D4EB4F);
    size_t at = (size_t)(mixed ^ mixed >> 29) & (SLOTS - 1);
    while (pairs->slots[at].number &&
           (pairs->slots[at].key.low != key.low || pairs->slots[at].key.high != key.high))
        at = (at + 1) & (SLOTS - 1);
    return pairs->slots + at;
}

/* The number of a word; NOT_LISTED where the list has it not. */
static inline int64_t
number_of(const Pairs *pairs, const uint8_t *at, size_t length, const uint8_t *end)
{
    if (length > LONGEST)
        return NOT_LISTED;
    Key key = end - at >= LONGEST ? key_within(at, length) : key_of(at, length);
    return (int64_t)slot_of(pairs, key)->number - 1;
}

static int
add_pair(Pairs *pairs, uint32_t number)
{
    uint8_t bit = (uint8_t)(1u << (number & 7));
    if (pairs->seen[number >> 3] & bit)
        return 1;
    if (pairs->length == pairs->room) {
        size_t room = 2 * pairs->room + 1024;
        uint32_t *moved = realloc(pairs->numbers, room * sizeof *moved);
        if (!moved)
            return 0;
        pairs->numbers = moved;
        pairs->room = room;
    }
    pairs->seen[number >> 3] |= bit;
    pairs->numbers[pairs->length++] = number;
    return 1;
}

/* The last word that was read of a stretch; none ends where it begins. */
typedef struct {
    const uint8_t *begin, *end;
    int64_t number;
} Last;

static inline int
is_all_blank(const uint8_t *at, const uint8_t *end)
{
    while (at < end && is_blank(*at))
        at++;
    return at == end;
}

static inline int64_t
number_of_last(const Pairs *pairs, Last *last, const uint8_t *end)
{
    if (last->number == UNKNOWN)
        last->number = number_of(pairs, last->begin, (size_t)(last->end - last->begin), end);
    return last->number;
}

/* Reads the next word; words that have no blanks beside them need no number. */
static inline int
read_word(Pairs *pairs, Last *last, const uint8_t *begin, const uint8_t *at, const uint8_t *end)
{
    int64_t before = NOT_LISTED, number = UNKNOWN;
    if (last->begin < last->end && is_all_blank(last->end, begin) &&
        (before = number_of_last(pairs, last, end)) >= 0)
        number = number_of(pairs, begin, (size_t)(at - begin), end);
    *last = (Last){begin, at, number};
    return number < 0 || add_pair(pairs, (uint32_t)(before * (int64_t)pairs->count + number));
}

static inline const uint8_t *
end_of_word(const uint8_t *at, const uint8_t *end)
{
    while (at < end && KIND[*at])
        at++;
    return at;
}

/* Adds the pair of the last word of a stretch with the next one. */
static int
read_next(Pairs *pairs, Last *last, const uint8_t *end)
{
    const uint8_t *begin = last->end;
    if (last->begin == last->end || number_of_last(pairs, last, end) < 0)
        return 1;
    while (begin < end && is_blank(*begin))
        begin++;
    if (begin == end || !KIND[*begin])
        return 1;
    return read_word(pairs, last, begin, end_of_word(begin, end), end);
}

/* A bit for each of up to 64 bytes: whether it belongs to a word. */
static inline uint64_t
words_in(const uint8_t *at, size_t count)
{
    uint64_t bits = 0;
    if (count >= 64)
        for (size_t i = 0; i < 64; i++)
            bits |= (uint64_t)(KIND[at[i]] != 0) << i;
    else
        for (size_t i = 0; i < count; i++)
            bits |= (uint64_t)(KIND[at[i]] != 0) << i;
    return bits;
}

/* Adds the pairs whose first word begins in a stretch; 0 where there is no memory. */
static int
find_between(Pairs *pairs, const uint8_t *text, const uint8_t *stop, const uint8_t *end)
{
    size_t first = pairs->length;
    const uint8_t *begin = NULL;
    uint64_t inside = 0;
    Last last = {text, text, NOT_LISTED};
    int sound = 1;
    for (const uint8_t *block = text; sound && block < stop; block += 64) {
        uint64_t words = words_in(block, (size_t)(stop - block));
        uint64_t edges = words ^ (words << 1 | inside);
        inside = words >> 63;
        for (; sound && edges; edges &= edges - 1) {
            const uint8_t *edge = block + LOWEST_BIT(edges);
            if (begin) {
                /* the stretch may end within a word */
                edge = edge < stop ? edge : end_of_word(stop, end);
                sound = read_word(pairs, &last, begin, edge, end);
                begin = NULL;
            } else {
                begin = edge;
            }
        }
    }
    if (sound && begin)
        sound = read_word(pairs, &last, begin, end_of_word(stop, end), end);
    sound = sound && read_next(pairs, &last, end);
    for (size_t number = first; number < pairs->length; number++)
        pairs->seen[pairs->numbers[number] >> 3] = 0;
    return sound;
}

/* ---- what is asked ---- */

static int
read_words(Pairs *pairs, PyObject *words)
{
    Py_ssize_t count = PyTuple_Size(words);
    pairs->count = (size_t)count;
    if (count > MOST) {
        PyErr_SetString(PyExc_ValueError, "too many words");
        return 0;
    }
    pairs->slots = calloc(SLOTS, sizeof *pairs->slots);
    pairs->seen = calloc((size_t)count * (size_t)count / 8 + 1, 1);
    if (!pairs->slots || !pairs->seen) {
        PyErr_NoMemory();
        return 0;
    }
    for (Py_ssize_t at = 0; at < count; at++) {
        char *text;
        Py_ssize_t length;
        if (PyBytes_AsStringAndSize(PyTuple_GetItem(words, at), &text, &length) < 0)
            return 0;
        int plain = length > 0 && length <= LONGEST;
        for (Py_ssize_t i = 0; plain && i < length; i++)
            plain = (KIND[(uint8_t)text[i]] & (SMALL | OTHER)) != 0;
        Key key = plain ? key_of((const uint8_t *)text, (size_t)length) : (Key){0, 0};
        Slot *slot = slot_of(pairs, key);
        if (!plain || slot->number) {
            PyErr_SetString(PyExc_ValueError, "a word that can't be listed");
            return 0;
        }
        *slot = (Slot){key, (int32_t)at + 1};
    }
    return 1;
}

static int
find_in_text(Pairs *pairs, PyObject *item, PyObject *ends)
{
    const char *text, *stretches;
    Py_ssize_t length, size;
    if (!PyTuple_Check(item)) {
        PyErr_SetString(PyExc_TypeError, "a text and its stretches");
        return 0;
    }
    if (!PyArg_ParseTuple(item, "y#y#", &text, &length, &stretches, &size))
        return 0;
    for (Py_ssize_t at = 0; at + 16 <= size; at += 16) {
        int64_t span[2];
        PyObject *end;
        memcpy(span, stretches + at, sizeof span);
        if (span[0] < 0 || span[1] < span[0] || span[1] > length) {
            PyErr_SetString(PyExc_ValueError, "a stretch outside of its text");
            return 0;
        }
        const uint8_t *begin = (const uint8_t *)text;
        if (!find_between(pairs, begin + span[0], begin + span[1], begin + length)) {
            PyErr_NoMemory();
            return 0;
        }
        end = PyLong_FromSize_t(pairs->length);
        if (!end || PyList_Append(ends, end) < 0) {
            Py_XDECREF(end);
            return 0;
        }
        Py_DECREF(end);
    }
    return 1;
}

PyDoc_STRVAR(find_pairs_doc,
             "find_pairs(words, texts)\n--\n\n"
             "Numbers (uint32) of the distinct pairs of listed words that begin in each stretch of\n"
             "each text, and where those of each stretch end.");

static PyObject *
find_pairs(PyObject *module, PyObject *arguments)
{
    PyObject *words, *texts, *ends, *result = NULL;
    Pairs pairs = {0};
    int sound;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!O!:find_pairs", &PyTuple_Type, &words, &PyTuple_Type,
                          &texts))
        return NULL;
    if (!(ends = PyList_New(0)))
        return NULL;
    sound = read_words(&pairs, words);
    for (Py_ssize_t at = 0; sound && at < PyTuple_Size(texts); at++)
        sound = find_in_text(&pairs, PyTuple_GetItem(texts, at), ends);
    if (sound)
        result = Py_BuildValue("y#O", pairs.numbers ? (char *)pairs.numbers : "",
                               (Py_ssize_t)(pairs.length * sizeof *pairs.numbers), ends);
    Py_DECREF(ends);
    free(pairs.slots);
    free(pairs.seen);
    free(pairs.numbers);
    return result;
}

PyMethodDef PAIR_FUNCTIONS[] = {
    {"find_pairs", find_pairs, METH_VARARGS, find_pairs_doc},
    {NULL, NULL, 0, NULL},
};
