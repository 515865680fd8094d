/* Sums the scores of stored postings: the best chunks of several terms, and how often these are in
   them.

   A score is what Whoosh's BM25F gives, in the same steps, so that it is the same number. */

#include "postings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CODES 256
#define WORD_BITS 64
#define WINDOW 4096 /* chunks whose sums are taken at once: they fit the processor's cache */

/* The postings of a term in one segment, as they are stored. */
typedef struct {
    Py_buffer columns[3]; /* rows, metadata, tail */
    StoredTerm stored;
} Part;

/* The postings of a term in a field. */
typedef struct {
    Part *parts;
    size_t part_count;
    int64_t *chunks;
    uint32_t *frequencies;
    size_t count, at;  /* up to where they are summed */
    Py_buffer codes;   /* of the lengths of all chunks' fields */
    double idf, k1, boost;
    double divisors[CODES]; /* what is added to the frequency, by length code */
} Postings;

typedef struct {
    int64_t *chunks;
    double *sums; /* in the order of chunks */
    size_t span, count;
} Sums;

typedef struct {
    double sums[WINDOW];
    uint64_t bits[WINDOW / WORD_BITS]; /* of the chunks that are summed */
} Window;

/* The place of the lowest bit. */
static inline unsigned
lowest_bit(uint64_t bits)
{
#if defined(__GNUC__)
    return (unsigned)__builtin_ctzll(bits);
#else
    unsigned place = 0;
    for (; !(bits & 1); bits >>= 1)
        place++;
    return place;
#endif
}

/* Adds the scores of a term's chunks below `end`; returns 0 where they do not ascend to there. */
static int
add_scores(Window *window, Postings *postings, int64_t begin, int64_t end, const uint8_t *keep)
{
    const double more = postings->k1 + 1;
    const uint8_t *codes = postings->codes.buf;
    size_t at = postings->at;
    for (; at < postings->count && postings->chunks[at] < end; at++) {
        int64_t chunk = postings->chunks[at];
        size_t place = (size_t)(chunk - begin);
        double frequency = (double)postings->frequencies[at], score, before;
        uint64_t bit = (uint64_t)1 << place % WORD_BITS, *bits;
        if (chunk < begin)
            return 0;
        if (keep && !keep[chunk])
            continue;
        score = postings->idf *
                ((frequency * more) / (frequency + postings->divisors[codes[chunk]]));
        if (postings->boost != 1.0)
            score *= postings->boost;
        bits = window->bits + place / WORD_BITS;
        before = *bits & bit ? window->sums[place] : 0.0;
        window->sums[place] = before + score;
        *bits |= bit;
    }
    postings->at = at;
    return 1;
}

/* Takes the sums of a window, in order, and empties it. */
static void
collect(Window *window, int64_t begin, Sums *sums)
{
    for (size_t word = 0; word < WINDOW / WORD_BITS; word++) {
        for (uint64_t bits = window->bits[word]; bits; bits &= bits - 1) {
            size_t place = word * WORD_BITS + lowest_bit(bits);
            sums->chunks[sums->count] = begin + (int64_t)place;
            sums->sums[sums->count++] = window->sums[place];
        }
        window->bits[word] = 0;
    }
}

/* Sums all postings; returns 0 where a chunk is none of all, or they do not ascend. */
static int
sum_all(Sums *sums, Window *window, Postings *postings, size_t count, const uint8_t *keep)
{
    for (;;) {
        int64_t first = INT64_MAX, begin;
        for (size_t term = 0; term < count; term++)
            if (postings[term].at < postings[term].count &&
                postings[term].chunks[postings[term].at] < first)
                first = postings[term].chunks[postings[term].at];
        if (first == INT64_MAX)
            return 1;
        if (first < 0 || (uint64_t)first >= sums->span)
            return 0;
        begin = first / WINDOW * WINDOW;
        for (size_t term = 0; term < count; term++) {
            int64_t end = begin + WINDOW;
            if ((uint64_t)end > sums->span)
                end = (int64_t)sums->span;
            if (!add_scores(window, postings + term, begin, end, keep))
                return 0;
        }
        collect(window, begin, sums);
    }
}

static inline double
round_score(double score)
{
    return rint(score * 1e9) / 1e9;
}

#define BUCKETS 1024

static int
compare_scores(const void *one, const void *other)
{
    double a = *(const double *)one, b = *(const double *)other;
    return (a < b) - (a > b);
}

/* The buckets of scores: they ascend as the scores do. */
typedef struct {
    double least, scale;
} Buckets;

static inline size_t
bucket_of(const Buckets *buckets, double score)
{
    size_t bucket = (size_t)((score - buckets->least) * buckets->scale);
    return bucket < BUCKETS ? bucket : BUCKETS - 1;
}

/* The score that `limit` of more sums reach; `room` is for as many. Scores are counted by bucket, so
   that only those of one bucket have to be sorted. */
static double
score_at_rank(const Sums *sums, double *room, size_t limit)
{
    size_t counts[BUCKETS] = {0}, held = 0, above = 0, bucket = BUCKETS - 1;
    double most = sums->sums[0];
    Buckets buckets = {most, 0.0};
    for (size_t at = 1; at < sums->count; at++) {
        buckets.least = sums->sums[at] < buckets.least ? sums->sums[at] : buckets.least;
        most = sums->sums[at] > most ? sums->sums[at] : most;
    }
    buckets.scale = (BUCKETS - 1) / (most - buckets.least);
    if (!isfinite(buckets.scale) || !isfinite(most) || !isfinite(buckets.least))
        buckets = (Buckets){0.0, 0.0}; /* all are equal, or they can't be counted */
    for (size_t at = 0; buckets.scale != 0.0 && at < sums->count; at++)
        counts[bucket_of(&buckets, sums->sums[at])]++;
    while (buckets.scale != 0.0 && above + counts[bucket] < limit)
        above += counts[bucket--];
    for (size_t at = 0; at < sums->count; at++)
        if (buckets.scale == 0.0 || bucket_of(&buckets, sums->sums[at]) == bucket)
            room[held++] = sums->sums[at];
    qsort(room, held, sizeof *room, compare_scores);
    return room[limit - above - 1];
}

/* ---- the best ---- */

/* The best chunks, ascending, and those that tie with the last of them and are not among them. */
typedef struct {
    int64_t *chunks, *ties;
    size_t count, tied;
} Best;

/* Puts two ascending rows of chunks into one. */
static void
merge_ties(Best *best, int64_t *merged)
{
    size_t at = 0, tie = 0, count = 0;
    while (at < best->count || tie < best->tied)
        if (tie == best->tied || (at < best->count && best->chunks[at] < best->ties[tie]))
            merged[count++] = best->chunks[at++];
        else
            merged[count++] = best->ties[tie++];
    memcpy(best->chunks, merged, count * sizeof *merged);
    best->count = count;
    best->tied = 0;
}

/* Chooses the chunks above the score of rank `limit`, rounded, and those that have just it: all of
   these where there is room, the first ones where chunks are in the order that breaks ties. */
static int
choose_best(Best *best, const Sums *sums, size_t limit, int is_ordered)
{
    double *room = malloc((sums->count + 1) * sizeof *room), last, least;
    int64_t *merged = malloc((sums->count + 1) * sizeof *merged);
    int sound = room && merged;
    best->chunks = malloc((sums->count + 1) * sizeof *best->chunks);
    best->ties = malloc((sums->count + 1) * sizeof *best->ties);
    if (!sound || !best->chunks || !best->ties) {
        sound = 0;
    } else if (sums->count <= limit) {
        memcpy(best->chunks, sums->chunks, sums->count * sizeof *sums->chunks);
        best->count = sums->count;
    } else {
        least = score_at_rank(sums, room, limit);
        last = round_score(least);
        least -= least * 1e-9 + 1e-8; /* what is below is below when it is rounded, too */
        for (size_t at = 0; at < sums->count; at++) {
            double score = sums->sums[at];
            if (score < least || (score = round_score(score)) < last)
                continue;
            if (score > last)
                best->chunks[best->count++] = sums->chunks[at];
            else
                best->ties[best->tied++] = sums->chunks[at];
        }
        if (is_ordered && best->count + best->tied > limit)
            best->tied = limit - best->count;
        if (best->count + best->tied <= limit)
            merge_ties(best, merged);
    }
    free(room);
    free(merged);
    return sound;
}

/* ---- frequencies ---- */

#define NEAR 8

/* How often each of the ascending chunks has a term. */
static void
find_frequencies(const Postings *postings, const Best *best, double *found)
{
    const int64_t *chunks = postings->chunks;
    size_t count = postings->count, at = 0;
    for (size_t number = 0; number < best->count; number++) {
        int64_t wanted = best->chunks[number];
        size_t step = 1, end = at + NEAR;
        while (at < count && at < end && chunks[at] < wanted)
            at++; /* most are near */
        while (at + step < count && chunks[at + step] < wanted)
            step *= 2;
        end = at + step < count ? at + step + 1 : count;
        while (at < end) { /* the first that is not below */
            size_t middle = at + (end - at) / 2;
            if (chunks[middle] < wanted)
                at = middle + 1;
            else
                end = middle;
        }
        found[number] = at < count && chunks[at] == wanted ? (double)postings->frequencies[at] : 0.0;
    }
}

/* ---- the whole, which needs no lock ---- */

static Window *
empty(Window *window)
{
    memset(window->bits, 0, sizeof window->bits); /* sums are read where bits are set */
    return window;
}

typedef struct {
    Postings *postings;
    size_t count, all; /* of terms, and of postings */
    size_t span, limit;
    int is_ordered;
    const uint8_t *keep;
} Question;

/* Decodes the postings of all terms; returns what is wrong with them, or NULL. */
static const char *
decode_all(Question *question, int64_t *chunks, uint32_t *frequencies)
{
    for (size_t term = 0; term < question->count; term++) {
        Postings *postings = question->postings + term;
        postings->chunks = chunks;
        postings->frequencies = frequencies;
        for (size_t part = 0; part < postings->part_count; part++) {
            const StoredTerm *stored = &postings->parts[part].stored;
            const char *wrong = decode_stored(stored, chunks, frequencies);
            if (wrong)
                return wrong;
            chunks += count_stored(stored);
            frequencies += count_stored(stored);
        }
    }
    return NULL;
}

/* Finds the best chunks; returns what is wrong with the postings, or NULL. */
static const char *
find_best(Question *question, int64_t *chunks, uint32_t *frequencies, Best *best)
{
    Sums sums = {.span = question->span};
    Window *window = malloc(sizeof *window);
    const char *wrong = decode_all(question, chunks, frequencies);
    size_t all = question->all < question->span ? question->all : question->span;
    sums.chunks = malloc((all + 1) * sizeof *sums.chunks);
    sums.sums = malloc((all + 1) * sizeof *sums.sums);
    if (!window || !sums.chunks || !sums.sums)
        wrong = "no memory";
    else if (!wrong && !sum_all(&sums, empty(window), question->postings, question->count, question->keep))
        wrong = "chunks that do not ascend to the last";
    else if (!wrong && !choose_best(best, &sums, question->limit, question->is_ordered))
        wrong = "no memory";
    free(window);
    free(sums.chunks);
    free(sums.sums);
    return wrong;
}

/* ---- what is asked ---- */

/* How many postings are scored without the interpreter's lock: it takes longer than to get it. */
#define LONG 65536

static int
read_part(Part *part, PyObject *given, size_t *count)
{
    Py_ssize_t tail_count;
    long long base, chunks;
    const char *wrong;
    if (!PyTuple_Check(given)) {
        PyErr_SetString(PyExc_TypeError, "stored postings are a tuple");
        return 0;
    }
    if (!PyArg_ParseTuple(given, "y*y*y*nLL", part->columns, part->columns + 1, part->columns + 2,
                          &tail_count, &base, &chunks))
        return 0;
    if (!(wrong = open_stored(&part->stored, part->columns, tail_count, base, chunks))) {
        *count += count_stored(&part->stored);
        return 1;
    }
    PyErr_SetString(PyExc_ValueError, wrong);
    for (size_t column = 0; column < 3; column++)
        PyBuffer_Release(part->columns + column);
    return 0;
}

static void
release_postings(Postings *postings)
{
    while (postings->part_count--)
        for (size_t column = 0; column < 3; column++)
            PyBuffer_Release(postings->parts[postings->part_count].columns + column);
    free(postings->parts);
    PyBuffer_Release(&postings->codes);
}

/* Reads one term's postings; after an error nothing is held. `lengths` are those of the codes. */
static int
read_postings(Postings *postings, PyObject *given, const double *lengths, size_t span)
{
    PyObject *parts;
    double b, average;
    size_t count;
    if (!PyTuple_Check(given)) {
        PyErr_SetString(PyExc_TypeError, "postings are a tuple");
        return 0;
    }
    if (!PyArg_ParseTuple(given, "O!y*ddddd", &PyTuple_Type, &parts, &postings->codes,
                          &postings->idf, &postings->k1, &b, &average, &postings->boost))
        return 0;
    count = (size_t)PyTuple_Size(parts);
    postings->part_count = 0;
    if ((size_t)postings->codes.len != span)
        PyErr_SetString(PyExc_ValueError, "a length code for each chunk");
    else if (!(postings->parts = calloc(count + 1, sizeof *postings->parts)))
        PyErr_NoMemory();
    while (!PyErr_Occurred() && postings->part_count < count) {
        PyObject *part = PyTuple_GetItem(parts, (Py_ssize_t)postings->part_count);
        if (read_part(postings->parts + postings->part_count, part, &postings->count))
            postings->part_count++;
    }
    if (PyErr_Occurred()) {
        release_postings(postings);
        return 0;
    }
    for (size_t code = 0; code < CODES; code++)
        postings->divisors[code] = postings->k1 * ((1 - b) + b * lengths[code] / average);
    return 1;
}

static PyObject *
list_frequencies(const Question *question, const Best *best)
{
    PyObject *result = PyTuple_New((Py_ssize_t)question->count);
    for (size_t term = 0; result && term < question->count; term++) {
        PyObject *column =
            PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(best->count * sizeof(double)));
        if (column)
            find_frequencies(question->postings + term, best, (double *)PyBytes_AsString(column));
        if (!column || PyTuple_SetItem(result, (Py_ssize_t)term, column) < 0)
            Py_CLEAR(result);
    }
    return result;
}

static PyObject *
answer(Question *question)
{
    int64_t *chunks = malloc((question->all + 1) * sizeof *chunks);
    uint32_t *frequencies = malloc((question->all + 1) * sizeof *frequencies);
    PyThreadState *state = question->all >= LONG ? PyEval_SaveThread() : NULL;
    Best best = {0};
    const char *wrong = "no memory";
    PyObject *counts, *result = NULL;
    if (chunks && frequencies)
        wrong = find_best(question, chunks, frequencies, &best);
    if (state)
        PyEval_RestoreThread(state);
    if (wrong) {
        PyErr_SetString(PyExc_ValueError, wrong);
    } else {
        counts = best.tied ? Py_NewRef(Py_None) : list_frequencies(question, &best);
        if (counts)
            result = Py_BuildValue("y#y#N", (const char *)best.chunks,
                                   (Py_ssize_t)(best.count * sizeof *best.chunks),
                                   (const char *)best.ties,
                                   (Py_ssize_t)(best.tied * sizeof *best.ties), counts);
    }
    free(best.chunks);
    free(best.ties);
    free(chunks);
    free(frequencies);
    return result;
}

PyDoc_STRVAR(best_postings_doc,
             "best_postings(postings, lengths, keep, span, limit, is_ordered)\n--\n\n"
             "The `limit` chunks with the best sums of scores, int64 and ascending, those that tie\n"
             "with the last and can't all be among them, and how often the chunks have each term\n"
             "(float64). With `is_ordered` the first of those that tie are taken; otherwise they\n"
             "are left to the caller, without frequencies. `postings` are tuples of what is stored\n"
             "of a term, the length codes of all chunks, idf, K1, B, average length and boost. What\n"
             "is stored are tuples of rows, metadata, tail, its postings, what is added to chunks,\n"
             "and their number. `lengths` are the lengths of all codes (float64); `keep` has a byte\n"
             "for each chunk, 0 for one that is no hit, or is None.");

static PyObject *
best_postings(PyObject *module, PyObject *arguments)
{
    PyObject *given, *keep, *result = NULL;
    Py_buffer lengths, kept = {0};
    Py_ssize_t span, limit, held = 0, count;
    Question question = {0};
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!y*Onnp:best_postings", &PyTuple_Type, &given, &lengths,
                          &keep, &span, &limit, &question.is_ordered))
        return NULL;
    count = PyTuple_Size(given);
    question.postings = calloc((size_t)count + 1, sizeof *question.postings);
    if (!question.postings)
        PyErr_NoMemory();
    else if (lengths.len != CODES * sizeof(double) || (uintptr_t)lengths.buf % sizeof(double) ||
             span < 0 || span > UINT32_MAX || limit < 1)
        PyErr_SetString(PyExc_ValueError, "a number out of range");
    else if (keep != Py_None && !PyObject_GetBuffer(keep, &kept, PyBUF_SIMPLE) && kept.len != span)
        PyErr_SetString(PyExc_ValueError, "a byte for each chunk");
    while (!PyErr_Occurred() && held < count) {
        Postings *postings = question.postings + held;
        if (read_postings(postings, PyTuple_GetItem(given, held), lengths.buf, (size_t)span)) {
            question.all += postings->count;
            held++;
        }
    }
    if (!PyErr_Occurred()) {
        question.count = (size_t)count;
        question.span = (size_t)span;
        question.limit = (size_t)limit;
        question.keep = kept.buf;
        result = answer(&question);
    }
    while (held--)
        release_postings(question.postings + held);
    if (kept.obj)
        PyBuffer_Release(&kept);
    PyBuffer_Release(&lengths);
    free(question.postings);
    return result;
}

PyMethodDef SUM_FUNCTIONS[] = {
    {"best_postings", best_postings, METH_VARARGS, best_postings_doc},
    {NULL, NULL, 0, NULL},
};
