/* Weighs terms in the paths of files, which are sets of terms that the caller has cut. The model is
   `repo_mcp.search.ranked.chunk_scores`, in the same steps. */

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

/* The weight of a text in a name and in folders; below 0 with an error. */
static double
weigh_text(const Paths *paths, PyObject *sign, enum Sign name, enum Sign folders, PyObject *text)
{
    int named = has_text(sign, name, text), inside = named < 0 ? -1 : has_text(sign, folders, text);
    return inside < 0 ? -1.0 : paths->name * (double)named + paths->folder * (double)inside;
}

/* Weighs a term, and the stem of its word where all forms count, in all paths. */
static int
weigh_term(const Paths *paths, const Term *term, double *path, double *stem_path)
{
    for (size_t file = 0; file < paths->count; file++) {
        PyObject *sign = PyList_GetItem(paths->signs, (Py_ssize_t)file);
        path[file] = weigh_text(paths, sign, NAMED, FOLDERS, term->text);
        stem_path[file] = 0.0;
        if (term->class_idf != 0.0)
            stem_path[file] = weigh_text(paths, sign, NAME_STEMS, FOLDER_STEMS, term->stem);
        if (PyErr_Occurred())
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
weigh_paths(Paths *paths, const Counts *counts)
{
    if (!are_signs(paths))
        return 0;
    paths->columns = malloc((2 * counts->term_count * paths->count + 1) * sizeof *paths->columns);
    if (!paths->columns) {
        PyErr_NoMemory();
        return 0;
    }
    for (size_t number = 0; number < counts->term_count; number++) {
        Term *term = counts->terms + number;
        double *path = paths->columns + 2 * number * paths->count;
        if (!weigh_term(paths, term, path, path + paths->count))
            return 0;
        term->path = path;
        term->stem_path = path + paths->count;
    }
    return 1;
}
