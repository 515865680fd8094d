/* Ranks the chunks of files: their scores, and the passages that each file shows. */

#include "scores.h"

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

/* What is known of the chunks that are ranked. */
typedef struct {
    const int64_t *kept, *owners, *chunks;
    size_t count, file_count;
    const double *coverage, *area, *prior; /* factors, by file */
    Limits limits;
    double *scores, *sorted;
    Place *places;
    uint8_t *named;
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

/* Score and chunk of each passage of a file, those with the best chunks first. */
static PyObject *
list_passages(const Ranked *ranked, size_t begin, size_t end, double factor, double *best)
{
    double found[MOST_STEPS], prior = ranked->prior[ranked->owners[begin]];
    size_t held = score_passages(ranked, begin, end, found);
    PyObject *result = PyList_New((Py_ssize_t)held);
    qsort(ranked->places + begin, end - begin, sizeof *ranked->places, compare_places);
    *best = 0.0;
    for (size_t number = 0; result && number < held; number++) {
        size_t at = ranked->places[begin + number].at;
        double score = found[number] * factor * (ranked->named[at] ? 1.0 : prior);
        PyObject *item = Py_BuildValue("(dL)", score, (long long)ranked->chunks[at]);
        if (!number || score > *best)
            *best = score;
        if (!item || PyList_SetItem(result, (Py_ssize_t)number, item) < 0)
            Py_CLEAR(result);
    }
    return result;
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

static PyObject *
rank_all(const Counts *counts, const Ranked *ranked)
{
    Py_ssize_t files = (Py_ssize_t)ranked->file_count;
    PyObject *passages = PyList_New(files), *best = PyList_New(files), *shares = PyList_New(files);
    PyObject *named = NULL, *result = NULL;
    int sound = passages && best && shares;
    for (size_t begin = 0, end; sound && begin < ranked->count; begin = end) {
        Py_ssize_t file = (Py_ssize_t)ranked->owners[begin];
        double share, factor = ranked->coverage[file], highest = 0.0;
        PyObject *items[3];
        for (end = begin + 1; end < ranked->count && ranked->owners[end] == file;)
            end++;
        share = score_file(counts, ranked, begin, end);
        factor *= 1 + ranked->limits.shared * share;
        factor *= ranked->area[file];
        items[0] = list_passages(ranked, begin, end, factor, &highest);
        items[1] = PyFloat_FromDouble(highest);
        items[2] = PyFloat_FromDouble(share);
        sound = items[0] && items[1] && items[2];
        /* an item is taken whether it can be set or not */
        sound = !PyList_SetItem(passages, file, items[0]) && sound;
        sound = !PyList_SetItem(best, file, items[1]) && sound;
        sound = !PyList_SetItem(shares, file, items[2]) && sound;
    }
    if (sound && (named = PyBytes_FromStringAndSize((char *)ranked->named,
                                                    (Py_ssize_t)ranked->count)))
        result = PyTuple_Pack(4, passages, best, shares, named);
    Py_XDECREF(passages);
    Py_XDECREF(best);
    Py_XDECREF(shares);
    Py_XDECREF(named);
    return result;
}

/* ---- what is asked ---- */

/* Whether chunks are known ones and their files numbered from 0 on. */
static int
are_sound(const Counts *counts, const int64_t *kept, const int64_t *owners, size_t count,
          size_t file_count)
{
    for (size_t at = 0; at < count; at++)
        if (kept[at] < 0 || (size_t)kept[at] >= counts->count ||
            (at ? owners[at] != owners[at - 1] && owners[at] != owners[at - 1] + 1
                : owners[at] != 0))
            return 0;
    return file_count == (count ? (size_t)owners[count - 1] + 1 : 0);
}

static int
read_paths(Counts *counts, PyObject *paths, size_t file_count)
{
    if ((size_t)PyTuple_Size(paths) != counts->term_count) {
        PyErr_SetString(PyExc_ValueError, "paths of other terms");
        return 0;
    }
    for (size_t number = 0; number < counts->term_count; number++) {
        PyObject *item = PyTuple_GetItem(paths, (Py_ssize_t)number), *path, *stem_path;
        Term *term = counts->terms + number;
        if (!PyTuple_Check(item) || !PyArg_ParseTuple(item, "SS", &path, &stem_path)) {
            if (!PyErr_Occurred())
                PyErr_SetString(PyExc_TypeError, "paths are a tuple");
            return 0;
        }
        if (!(term->path = read_column_of(path, file_count)) ||
            !(term->stem_path = read_column_of(stem_path, file_count)))
            return 0;
    }
    return 1;
}

static int
read_limits(Limits *limits, PyObject *given)
{
    if (!PyArg_ParseTuple(given, "nnndddd", &limits->together, &limits->passages, &limits->steps,
                          &limits->worth_showing, &limits->decay, &limits->repeated,
                          &limits->shared))
        return 0;
    if (limits->together >= 1 && limits->together <= TOGETHER && limits->passages >= 1 &&
        limits->passages <= MOST_STEPS && limits->steps >= 1 && limits->steps <= MOST_STEPS)
        return 1;
    PyErr_SetString(PyExc_ValueError, "a limit out of range");
    return 0;
}

/* Reads chunks and files; 0 with an error where they do not belong together. */
static int
read_ranked(Ranked *ranked, const Counts *counts, PyObject *chunks, PyObject *files)
{
    PyObject *columns[3], *factors[3];
    if (!PyArg_ParseTuple(chunks, "SSS", columns, columns + 1, columns + 2) ||
        !PyArg_ParseTuple(files, "SSS", factors, factors + 1, factors + 2))
        return 0;
    ranked->count = (size_t)PyBytes_Size(columns[0]) / sizeof(int64_t);
    ranked->file_count = (size_t)PyBytes_Size(factors[0]) / sizeof(double);
    for (size_t at = 0; at < 3; at++)
        if (!read_column_of(columns[at], ranked->count) ||
            !read_column_of(factors[at], ranked->file_count))
            return 0;
    ranked->kept = (const int64_t *)PyBytes_AsString(columns[0]);
    ranked->owners = (const int64_t *)PyBytes_AsString(columns[1]);
    ranked->chunks = (const int64_t *)PyBytes_AsString(columns[2]);
    ranked->coverage = (const double *)PyBytes_AsString(factors[0]);
    ranked->area = (const double *)PyBytes_AsString(factors[1]);
    ranked->prior = (const double *)PyBytes_AsString(factors[2]);
    if (are_sound(counts, ranked->kept, ranked->owners, ranked->count, ranked->file_count))
        return 1;
    PyErr_SetString(PyExc_ValueError, "chunks or files that there are not");
    return 0;
}

PyDoc_STRVAR(rank_chunks_doc,
             "rank_chunks(norms, terms, weights, chunks, paths, files, limits)\n--\n\n"
             "By file: score and chunk of its passages, the best score, the share of the query's\n"
             "weight that its best chunks have together; and by chunk, a byte that tells whether it\n"
             "declares the name that the query is. `chunks` are their numbers among the norms, their\n"
             "files, and their numbers in the index (int64); `paths` by term the weights of each\n"
             "file's path, for the word and for all of its forms; `files` three factors of each\n"
             "file: for what its path has of the query, for its area, for its kind (float64).\n"
             "`limits` are chunks that count together, passages of a file, scores that raise them,\n"
             "the share of the best that is worth showing, and three weights: of further chunks, of\n"
             "further passages, of what the best chunks have together.");

static PyObject *
rank_chunks(PyObject *module, PyObject *arguments)
{
    PyObject *norms, *terms, *weights, *chunks, *paths, *files, *limits, *result = NULL;
    Counts counts = {0};
    Ranked ranked = {0};
    (void)module;
    if (!PyArg_ParseTuple(arguments, "SO!O!O!O!O!O!:rank_chunks", &norms, &PyTuple_Type, &terms,
                          &PyTuple_Type, &weights, &PyTuple_Type, &chunks, &PyTuple_Type, &paths,
                          &PyTuple_Type, &files, &PyTuple_Type, &limits))
        return NULL;
    if (read_counts(&counts, norms, terms, weights) && read_limits(&ranked.limits, limits) &&
        read_ranked(&ranked, &counts, chunks, files) &&
        read_paths(&counts, paths, ranked.file_count)) {
        ranked.scores = malloc((ranked.count + 1) * sizeof *ranked.scores);
        ranked.sorted = malloc((ranked.count + 1) * sizeof *ranked.sorted);
        ranked.places = malloc((ranked.count + 1) * sizeof *ranked.places);
        ranked.named = malloc(ranked.count + 1);
        if (ranked.scores && ranked.sorted && ranked.places && ranked.named)
            result = rank_all(&counts, &ranked);
        else
            PyErr_NoMemory();
    }
    free(ranked.scores);
    free(ranked.sorted);
    free(ranked.places);
    free(ranked.named);
    free(counts.terms);
    return result;
}

PyMethodDef RANK_FUNCTIONS[] = {
    {"rank_chunks", rank_chunks, METH_VARARGS, rank_chunks_doc},
    {NULL, NULL, 0, NULL},
};
