/* Stored postings of one term in one segment, for those who decode whole terms. */

#ifndef INDEX_FORMAT_POSTINGS_H
#define INDEX_FORMAT_POSTINGS_H

#include "native.h"

#define BLOCK 128
#define ROW_BYTES 16
#define META_BYTES 16

/* bits of a number, by the codes in a block's metadata */
static const uint8_t BLOCK_WIDTHS[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 32};

static inline uint32_t
little_32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

typedef struct {
    const uint8_t *rows, *meta, *tail;
    uint64_t row_count, block_count;
    Py_ssize_t tail_length, tail_count;
    int64_t base;    /* added to chunks */
    uint64_t chunks; /* there are so many */
} StoredTerm;

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* postings.c: decodes one block, which begins at a row and follows chunk `before`; returns what is
   wrong with it, or NULL. */
const char *decode_block(const uint8_t *meta, const uint8_t *rows, uint64_t row_count, int64_t row,
                         int64_t before, uint32_t *chunks, uint32_t *frequencies);

/* postings.c: decodes a tail behind chunk `last`; returns what is wrong with it, or NULL. */
const char *decode_packed(const uint8_t *data, Py_ssize_t length, Py_ssize_t count, int64_t last,
                          uint32_t *chunks, uint32_t *frequencies);

/* postings.c: takes the columns of a term; returns what is wrong with their lengths, or NULL. */
const char *open_stored(StoredTerm *term, const Py_buffer columns[3], Py_ssize_t tail_count,
                        long long base, long long chunks);

/* postings.c: how many postings a term has, from its columns. */
size_t count_stored(const StoredTerm *term);

/* postings.c: decodes all postings of a term; returns what is wrong with them, or NULL. */
const char *decode_stored(const StoredTerm *term, int64_t *chunks, uint32_t *frequencies);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
