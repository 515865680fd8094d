/* Encodes postings: full blocks and tails. `codec/postings.py` says what the bytes mean, and writes
   them where nothing is compiled. */

#include "native.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK 128
#define ROW_BYTES 16
#define META_BYTES 16
#define CODES 256
#define FREQUENCY_CEILING 255

static const uint8_t BLOCK_WIDTHS[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 32};
static const uint8_t TAIL_WIDTHS[8] = {0, 1, 2, 3, 4, 8, 16, 32};

/* Gaps less 1 and frequencies less 1 of a stretch of postings, and the largest of both. */
typedef struct {
    uint32_t gaps[BLOCK], surplus[BLOCK], largest_gap, most;
} Stretch;

typedef struct {
    const uint8_t *codes; /* length codes of all chunks */
    size_t chunks;
    int64_t lengths[CODES]; /* what they mean */
} Lengths;

/* The narrowest of some ascending widths that holds a value. */
static unsigned
code_of(const uint8_t *widths, uint32_t value)
{
    unsigned code = 0, bits = bit_length(value);
    while (widths[code] < bits)
        code++;
    return code;
}

/* Fills a stretch of postings behind a chunk, -1 for none; 0 where they do not ascend. */
static int
read_stretch(Stretch *to, const uint32_t *chunks, const uint32_t *frequencies, size_t count,
             int64_t before, size_t all)
{
    to->largest_gap = to->most = 0;
    for (size_t i = 0; i < count; i++) {
        if ((int64_t)chunks[i] <= before || chunks[i] >= all || !frequencies[i])
            return 0;
        to->gaps[i] = (uint32_t)((int64_t)chunks[i] - before - 1);
        to->surplus[i] = frequencies[i] - 1;
        before = chunks[i];
        if (to->gaps[i] > to->largest_gap)
            to->largest_gap = to->gaps[i];
        if (to->surplus[i] > to->most)
            to->most = to->surplus[i];
    }
    return 1;
}

static void
put_32(uint8_t *at, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> (8 * i));
}

/* Packs 128 values of a width, lowest bits first in rows of its highest power of two, and so on. */
static uint8_t *
pack_rows(uint8_t *out, unsigned width, const uint32_t *values)
{
    unsigned done = 0;
    for (unsigned part = 32; part; part /= 2) {
        if (!(width & part))
            continue;
        if (part >= 8) {
            for (unsigned i = 0; i < BLOCK; i++)
                for (unsigned byte = 0; byte < part / 8; byte++)
                    out[i * part / 8 + byte] = (uint8_t)(values[i] >> (done + 8 * byte));
        } else {
            unsigned lanes = 8 / part, each = BLOCK / lanes;
            uint8_t mask = (uint8_t)((1 << part) - 1);
            memset(out, 0, each);
            for (unsigned lane = 0; lane < lanes; lane++)
                for (unsigned i = 0; i < each; i++)
                    out[i] |= (uint8_t)((values[lane * each + i] >> done & mask) << (lane * part));
        }
        out += ROW_BYTES * part;
        done += part;
    }
    return out;
}

/* The shortest length code of a block's chunks, and the highest code of a length at which the highest
   frequency is as dense as in the densest of them. */
static void
bound_lengths(const Lengths *lengths, const uint32_t *chunks, const Stretch *block, uint8_t *meta)
{
    uint8_t shortest = CODES - 1;
    double least = 0, most = (double)block->most + 1;
    for (unsigned i = 0; i < BLOCK; i++) {
        uint8_t code = lengths->codes[chunks[i]];
        /* rounded, it never reaches the next whole number: products are whole below 2**53 */
        double fitting = (double)lengths->lengths[code] * most / ((double)block->surplus[i] + 1);
        if (code < shortest)
            shortest = code;
        if (!i || fitting < least)
            least = fitting;
    }
    unsigned within = CODES - 1;
    while (within && lengths->lengths[within] > (int64_t)least)
        within--;
    meta[13] = (uint8_t)within;
    meta[14] = shortest;
}

/* Encodes a block whose first row has this number; returns the end of its rows. */
static uint8_t *
put_block(const Lengths *lengths, const uint32_t *chunks, const Stretch *block, uint32_t row,
          uint8_t *meta, uint8_t *out)
{
    unsigned gaps = code_of(BLOCK_WIDTHS, block->largest_gap);
    unsigned surplus = code_of(BLOCK_WIDTHS, block->most);
    put_32(meta, chunks[BLOCK - 1]);
    put_32(meta + 4, row);
    put_32(meta + 8, 0);
    meta[12] = block->most < FREQUENCY_CEILING ? (uint8_t)(block->most + 1) : FREQUENCY_CEILING;
    bound_lengths(lengths, chunks, block, meta);
    meta[15] = (uint8_t)(gaps | surplus << 4);
    out = pack_rows(out, BLOCK_WIDTHS[gaps], block->gaps);
    return pack_rows(out, BLOCK_WIDTHS[surplus], block->surplus);
}

/* ---- tails ---- */

typedef struct {
    uint8_t *out;
    uint64_t held;
    unsigned bits;
} BitWriter;

static void
put_bits(BitWriter *writer, unsigned width, size_t count, const uint32_t *values)
{
    for (size_t i = 0; i < count; i++) {
        writer->held |= (uint64_t)values[i] << writer->bits;
        for (writer->bits += width; writer->bits >= 8; writer->bits -= 8, writer->held >>= 8)
            *writer->out++ = (uint8_t)writer->held;
    }
}

static uint8_t *
put_tail(const Stretch *tail, size_t count, uint8_t *out)
{
    unsigned gaps = bit_length(tail->largest_gap), surplus = code_of(TAIL_WIDTHS, tail->most);
    BitWriter writer = {out + 1, 0, 0};
    *out = (uint8_t)(gaps | surplus << 5);
    put_bits(&writer, gaps, count, tail->gaps);
    put_bits(&writer, TAIL_WIDTHS[surplus], count, tail->surplus);
    if (writer.bits)
        *writer.out++ = (uint8_t)writer.held;
    return writer.out;
}

/* ---- batches ---- */

/* Postings of some terms, and where they are encoded. */
typedef struct {
    const uint32_t *chunks, *frequencies;
    uint8_t *meta, *rows, *tails;
    uint64_t row;
} Postings;

/* Encodes a term of so many postings; 0 where they can't be. */
static int
put_term(Postings *from, const Lengths *lengths, size_t count)
{
    int64_t before = -1;
    Stretch stretch;
    for (; count; before = from->chunks[-1]) {
        size_t size = count < BLOCK ? count : BLOCK;
        if (!read_stretch(&stretch, from->chunks, from->frequencies, size, before, lengths->chunks))
            return 0;
        if (size == BLOCK) {
            uint8_t *end;
            if (from->row >> 32)
                return 0;
            end = put_block(lengths, from->chunks, &stretch, (uint32_t)from->row, from->meta, from->rows);
            from->row += (uint64_t)(end - from->rows) / ROW_BYTES;
            from->rows = end;
            from->meta += META_BYTES;
        } else if (stretch.largest_gap >> 31)
            return 0;
        else
            from->tails = put_tail(&stretch, size, from->tails);
        from->chunks += size;
        from->frequencies += size;
        count -= size;
    }
    return 1;
}

/* How much room the blocks and tails of some terms take at most, and how many blocks there are; 0
   where there are not as many postings as they say. */
static int
measure(const Py_buffer *counts, size_t postings, size_t *blocks, size_t *tails)
{
    uint64_t total = 0;
    *blocks = *tails = 0;
    for (Py_ssize_t at = 0; at < counts->len; at += 8) {
        int64_t count;
        memcpy(&count, (const char *)counts->buf + at, sizeof count);
        if (count < 0 || (uint64_t)count > postings - total)
            return 0;
        total += (uint64_t)count;
        *blocks += (size_t)count / BLOCK;
        *tails += 1 + (size_t)count % BLOCK * 8;
    }
    return total == postings && counts->len % 8 == 0;
}

static PyObject *
encode_all(Postings *from, const Lengths *lengths, const Py_buffer *counts, size_t blocks, size_t tails)
{
    PyObject *result = NULL;
    size_t terms = (size_t)counts->len / 8;
    uint8_t *meta = malloc(blocks * META_BYTES + 1), *rows = malloc(blocks * 64 * ROW_BYTES + 1);
    uint8_t *bytes = malloc(tails + 1);
    int64_t *sizes = malloc(terms * sizeof *sizes + 1);
    int sound = 1;
    *from = (Postings){from->chunks, from->frequencies, meta, rows, bytes, from->row};
    for (size_t at = 0; meta && rows && bytes && sizes && sound && at < terms; at++) {
        int64_t count;
        uint8_t *begin = from->tails;
        memcpy(&count, (const char *)counts->buf + 8 * at, sizeof count);
        sound = put_term(from, lengths, (size_t)count);
        sizes[at] = from->tails - begin;
    }
    if (!meta || !rows || !bytes || !sizes)
        PyErr_NoMemory();
    else if (!sound)
        PyErr_SetString(PyExc_ValueError, "postings that can't be stored");
    else
        result = Py_BuildValue("y#y#y#y#", (const char *)meta, (Py_ssize_t)(from->meta - meta),
                               (const char *)rows, (Py_ssize_t)(from->rows - rows),
                               (const char *)bytes, (Py_ssize_t)(from->tails - bytes),
                               (const char *)sizes, (Py_ssize_t)(terms * sizeof *sizes));
    free(meta);
    free(rows);
    free(bytes);
    free(sizes);
    return result;
}

PyDoc_STRVAR(encode_postings_doc,
             "encode_postings(counts, chunks, frequencies, codes, lengths, first_row)\n--\n\n"
             "Metadata and rows of the blocks of some terms, their tails, and how long each of these\n"
             "is (int64). `counts` are those of postings (int64), `chunks` and `frequencies` uint32,\n"
             "`codes` the length codes of all chunks, `lengths` what these mean (int64).");

static PyObject *
encode_postings(PyObject *module, PyObject *arguments)
{
    Py_buffer counts, chunks, frequencies, codes, lengths;
    long long first_row;
    PyObject *result = NULL;
    size_t blocks, tails;
    Lengths known;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y*y*y*y*y*L:encode_postings", &counts, &chunks, &frequencies,
                          &codes, &lengths, &first_row))
        return NULL;
    size_t count = (size_t)chunks.len / sizeof(uint32_t);
    Postings from = {chunks.buf, frequencies.buf, NULL, NULL, NULL, (uint64_t)first_row};
    /* arrays of numpy are aligned; of anything else nothing is known */
    int aligned = (uintptr_t)chunks.buf % 4 == 0 && (uintptr_t)frequencies.buf % 4 == 0;
    if (first_row < 0 || !aligned || chunks.len != frequencies.len || chunks.len % 4 ||
        lengths.len != (Py_ssize_t)sizeof known.lengths || !measure(&counts, count, &blocks, &tails))
        PyErr_SetString(PyExc_ValueError, "columns of other lengths");
    else {
        known.codes = codes.buf;
        known.chunks = (size_t)codes.len;
        memcpy(known.lengths, lengths.buf, sizeof known.lengths);
        result = encode_all(&from, &known, &counts, blocks, tails);
    }
    PyBuffer_Release(&counts);
    PyBuffer_Release(&chunks);
    PyBuffer_Release(&frequencies);
    PyBuffer_Release(&codes);
    PyBuffer_Release(&lengths);
    return result;
}

PyMethodDef ENCODE_FUNCTIONS[] = {
    {"encode_postings", encode_postings, METH_VARARGS, encode_postings_doc},
    {NULL, NULL, 0, NULL},
};
