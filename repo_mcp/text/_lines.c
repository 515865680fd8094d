/* Finds lines in bytes, the words of a question in lines, and what is declared around lines.

   The same is said in Python where nothing is compiled: in `line_spans`, in `analysis/marking` and
   in `languages/facts_records`. Only calls of the limited API are made, and nothing is
   remembered from one call to the next. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "_words.h"

/* raised with every change of what Python sees: an extension left over from another version of this
   file is not used */
#define VERSION 1

#define MAX_TERMS 62 /* a bit of a mark for each */
#define LANES 16
#define MOST_ROUNDS 255 /* before a lane's count may run over */

/* ---- where lines are ---- */

/* How many line feeds there are in so many bytes, at most LANES * MOST_ROUNDS. */
static size_t
feeds_in(const uint8_t *at, size_t count)
{
    uint8_t lanes[LANES] = {0};
    size_t whole = count / LANES * LANES, found = 0;
    for (size_t begin = 0; begin < whole; begin += LANES)
        for (size_t lane = 0; lane < LANES; lane++)
            lanes[lane] += at[begin + lane] == '\n';
    for (size_t lane = 0; lane < LANES; lane++)
        found += lanes[lane];
    for (; whole < count; whole++)
        found += at[whole] == '\n';
    return found;
}

/* The byte behind the next `feeds` line feeds; NULL where there are fewer. */
static const uint8_t *
behind(const uint8_t *at, const uint8_t *end, size_t feeds)
{
    const size_t step = LANES * MOST_ROUNDS;
    while (feeds && (size_t)(end - at) > step) {
        size_t found = feeds_in(at, step);
        if (found >= feeds)
            break;
        feeds -= found;
        at += step;
    }
    for (; feeds; feeds--, at++)
        if (at == end || !(at = memchr(at, '\n', (size_t)(end - at))))
            return NULL;
    return at;
}

PyDoc_STRVAR(span_doc,
             "span(data, first, last)\n--\n\n"
             "Where these lines, counted from 1, begin, and where the last of them that is there\n"
             "ends, without its line feed; None where there is none of them.");

static PyObject *
lines_span(PyObject *module, PyObject *arguments)
{
    const char *data;
    Py_ssize_t length, first, last;
    const uint8_t *begin, *end, *stop;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y#nn:span", &data, &length, &first, &last))
        return NULL;
    end = (const uint8_t *)data + length;
    begin = first < 1 || last < first ? NULL : behind((const uint8_t *)data, end, (size_t)first - 1);
    if (!begin || begin == end)
        Py_RETURN_NONE;
    stop = behind(begin, end, (size_t)(last - first) + 1);
    if (stop)
        stop--;
    else
        stop = end[-1] == '\n' ? end - 1 : end;
    return Py_BuildValue("nn", (Py_ssize_t)(begin - (const uint8_t *)data),
                         (Py_ssize_t)(stop - (const uint8_t *)data));
}

/* ---- what words are in them ---- */

typedef struct {
    const uint8_t *at;
    size_t length;
} Term;

typedef struct {
    Term terms[MAX_TERMS];
    size_t count;
    uint64_t beginning[256];      /* by first byte: the terms that begin so, a bit each */
    uint64_t long_as[MAX_WORD + 1]; /* by length */
} Question;

/* Which terms a word is, or a part of one, given in small letters. */
static inline uint64_t
equal_terms(const Question *question, const uint8_t *word, size_t length)
{
    uint64_t likely = question->beginning[*word] & question->long_as[length], found = 0;
    for (size_t bit = 0; likely; bit++, likely >>= 1)
        if (likely & 1 && !memcmp(question->terms[bit].at, word, length))
            found |= (uint64_t)1 << bit;
    return found;
}

/* Which terms a word of letters, digits and underscores gives: itself, and its parts. */
static uint64_t
terms_of(const Question *question, const uint8_t *word, size_t length)
{
    uint8_t lowered[MAX_WORD];
    uint64_t found = 0;
    size_t begin, end = 0;
    lower(word, length, lowered);
    while (next_part(word, length, &begin, &end))
        found |= equal_terms(question, lowered + begin, end - begin);
    /* what has no part is no word */
    return end ? found | equal_terms(question, lowered, length) : 0;
}

static int
append(PyObject *list, PyObject *item)
{
    int sound = item && PyList_Append(list, item) == 0;
    Py_XDECREF(item);
    return sound;
}

typedef struct {
    PyObject *lines, *marks, *unsure;
} Found;

static int
end_line(const Found *found, Py_ssize_t line, uint64_t mark, int unsure)
{
    if (unsure)
        return append(found->unsure, PyLong_FromSsize_t(line));
    if (!mark)
        return 1;
    return append(found->lines, PyLong_FromSsize_t(line)) &&
           append(found->marks, PyLong_FromUnsignedLongLong(mark));
}

static int
mark_lines(const Question *question, const uint8_t *at, const uint8_t *end, const Found *found)
{
    Py_ssize_t line = 0;
    uint64_t mark = 0;
    int unsure = 0;
    while (at < end) {
        const uint8_t *begin = at;
        uint8_t kinds = 0;
        while (at < end && KIND[*at])
            kinds |= KIND[*at++];
        if (kinds & BEYOND || at - begin > MAX_WORD)
            unsure = 1;
        else if (at > begin)
            mark |= terms_of(question, begin, (size_t)(at - begin));
        if (at < end && *at++ == '\n') {
            if (!end_line(found, line++, mark, unsure))
                return 0;
            mark = 0;
            unsure = 0;
        }
    }
    return end_line(found, line, mark, unsure);
}

static int
read_question(Question *question, PyObject *terms)
{
    memset(question, 0, sizeof *question);
    question->count = (size_t)PyTuple_Size(terms);
    if (PyErr_Occurred())
        return 0;
    if (question->count > MAX_TERMS) {
        PyErr_SetString(PyExc_ValueError, "too many terms");
        return 0;
    }
    for (size_t bit = 0; bit < question->count; bit++) {
        char *text;
        Py_ssize_t length;
        if (PyBytes_AsStringAndSize(PyTuple_GetItem(terms, (Py_ssize_t)bit), &text, &length) < 0)
            return 0;
        if (length < 1 || length > MAX_WORD)
            continue;
        question->terms[bit] = (Term){(const uint8_t *)text, (size_t)length};
        question->beginning[(uint8_t)*text] |= (uint64_t)1 << bit;
        question->long_as[length] |= (uint64_t)1 << bit;
    }
    return 1;
}

PyDoc_STRVAR(marks_doc,
             "marks(text, terms)\n--\n\n"
             "Numbers of lines with terms in them, a bit of each term for every such line, and\n"
             "lines of which only Python can tell.");

static PyObject *
lines_marks(PyObject *module, PyObject *arguments)
{
    PyObject *text, *terms, *result = NULL;
    Question question;
    const char *data;
    Py_ssize_t length;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OO!:marks", &text, &PyTuple_Type, &terms))
        return NULL;
    if (!(data = PyUnicode_AsUTF8AndSize(text, &length)) || !read_question(&question, terms))
        return NULL;
    Found found = {PyList_New(0), PyList_New(0), PyList_New(0)};
    if (found.lines && found.marks && found.unsure &&
        mark_lines(&question, (const uint8_t *)data, (const uint8_t *)data + length, &found))
        result = PyTuple_Pack(3, found.lines, found.marks, found.unsure);
    Py_XDECREF(found.lines);
    Py_XDECREF(found.marks);
    Py_XDECREF(found.unsure);
    return result;
}

/* ---- what lies around them ---- */

typedef struct {
    int64_t number, begin, span;
} Unit;

/* Larger ones first, and of equal ones those that come first. */
static int
by_size(const void *one, const void *other)
{
    const Unit *a = one, *b = other;
    if (a->span != b->span)
        return a->span < b->span ? 1 : -1;
    return a->number < b->number ? -1 : 1;
}

/* A column of numbers: how many bytes each has, all first bytes, all second bytes, and so on. */
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

/* Those of the units that touch the lines; how many they are. */
static size_t
touching(const Column *starts, const Column *spans, int64_t first, int64_t last, Unit *found)
{
    uint64_t begin = 0;
    size_t count = 0;
    for (size_t at = 0; at < starts->count; at++) {
        uint64_t step = number_at(starts, at), span = number_at(spans, at);
        begin += step >> 1 ^ (0 - (step & 1));
        if ((int64_t)begin <= last && (int64_t)(begin + span) >= first)
            found[count++] = (Unit){(int64_t)at, (int64_t)begin, (int64_t)span};
    }
    qsort(found, count, sizeof *found, by_size);
    return count;
}

PyDoc_STRVAR(units_doc,
             "units(starts, spans, count, first, last)\n--\n\n"
             "Numbers, first and last lines of those that touch some lines, shorter ones last.");

static PyObject *
lines_units(PyObject *module, PyObject *arguments)
{
    const char *starts, *spans;
    Py_ssize_t starts_length, spans_length, count;
    long long first, last;
    Column columns[2];
    PyObject *result;
    Unit *found;
    size_t held;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y#y#nLL:units", &starts, &starts_length, &spans,
                          &spans_length, &count, &first, &last))
        return NULL;
    if (!read_column(columns, starts, starts_length, count) ||
        !read_column(columns + 1, spans, spans_length, count))
        return NULL;
    if (!(found = malloc(((size_t)count + 1) * sizeof *found)))
        return PyErr_NoMemory();
    held = touching(columns, columns + 1, first, last, found);
    result = PyList_New((Py_ssize_t)held);
    for (size_t at = 0; result && at < held; at++) {
        const Unit *unit = found + at;
        PyObject *item = Py_BuildValue("LLL", (long long)unit->number, (long long)unit->begin,
                                       (long long)((uint64_t)unit->begin + (uint64_t)unit->span));
        if (!item || PyList_SetItem(result, (Py_ssize_t)at, item) < 0)
            Py_CLEAR(result);
    }
    free(found);
    return result;
}

static PyMethodDef METHODS[] = {
    {"units", lines_units, METH_VARARGS, units_doc},
    {"span", lines_span, METH_VARARGS, span_doc},
    {"marks", lines_marks, METH_VARARGS, marks_doc},
    {NULL, NULL, 0, NULL},
};

static int
module_exec(PyObject *module)
{
    prepare_kinds();
    return PyModule_AddIntConstant(module, "VERSION", VERSION);
}

static PyModuleDef_Slot MODULE_SLOTS[] = {{Py_mod_exec, module_exec}, {0, NULL}};

static struct PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_lines",
    .m_doc = "Lines in bytes, and what is in them.",
    .m_methods = METHODS,
    .m_slots = MODULE_SLOTS,
};

PyMODINIT_FUNC
PyInit__lines(void)
{
    return PyModuleDef_Init(&MODULE);
}
