/* Columns of numbers, and named ranges of lines in them; `columns.py` says what the bytes mean. */

#include <stdint.h>
#include <stdlib.h>

typedef struct {
    int64_t number, begin, span;
    uint64_t name, length; /* of its name in the text of all names */
} Range;

/* Longer ranges first; equally long ones by number. */
static inline int
compare_ranges(const void *one, const void *other)
{
    const Range *a = one, *b = other;
    if (a->span != b->span)
        return a->span < b->span ? 1 : -1;
    return a->number < b->number ? -1 : 1;
}

typedef struct {
    const uint8_t *planes;
    size_t width, count;
} Column;

static inline int
read_column(Column *column, const char *data, Py_ssize_t length, Py_ssize_t count)
{
    size_t width = length ? (uint8_t)data[0] : 0;
    int known = width == 1 || width == 2 || width == 4 || width == 8;
    if (!known || count < 0 || (size_t)count > (size_t)(length - 1) / width ||
        (size_t)(length - 1) != (size_t)count * width) {
        PyErr_SetString(PyExc_ValueError, "a column of another length");
        return 0;
    }
    *column = (Column){(const uint8_t *)data + 1, width, (size_t)count};
    return 1;
}

static inline uint64_t
number_at(const Column *column, size_t at)
{
    uint64_t value = 0;
    for (size_t plane = 0; plane < column->width; plane++)
        value |= (uint64_t)column->planes[plane * column->count + at] << (8 * plane);
    return value;
}

/* The numbers of a column; room for them is the caller's. */
static inline void
read_all(const Column *column, uint64_t *numbers)
{
    for (size_t at = 0; at < column->count; at++)
        numbers[at] = column->planes[at];
    for (size_t plane = 1; plane < column->width; plane++) {
        const uint8_t *bytes = column->planes + plane * column->count;
        for (size_t at = 0; at < column->count; at++)
            numbers[at] |= (uint64_t)bytes[at] << (8 * plane);
    }
}

/* What a number of a signed column means, as it is added. */
static inline uint64_t
unfold(uint64_t number)
{
    return number >> 1 ^ (0 - (number & 1));
}

/* Puts the ranges that overlap `first` to `last` into `found`; returns their count, or -1 where the
   names are longer or shorter than their text, or -2 where there is no memory. */
static inline Py_ssize_t
overlapping(const Column *starts, const Column *spans, const Column *lengths, uint64_t letters,
            int64_t first, int64_t last, Range *found)
{
    uint64_t begin = 0, name = 0;
    size_t count = 0, all = starts->count;
    uint64_t *numbers = malloc((3 * all + 1) * sizeof *numbers);
    const uint64_t *steps = numbers, *sizes = numbers + all, *letter_counts = numbers + 2 * all;
    if (!numbers)
        return -2;
    read_all(starts, numbers);
    read_all(spans, numbers + all);
    read_all(lengths, numbers + 2 * all);
    for (size_t at = 0; at < all; at++) {
        uint64_t span = sizes[at], length = letter_counts[at];
        if (length > letters - name) {
            free(numbers);
            return -1;
        }
        begin += unfold(steps[at]);
        if ((int64_t)begin <= last && (int64_t)(begin + span) >= first)
            found[count++] = (Range){(int64_t)at, (int64_t)begin, (int64_t)span, name, length};
        name += length;
    }
    free(numbers);
    if (name != letters)
        return -1;
    qsort(found, count, sizeof *found, compare_ranges);
    return (Py_ssize_t)count;
}
