/* The extension module `repo_mcp.native._native`.

   Functions take bytes or text and remember nothing; only RowSums keep what they have seen.
   `__init__.py` says what each of them does. Shared headers are those of `index_format/native`. All
   calls are of the limited API, and are made with the interpreter's lock held; scan.c, files.c,
   phrases.c, folders.c and line_diff.c work without it in between. */

#include "server.h"

/* Raise it with every change of what Python sees, here and in `__init__.py`: a library left over
   from other sources is not used. */
#define VERSION 6

static int
module_exec(PyObject *module)
{
    if (PyModule_AddIntConstant(module, "VERSION", VERSION) < 0)
        return -1;
    if (PyModule_AddFunctions(module, LINE_FUNCTIONS) < 0)
        return -1;
    if (PyModule_AddFunctions(module, SCAN_FUNCTIONS) < 0)
        return -1;
    if (PyModule_AddFunctions(module, FILE_FUNCTIONS) < 0)
        return -1;
    if (PyModule_AddFunctions(module, FOLDER_FUNCTIONS) < 0)
        return -1;
    if (PyModule_AddFunctions(module, PASSAGE_FUNCTIONS) < 0)
        return -1;
    if (PyModule_AddFunctions(module, RANK_FUNCTIONS) < 0)
        return -1;
    if (PyModule_AddFunctions(module, LIKENESS_FUNCTIONS) < 0)
        return -1;
    if (PyModule_AddFunctions(module, PHRASE_FUNCTIONS) < 0)
        return -1;
    if (PyModule_AddFunctions(module, DIFF_FUNCTIONS) < 0)
        return -1;
    if (PyModule_AddFunctions(module, GIT_FUNCTIONS) < 0)
        return -1;
    if (add_line_constants(module) < 0)
        return -1;
    return add_row_sums(module);
}

static PyModuleDef_Slot MODULE_SLOTS[] = {{Py_mod_exec, module_exec}, {0, NULL}};

static struct PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_native",
    .m_doc = "Compiled reading of folders, files, lines and git's objects, ranking, sums of vectors.",
    .m_slots = MODULE_SLOTS,
};

PyMODINIT_FUNC
PyInit__native(void)
{
    return PyModuleDef_Init(&MODULE);
}
