/* Sums the scores of postings: the best chunks of several terms, and how often terms are in them.

   A score is what Whoosh's BM25F gives, in the same steps, so that it is the same number. */

#include "native.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CODES 256
#define WORD_BITS 64
#define WINDOW 4096 /* chunks whose sums are taken at once: they fit the processor's cache */

typedef struct {
    const int64_t *chunks;
    const uint32_t *frequencies;
    size_t count, at; /* up to where they are summed */
    const uint8_t *codes; /* of the lengths of all chunks' fields */
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
                ((frequency * more) / (frequency + postings->divisors[postings->codes[chunk]]));
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

static void
sink(double *heap, size_t count, size_t at)
{
    double value = heap[at];
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        child += child + 1 < count && heap[child + 1] < heap[child];
        if (heap[child] >= value)
            break;
        heap[at] = heap[child];
    }
    heap[at] = value;
}

/* The score that `limit` of the sums reach; `heap` has room for so many. */
static double
score_at_rank(const Sums *sums, double *heap, size_t limit)
{
    memcpy(heap, sums->sums, limit * sizeof *heap);
    for (size_t at = limit / 2; at--;)
        sink(heap, limit, at);
    for (size_t at = limit; at < sums->count; at++)
        if (sums->sums[at] > heap[0]) {
            heap[0] = sums->sums[at];
            sink(heap, limit, 0);
        }
    return heap[0];
}

/* Chunks above the score of rank `limit`, rounded, and those that have just it. */
static PyObject *
list_best(Sums *sums, size_t limit)
{
    double *heap = malloc(limit * sizeof *heap), last, least;
    size_t above = 0, ties = 0;
    int64_t *tied = malloc((sums->count + 1) * sizeof *tied);
    PyObject *result = NULL;
    if (heap && tied) {
        if (sums->count > limit) {
            least = score_at_rank(sums, heap, limit);
            last = round_score(least);
            least -= least * 1e-9 + 1e-8; /* what is below is below when it is rounded, too */
            for (size_t at = 0; at < sums->count; at++) {
                double score = sums->sums[at];
                if (score < least || (score = round_score(score)) < last)
                    continue;
                if (score > last)
                    sums->chunks[above++] = sums->chunks[at];
                else
                    tied[ties++] = sums->chunks[at];
            }
        } else {
            above = sums->count;
        }
        result = Py_BuildValue("y#y#", (const char *)sums->chunks,
                               (Py_ssize_t)(above * sizeof *tied), (const char *)tied,
                               (Py_ssize_t)(ties * sizeof *tied));
    } else {
        PyErr_NoMemory();
    }
    free(heap);
    free(tied);
    return result;
}

static PyObject *
sum_postings(Postings *postings, size_t count, size_t span, const uint8_t *keep, size_t limit)
{
    Sums sums = {.span = span};
    Window *window = calloc(1, sizeof *window);
    PyObject *result = NULL;
    size_t all = 1;
    for (size_t term = 0; term < count; term++)
        all += postings[term].count;
    all = all < span + 1 ? all : span + 1;
    sums.chunks = malloc(all * sizeof *sums.chunks);
    sums.sums = malloc(all * sizeof *sums.sums);
    if (!window || !sums.chunks || !sums.sums)
        PyErr_NoMemory();
    else if (sum_all(&sums, window, postings, count, keep))
        result = list_best(&sums, limit);
    else
        PyErr_SetString(PyExc_ValueError, "chunks that do not ascend to the last");
    free(window);
    free(sums.chunks);
    free(sums.sums);
    return result;
}

/* The data of a contiguous buffer of aligned items; NULL with an error for another. */
static const void *
items_of(const Py_buffer *buffer, size_t size, size_t *count)
{
    if ((size_t)buffer->len % size || (uintptr_t)buffer->buf % size) {
        PyErr_SetString(PyExc_ValueError, "a column of other items");
        return NULL;
    }
    *count = (size_t)buffer->len / size;
    return buffer->buf;
}

typedef struct {
    Py_buffer chunks, frequencies, codes;
} Buffers;

static void
release_buffers(Buffers *buffers)
{
    PyBuffer_Release(&buffers->chunks);
    PyBuffer_Release(&buffers->frequencies);
    PyBuffer_Release(&buffers->codes);
}

/* Reads one term's postings; after an error nothing is held. `lengths` are those of the codes. */
static int
read_postings(Postings *postings, Buffers *buffers, PyObject *given, const double *lengths,
              size_t span)
{
    double b, average;
    size_t count;
    if (!PyTuple_Check(given)) {
        PyErr_SetString(PyExc_TypeError, "postings are a tuple");
        return 0;
    }
    if (!PyArg_ParseTuple(given, "y*y*y*ddddd", &buffers->chunks, &buffers->frequencies,
                          &buffers->codes, &postings->idf, &postings->k1, &b, &average,
                          &postings->boost))
        return 0;
    postings->chunks = items_of(&buffers->chunks, sizeof(int64_t), &postings->count);
    if (postings->chunks &&
        (postings->frequencies = items_of(&buffers->frequencies, sizeof(uint32_t), &count)) &&
        count == postings->count && (size_t)buffers->codes.len == span) {
        postings->codes = buffers->codes.buf;
        for (size_t code = 0; code < CODES; code++)
            postings->divisors[code] = postings->k1 * ((1 - b) + b * lengths[code] / average);
        return 1;
    }
    if (!PyErr_Occurred())
        PyErr_SetString(PyExc_ValueError, "columns of different lengths");
    release_buffers(buffers);
    return 0;
}

PyDoc_STRVAR(best_sums_doc,
             "best_sums(postings, lengths, keep, span, limit)\n--\n\n"
             "Chunks whose summed scores are above the one of rank `limit`, and those that have\n"
             "just that score, both int64 and ascending; where there are no more, all and none.\n"
             "`postings` are tuples of chunks (int64), frequencies (uint32), the length codes of\n"
             "all chunks, idf, K1, B, average length and boost; `lengths` are the lengths of all\n"
             "codes (float64); `keep` has a byte for each chunk, 0 for one that is no hit, or is\n"
             "None.");

static PyObject *
best_sums(PyObject *module, PyObject *arguments)
{
    PyObject *given, *keep, *result = NULL;
    Py_buffer lengths, kept = {0};
    Py_ssize_t span, limit, count, held = 0;
    size_t codes = 0;
    const double *length;
    Postings *postings;
    Buffers *buffers;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!y*Onn:best_sums", &PyTuple_Type, &given, &lengths, &keep,
                          &span, &limit))
        return NULL;
    count = PyTuple_Size(given);
    postings = calloc((size_t)count + 1, sizeof *postings);
    buffers = calloc((size_t)count + 1, sizeof *buffers);
    length = items_of(&lengths, sizeof *length, &codes);
    if (!postings || !buffers)
        PyErr_NoMemory();
    else if (length && (codes != CODES || span < 0 || span > UINT32_MAX || limit < 1))
        PyErr_SetString(PyExc_ValueError, "a number out of range");
    else if (length && keep != Py_None && !PyObject_GetBuffer(keep, &kept, PyBUF_SIMPLE) &&
             kept.len != span)
        PyErr_SetString(PyExc_ValueError, "a byte for each chunk");
    while (!PyErr_Occurred() && held < count) {
        PyObject *item = PyTuple_GetItem(given, held);
        if (read_postings(postings + held, buffers + held, item, length, (size_t)span))
            held++;
    }
    if (!PyErr_Occurred())
        result = sum_postings(postings, (size_t)count, (size_t)span, kept.buf, (size_t)limit);
    while (held--)
        release_buffers(buffers + held);
    if (kept.obj)
        PyBuffer_Release(&kept);
    PyBuffer_Release(&lengths);
    free(postings);
    free(buffers);
    return result;
}

PyDoc_STRVAR(find_counts_doc,
             "find_counts(chunks, frequencies, wanted)\n--\n\n"
             "How often each wanted chunk has a term, as float64. Chunks are int64 and ascending,\n"
             "frequencies uint32.");

static PyObject *
find_counts(PyObject *module, PyObject *arguments)
{
    Py_buffer buffers[3];
    const int64_t *chunks, *wanted;
    const uint32_t *frequencies;
    size_t count, sizes, all, at = 0;
    PyObject *result = NULL;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y*y*y*:find_counts", buffers, buffers + 1, buffers + 2))
        return NULL;
    if ((chunks = items_of(buffers, sizeof *chunks, &count)) &&
        (frequencies = items_of(buffers + 1, sizeof *frequencies, &sizes)) &&
        (wanted = items_of(buffers + 2, sizeof *wanted, &all))) {
        if (count != sizes)
            PyErr_SetString(PyExc_ValueError, "columns of different lengths");
        else
            result = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(all * sizeof(double)));
    }
    for (size_t number = 0; result && number < all; number++) {
        size_t step = 1, end;
        double found;
        while (at + step < count && chunks[at + step] < wanted[number])
            step *= 2;
        end = at + step < count ? at + step + 1 : count;
        while (at < end) { /* the first that is not below */
            size_t middle = at + (end - at) / 2;
            if (chunks[middle] < wanted[number])
                at = middle + 1;
            else
                end = middle;
        }
        found = at < count && chunks[at] == wanted[number] ? (double)frequencies[at] : 0.0;
        memcpy(PyBytes_AsString(result) + number * sizeof found, &found, sizeof found);
    }
    for (size_t number = 0; number < 3; number++)
        PyBuffer_Release(buffers + number);
    return result;
}

PyMethodDef SUM_FUNCTIONS[] = {
    {"best_sums", best_sums, METH_VARARGS, best_sums_doc},
    {"find_counts", find_counts, METH_VARARGS, find_counts_doc},
    {NULL, NULL, 0, NULL},
};
