/* What each source file adds to the module. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdint.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

extern PyMethodDef LINE_FUNCTIONS[]; /* lines.c */
extern PyMethodDef SCAN_FUNCTIONS[]; /* scan.c */
extern PyMethodDef FILE_FUNCTIONS[]; /* files.c */
extern PyMethodDef FOLDER_FUNCTIONS[]; /* folders.c */
extern PyMethodDef PASSAGE_FUNCTIONS[]; /* passages.c */
extern PyMethodDef RANK_FUNCTIONS[]; /* file_ranks.c */
extern PyMethodDef LIKENESS_FUNCTIONS[]; /* likeness.c */
extern PyMethodDef PHRASE_FUNCTIONS[]; /* phrases.c */
extern PyMethodDef DIFF_FUNCTIONS[]; /* line_diff.c */
extern PyMethodDef GIT_FUNCTIONS[]; /* git_objects.c */

int add_line_constants(PyObject *module); /* lines.c: MAX_TERMS */
int add_row_sums(PyObject *module);       /* row_sums.c: RowSums */

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
