/* Stored postings of one term in one segment, for those who decode whole terms. */

#ifndef INDEX_FORMAT_POSTINGS_H
#define INDEX_FORMAT_POSTINGS_H

#include "native.h"

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
