/* Sorts terms by their bytes, and ranks words by that order. `segment/term_order.py` is the model. */

#include "native.h"

#include <stdlib.h>
#include <string.h>

#define SHORT_RUN 12

typedef struct {
    uint64_t head; /* the first eight bytes as a number, zeros behind a shorter term */
    const char *at;
    uint32_t length, number;
} Item;

/* Below 0, 0 or above it, as memcmp would say; terms are compared by length where one begins another. */
static inline int
compare(const Item *one, const Item *other)
{
    size_t least = one->length < other->length ? one->length : other->length;
    int found;
    if (one->head != other->head)
        return one->head < other->head ? -1 : 1;
    found = least > 8 ? memcmp(one->at + 8, other->at + 8, least - 8) : 0;
    if (found)
        return found;
    return one->length < other->length ? -1 : one->length > other->length;
}

static void
insert_all(Item *items, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        Item item = items[i];
        size_t at = i;
        for (; at && compare(&item, &items[at - 1]) < 0; at--)
            items[at] = items[at - 1];
        items[at] = item;
    }
}

static void
merge(const Item *one, const Item *one_end, const Item *other, const Item *other_end, Item *out)
{
    while (one < one_end && other < other_end)
        *out++ = compare(other, one) < 0 ? *other++ : *one++;
    memcpy(out, one, (size_t)(one_end - one) * sizeof *out);
    memcpy(out + (one_end - one), other, (size_t)(other_end - other) * sizeof *out);
}

/* Cuts items into ascending runs: as they are, or sorted where they are short. Returns their count. */
static size_t
find_runs(Item *items, size_t count, size_t *ends)
{
    size_t runs = 0;
    for (size_t begin = 0; begin < count; begin = ends[runs++]) {
        size_t end = begin + 1;
        while (end < count && compare(&items[end - 1], &items[end]) <= 0)
            end++;
        if (end - begin < SHORT_RUN) {
            end = count - begin < SHORT_RUN ? count : begin + SHORT_RUN;
            insert_all(items + begin, end - begin);
        }
        ends[runs] = end;
    }
    return runs;
}

/* A stable sort that merges runs; returns where the items are: in their place or in the spare one. */
static Item *
sort(Item *items, Item *spare, size_t count, size_t *ends)
{
    size_t runs = find_runs(items, count, ends);
    while (runs > 1) {
        size_t begin = 0, kept = 0;
        for (size_t run = 0; run < runs; run += 2) {
            size_t middle = ends[run], end = run + 1 < runs ? ends[run + 1] : middle;
            merge(items + begin, items + middle, items + middle, items + end, spare + begin);
            ends[kept++] = begin = end;
        }
        runs = kept;
        Item *sorted = spare;
        spare = items;
        items = sorted;
    }
    return items;
}

/* ---- what Python sees ---- */

/* Room for so many items twice, and for the ends of their runs. */
typedef struct {
    Item *items, *spare;
    size_t *ends;
} Room;

static int
find_room(Room *room, size_t count)
{
    room->items = malloc(count * sizeof *room->items + 1);
    room->spare = malloc(count * sizeof *room->spare + 1);
    room->ends = malloc(count * sizeof *room->ends + 1);
    if (room->items && room->spare && room->ends)
        return 1;
    PyErr_NoMemory();
    return 0;
}

static void
release_room(Room *room)
{
    free(room->items);
    free(room->spare);
    free(room->ends);
}

/* Makes an item of a list's element; 0 where it is no bytes. */
static int
set_item(Item *item, PyObject *list, size_t number)
{
    Py_ssize_t length;
    char *at;
    /* borrowed: the list lives on, and nothing runs in between that could change it */
    PyObject *element = PyList_GetItem(list, (Py_ssize_t)number);
    if (!element || PyBytes_AsStringAndSize(element, &at, &length) < 0)
        return 0;
    if ((uint64_t)length > UINT32_MAX) {
        PyErr_SetString(PyExc_ValueError, "a term is too long");
        return 0;
    }
    *item = (Item){0, at, (uint32_t)length, (uint32_t)number};
    for (unsigned i = 0; i < 8; i++)
        item->head = item->head << 8 | ((Py_ssize_t)i < length ? (uint8_t)at[i] : 0);
    return 1;
}

PyDoc_STRVAR(sort_terms_doc,
             "sort_terms(terms)\n--\n\n"
             "The order of a stable sort (int64), and a byte for each: whether another term begins.");

static PyObject *
sort_terms(PyObject *module, PyObject *arguments)
{
    PyObject *list, *order = NULL, *flags = NULL, *found = NULL;
    Room room = {0};
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!:sort_terms", &PyList_Type, &list))
        return NULL;
    size_t count = (size_t)PyList_Size(list), ready = 0;
    if (count > UINT32_MAX)
        PyErr_NoMemory();
    else if (find_room(&room, count)) {
        while (ready < count && set_item(&room.items[ready], list, ready))
            ready++;
        if (ready == count) {
            order = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(count * sizeof(int64_t)));
            flags = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)count);
        }
    }
    if (order && flags) {
        const Item *sorted = sort(room.items, room.spare, count, room.ends);
        char *numbers = PyBytes_AsString(order), *is_new = PyBytes_AsString(flags);
        for (size_t i = 0; i < count; i++) {
            int64_t number = sorted[i].number;
            memcpy(numbers + i * sizeof number, &number, sizeof number);
            is_new[i] = !i || compare(&sorted[i - 1], &sorted[i]) != 0;
        }
        found = PyTuple_Pack(2, order, flags);
    }
    Py_XDECREF(order);
    Py_XDECREF(flags);
    release_room(&room);
    return found;
}

/* Puts sorted words into a list, and their ranks in the place of their numbers; 0 for two alike. */
static int
put_ranks(const Item *sorted, size_t count, PyObject *vocabulary, PyObject *list, uint32_t *ranks)
{
    for (size_t i = 0; i < count; i++) {
        PyObject *word = PyList_GetItem(vocabulary, (Py_ssize_t)sorted[i].number);
        if (i && !compare(&sorted[i - 1], &sorted[i])) {
            PyErr_Format(PyExc_ValueError, "a word must not have two numbers: %R", word);
            return 0;
        }
        Py_INCREF(word);
        if (PyList_SetItem(list, (Py_ssize_t)i, word) < 0)
            return 0;
        ranks[sorted[i].number] = (uint32_t)i;
    }
    return 1;
}

PyDoc_STRVAR(rank_words_doc,
             "rank_words(vocabulary, words)\n--\n\n"
             "The distinct words among these numbers (uint32) of a vocabulary, in byte order, and of\n"
             "each number the rank of its word among them (uint32).");

/* Marks the words that are used; returns how many they are, -1 where there is no such word. */
static Py_ssize_t
mark_used(const uint32_t *words, size_t count, uint32_t *marks, size_t all)
{
    Py_ssize_t used = 0;
    for (size_t i = 0; i < count; i++) {
        if (words[i] >= all)
            return -1;
        used += !marks[words[i]];
        marks[words[i]] = 1;
    }
    return used;
}

static PyObject *
rank_all(PyObject *vocabulary, const uint32_t *words, size_t count, uint32_t *marks, size_t used)
{
    size_t all = (size_t)PyList_Size(vocabulary), ready = 0;
    PyObject *list = NULL, *ranks = NULL, *found = NULL;
    Room room = {0};
    int sound = find_room(&room, used);
    for (size_t number = 0; sound && number < all; number++)
        if (marks[number])
            sound = set_item(&room.items[ready++], vocabulary, number);
    if (sound) {
        list = PyList_New((Py_ssize_t)used);
        ranks = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(count * sizeof *words));
    }
    if (list && ranks &&
        put_ranks(sort(room.items, room.spare, used, room.ends), used, vocabulary, list, marks)) {
        uint32_t *out = (uint32_t *)PyBytes_AsString(ranks);
        for (size_t i = 0; i < count; i++)
            out[i] = marks[words[i]];
        found = PyTuple_Pack(2, list, ranks);
    }
    Py_XDECREF(list);
    Py_XDECREF(ranks);
    release_room(&room);
    return found;
}

static PyObject *
rank_words(PyObject *module, PyObject *arguments)
{
    PyObject *vocabulary, *found = NULL;
    Py_buffer words;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!y*:rank_words", &PyList_Type, &vocabulary, &words))
        return NULL;
    size_t all = (size_t)PyList_Size(vocabulary), count = (size_t)words.len / sizeof(uint32_t);
    uint32_t *marks = calloc(all + 1, sizeof *marks);
    if (!marks)
        PyErr_NoMemory();
    else if (all > UINT32_MAX || (uintptr_t)words.buf % sizeof *marks || words.len % 4)
        PyErr_SetString(PyExc_ValueError, "a column of words");
    else {
        Py_ssize_t used = mark_used(words.buf, count, marks, all);
        if (used < 0)
            PyErr_SetString(PyExc_ValueError, "a word beyond the vocabulary");
        else
            found = rank_all(vocabulary, words.buf, count, marks, (size_t)used);
    }
    free(marks);
    PyBuffer_Release(&words);
    return found;
}

PyMethodDef TERM_ORDER_FUNCTIONS[] = {
    {"sort_terms", sort_terms, METH_VARARGS, sort_terms_doc},
    {"rank_words", rank_words, METH_VARARGS, rank_words_doc},
    {NULL, NULL, 0, NULL},
};
