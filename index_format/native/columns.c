/* Makes columns of numbers, and finds named ranges of lines in them by lines or name. `columns.py` says what the
   bytes mean and does the same in Python. */

#include "native.h"

#include "ranges.h"

static PyObject *
refuse_names(void)
{
    PyErr_SetString(PyExc_ValueError, "names that are longer or shorter than their text");
    return NULL;
}

/* Number, first and last line, and name of each range. */
static PyObject *
list_ranges(const Range *found, Py_ssize_t count, PyObject *text)
{
    PyObject *result = PyList_New(count);
    for (Py_ssize_t at = 0; result && at < count; at++) {
        const Range *range = found + at;
        PyObject *name = PyUnicode_Substring(text, (Py_ssize_t)range->name,
                                             (Py_ssize_t)(range->name + range->length));
        PyObject *item = Py_BuildValue("LLLN", (long long)range->number, (long long)range->begin,
                                       (long long)((uint64_t)range->begin + (uint64_t)range->span),
                                       name);
        if (!item || PyList_SetItem(result, at, item) < 0)
            Py_CLEAR(result);
    }
    return result;
}

PyDoc_STRVAR(find_ranges_doc,
             "find_ranges(names, lengths, starts, spans, count, first, last)\n--\n\n"
             "Number, first and last line, and name of each range that overlaps the lines first\n"
             "to last; shorter ones last.");

static PyObject *
find_ranges(PyObject *module, PyObject *arguments)
{
    const char *lengths, *starts, *spans;
    Py_ssize_t lengths_size, starts_size, spans_size, count, held;
    long long first, last;
    Column columns[3];
    PyObject *names, *result;
    Range *found;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "Uy#y#y#nLL:find_ranges", &names, &lengths, &lengths_size,
                          &starts, &starts_size, &spans, &spans_size, &count, &first, &last))
        return NULL;
    if (!read_column(columns, lengths, lengths_size, count) ||
        !read_column(columns + 1, starts, starts_size, count) ||
        !read_column(columns + 2, spans, spans_size, count))
        return NULL;
    if (!(found = malloc(((size_t)count + 1) * sizeof *found)))
        return PyErr_NoMemory();
    held = overlapping(columns + 1, columns + 2, columns, (uint64_t)PyUnicode_GetLength(names),
                       first, last, found);
    if (held < 0)
        result = held == -1 ? refuse_names() : PyErr_NoMemory();
    else
        result = list_ranges(found, held, names);
    free(found);
    return result;
}

/* Whether a name ends with `wanted`, which is in small letters, but for case and underscores. */
static int
ends_with(const uint8_t *begin, const uint8_t *end, const uint8_t *wanted, size_t length)
{
    while (length) {
        uint8_t letter;
        while (end > begin && end[-1] == '_')
            end--;
        if (end == begin)
            return 0;
        letter = *--end;
        if (letter >= 'A' && letter <= 'Z')
            letter |= 0x20;
        if (letter != wanted[--length])
            return 0;
    }
    return 1;
}

PyDoc_STRVAR(find_endings_doc,
             "find_endings(names, lengths, count, ending)\n--\n\n"
             "Numbers of the names, cut out of one ASCII text, that end with a text in small\n"
             "letters, but for case and underscores.");

static PyObject *
find_endings(PyObject *module, PyObject *arguments)
{
    const char *names, *lengths, *wanted;
    Py_ssize_t names_size, lengths_size, wanted_size, count;
    const uint8_t *at;
    uint64_t left;
    Column column;
    PyObject *result;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y#y#ny#:find_endings", &names, &names_size, &lengths,
                          &lengths_size, &count, &wanted, &wanted_size) ||
        !read_column(&column, lengths, lengths_size, count))
        return NULL;
    at = (const uint8_t *)names;
    left = (uint64_t)names_size;
    result = PyList_New(0);
    for (size_t number = 0; result && number < column.count; number++) {
        uint64_t length = number_at(&column, number);
        if (length > left) {
            Py_DECREF(result);
            return refuse_names();
        }
        if (ends_with(at, at + length, (const uint8_t *)wanted, (size_t)wanted_size)) {
            PyObject *item = PyLong_FromSize_t(number);
            if (!item || PyList_Append(result, item) < 0)
                Py_CLEAR(result);
            Py_XDECREF(item);
        }
        at += length;
        left -= length;
    }
    if (result && left) {
        Py_DECREF(result);
        return refuse_names();
    }
    return result;
}

/* Where each name begins in their text, and the end; NULL with an error where they do not fit. */
static uint64_t *
name_edges(const Column *lengths, uint64_t letters)
{
    uint64_t *edges = malloc((lengths->count + 1) * sizeof *edges);
    if (!edges) {
        PyErr_NoMemory();
        return NULL;
    }
    edges[0] = 0;
    for (size_t at = 0; at < lengths->count; at++) {
        uint64_t length = number_at(lengths, at);
        if (length > letters - edges[at]) {
            free(edges);
            refuse_names();
            return NULL;
        }
        edges[at + 1] = edges[at] + length;
    }
    if (edges[lengths->count] != letters) {
        free(edges);
        refuse_names();
        return NULL;
    }
    return edges;
}

PyDoc_STRVAR(find_scopes_doc,
             "find_scopes(names, lengths, parents, count, number)\n--\n\n"
             "The name of an item, and those of the items around it, the innermost first.");

static PyObject *
find_scopes(PyObject *module, PyObject *arguments)
{
    const char *lengths, *parents;
    Py_ssize_t lengths_size, parents_size, count, number;
    Column columns[2];
    PyObject *names, *result;
    uint64_t *edges, at, step;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "Uy#y#nn:find_scopes", &names, &lengths, &lengths_size,
                          &parents, &parents_size, &count, &number) ||
        !read_column(columns, lengths, lengths_size, count) ||
        !read_column(columns + 1, parents, parents_size, count))
        return NULL;
    if (number < 0 || number >= count) {
        PyErr_SetString(PyExc_IndexError, "no such item");
        return NULL;
    }
    if (!(edges = name_edges(columns, (uint64_t)PyUnicode_GetLength(names))))
        return NULL;
    result = PyList_New(0);
    at = (uint64_t)number;
    do {
        PyObject *name =
            PyUnicode_Substring(names, (Py_ssize_t)edges[at], (Py_ssize_t)edges[at + 1]);
        if (!result || !name || PyList_Append(result, name) < 0)
            Py_CLEAR(result);
        Py_XDECREF(name);
        step = number_at(columns + 1, at);
        at -= unfold(step);
        /* damaged parents lead nowhere, or round and round */
    } while (result && step && at < (uint64_t)count && PyList_Size(result) <= count);
    free(edges);
    return result;
}

PyDoc_STRVAR(find_range_doc,
             "find_range(starts, spans, count, number)\n--\n\n"
             "First and last line of a range.");

static PyObject *
find_range(PyObject *module, PyObject *arguments)
{
    const char *starts, *spans;
    Py_ssize_t starts_size, spans_size, count, number;
    Column columns[2];
    uint64_t begin = 0;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y#y#nn:find_range", &starts, &starts_size, &spans,
                          &spans_size, &count, &number) ||
        !read_column(columns, starts, starts_size, count) ||
        !read_column(columns + 1, spans, spans_size, count))
        return NULL;
    if (number < 0 || number >= count) {
        PyErr_SetString(PyExc_IndexError, "no such item");
        return NULL;
    }
    for (Py_ssize_t at = 0; at <= number; at++)
        begin += unfold(number_at(columns, (size_t)at));
    return Py_BuildValue("LL", (long long)begin,
                         (long long)(begin + number_at(columns + 1, (size_t)number)));
}

enum { PLAIN, SIGNED, STEPS };

/* The numbers of a list in the form of which their column is made; NULL with an error. */
static uint64_t *
read_numbers(PyObject *list, size_t count, int form)
{
    uint64_t *values = malloc((count + 1) * sizeof *values), before = 0;
    if (!values)
        return (uint64_t *)PyErr_NoMemory();
    for (size_t at = 0; at < count; at++) {
        PyObject *item = PyList_GetItem(list, (Py_ssize_t)at);
        uint64_t value = form == PLAIN ? PyLong_AsUnsignedLongLong(item)
                                       : (uint64_t)PyLong_AsLongLong(item);
        if (value == UINT64_MAX && PyErr_Occurred())
            goto refused;
        if (form == STEPS) {
            uint64_t step = value - before;
            if (((value ^ before) & (value ^ step)) >> 63) {
                PyErr_SetString(PyExc_OverflowError, "a step of more than 63 bits");
                goto refused;
            }
            before = value;
            value = step;
        }
        values[at] = form == PLAIN ? value : value << 1 ^ -(value >> 63);
    }
    return values;
refused:
    free(values);
    return NULL;
}

static PyObject *
pack_numbers(PyObject *numbers, int form)
{
    PyObject *list = PySequence_List(numbers), *result = NULL;
    uint64_t *values, every = 0;
    size_t count, width = 1;
    if (!list)
        return NULL;
    count = (size_t)PyList_Size(list);
    if ((values = read_numbers(list, count, form))) {
        for (size_t at = 0; at < count; at++)
            every |= values[at];
        while (width < 8 && every >> 8 * width)
            width *= 2;
        result = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(1 + width * count));
    }
    if (result) {
        uint8_t *out = (uint8_t *)PyBytes_AsString(result);
        *out++ = (uint8_t)width;
        for (size_t plane = 0; plane < width; plane++)
            for (size_t at = 0; at < count; at++)
                *out++ = (uint8_t)(values[at] >> 8 * plane);
    }
    free(values);
    Py_DECREF(list);
    return result;
}

PyDoc_STRVAR(pack_column_doc, "pack_column(numbers)\n--\n\nA column.");

static PyObject *
pack_column(PyObject *module, PyObject *numbers)
{
    (void)module;
    return pack_numbers(numbers, PLAIN);
}

PyDoc_STRVAR(pack_signed_doc, "pack_signed(numbers)\n--\n\nA signed column.");

static PyObject *
pack_signed(PyObject *module, PyObject *numbers)
{
    (void)module;
    return pack_numbers(numbers, SIGNED);
}

PyDoc_STRVAR(pack_steps_doc, "pack_steps(numbers)\n--\n\nA column of steps.");

static PyObject *
pack_steps(PyObject *module, PyObject *numbers)
{
    (void)module;
    return pack_numbers(numbers, STEPS);
}

PyMethodDef COLUMN_FUNCTIONS[] = {
    {"pack_column", pack_column, METH_O, pack_column_doc},
    {"pack_signed", pack_signed, METH_O, pack_signed_doc},
    {"pack_steps", pack_steps, METH_O, pack_steps_doc},
    {"find_endings", find_endings, METH_VARARGS, find_endings_doc},
    {"find_scopes", find_scopes, METH_VARARGS, find_scopes_doc},
    {"find_range", find_range, METH_VARARGS, find_range_doc},
    {"find_ranges", find_ranges, METH_VARARGS, find_ranges_doc},
    {NULL, NULL, 0, NULL},
};
