/* Weighs what the paths of files have of a query: sets of terms, which the caller has cut. The model
   is `repo_mcp.search.ranked.file_passages`, in the same steps. */

#include "scores.h"

/* What a tuple of a path has. */
enum Sign { NAMED, FOLDERS, KINDS, NAME_STEMS, FOLDER_STEMS, SIGNS };

/* Whether a set of a path has a text: 1, 0, or -1 with an error. */
static int
has_text(PyObject *sign, enum Sign which, PyObject *text)
{
    PyObject *set = PyTuple_GetItem(sign, which);
    if (PyAnySet_Check(set))
        return PySet_Contains(set, text);
    PyErr_SetString(PyExc_TypeError, "a path has sets");
    return -1;
}

/* Whether a set of the name or that of the folders has a text; as `has_text`. */
static int
has_either(PyObject *sign, enum Sign name, enum Sign folders, PyObject *text)
{
    int there = has_text(sign, name, text);
    return there ? there : has_text(sign, folders, text);
}

/* The weight of a text in a name and in folders; below 0 with an error. */
static double
weigh_text(const Paths *paths, PyObject *sign, enum Sign name, enum Sign folders, PyObject *text)
{
    int named = has_text(sign, name, text), inside = named < 0 ? -1 : has_text(sign, folders, text);
    return inside < 0 ? -1.0 : paths->name * (double)named + paths->folder * (double)inside;
}

/* Weighs a term, and the stem of its word where all forms count, in all paths. */
static int
weigh_term(const Paths *paths, const Term *term, PyObject *names, double *path, double *stem_path)
{
    PyObject *text, *stem;
    if (!PyTuple_Check(names)) {
        PyErr_SetString(PyExc_TypeError, "names are a tuple");
        return 0;
    }
    if (!PyArg_ParseTuple(names, "UU", &text, &stem))
        return 0;
    for (size_t file = 0; file < paths->count; file++) {
        PyObject *sign = PyList_GetItem(paths->signs, (Py_ssize_t)file);
        path[file] = weigh_text(paths, sign, NAMED, FOLDERS, text);
        stem_path[file] = 0.0;
        if (term->class_idf != 0.0)
            stem_path[file] = weigh_text(paths, sign, NAME_STEMS, FOLDER_STEMS, stem);
        if (PyErr_Occurred())
            return 0;
    }
    return 1;
}

/* Adds the weight of a word to what paths cover: whole, as a stem, or in parts. */
static int
cover_word(const Paths *paths, PyObject *word)
{
    PyObject *text, *stem, *parts;
    Py_ssize_t of;
    double weight;
    if (!PyTuple_Check(word)) {
        PyErr_SetString(PyExc_TypeError, "a word is a tuple");
        return 0;
    }
    if (!PyArg_ParseTuple(word, "UUO!nd", &text, &stem, &PyTuple_Type, &parts, &of, &weight))
        return 0;
    for (size_t file = 0; file < paths->count; file++) {
        PyObject *sign = PyList_GetItem(paths->signs, (Py_ssize_t)file);
        int there = has_either(sign, NAMED, FOLDERS, text);
        if (!there)
            there = has_either(sign, NAME_STEMS, FOLDER_STEMS, stem);
        if (there > 0) {
            paths->coverage[file] += weight;
        } else if (!there && of > 0) {
            Py_ssize_t held = 0;
            for (Py_ssize_t at = 0; there >= 0 && at < PyTuple_Size(parts); at++) {
                there = has_either(sign, NAMED, FOLDERS, PyTuple_GetItem(parts, at));
                held += there > 0;
            }
            paths->coverage[file] += weight * (double)held / (double)of;
        }
        if (there < 0)
            return 0;
    }
    return 1;
}

static int
are_signs(const Paths *paths)
{
    for (size_t file = 0; file < paths->count; file++) {
        PyObject *sign = PyList_GetItem(paths->signs, (Py_ssize_t)file);
        if (!PyTuple_Check(sign) || PyTuple_Size(sign) != SIGNS) {
            PyErr_SetString(PyExc_TypeError, "a path is a tuple");
            return 0;
        }
    }
    return 1;
}

int
weigh_paths(Paths *paths, const Counts *counts, PyObject *names, PyObject *words)
{
    PyObject *each;
    double all;
    if (!PyArg_ParseTuple(words, "O!d", &PyTuple_Type, &each, &all) || !are_signs(paths))
        return 0;
    if ((size_t)PyTuple_Size(names) != counts->term_count) {
        PyErr_SetString(PyExc_ValueError, "names of other terms");
        return 0;
    }
    paths->coverage = calloc(paths->count + 1, sizeof *paths->coverage);
    paths->columns = malloc((2 * counts->term_count * paths->count + 1) * sizeof *paths->columns);
    if (!paths->coverage || !paths->columns) {
        PyErr_NoMemory();
        return 0;
    }
    for (size_t number = 0; number < counts->term_count; number++) {
        Term *term = counts->terms + number;
        double *path = paths->columns + 2 * number * paths->count;
        if (!weigh_term(paths, term, PyTuple_GetItem(names, (Py_ssize_t)number), path,
                        path + paths->count))
            return 0;
        term->path = path;
        term->stem_path = path + paths->count;
    }
    for (Py_ssize_t at = 0; at < PyTuple_Size(each); at++)
        if (!cover_word(paths, PyTuple_GetItem(each, at)))
            return 0;
    for (size_t file = 0; file < paths->count; file++)
        paths->coverage[file] = 1 + paths->covering * (paths->coverage[file] / all);
    return 1;
}
