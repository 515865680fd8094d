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
read_counts(Counts *counts, size_t count, PyObject *terms, PyObject *weights)
{
    Weights *given = &counts->weights;
    counts->count = count;
    counts->term_count = (size_t)PyTuple_Size(terms);
    if (!PyArg_ParseTuple(weights, "ddddddd", &given->k1, &given->share, &given->constant,
                          &given->symbol, &given->inside, &given->declares, &given->declared))
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

/* The score that just `rank` of all reach, which are more; puts them into another order. */
static double
score_at_rank(double *scores, size_t count, size_t rank)
{
    size_t low = 0, high = count - 1, wanted = rank - 1;
    while (low < high) {
        double middle = scores[low + (high - low) / 2];
        size_t left = low, right = high;
        for (;;) { /* what is above the middle goes to the left */
            while (scores[left] > middle)
                left++;
            while (scores[right] < middle)
                right--;
            if (left >= right)
                break;
            double held = scores[left];
            scores[left++] = scores[right];
            scores[right--] = held;
        }
        if (wanted <= right)
            high = right;
        else
            low = right + 1;
    }
    return scores[wanted];
}

/* What is chosen of the chunks: their places among all, the files that they are of, from 0 on, their
   numbers, and the numbers of these files. */
typedef struct {
    int64_t *kept, *owners, *chunks, *files;
    size_t count, file_count;
} Chosen;

/* Keeps the chunks of the files with the best chunks; ties at the end are all kept. */
static int
choose_files(const Counts *counts, const int64_t *chunks, const int64_t *files, size_t most,
             Chosen *chosen)
{
    size_t file_count = 0, at = 0;
    double *best = malloc((counts->count + 1) * sizeof *best), *others, last = -INFINITY;
    others = malloc((counts->count + 1) * sizeof *others);
    if (!best || !others) {
        free(best);
        free(others);
        return 0;
    }
    for (size_t chunk = 0; chunk < counts->count; chunk++) {
        double score = round_score(guess_chunk(counts, chunk));
        if (!chunk || files[chunk] != files[chunk - 1])
            best[file_count++] = score;
        else if (score > best[file_count - 1])
            best[file_count - 1] = score;
    }
    if (file_count > most) {
        memcpy(others, best, file_count * sizeof *others);
        last = score_at_rank(others, file_count, most);
    }
    for (size_t chunk = 0; chunk < counts->count; chunk++) {
        at += chunk && files[chunk] != files[chunk - 1];
        if (!(best[at] >= last))
            continue;
        if (!chosen->file_count || chosen->files[chosen->file_count - 1] != files[chunk])
            chosen->files[chosen->file_count++] = files[chunk];
        chosen->kept[chosen->count] = (int64_t)chunk;
        chosen->owners[chosen->count] = (int64_t)chosen->file_count - 1;
        chosen->chunks[chosen->count++] = chunks[chunk];
    }
    free(best);
    free(others);
    return 1;
}

/* The files of ascending chunks; 0 where they do not ascend, or one lies outside of all files. */
static int
find_files(const int64_t *chunks, size_t count, const int64_t *starts, size_t file_count,
           int64_t *files)
{
    size_t low = 0;
    for (size_t at = 0; at < count; at++) {
        size_t high, step = 1;
        if (chunks[at] < starts[0] || chunks[at] >= starts[file_count] ||
            (at && chunks[at] <= chunks[at - 1]))
            return 0;
        while (low + step < file_count && starts[low + step] <= chunks[at]) {
            low += step;
            step *= 2;
        }
        high = low + step < file_count ? low + step : file_count;
        while (high - low > 1) { /* the last one that begins at the chunk or before it */
            size_t middle = low + (high - low) / 2;
            if (starts[middle] <= chunks[at])
                low = middle;
            else
                high = middle;
        }
        files[at] = (int64_t)low;
    }
    return 1;
}

/* ---- what is asked ---- */

/* What lengths of chunks are computed from, and where files begin. */
typedef struct {
    Py_buffer codes, lengths, starts;
    double b, average;
} Table;

/* The divisors of frequencies in the body; 0 where a chunk has no length. */
static int
find_norms(const Table *table, const int64_t *chunks, size_t count, double *norms)
{
    const uint8_t *codes = table->codes.buf;
    const double *lengths = table->lengths.buf;
    for (size_t at = 0; at < count; at++) {
        if (chunks[at] < 0 || chunks[at] >= table->codes.len)
            return 0;
        norms[at] = 1 - table->b + table->b * lengths[codes[chunks[at]]] / table->average;
    }
    return 1;
}

static PyObject *
list_chosen(const Chosen *chosen, PyObject *norms)
{
    Py_ssize_t size = (Py_ssize_t)(chosen->count * sizeof(int64_t));
    return Py_BuildValue("Oy#y#y#y#", norms, (const char *)chosen->kept, size,
                         (const char *)chosen->owners, size, (const char *)chosen->chunks, size,
                         (const char *)chosen->files,
                         (Py_ssize_t)(chosen->file_count * sizeof(int64_t)));
}

static PyObject *
choose(Counts *counts, const Table *table, PyObject *given, size_t most)
{
    const int64_t *chunks = (const int64_t *)PyBytes_AsString(given);
    size_t count = counts->count, starts = (size_t)table->starts.len / sizeof(int64_t);
    int64_t *room = malloc((5 * count + 1) * sizeof *room), *files = room;
    PyObject *norms = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(count * sizeof(double)));
    PyObject *result = NULL;
    Chosen chosen = {room + count, room + 2 * count, room + 3 * count, room + 4 * count, 0, 0};
    if (norms)
        counts->norms = (const double *)PyBytes_AsString(norms);
    if (!room || !norms)
        PyErr_NoMemory();
    else if (!find_norms(table, chunks, count, (double *)PyBytes_AsString(norms)) ||
             !find_files(chunks, count, table->starts.buf, starts - 1, files))
        PyErr_SetString(PyExc_ValueError, "chunks that there are not");
    else if (!choose_files(counts, chunks, files, most, &chosen))
        PyErr_NoMemory();
    else
        result = list_chosen(&chosen, norms);
    Py_XDECREF(norms);
    free(room);
    return result;
}

static int
is_sound(const Table *table)
{
    return table->lengths.len == 256 * sizeof(double) &&
           (uintptr_t)table->lengths.buf % sizeof(double) == 0 &&
           (uintptr_t)table->starts.buf % sizeof(int64_t) == 0 &&
           table->starts.len >= (Py_ssize_t)(2 * sizeof(int64_t)) &&
           table->starts.len % (Py_ssize_t)sizeof(int64_t) == 0;
}

PyDoc_STRVAR(choose_chunks_doc,
             "choose_chunks(chunks, table, terms, weights, most)\n--\n\n"
             "Of ascending chunks (int64) those of about `most` files with the best chunks: the\n"
             "divisors of all chunks' frequencies in the body (float64), and of those chosen, their\n"
             "places, files from 0 on, numbers, and the numbers of these files (int64). The table\n"
             "has length codes of the body, their lengths (float64), the first chunks of files and\n"
             "the end (int64), BM25's B, and the average length. A term is its weight, its inverse\n"
             "frequency and that of all of its forms (0 for none), whether it is the whole query,\n"
             "and frequencies of it, and of all of its forms, by field: tuples of the field's\n"
             "number and a column (float64). `weights` are k1, the share of the forms, a name's\n"
             "weight and a symbol's, that of the body and of symbols inside of a file, and of a\n"
             "declared name.");

static PyObject *
choose_chunks(PyObject *module, PyObject *arguments)
{
    PyObject *chunks, *terms, *weights, *given, *result = NULL;
    Py_ssize_t most;
    Counts counts = {0};
    Table table;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "SO!O!O!n:choose_chunks", &chunks, &PyTuple_Type, &given,
                          &PyTuple_Type, &terms, &PyTuple_Type, &weights, &most) ||
        !PyArg_ParseTuple(given, "y*y*y*dd", &table.codes, &table.lengths, &table.starts, &table.b,
                          &table.average))
        return NULL;
    if (!is_sound(&table) || most < 1 || (size_t)PyBytes_Size(chunks) % sizeof(int64_t))
        PyErr_SetString(PyExc_ValueError, "a column of another length, or no files");
    else if (read_counts(&counts, (size_t)PyBytes_Size(chunks) / sizeof(int64_t), terms, weights))
        result = choose(&counts, &table, chunks, (size_t)most);
    PyBuffer_Release(&table.codes);
    PyBuffer_Release(&table.lengths);
    PyBuffer_Release(&table.starts);
    free(counts.terms);
    return result;
}

PyMethodDef SCORE_FUNCTIONS[] = {
    {"choose_chunks", choose_chunks, METH_VARARGS, choose_chunks_doc},
    {NULL, NULL, 0, NULL},
};
