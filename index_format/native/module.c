/* The extension module `index_format.native._native`.

   Functions take bytes or text and remember nothing; only a WordCounter keeps what it has seen.
   `__init__.py` says what each of them does. All calls are of the limited API, and are made with
   the interpreter's lock held; sums.c works without it in between. */

#include "native.h"

/* Raise it with every change of what Python sees, here and in `__init__.py`: a library left over
   from other sources is not used. */
#define VERSION 22

static int
module_exec(PyObject *module)
{
    if (PyModule_AddIntConstant(module, "VERSION", VERSION) < 0)
        return -1;
    if (PyModule_AddFunctions(module, POSTING_FUNCTIONS) < 0)
        return -1;
    if (PyModule_AddFunctions(module, LOOKUP_FUNCTIONS) < 0)
        return -1;
    if (PyModule_AddFunctions(module, ENCODE_FUNCTIONS) < 0)
        return -1;
    if (PyModule_AddFunctions(module, COLUMN_FUNCTIONS) < 0)
        return -1;
    if (PyModule_AddFunctions(module, TERM_FUNCTIONS) < 0)
        return -1;
    if (PyModule_AddFunctions(module, TERM_PAGE_FUNCTIONS) < 0)
        return -1;
    if (PyModule_AddFunctions(module, TERM_ORDER_FUNCTIONS) < 0)
        return -1;
    if (PyModule_AddFunctions(module, SUM_FUNCTIONS) < 0)
        return -1;
    if (PyModule_AddFunctions(module, PAIR_FUNCTIONS) < 0)
        return -1;
    if (PyModule_AddFunctions(module, NAME_FUNCTIONS) < 0)
        return -1;
    return add_word_counter(module);
}

static PyModuleDef_Slot MODULE_SLOTS[] = {{Py_mod_exec, module_exec}, {0, NULL}};

static struct PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_native",
    .m_doc = "Compiled decoders of postings, and functions on words and columns.",
    .m_slots = MODULE_SLOTS,
};

PyMODINIT_FUNC
PyInit__native(void)
{
    return PyModuleDef_Init(&MODULE);
}
