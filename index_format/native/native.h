/* What each source file adds to the module. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

extern PyMethodDef POSTING_FUNCTIONS[]; /* postings.c */
extern PyMethodDef LINE_FUNCTIONS[];    /* lines.c */
extern PyMethodDef COLUMN_FUNCTIONS[];  /* columns.c */
extern PyMethodDef SCAN_FUNCTIONS[];    /* scan.c */
extern PyMethodDef FILE_FUNCTIONS[];    /* files.c */
extern PyMethodDef TERM_FUNCTIONS[];    /* terms.c */

size_t count_line_feeds(const void *at, size_t count); /* lines.c */
int add_line_constants(PyObject *module); /* lines.c: MAX_TERMS */
int add_word_counter(PyObject *module);   /* words.c: WordCounter, MAX_WORD */

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
