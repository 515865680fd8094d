/* Finds lines in bytes (`find_lines` in lines.py does the same in Python), and query terms in lines:
   whoever calls that has a way of its own for lines that are returned as unsure. */

#include "server.h"

#include <stdlib.h>
#include <string.h>

#include "feeds.h"
#include "marks.h"

/* ---- where lines begin and end ---- */

PyDoc_STRVAR(find_lines_doc,
             "find_lines(data, first, last)\n--\n\n"
             "Offsets of the lines first to last, counted from 1: begin of the first, end of the\n"
             "last that exists, without its line feed. None where there are none of them.");

static PyObject *
find_lines(PyObject *module, PyObject *arguments)
{
    const char *data;
    Py_ssize_t length, first, last;
    const uint8_t *begin, *end, *stop;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y#nn:find_lines", &data, &length, &first, &last))
        return NULL;
    end = (const uint8_t *)data + length;
    if (first < 1 || last < first)
        Py_RETURN_NONE;
    begin = skip_feeds((const uint8_t *)data, end, (size_t)first - 1);
    if (!begin || begin == end)
        Py_RETURN_NONE;
    stop = skip_feeds(begin, end, (size_t)(last - first) + 1);
    if (stop)
        stop--;
    else
        stop = end[-1] == '\n' ? end - 1 : end;
    return Py_BuildValue("nn", (Py_ssize_t)(begin - (const uint8_t *)data),
                         (Py_ssize_t)(stop - (const uint8_t *)data));
}

/* ---- which terms they contain ---- */

static int
append(PyObject *list, PyObject *item)
{
    int sound = item && PyList_Append(list, item) == 0;
    Py_XDECREF(item);
    return sound;
}

typedef struct {
    PyObject *lines, *marks, *unsure;
} Marks;

static int
end_line(const Marks *marks, Py_ssize_t line, uint64_t mark, int unsure)
{
    if (unsure)
        return append(marks->unsure, PyLong_FromSsize_t(line));
    if (!mark)
        return 1;
    return append(marks->lines, PyLong_FromSsize_t(line)) &&
           append(marks->marks, PyLong_FromUnsignedLongLong(mark));
}

static int
mark_text(const Query *query, const uint8_t *at, const uint8_t *end, const Marks *marks)
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
            mark |= terms_of(query, begin, (size_t)(at - begin));
        if (at < end && *at++ == '\n') {
            if (!end_line(marks, line++, mark, unsure))
                return 0;
            mark = 0;
            unsure = 0;
        }
    }
    return end_line(marks, line, mark, unsure);
}

PyDoc_STRVAR(mark_lines_doc,
             "mark_lines(text, terms)\n--\n\n"
             "Numbers of the lines that contain terms, counted from 0; for each the bits of its\n"
             "terms; and the lines to be looked at in Python, as they hold words that are longer\n"
             "than MAX_WORD or not ASCII.");

static PyObject *
mark_lines(PyObject *module, PyObject *arguments)
{
    PyObject *text, *terms, *result = NULL;
    Query query;
    const char *data;
    Py_ssize_t length;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OO!:mark_lines", &text, &PyTuple_Type, &terms))
        return NULL;
    if (!(data = PyUnicode_AsUTF8AndSize(text, &length)) || !read_query(&query, terms))
        return NULL;
    Marks marks = {PyList_New(0), PyList_New(0), PyList_New(0)};
    if (marks.lines && marks.marks && marks.unsure &&
        mark_text(&query, (const uint8_t *)data, (const uint8_t *)data + length, &marks))
        result = PyTuple_Pack(3, marks.lines, marks.marks, marks.unsure);
    Py_XDECREF(marks.lines);
    Py_XDECREF(marks.marks);
    Py_XDECREF(marks.unsure);
    return result;
}

PyMethodDef LINE_FUNCTIONS[] = {
    {"find_lines", find_lines, METH_VARARGS, find_lines_doc},
    {"mark_lines", mark_lines, METH_VARARGS, mark_lines_doc},
    {NULL, NULL, 0, NULL},
};

int
add_line_constants(PyObject *module)
{
    return PyModule_AddIntConstant(module, "MAX_TERMS", MAX_TERMS);
}
