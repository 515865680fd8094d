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
    return PyArg_ParseTuple(given, "dddpO!O!", &term->weight, &term->idf, &term->class_idf,
                            &term->is_name, &PyTuple_Type, &exact, &PyTuple_Type, &every) &&
           read_fields(&term->exact, exact, count) && read_fields(&term->every, every, count);
}

/* Reads terms of this many chunks; the caller frees them in any case. */
static int
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

/* The weight inside of a file: the path is the same for all of its chunks. */
static double
sum_inside(const Counts *counts, const Fields *fields, size_t chunk)
{
    double sum = 0.0;
    for (size_t field = 0; field < fields->count; field++)
        if (fields->fields[field] == BODY)
            sum += counts->weights.inside * weighted(counts, fields, field, chunk);
    for (size_t field = 0; field < fields->count; field++)
        if (fields->fields[field] == SYMBOL)
            sum += counts->weights.declares * fields->counts[field][chunk];
    return sum;
}

/* By field, its share of the score of all fields together. */
static void
share_score(const Counts *counts, const Fields *fields, double path, double idf, size_t chunk,
            double *shares)
{
    double values[FIELDS], total = 0.0, factor;
    total += path;
    for (size_t field = 0; field < fields->count; field++) {
        if (fields->fields[field] == NAME || fields->fields[field] == PATH)
            continue;
        values[field] = weighted(counts, fields, field, chunk);
        total += values[field];
    }
    factor = saturate(counts, total, idf) / (total > 0 ? total : 1.0);
    memset(shares, 0, FIELDS * sizeof *shares);
    shares[PATH] = path * factor;
    for (size_t field = 0; field < fields->count; field++)
        if (fields->fields[field] != NAME && fields->fields[field] != PATH)
            shares[fields->fields[field]] = values[field] * factor;
}

/* Adds the parts of one field of a term to a score, once: `added` has a bit for each field. */
static double
add_part(const Counts *counts, const Term *term, enum Field field, const double *exact,
         const double *every, unsigned *added, double total)
{
    double share = counts->weights.share, part = exact[field];
    if (*added & 1u << field)
        return total;
    *added |= 1u << field;
    if (term->class_idf != 0.0)
        part = (1 - share) * exact[field] + share * every[field];
    return total + term->weight * part;
}

static double
score_chunk(const Counts *counts, size_t chunk, size_t file)
{
    double total = 0.0, exact[FIELDS], every[FIELDS];
    for (size_t number = 0; number < counts->term_count; number++) {
        const Term *term = counts->terms + number;
        unsigned added = 1u << NAME;
        share_score(counts, &term->exact, term->path[file], term->idf, chunk, exact);
        if (term->class_idf != 0.0)
            share_score(counts, &term->every, term->stem_path[file], term->class_idf, chunk, every);
        total = add_part(counts, term, PATH, exact, every, &added, total);
        for (size_t field = 0; field < term->exact.count; field++)
            total = add_part(counts, term, term->exact.fields[field], exact, every, &added, total);
        for (size_t field = 0; term->class_idf != 0.0 && field < term->every.count; field++)
            total = add_part(counts, term, term->every.fields[field], exact, every, &added, total);
    }
    return total;
}

static double
score_inside(const Counts *counts, size_t chunk)
{
    double total = 0.0;
    for (size_t number = 0; number < counts->term_count; number++) {
        const Term *term = counts->terms + number;
        total += score_sums(counts, term, sum_inside(counts, &term->exact, chunk),
                            sum_inside(counts, &term->every, chunk));
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

#define TOGETHER 16 /* chunks of a file that may count for what it has of the query */

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

#define MOST_STEPS 64

typedef struct {
    Py_ssize_t together, passages, steps;
    double worth_showing, decay, repeated, shared;
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
    const int64_t *kept, *owners, *chunks;
    size_t count;
    const double *area, *prior; /* factors, by file */
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
    size_t count = end - begin, held = 0, steps;
    double power = 1.0, more = 0.0, repeated = 1.0, *best = ranked->sorted;
    memcpy(best, ranked->scores + begin, count * sizeof *best);
    qsort(best, count, sizeof *best, compare_scores);
    steps = count < (size_t)limits->steps ? count : (size_t)limits->steps;
    for (size_t at = 1; at < steps; at++) {
        power *= limits->decay;
        more += best[at] * power;
    }
    for (; held < steps && held < (size_t)limits->passages; held++) {
        if (best[held] < best[0] * limits->worth_showing || best[held] == 0.0)
            break;
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
    double found[MOST_STEPS];
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
    size_t best[TOGETHER], held = 0;
    double scores[TOGETHER];
    for (size_t at = begin; at < end; at++) {
        size_t chunk = (size_t)ranked->kept[at];
        double factor;
        ranked->named[at] = (uint8_t)declares_name(counts, chunk);
        factor = 1 + counts->weights.declared * ranked->named[at];
        ranked->scores[at] = score_chunk(counts, chunk, (size_t)ranked->owners[at]) * factor;
        ranked->places[at] = (Place){-round_score(score_inside(counts, chunk) * factor), at};
        keep_best(best, scores, &held, (size_t)ranked->limits.together, chunk,
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
        double factor = ranked->paths.coverage[file];
        for (end = begin + 1; end < ranked->count && ranked->owners[end] == file;)
            end++;
        ranked->shares[file] = score_file(counts, ranked, begin, end);
        factor *= 1 + ranked->limits.shared * ranked->shares[file];
        factor *= ranked->area[file];
        add_passages(ranked, begin, end, factor);
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

/* Whether chunks are known ones and their files numbered from 0 on. */
static int
are_sound(const Counts *counts, const Ranked *ranked)
{
    const int64_t *kept = ranked->kept, *owners = ranked->owners;
    for (size_t at = 0; at < ranked->count; at++)
        if (kept[at] < 0 || (size_t)kept[at] >= counts->count ||
            (at ? owners[at] != owners[at - 1] && owners[at] != owners[at - 1] + 1
                : owners[at] != 0))
            return 0;
    return ranked->paths.count == (ranked->count ? (size_t)owners[ranked->count - 1] + 1 : 0);
}

static int
read_limits(Limits *limits, Paths *paths, PyObject *given)
{
    if (!PyArg_ParseTuple(given, "nnnddddddd", &limits->together, &limits->passages,
                          &limits->steps, &limits->worth_showing, &limits->decay,
                          &limits->repeated, &limits->shared, &paths->name, &paths->folder,
                          &paths->covering))
        return 0;
    if (limits->together >= 1 && limits->together <= TOGETHER && limits->passages >= 1 &&
        limits->passages <= MOST_STEPS && limits->steps >= 1 && limits->steps <= MOST_STEPS)
        return 1;
    PyErr_SetString(PyExc_ValueError, "a limit out of range");
    return 0;
}

/* Reads chunks and factors of files; 0 with an error where they do not belong together. */
static int
read_ranked(Ranked *ranked, const Counts *counts, PyObject *columns[3], PyObject *factors[2])
{
    ranked->count = (size_t)PyBytes_Size(columns[0]) / sizeof(int64_t);
    for (size_t at = 0; at < 3; at++)
        if (!read_column_of(columns[at], ranked->count))
            return 0;
    if (!(ranked->area = read_column_of(factors[0], ranked->paths.count)) ||
        !(ranked->prior = read_column_of(factors[1], ranked->paths.count)))
        return 0;
    ranked->kept = (const int64_t *)PyBytes_AsString(columns[0]);
    ranked->owners = (const int64_t *)PyBytes_AsString(columns[1]);
    ranked->chunks = (const int64_t *)PyBytes_AsString(columns[2]);
    if (are_sound(counts, ranked))
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
    free(ranked->paths.coverage);
    free(ranked->paths.columns);
}

PyDoc_STRVAR(rank_files_doc,
             "rank_files(terms, weights, chunks, words, files, limits)\n--\n\n"
             "The passages that files show, best first: scores (float64), files and chunks (int64);\n"
             "by file the share of the query's weight that its best chunks have together (float64);\n"
             "by chunk, a byte that tells whether it declares the name that the query is. `chunks` are the norms of all, places among them, files, and\n"
             "numbers in the index (int64). `words` are the text of each term and the stem of its\n"
             "word; and the words of the query as they are looked for in paths, with their weight:\n"
             "text, stem, distinct parts, count of parts, weight of each. `files` are a list with a\n"
             "tuple for each file, of sets of texts: of its name, its folders, its kinds, the stems\n"
             "of both; then two factors of each file, for its area and for its kind (float64).\n"
             "`limits` are chunks that count together, passages of a file, scores that raise them,\n"
             "the share of the best that is worth showing, and weights: of further chunks, of\n"
             "further passages, of what the best chunks have together, of a term in a name and in a\n"
             "folder, and of what a path has of the query.");

static PyObject *
rank_files(PyObject *module, PyObject *arguments)
{
    PyObject *terms, *weights, *chunks, *given, *files, *limits, *norms, *columns[3], *names, *words;
    PyObject *factors[2], *result = NULL;
    Counts counts = {0};
    Ranked ranked = {0};
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!O!O!O!O!O!:rank_files", &PyTuple_Type, &terms,
                          &PyTuple_Type, &weights, &PyTuple_Type, &chunks, &PyTuple_Type, &given,
                          &PyTuple_Type, &files, &PyTuple_Type, &limits) ||
        !PyArg_ParseTuple(chunks, "SSSS", &norms, columns, columns + 1, columns + 2) ||
        !PyArg_ParseTuple(given, "O!O!", &PyTuple_Type, &names, &PyTuple_Type, &words) ||
        !PyArg_ParseTuple(files, "O!SS", &PyList_Type, &ranked.paths.signs, factors, factors + 1))
        return NULL;
    counts.count = (size_t)PyBytes_Size(norms) / sizeof(double);
    ranked.paths.count = (size_t)PyList_Size(ranked.paths.signs);
    if ((counts.norms = read_column_of(norms, counts.count)) &&
        read_counts(&counts, counts.count, terms, weights) &&
        read_limits(&ranked.limits, &ranked.paths, limits) &&
        read_ranked(&ranked, &counts, columns, factors) && make_room(&ranked) &&
        weigh_paths(&ranked.paths, &counts, names, words)) {
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
