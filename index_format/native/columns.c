/* Finds the ranges of lines that overlap others, in columns of numbers. `columns.py` says what the
   bytes mean and does the same in Python. */

#include "native.h"

#include <stdint.h>
#include <stdlib.h>

typedef struct {
    int64_t number, begin, span;
} Range;

/* Longer ranges first; equally long ones by number. */
static int
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

static int
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

/* Puts the ranges that overlap `first` to `last` into `found`; returns their count. */
static size_t
overlapping(const Column *starts, const Column *spans, int64_t first, int64_t last, Range *found)
{
    uint64_t begin = 0;
    size_t count = 0;
    for (size_t at = 0; at < starts->count; at++) {
        uint64_t step = number_at(starts, at), span = number_at(spans, at);
        begin += step >> 1 ^ (0 - (step & 1));
        if ((int64_t)begin <= last && (int64_t)(begin + span) >= first)
            found[count++] = (Range){(int64_t)at, (int64_t)begin, (int64_t)span};
    }
    qsort(found, count, sizeof *found, compare_ranges);
    return count;
}

PyDoc_STRVAR(find_ranges_doc,
             "find_ranges(starts, spans, count, first, last)\n--\n\n"
             "Number, first and last line of each range that overlaps the lines first to last;\n"
             "shorter ones last.");

static PyObject *
find_ranges(PyObject *module, PyObject *arguments)
{
    const char *starts, *spans;
    Py_ssize_t starts_length, spans_length, count;
    long long first, last;
    Column columns[2];
    PyObject *result;
    Range *found;
    size_t held;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y#y#nLL:find_ranges", &starts, &starts_length, &spans,
                          &spans_length, &count, &first, &last))
        return NULL;
    if (!read_column(columns, starts, starts_length, count) ||
        !read_column(columns + 1, spans, spans_length, count))
        return NULL;
    if (!(found = malloc(((size_t)count + 1) * sizeof *found)))
        return PyErr_NoMemory();
    held = overlapping(columns, columns + 1, first, last, found);
    result = PyList_New((Py_ssize_t)held);
    for (size_t at = 0; result && at < held; at++) {
        const Range *range = found + at;
        PyObject *item = Py_BuildValue("LLL", (long long)range->number, (long long)range->begin,
                                       (long long)((uint64_t)range->begin + (uint64_t)range->span));
        if (!item || PyList_SetItem(result, (Py_ssize_t)at, item) < 0)
            Py_CLEAR(result);
    }
    free(found);
    return result;
}

PyMethodDef COLUMN_FUNCTIONS[] = {
    {"find_ranges", find_ranges, METH_VARARGS, find_ranges_doc},
    {NULL, NULL, 0, NULL},
};
