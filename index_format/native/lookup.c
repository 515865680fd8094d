/* Looks up how often a few chunks have a term, from the blocks that may hold them alone. The model is
   `TermScores.frequencies` of `index_format.query.term_scores`. */

#include "postings.h"

#include <stdlib.h>

static void
refuse(const char *what)
{
    PyErr_SetString(PyExc_ValueError, what);
}

/* rows between blocks that are read through */
#define READ_THROUGH 2048

/* The postings of a term in one segment, of which only some rows are read. */
typedef struct {
    PyObject *read; /* gives so many rows from one on */
    Py_buffer meta, tail;
    StoredTerm stored;
} Sparse;

/* Chunks that are wanted, ascending, and how often each has the term. */
typedef struct {
    const int64_t *chunks;
    size_t count;
    double *found;
} Wanted;

static inline const uint8_t *
meta_of(const StoredTerm *term, uint64_t block)
{
    return term->meta + META_BYTES * block;
}

static inline uint64_t
rows_of(const uint8_t *meta)
{
    return (uint64_t)BLOCK_WIDTHS[meta[15] & 15] + BLOCK_WIDTHS[meta[15] >> 4];
}

/* The first block from this one on that does not end before a chunk. */
static uint64_t
block_of(const StoredTerm *term, uint64_t block, uint64_t chunk)
{
    uint64_t step = 1, end;
    if (block >= term->block_count || little_32(meta_of(term, block)) >= chunk)
        return block;
    while (block + step < term->block_count && little_32(meta_of(term, block + step)) < chunk) {
        block += step;
        step *= 2;
    }
    end = block + step < term->block_count ? block + step : term->block_count;
    while (end - block > 1) { /* `block` ends before it, `end` does not */
        uint64_t middle = block + (end - block) / 2;
        if (little_32(meta_of(term, middle)) < chunk)
            block = middle;
        else
            end = middle;
    }
    return end;
}

/* Says of the wanted chunks up to the last of these, from `at` on, how often they have the term;
   returns the first behind it. */
static size_t
match(const Wanted *wanted, size_t at, int64_t base, const uint32_t *chunks,
      const uint32_t *frequencies, size_t count)
{
    size_t place = 0;
    for (; at < wanted->count && wanted->chunks[at] <= base + (int64_t)chunks[count - 1]; at++) {
        while (base + (int64_t)chunks[place] < wanted->chunks[at])
            place++;
        if (base + (int64_t)chunks[place] == wanted->chunks[at])
            wanted->found[at] = (double)frequencies[place];
    }
    return at;
}

/* Decodes the blocks of a row of them that hold wanted chunks from `*at` on; what is wrong, or NULL.
   `rows` are those from the first block's on. */
static const char *
match_blocks(const StoredTerm *term, const Py_buffer *rows, const uint64_t *blocks, size_t count,
             const Wanted *wanted, size_t *at)
{
    uint32_t chunks[BLOCK], frequencies[BLOCK];
    uint64_t first = little_32(meta_of(term, blocks[0]) + 4);
    for (size_t number = 0; number < count; number++) {
        uint64_t block = blocks[number];
        const uint8_t *meta = meta_of(term, block);
        int64_t before = block ? (int64_t)little_32(meta - META_BYTES) : -1;
        const char *wrong =
            decode_block(meta, rows->buf, (uint64_t)rows->len / ROW_BYTES,
                         (int64_t)little_32(meta + 4) - (int64_t)first, before, chunks, frequencies);
        if (wrong)
            return wrong;
        if (chunks[BLOCK - 1] >= term->chunks)
            return "a chunk beyond the last";
        *at = match(wanted, *at, term->base, chunks, frequencies, BLOCK);
    }
    return NULL;
}

/* Reads and decodes these blocks, those that lie together in one go; 0 with an error. */
static int
read_blocks(const Sparse *part, const uint64_t *blocks, size_t count, const Wanted *wanted,
            size_t at)
{
    const StoredTerm *term = &part->stored;
    for (size_t begin = 0, end; begin < count; begin = end) {
        uint64_t low = little_32(meta_of(term, blocks[begin]) + 4), high = low;
        PyObject *data;
        Py_buffer rows;
        const char *wrong;
        for (end = begin; end < count; end++) {
            const uint8_t *meta = meta_of(term, blocks[end]);
            uint64_t row = little_32(meta + 4);
            if (row < high && end > begin) {
                refuse("blocks are not one after the other");
                return 0;
            }
            if (end > begin && row - high > READ_THROUGH)
                break;
            high = row + rows_of(meta);
        }
        data = PyObject_CallFunction(part->read, "KK", (unsigned long long)low,
                                     (unsigned long long)(high - low));
        if (!data || PyObject_GetBuffer(data, &rows, PyBUF_SIMPLE)) {
            Py_XDECREF(data);
            return 0;
        }
        wrong = match_blocks(term, &rows, blocks + begin, end - begin, wanted, &at);
        PyBuffer_Release(&rows);
        Py_DECREF(data);
        if (wrong) {
            refuse(wrong);
            return 0;
        }
    }
    return 1;
}

/* Matches the tail with the wanted chunks from `at` on; what is wrong, or NULL. */
static const char *
match_tail(const StoredTerm *term, const Wanted *wanted, size_t at)
{
    uint32_t chunks[BLOCK], frequencies[BLOCK];
    int64_t last = term->block_count ? (int64_t)little_32(meta_of(term, term->block_count - 1)) : -1;
    const char *wrong;
    if (!term->tail_count)
        return term->tail_length ? "a tail of no postings" : NULL;
    if ((wrong = decode_packed(term->tail, term->tail_length, term->tail_count, last, chunks,
                               frequencies)))
        return wrong;
    if (chunks[term->tail_count - 1] >= term->chunks)
        return "a chunk beyond the last";
    match(wanted, at, term->base, chunks, frequencies, (size_t)term->tail_count);
    return NULL;
}

/* Whether the blocks end at ascending chunks. */
static int
do_ascend(const StoredTerm *term)
{
    for (uint64_t block = 1; block < term->block_count; block++)
        if (little_32(meta_of(term, block)) <= little_32(meta_of(term, block - 1)))
            return 0;
    return 1;
}

/* Looks the wanted chunks up in one segment; 0 with an error. */
static int
find_in_part(const Sparse *part, const Wanted *wanted, size_t *at)
{
    const StoredTerm *term = &part->stored;
    int64_t end = term->base + (int64_t)term->chunks;
    size_t first, stop, count = 0;
    uint64_t block = 0, *blocks;
    const char *wrong;
    int sound;
    while (*at < wanted->count && wanted->chunks[*at] < term->base)
        ++*at;
    first = stop = *at;
    while (stop < wanted->count && wanted->chunks[stop] < end)
        stop++;
    if (first == stop)
        return 1;
    if (!do_ascend(term)) {
        refuse("blocks that do not ascend");
        return 0;
    }
    if (!(blocks = malloc((stop - first) * sizeof *blocks))) {
        PyErr_NoMemory();
        return 0;
    }
    for (; *at < stop; ++*at) {
        block = block_of(term, block, (uint64_t)(wanted->chunks[*at] - term->base));
        if (block == term->block_count)
            break;
        if (!count || blocks[count - 1] != block)
            blocks[count++] = block;
    }
    sound = read_blocks(part, blocks, count, wanted, first);
    free(blocks);
    if (sound && *at < stop && (wrong = match_tail(term, wanted, *at))) {
        refuse(wrong);
        sound = 0;
    }
    *at = stop;
    return sound;
}

static int
open_part(Sparse *part, PyObject *given)
{
    Py_buffer columns[3] = {{0}};
    Py_ssize_t tail_count;
    long long base, chunks;
    const char *wrong;
    if (!PyTuple_Check(given)) {
        PyErr_SetString(PyExc_TypeError, "stored postings are a tuple");
        return 0;
    }
    if (!PyArg_ParseTuple(given, "Oy*y*nLL", &part->read, columns + 1, columns + 2, &tail_count,
                          &base, &chunks))
        return 0;
    part->meta = columns[1];
    part->tail = columns[2];
    if (!(wrong = open_stored(&part->stored, columns, tail_count, base, chunks)))
        return 1;
    refuse(wrong);
    PyBuffer_Release(&part->meta);
    PyBuffer_Release(&part->tail);
    return 0;
}

/* How often each wanted chunk has a term, given by its segments. */
static PyObject *
find_column(PyObject *parts, const int64_t *chunks, size_t count)
{
    PyObject *column = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(count * sizeof(double)));
    Wanted wanted = {chunks, count, NULL};
    size_t at = 0;
    if (!column)
        return NULL;
    if (!PyTuple_Check(parts)) {
        PyErr_SetString(PyExc_TypeError, "a term is a tuple");
        Py_DECREF(column);
        return NULL;
    }
    wanted.found = (double *)PyBytes_AsString(column);
    for (size_t place = 0; place < count; place++)
        wanted.found[place] = 0.0;
    for (Py_ssize_t number = 0; number < PyTuple_Size(parts); number++) {
        Sparse part;
        int sound = open_part(&part, PyTuple_GetItem(parts, number));
        if (sound) {
            sound = find_in_part(&part, &wanted, &at);
            PyBuffer_Release(&part.meta);
            PyBuffer_Release(&part.tail);
        }
        if (!sound) {
            Py_DECREF(column);
            return NULL;
        }
    }
    return column;
}

PyDoc_STRVAR(count_in_chunks_doc,
             "count_in_chunks(terms, chunks)\n--\n\n"
             "How often each of the ascending chunks (int64) has each term, a column (float64) for\n"
             "each. A term is a tuple of what is stored in ascending segments: what reads so many\n"
             "rows from one on, metadata, tail, its postings, what is added to chunks, and their\n"
             "number.");

static PyObject *
count_in_chunks(PyObject *module, PyObject *arguments)
{
    PyObject *terms, *result;
    Py_buffer chunks;
    size_t count;
    const int64_t *wanted;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!y*:count_in_chunks", &PyTuple_Type, &terms, &chunks))
        return NULL;
    count = (size_t)chunks.len / sizeof *wanted;
    wanted = chunks.buf;
    result = PyTuple_New(PyTuple_Size(terms));
    if (result && ((size_t)chunks.len % sizeof *wanted || (uintptr_t)wanted % sizeof *wanted)) {
        refuse("a column of another length");
        Py_CLEAR(result);
    }
    for (size_t at = 1; result && at < count; at++)
        if (wanted[at] <= wanted[at - 1]) {
            refuse("chunks do not ascend");
            Py_CLEAR(result);
        }
    for (Py_ssize_t at = 0; result && at < PyTuple_Size(terms); at++) {
        PyObject *column = find_column(PyTuple_GetItem(terms, at), wanted, count);
        if (!column || PyTuple_SetItem(result, at, column) < 0)
            Py_CLEAR(result);
    }
    PyBuffer_Release(&chunks);
    return result;
}

PyMethodDef LOOKUP_FUNCTIONS[] = {
    {"count_in_chunks", count_in_chunks, METH_VARARGS, count_in_chunks_doc},
    {NULL, NULL, 0, NULL},
};
