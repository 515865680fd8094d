/* Ranks the chunks of files: their scores, and the passages that each file shows. */

#include "scores.h"

#define MOST_TERMS 4096

/* The numbers of a column of bytes; NULL with an error for another length. */
static const double *
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
    return PyArg_ParseTuple(given, "dddpUUO!O!", &term->weight, &term->idf, &term->class_idf,
                            &term->is_name, &term->text, &term->stem, &PyTuple_Type, &exact,
                            &PyTuple_Type, &every) &&
           read_fields(&term->exact, exact, count) && read_fields(&term->every, every, count);
}

/* Reads terms of this many chunks; the caller frees them in any case. */
static int
read_counts(Counts *counts, size_t count, PyObject *terms, PyObject *weights)
{
    Weights *given = &counts->weights;
    counts->count = count;
    counts->term_count = (size_t)PyTuple_Size(terms);
    if (!PyArg_ParseTuple(weights, "dddddd", &given->k1, &given->share, &given->symbol,
                          &given->inside, &given->declares, &given->declared))
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

/* The weight of a term in a chunk: that of its path, and those of its fields. */
static double
sum_fields(const Counts *counts, const Fields *fields, double path, double body, double symbol,
           size_t chunk)
{
    double sum = path;
    for (size_t field = 0; field < fields->count; field++)
        if (fields->fields[field] == BODY)
            sum += body * (fields->counts[field][chunk] / counts->norms[chunk]);
    for (size_t field = 0; field < fields->count; field++)
        if (fields->fields[field] == SYMBOL)
            sum += symbol * fields->counts[field][chunk];
    return sum;
}

static double
score_chunk(const Counts *counts, size_t chunk, size_t file)
{
    double total = 0.0, symbol = counts->weights.symbol;
    for (size_t number = 0; number < counts->term_count; number++) {
        const Term *term = counts->terms + number;
        total += score_sums(counts, term,
                            sum_fields(counts, &term->exact, term->path[file], 1.0, symbol, chunk),
                            sum_fields(counts, &term->every, term->stem_path[file], 1.0, symbol,
                                       chunk));
    }
    return total;
}

/* The score inside of a file: the path is the same for all of its chunks. */
static double
score_inside(const Counts *counts, size_t chunk)
{
    double total = 0.0, body = counts->weights.inside, symbol = counts->weights.declares;
    for (size_t number = 0; number < counts->term_count; number++) {
        const Term *term = counts->terms + number;
        total += score_sums(counts, term,
                            sum_fields(counts, &term->exact, 0.0, body, symbol, chunk),
                            sum_fields(counts, &term->every, 0.0, body, symbol, chunk));
    }
    return total;
}

static int
has_term(const Fields *fields, size_t chunk)
{
    for (size_t field = 0; field < fields->count; field++)
        if (fields->counts[field][chunk] > 0)
            return 1;
    return 0;
}

/* Whether a chunk declares the name that the whole query is. */
static int
declares_name(const Counts *counts, size_t chunk)
{
    for (size_t number = 0; number < counts->term_count; number++) {
        const Term *term = counts->terms + number;
        for (size_t field = 0; term->is_name && field < term->exact.count; field++)
            if (term->exact.fields[field] == SYMBOL && term->exact.counts[field][chunk] > 0)
                return 1;
    }
    return 0;
}

/* ---- what files have of the query ---- */

#define MOST_PASSAGES 64 /* of a file, whose chunks count for what it has of the query */

/* Adds a chunk to the best ones of a file, which are ordered by score, then by number. */
static void
keep_best(size_t *best, double *scores, size_t *held, size_t most, size_t chunk, double score)
{
    size_t at = *held;
    if (at == most && scores[at - 1] >= score)
        return;
    if (at < most)
        (*held)++;
    else
        at--;
    for (; at && scores[at - 1] < score; at--) {
        best[at] = best[at - 1];
        scores[at] = scores[at - 1];
    }
    best[at] = chunk;
    scores[at] = score;
}

/* The share of the query's weight that the best chunks of a file have together. */
static double
share_together(const Counts *counts, const size_t *best, size_t held)
{
    double all = 0.0, there = 0.0;
    for (size_t number = 0; number < counts->term_count; number++) {
        const Term *term = counts->terms + number;
        double worth = term->weight * term->idf;
        int found = 0;
        for (size_t at = 0; !found && at < held; at++)
            found = has_term(&term->every, best[at]);
        all += worth;
        there += found ? worth : 0.0;
    }
    return there / (all != 0.0 ? all : 1.0);
}

/* ---- the passages of files ---- */

typedef struct {
    Py_ssize_t passages;
    double decay, repeated;
} Limits;

typedef struct {
    double inside; /* by which the chunks of a file are ordered */
    size_t at;
} Place;

/* A chunk that is shown. */
typedef struct {
    double score;
    size_t order; /* of equal scores the first */
    int64_t file, chunk;
} Passage;

/* What is known of the chunks that are ranked. */
typedef struct {
    const int64_t *owners, *chunks;
    size_t count;
    const double *factors, *prior; /* by file */
    Paths paths;
    Limits limits;
    double *scores, *sorted;
    Place *places;
    uint8_t *named;
    double *shares; /* by file */
    Passage *passages;
    size_t passage_count;
} Ranked;

static int
compare_places(const void *one, const void *other)
{
    const Place *a = one, *b = other;
    if (a->inside != b->inside)
        return a->inside < b->inside ? -1 : 1;
    return a->at < b->at ? -1 : 1;
}

static int
compare_scores(const void *one, const void *other)
{
    double a = *(const double *)one, b = *(const double *)other;
    return (a < b) - (a > b);
}

/* Scores of a file's passages in `found`: its best chunks' scores, raised by the other chunks. */
static size_t
score_passages(const Ranked *ranked, size_t begin, size_t end, double *found)
{
    const Limits *limits = &ranked->limits;
    size_t count = end - begin, most = (size_t)limits->passages, held = 0;
    double power = 1.0, more = 0.0, repeated = 1.0, *best = ranked->sorted;
    memcpy(best, ranked->scores + begin, count * sizeof *best);
    qsort(best, count, sizeof *best, compare_scores);
    most = count < most ? count : most;
    for (size_t at = 1; at < most; at++) {
        power *= limits->decay;
        more += best[at] * power;
    }
    for (; held < most && best[held] != 0.0; held++) {
        found[held] = (best[held] + more) * repeated;
        repeated *= limits->repeated;
    }
    return held;
}

/* Adds the passages of a file, those with the best chunks first. */
static void
add_passages(Ranked *ranked, size_t begin, size_t end, double factor)
{
    size_t file = (size_t)ranked->owners[begin];
    double found[MOST_PASSAGES];
    size_t held = score_passages(ranked, begin, end, found);
    qsort(ranked->places + begin, end - begin, sizeof *ranked->places, compare_places);
    for (size_t number = 0; number < held; number++) {
        size_t at = ranked->places[begin + number].at, order = ranked->passage_count++;
        double score = found[number] * factor * (ranked->named[at] ? 1.0 : ranked->prior[file]);
        ranked->passages[order] = (Passage){score, order, (int64_t)file, ranked->chunks[at]};
    }
}

/* Scores the chunks of a file; returns the share of the query's weight that it has. */
static double
score_file(const Counts *counts, const Ranked *ranked, size_t begin, size_t end)
{
    size_t best[MOST_PASSAGES], held = 0;
    double scores[MOST_PASSAGES];
    for (size_t at = begin; at < end; at++) {
        double factor;
        ranked->named[at] = (uint8_t)declares_name(counts, at);
        factor = 1 + counts->weights.declared * ranked->named[at];
        ranked->scores[at] = score_chunk(counts, at, (size_t)ranked->owners[at]) * factor;
        ranked->places[at] = (Place){-round_score(score_inside(counts, at) * factor), at};
        keep_best(best, scores, &held, (size_t)ranked->limits.passages, at,
                  round_score(ranked->scores[at]));
    }
    return share_together(counts, best, held);
}

static int
compare_passages(const void *one, const void *other)
{
    const Passage *a = one, *b = other;
    if (a->score != b->score)
        return a->score < b->score ? 1 : -1;
    return a->order < b->order ? -1 : 1;
}

/* Ranks the passages of all files. */
static void
rank_all(const Counts *counts, Ranked *ranked)
{
    for (size_t begin = 0, end; begin < ranked->count; begin = end) {
        int64_t file = ranked->owners[begin];
        for (end = begin + 1; end < ranked->count && ranked->owners[end] == file;)
            end++;
        ranked->shares[file] = score_file(counts, ranked, begin, end);
        add_passages(ranked, begin, end, ranked->factors[file] * (1 + ranked->shares[file]));
    }
    qsort(ranked->passages, ranked->passage_count, sizeof *ranked->passages, compare_passages);
}

/* Scores, files and chunks of the passages, shares of files, which chunks declare. */
static PyObject *
list_ranked(const Ranked *ranked)
{
    Py_ssize_t size = (Py_ssize_t)(ranked->passage_count * sizeof(double));
    Py_ssize_t files = (Py_ssize_t)(ranked->paths.count * sizeof(double));
    PyObject *scores = PyBytes_FromStringAndSize(NULL, size);
    PyObject *owners = PyBytes_FromStringAndSize(NULL, size);
    PyObject *chunks = PyBytes_FromStringAndSize(NULL, size), *result = NULL;
    if (scores && owners && chunks) {
        for (size_t at = 0; at < ranked->passage_count; at++) {
            const Passage *passage = ranked->passages + at;
            ((double *)PyBytes_AsString(scores))[at] = passage->score;
            ((int64_t *)PyBytes_AsString(owners))[at] = passage->file;
            ((int64_t *)PyBytes_AsString(chunks))[at] = passage->chunk;
        }
        result = Py_BuildValue("OOOy#y#", scores, owners, chunks, (const char *)ranked->shares,
                               files, (const char *)ranked->named, (Py_ssize_t)ranked->count);
    }
    Py_XDECREF(scores);
    Py_XDECREF(owners);
    Py_XDECREF(chunks);
    return result;
}

/* ---- what is asked ---- */

/* Whether the files of chunks are numbered from 0 on. */
static int
are_sound(const Ranked *ranked)
{
    const int64_t *owners = ranked->owners;
    for (size_t at = 0; at < ranked->count; at++)
        if (at ? owners[at] != owners[at - 1] && owners[at] != owners[at - 1] + 1 : owners[at] != 0)
            return 0;
    return ranked->paths.count == (ranked->count ? (size_t)owners[ranked->count - 1] + 1 : 0);
}

static int
read_limits(Limits *limits, Paths *paths, PyObject *given)
{
    if (!PyArg_ParseTuple(given, "ndddd", &limits->passages, &limits->decay, &limits->repeated,
                          &paths->name, &paths->folder))
        return 0;
    if (limits->passages >= 1 && limits->passages <= MOST_PASSAGES)
        return 1;
    PyErr_SetString(PyExc_ValueError, "a limit out of range");
    return 0;
}

/* Reads chunks and factors of files; 0 with an error where they do not belong together. */
static int
read_ranked(Ranked *ranked, size_t count, PyObject *columns[2], PyObject *factors[2])
{
    ranked->count = count;
    if (!read_column_of(columns[0], count) || !read_column_of(columns[1], count) ||
        !(ranked->factors = read_column_of(factors[0], ranked->paths.count)) ||
        !(ranked->prior = read_column_of(factors[1], ranked->paths.count)))
        return 0;
    ranked->owners = (const int64_t *)PyBytes_AsString(columns[0]);
    ranked->chunks = (const int64_t *)PyBytes_AsString(columns[1]);
    if (are_sound(ranked))
        return 1;
    PyErr_SetString(PyExc_ValueError, "chunks or files that there are not");
    return 0;
}

static int
make_room(Ranked *ranked)
{
    ranked->scores = malloc((ranked->count + 1) * sizeof *ranked->scores);
    ranked->sorted = malloc((ranked->count + 1) * sizeof *ranked->sorted);
    ranked->places = malloc((ranked->count + 1) * sizeof *ranked->places);
    ranked->named = malloc(ranked->count + 1);
    ranked->passages = malloc((ranked->count + 1) * sizeof *ranked->passages);
    ranked->shares = malloc((ranked->paths.count + 1) * sizeof *ranked->shares);
    if (ranked->scores && ranked->sorted && ranked->places && ranked->named && ranked->passages &&
        ranked->shares)
        return 1;
    PyErr_NoMemory();
    return 0;
}

static void
free_room(Ranked *ranked)
{
    free(ranked->scores);
    free(ranked->sorted);
    free(ranked->places);
    free(ranked->named);
    free(ranked->passages);
    free(ranked->shares);
    free(ranked->paths.columns);
}

PyDoc_STRVAR(rank_files_doc,
             "rank_files(terms, weights, chunks, files, limits)\n--\n\n"
             "The passages that files show, best first: scores (float64), files and chunks (int64);\n"
             "by file the share of the query's weight that its best chunks have together (float64);\n"
             "by chunk, a byte that tells whether it declares the name that the query is. `chunks`\n"
             "are their norms (float64), files and numbers in the index (int64). `files` are a list\n"
             "with a tuple for each file, of sets of texts: of its name, its folders, its kinds, the\n"
             "stems of both; then two factors of each file, for its path and its kind (float64).\n"
             "`limits` are passages of a file and weights: of further chunks, of further passages,\n"
             "and of a term in a name and in a folder.");

static PyObject *
rank_files(PyObject *module, PyObject *arguments)
{
    PyObject *terms, *weights, *chunks, *files, *limits, *norms, *columns[2], *factors[2];
    PyObject *result = NULL;
    Counts counts = {0};
    Ranked ranked = {0};
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!O!O!O!O!:rank_files", &PyTuple_Type, &terms, &PyTuple_Type,
                          &weights, &PyTuple_Type, &chunks, &PyTuple_Type, &files, &PyTuple_Type,
                          &limits) ||
        !PyArg_ParseTuple(chunks, "SSS", &norms, columns, columns + 1) ||
        !PyArg_ParseTuple(files, "O!SS", &PyList_Type, &ranked.paths.signs, factors, factors + 1))
        return NULL;
    counts.count = (size_t)PyBytes_Size(norms) / sizeof(double);
    ranked.paths.count = (size_t)PyList_Size(ranked.paths.signs);
    if ((counts.norms = read_column_of(norms, counts.count)) &&
        read_counts(&counts, counts.count, terms, weights) &&
        read_limits(&ranked.limits, &ranked.paths, limits) &&
        read_ranked(&ranked, counts.count, columns, factors) && make_room(&ranked) &&
        weigh_paths(&ranked.paths, &counts)) {
        rank_all(&counts, &ranked);
        result = list_ranked(&ranked);
    }
    free_room(&ranked);
    free(counts.terms);
    return result;
}

PyMethodDef RANK_FUNCTIONS[] = {
    {"rank_files", rank_files, METH_VARARGS, rank_files_doc},
    {NULL, NULL, 0, NULL},
};
