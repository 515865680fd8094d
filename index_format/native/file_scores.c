/* Chooses the chunks of the files that are worth ranking, by scores without their paths. */

#include "scores.h"

#define MOST_TERMS 4096

const double *
read_column_of(PyObject *given, size_t count)
{
    if (!PyBytes_Check(given) || (size_t)PyBytes_Size(given) != count * sizeof(double)) {
        PyErr_SetString(PyExc_ValueError, "a column of another length");
        return NULL;
    }
    return (const double *)PyBytes_AsString(given);
}

static int
read_fields(Fields *fields, PyObject *given, size_t count)
{
    Py_ssize_t size = PyTuple_Size(given);
    if (size > FIELDS) {
        PyErr_SetString(PyExc_ValueError, "too many fields");
        return 0;
    }
    fields->count = (size_t)size;
    for (Py_ssize_t at = 0; at < size; at++) {
        PyObject *item = PyTuple_GetItem(given, at), *column;
        int field;
        if (!PyTuple_Check(item) || !PyArg_ParseTuple(item, "iS", &field, &column)) {
            if (!PyErr_Occurred())
                PyErr_SetString(PyExc_TypeError, "a field is a tuple");
            return 0;
        }
        if (field < 0 || field >= FIELDS) {
            PyErr_SetString(PyExc_ValueError, "an unknown field");
            return 0;
        }
        fields->fields[at] = (enum Field)field;
        if (!(fields->counts[at] = read_column_of(column, count)))
            return 0;
    }
    return 1;
}

static int
read_term(Term *term, PyObject *given, size_t count)
{
    PyObject *exact, *every;
    if (!PyTuple_Check(given)) {
        PyErr_SetString(PyExc_TypeError, "a term is a tuple");
        return 0;
    }
    return PyArg_ParseTuple(given, "dddpO!O!", &term->weight, &term->idf, &term->class_idf,
                            &term->is_name, &PyTuple_Type, &exact, &PyTuple_Type, &every) &&
           read_fields(&term->exact, exact, count) && read_fields(&term->every, every, count);
}

int
read_counts(Counts *counts, PyObject *norms, PyObject *terms, PyObject *weights)
{
    Weights *given = &counts->weights;
    counts->count = (size_t)PyBytes_Size(norms) / sizeof(double);
    counts->term_count = (size_t)PyTuple_Size(terms);
    if (!PyArg_ParseTuple(weights, "dddddddd", &given->k1, &given->share, &given->constant,
                          &given->symbol, &given->doc, &given->inside, &given->declares,
                          &given->declared) ||
        !(counts->norms = read_column_of(norms, counts->count)))
        return 0;
    if (counts->term_count > MOST_TERMS) {
        PyErr_SetString(PyExc_ValueError, "too many terms");
        return 0;
    }
    if (!(counts->terms = calloc(counts->term_count + 1, sizeof *counts->terms))) {
        PyErr_NoMemory();
        return 0;
    }
    for (size_t number = 0; number < counts->term_count; number++)
        if (!read_term(counts->terms + number, PyTuple_GetItem(terms, (Py_ssize_t)number),
                       counts->count))
            return 0;
    return 1;
}

/* ---- a guess of the scores ---- */

static double
sum_fields(const Counts *counts, const Fields *fields, size_t chunk)
{
    double sum = 0.0;
    for (size_t field = 0; field < fields->count; field++)
        sum += weighted(counts, fields, field, chunk);
    return sum;
}

static double
guess_chunk(const Counts *counts, size_t chunk)
{
    double total = 0.0;
    for (size_t number = 0; number < counts->term_count; number++) {
        const Term *term = counts->terms + number;
        total += score_sums(counts, term, sum_fields(counts, &term->exact, chunk),
                            sum_fields(counts, &term->every, chunk));
    }
    return total;
}

static int
compare_scores(const void *one, const void *other)
{
    double a = *(const double *)one, b = *(const double *)other;
    return (a < b) - (a > b);
}

/* Numbers of the chunks of the files with the best chunks; ties at the end are all kept. */
static PyObject *
list_kept(const Counts *counts, const int64_t *files, size_t most)
{
    size_t file_count = 0, kept = 0, at = 0;
    double *best = malloc((counts->count + 1) * sizeof *best), *sorted, last = -INFINITY;
    PyObject *result = NULL;
    int64_t *found = malloc((counts->count + 1) * sizeof *found);
    sorted = malloc((counts->count + 1) * sizeof *sorted);
    if (best && sorted && found) {
        for (size_t chunk = 0; chunk < counts->count; chunk++) {
            double score = round_score(guess_chunk(counts, chunk));
            if (!chunk || files[chunk] != files[chunk - 1])
                best[file_count++] = score;
            else if (score > best[file_count - 1])
                best[file_count - 1] = score;
        }
        if (file_count > most) {
            memcpy(sorted, best, file_count * sizeof *sorted);
            qsort(sorted, file_count, sizeof *sorted, compare_scores);
            last = sorted[most - 1];
        }
        for (size_t chunk = 0; chunk < counts->count; chunk++) {
            at += chunk && files[chunk] != files[chunk - 1];
            if (best[at] >= last)
                found[kept++] = (int64_t)chunk;
        }
        result = PyBytes_FromStringAndSize((const char *)found, (Py_ssize_t)(kept * 8));
    } else {
        PyErr_NoMemory();
    }
    free(best);
    free(sorted);
    free(found);
    return result;
}

PyDoc_STRVAR(choose_chunks_doc,
             "choose_chunks(norms, terms, weights, files, most)\n--\n\n"
             "Numbers of the chunks (int64) of about `most` files with the best chunks. `norms` are\n"
             "divisors of frequencies in the body (float64), `files` the file of each chunk\n"
             "(int64). A term is its weight, its inverse frequency and that of all of its forms (0\n"
             "for none), whether it is the whole query, and frequencies of it, and of all of its\n"
             "forms, by field: tuples of the field's number and a column (float64). `weights` are\n"
             "k1, the share of the forms, a name's weight, a symbol's and documentation's, that of\n"
             "the body and of symbols inside of a file, and of a declared name.");

static PyObject *
choose_chunks(PyObject *module, PyObject *arguments)
{
    PyObject *norms, *terms, *weights, *files, *result = NULL;
    Py_ssize_t most;
    Counts counts = {0};
    (void)module;
    if (!PyArg_ParseTuple(arguments, "SO!O!Sn:choose_chunks", &norms, &PyTuple_Type, &terms,
                          &PyTuple_Type, &weights, &files, &most))
        return NULL;
    if (read_counts(&counts, norms, terms, weights) && read_column_of(files, counts.count)) {
        if (most < 1)
            PyErr_SetString(PyExc_ValueError, "no files");
        else
            result = list_kept(&counts, (const int64_t *)PyBytes_AsString(files), (size_t)most);
    }
    free(counts.terms);
    return result;
}

PyMethodDef SCORE_FUNCTIONS[] = {
    {"choose_chunks", choose_chunks, METH_VARARGS, choose_chunks_doc},
    {NULL, NULL, 0, NULL},
};
