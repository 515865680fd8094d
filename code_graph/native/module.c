/* The extension module `code_graph.native._native`: see `__init__.py`. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

extern PyMethodDef BODY_FUNCTIONS[]; /* bodies.c */

/* Raise it with every change of what Python sees, here and in `__init__.py`: a library left over
   from other sources is not used. */
#define VERSION 4

static int
module_exec(PyObject *module)
{
    if (PyModule_AddIntConstant(module, "VERSION", VERSION) < 0)
        return -1;
    return PyModule_AddFunctions(module, BODY_FUNCTIONS);
}

static PyModuleDef_Slot MODULE_SLOTS[] = {{Py_mod_exec, module_exec}, {0, NULL}};

static struct PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_native",
    .m_doc = "Compiled tokens of C.",
    .m_slots = MODULE_SLOTS,
};

PyMODINIT_FUNC
PyInit__native(void)
{
    return PyModuleDef_Init(&MODULE);
}
