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
extern PyMethodDef COLUMN_FUNCTIONS[];  /* columns.c */
extern PyMethodDef TERM_FUNCTIONS[];    /* terms.c */
extern PyMethodDef TERM_PAGE_FUNCTIONS[]; /* term_pages.c */
extern PyMethodDef TERM_ORDER_FUNCTIONS[]; /* term_order.c */
extern PyMethodDef SUM_FUNCTIONS[];     /* sums.c */
extern PyMethodDef PAIR_FUNCTIONS[];    /* pairs.c */
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

int add_word_counter(PyObject *module);   /* words.c: WordCounter, MAX_WORD */

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
