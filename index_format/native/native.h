/* What each source file adds to the module. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdint.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

extern PyMethodDef POSTING_FUNCTIONS[]; /* postings.c */
extern PyMethodDef LOOKUP_FUNCTIONS[];  /* lookup.c */
extern PyMethodDef ENCODE_FUNCTIONS[];  /* encode.c */
extern PyMethodDef LINE_FUNCTIONS[];    /* lines.c */
extern PyMethodDef COLUMN_FUNCTIONS[];  /* columns.c */
extern PyMethodDef SCAN_FUNCTIONS[];    /* scan.c */
extern PyMethodDef FILE_FUNCTIONS[];    /* files.c */
extern PyMethodDef FOLDER_FUNCTIONS[];  /* folders.c */
extern PyMethodDef TERM_FUNCTIONS[];    /* terms.c */
extern PyMethodDef TERM_PAGE_FUNCTIONS[]; /* term_pages.c */
extern PyMethodDef TERM_ORDER_FUNCTIONS[]; /* term_order.c */
extern PyMethodDef PASSAGE_FUNCTIONS[]; /* passages.c */
extern PyMethodDef SUM_FUNCTIONS[];     /* sums.c */
extern PyMethodDef SCORE_FUNCTIONS[];   /* file_scores.c */
extern PyMethodDef RANK_FUNCTIONS[];    /* file_ranks.c */
extern PyMethodDef LIKENESS_FUNCTIONS[]; /* likeness.c */
extern PyMethodDef PAIR_FUNCTIONS[];    /* pairs.c */
extern PyMethodDef PHRASE_FUNCTIONS[];  /* phrases.c */
extern PyMethodDef BODY_FUNCTIONS[]; /* bodies.c */
extern PyMethodDef NAME_FUNCTIONS[]; /* names.c */

/* How many bits a value takes. */
static inline unsigned
bit_length(uint64_t value)
{
    unsigned bits = 0;
    for (; value; value >>= 1)
        bits++;
    return bits;
}

const uint8_t *skip_feeds(const uint8_t *at, const uint8_t *end, size_t feeds); /* lines.c */
size_t count_line_feeds(const void *at, size_t count); /* lines.c */
int add_line_constants(PyObject *module); /* lines.c: MAX_TERMS */
int add_word_counter(PyObject *module);   /* words.c: WordCounter, MAX_WORD */
int add_row_sums(PyObject *module);       /* row_sums.c: RowSums */

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
