/* Decodes postings: full blocks and tails. `codec/postings.py` says what the bytes mean, and
   `codec/decoding.py` decodes them where nothing is compiled.

   Every number is checked before it is used: bytes that no encoder writes are a ValueError. */

#include "postings.h"

#include <stdint.h>
#include <string.h>

static const uint8_t TAIL_WIDTHS[8] = {0, 1, 2, 3, 4, 8, 16, 32};

static PyObject *
malformed(const char *what)
{
    PyErr_SetString(PyExc_ValueError, what);
    return NULL;
}

static inline uint64_t
little_64(const uint8_t *at)
{
    return (uint64_t)little_32(at) | (uint64_t)little_32(at + 4) << 32;
}

/* ---- full blocks ---- */

/* Adds rows of 1, 2 or 4 bits to 128 values, from this bit of them on. */
static inline void
unpack_lanes(const uint8_t *rows, unsigned width, unsigned shift, uint32_t *values)
{
    unsigned lanes = 8 / width, each = BLOCK / lanes;
    uint8_t mask = (uint8_t)((1 << width) - 1);
    for (unsigned lane = 0; lane < lanes; lane++)
        for (unsigned i = 0; i < each; i++)
            values[lane * each + i] |= (uint32_t)(rows[i] >> (lane * width) & mask) << shift;
}

/* Unpacks the 128 values of a block's rows of one width: low bits first, in parts of as many bits
   as the powers of two that the width consists of. */
static void
unpack_rows(const uint8_t *rows, unsigned width, uint32_t *values)
{
    unsigned done = width & 0x38;
    if (done == 8) {
        for (unsigned i = 0; i < BLOCK; i++)
            values[i] = rows[i];
    } else if (done == 16) {
        for (unsigned i = 0; i < BLOCK; i++)
            values[i] = (uint32_t)rows[2 * i] | (uint32_t)rows[2 * i + 1] << 8;
    } else if (done == 32) {
        for (unsigned i = 0; i < BLOCK; i++)
            values[i] = little_32(rows + 4 * i);
    } else
        memset(values, 0, BLOCK * sizeof *values);
    if (width & 4) {
        unpack_lanes(rows + ROW_BYTES * done, 4, done, values);
        done += 4;
    }
    if (width & 2) {
        unpack_lanes(rows + ROW_BYTES * done, 2, done, values);
        done += 2;
    }
    if (width & 1)
        unpack_lanes(rows + ROW_BYTES * done, 1, done, values);
}

const char *
decode_block(const uint8_t *meta, const uint8_t *rows, uint64_t row_count, int64_t row,
             int64_t before, uint32_t *chunks, uint32_t *frequencies)
{
    unsigned gaps = meta[15] & 15, surplus = meta[15] >> 4;
    uint64_t chunk = (uint64_t)before;
    gaps = BLOCK_WIDTHS[gaps];
    surplus = BLOCK_WIDTHS[surplus];
    if (row < 0 || (uint64_t)row > row_count || gaps + surplus > row_count - (uint64_t)row)
        return "a block lies beyond its rows";
    unpack_rows(rows + ROW_BYTES * row, gaps, chunks);
    for (unsigned i = 0; i < BLOCK; i++) {
        chunk += (uint64_t)chunks[i] + 1;
        chunks[i] = (uint32_t)chunk;
    }
    if (chunk >> 32)
        return "a block's numbers run past 2**32";
    if (chunk != little_32(meta))
        return "a block does not end at the chunk its metadata names";
    unpack_rows(rows + ROW_BYTES * (row + (int64_t)gaps), surplus, frequencies);
    for (unsigned i = 0; i < BLOCK; i++)
        if (!++frequencies[i])
            return "a block's numbers run past 2**32";
    return NULL;
}

PyDoc_STRVAR(decode_blocks_doc,
             "decode_blocks(rows, at, meta, before)\n--\n\n"
             "Chunks and frequencies as uint32, 128 of each per block. `at` are the rows where the\n"
             "blocks begin and `before` the last chunks before them, both int64.");

static PyObject *
decode_columns(const Py_buffer *rows, const Py_buffer *at, const Py_buffer *meta,
              const Py_buffer *before)
{
    Py_ssize_t count = meta->len / META_BYTES;
    PyObject *chunks, *frequencies, *result = NULL;
    const char *wrong = NULL;
    if (meta->len % META_BYTES || at->len != 8 * count || before->len != 8 * count)
        return malformed("columns of different lengths");
    if (count > PY_SSIZE_T_MAX / (4 * BLOCK))
        return PyErr_NoMemory();
    chunks = PyBytes_FromStringAndSize(NULL, count * 4 * BLOCK);
    frequencies = PyBytes_FromStringAndSize(NULL, count * 4 * BLOCK);
    for (Py_ssize_t i = 0; chunks && frequencies && i < count && !wrong; i++) {
        int64_t row, last;
        memcpy(&row, (const char *)at->buf + 8 * i, 8);
        memcpy(&last, (const char *)before->buf + 8 * i, 8);
        wrong = decode_block((const uint8_t *)meta->buf + META_BYTES * i, rows->buf,
                             (uint64_t)rows->len / ROW_BYTES, row, last,
                             (uint32_t *)PyBytes_AsString(chunks) + BLOCK * i,
                             (uint32_t *)PyBytes_AsString(frequencies) + BLOCK * i);
    }
    if (wrong)
        malformed(wrong);
    else if (chunks && frequencies)
        result = PyTuple_Pack(2, chunks, frequencies);
    Py_XDECREF(chunks);
    Py_XDECREF(frequencies);
    return result;
}

static PyObject *
decode_blocks(PyObject *module, PyObject *arguments)
{
    Py_buffer rows, at, meta, before;
    PyObject *result;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y*y*y*y*:decode_blocks", &rows, &at, &meta, &before))
        return NULL;
    result = decode_columns(&rows, &at, &meta, &before);
    PyBuffer_Release(&rows);
    PyBuffer_Release(&at);
    PyBuffer_Release(&meta);
    PyBuffer_Release(&before);
    return result;
}

/* ---- tails ---- */

/* Reads a number of up to 32 bits at a bit offset, and no byte from `end` on. */
static inline uint32_t
bits_at(const uint8_t *data, const uint8_t *end, uint64_t offset, unsigned width)
{
    const uint8_t *at = data + offset / 8;
    uint64_t value = 0;
    if (end - at >= 8)
        value = little_64(at);
    else
        for (unsigned i = 0; at + i < end; i++)
            value |= (uint64_t)at[i] << (8 * i);
    return (uint32_t)(value >> (offset & 7) & (((uint64_t)1 << width) - 1));
}

const char *
decode_packed(const uint8_t *data, Py_ssize_t length, Py_ssize_t count, int64_t last,
              uint32_t *chunks, uint32_t *frequencies)
{
    uint64_t offset = 8, chunk = (uint64_t)last;
    const uint8_t *end = data + length;
    unsigned gaps, surplus;
    if (count < 1 || count >= BLOCK || length < 1)
        return "a tail of no length or of a block's";
    gaps = data[0] & 31;
    surplus = TAIL_WIDTHS[data[0] >> 5];
    if (length != 1 + (count * (Py_ssize_t)(gaps + surplus) + 7) / 8)
        return "a tail's length does not follow from its widths";
    for (Py_ssize_t i = 0; i < count; i++, offset += gaps) {
        chunk += (uint64_t)bits_at(data, end, offset, gaps) + 1;
        if (chunk >> 32)
            return "a chunk beyond 2**32";
        chunks[i] = (uint32_t)chunk;
    }
    for (Py_ssize_t i = 0; i < count; i++, offset += surplus)
        if (!(frequencies[i] = bits_at(data, end, offset, surplus) + 1))
            return "a frequency beyond 2**32";
    return NULL;
}

PyDoc_STRVAR(decode_tail_doc,
             "decode_tail(data, count, last)\n--\n\n"
             "Chunks and frequencies of `count` postings, as uint32; `last` is the chunk before\n"
             "them.");

static PyObject *
decode_tail(PyObject *module, PyObject *arguments)
{
    uint32_t chunks[BLOCK], frequencies[BLOCK];
    Py_buffer data;
    Py_ssize_t count;
    long long last;
    const char *wrong;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y*nL:decode_tail", &data, &count, &last))
        return NULL;
    wrong = decode_packed(data.buf, data.len, count, last, chunks, frequencies);
    PyBuffer_Release(&data);
    if (wrong)
        return malformed(wrong);
    return Py_BuildValue("y#y#", (const char *)chunks, 4 * count, (const char *)frequencies,
                         4 * count);
}

/* ---- whole terms ---- */

const char *
open_stored(StoredTerm *term, const Py_buffer columns[3], Py_ssize_t tail_count, long long base,
            long long chunks)
{
    const Py_buffer *rows = columns, *meta = columns + 1, *tail = columns + 2;
    Py_ssize_t blocks = meta->len / META_BYTES;
    if (meta->len % META_BYTES || rows->len % ROW_BYTES || tail_count < 0 || tail_count >= BLOCK ||
        base < 0 || base > UINT32_MAX || chunks < 0 || blocks > PY_SSIZE_T_MAX / (16 * BLOCK))
        return "columns of other lengths";
    *term = (StoredTerm){rows->buf, meta->buf, tail->buf, (uint64_t)rows->len / ROW_BYTES,
                         (uint64_t)blocks, tail->len, tail_count, base, (uint64_t)chunks};
    return NULL;
}

size_t
count_stored(const StoredTerm *term)
{
    return (size_t)term->block_count * BLOCK + (size_t)term->tail_count;
}

/* The rows of its blocks follow each other. */
const char *
decode_stored(const StoredTerm *term, int64_t *chunks, uint32_t *frequencies)
{
    uint32_t local[BLOCK];
    uint64_t first = term->block_count ? little_32(term->meta + 4) : 0, row = 0;
    int64_t last = -1;
    const char *wrong;
    for (uint64_t block = 0; block < term->block_count; block++) {
        const uint8_t *meta = term->meta + META_BYTES * block;
        uint64_t begin = (uint64_t)little_32(meta + 4) - first;
        if (begin < row || begin > term->row_count)
            return "blocks are not one after the other";
        if ((wrong = decode_block(meta, term->rows, term->row_count, (int64_t)begin, last, local,
                                  frequencies)))
            return wrong;
        row = begin + BLOCK_WIDTHS[meta[15] & 15] + BLOCK_WIDTHS[meta[15] >> 4];
        last = local[BLOCK - 1];
        if ((uint64_t)last >= term->chunks)
            return "a chunk beyond the last";
        for (unsigned i = 0; i < BLOCK; i++)
            chunks[i] = term->base + local[i];
        chunks += BLOCK;
        frequencies += BLOCK;
    }
    if (!term->tail_count)
        return term->tail_length ? "a tail of no postings" : NULL;
    if ((wrong = decode_packed(term->tail, term->tail_length, term->tail_count, last, local,
                               frequencies)))
        return wrong;
    if (local[term->tail_count - 1] >= term->chunks)
        return "a chunk beyond the last";
    for (Py_ssize_t i = 0; i < term->tail_count; i++)
        chunks[i] = term->base + local[i];
    return NULL;
}

PyDoc_STRVAR(decode_term_doc,
             "decode_term(rows, meta, tail, tail_count, base, chunks)\n--\n\n"
             "All postings of a term, from the rows of its blocks: chunks (int64), to each of which\n"
             "`base` is added, and frequencies (uint32). There are so many `chunks`.");

static PyObject *
decode_term(PyObject *module, PyObject *arguments)
{
    Py_buffer columns[3];
    Py_ssize_t tail_count, count;
    long long base, chunks;
    PyObject *found = NULL, *frequencies = NULL, *result = NULL;
    StoredTerm term;
    const char *wrong;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y*y*y*nLL:decode_term", columns, columns + 1, columns + 2,
                          &tail_count, &base, &chunks))
        return NULL;
    if (!(wrong = open_stored(&term, columns, tail_count, base, chunks))) {
        count = (Py_ssize_t)count_stored(&term);
        found = PyBytes_FromStringAndSize(NULL, 8 * count);
        frequencies = PyBytes_FromStringAndSize(NULL, 4 * count);
        if (found && frequencies)
            wrong = decode_stored(&term, (int64_t *)PyBytes_AsString(found),
                                  (uint32_t *)PyBytes_AsString(frequencies));
    }
    if (wrong)
        malformed(wrong);
    else if (found && frequencies)
        result = PyTuple_Pack(2, found, frequencies);
    Py_XDECREF(found);
    Py_XDECREF(frequencies);
    for (size_t column = 0; column < 3; column++)
        PyBuffer_Release(columns + column);
    return result;
}

PyMethodDef POSTING_FUNCTIONS[] = {
    {"decode_blocks", decode_blocks, METH_VARARGS, decode_blocks_doc},
    {"decode_tail", decode_tail, METH_VARARGS, decode_tail_doc},
    {"decode_term", decode_term, METH_VARARGS, decode_term_doc},
    {NULL, NULL, 0, NULL},
};
