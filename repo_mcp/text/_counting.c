/* Counts the terms of many texts in one pass; counting_reference.py says what the result has to be.

   Two tables live here: words as they are written, each with the terms it gives, and terms. A word
   is cut, hashed and looked up; only one that was never met is taken apart. What is counted does
   not depend on the hash, whose key is drawn for each counter, so that nobody can choose words that
   collide. Whatever goes wrong, the counter forgets all it knows: no table is left half filled.

   Only calls of the limited API are made, all with the interpreter's lock held: a batch takes
   milliseconds, and new words may ask Python what they give. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "_counting_texts.h"

/* raised with every change of what Python sees: an extension left over from another version of this
   file is not used */
#define VERSION 1

static int
count_piece(Counter *self, PyObject *piece)
{
    PyObject *encoded = NULL;
    const char *text = NULL;
    Py_ssize_t length = 0;
    int unicode = PyUnicode_Check(piece), sound = 0;
    if (unicode) {
        text = PyUnicode_AsUTF8AndSize(piece, &length);
        if (!text && PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) {
            PyErr_Clear();
            encoded = PyUnicode_AsEncodedString(piece, "utf-8", "surrogatepass");
            if (encoded && PyBytes_AsStringAndSize(encoded, (char **)&text, &length) < 0)
                text = NULL;
        }
    } else if (PyBytes_AsStringAndSize(piece, (char **)&text, &length) < 0) {
        text = NULL;
    }
    if (text) {
        if ((size_t)length >= UINT32_MAX)
            PyErr_SetString(PyExc_OverflowError, "a text has fewer than 2**32 bytes");
        else
            sound = count_text(self, (const uint8_t *)text, (size_t)length, unicode);
    }
    Py_XDECREF(encoded);
    return sound;
}

/* Asks for the numbers of terms that have none yet, all at once, and puts them into the result. */
static int
number_terms(Counter *self, PyObject *numbers)
{
    size_t known = self->known_as.count, fresh = self->terms.count - known;
    PyObject *texts, *answer = NULL;
    int sound = 0;
    if (fresh) {
        texts = PyList_New((Py_ssize_t)fresh);
        for (size_t at = 0; texts && at < fresh; at++) {
            const Table *terms = &self->terms;
            const char *text = (const char *)terms->texts + terms->starts[known + at];
            size_t size = table_length(terms, (uint32_t)(known + at));
            PyObject *bytes = PyBytes_FromStringAndSize(text, (Py_ssize_t)size);
            if (!bytes || PyList_SetItem(texts, (Py_ssize_t)at, bytes) < 0)
                Py_CLEAR(texts);
        }
        answer = texts ? PyObject_CallFunctionObjArgs(numbers, texts, NULL) : NULL;
        Py_XDECREF(texts);
        if (!answer)
            return 0;
        if (!PyList_Check(answer) || PyList_Size(answer) != (Py_ssize_t)fresh) {
            PyErr_SetString(PyExc_TypeError, "numbers come as a list, one for each term");
            goto done;
        }
        for (size_t at = 0; at < fresh; at++) {
            unsigned long number = PyLong_AsUnsignedLong(PyList_GetItem(answer, (Py_ssize_t)at));
            if (PyErr_Occurred())
                goto done;
            if (number > UINT32_MAX) {
                PyErr_SetString(PyExc_OverflowError, "numbers of terms are below 2**32");
                goto done;
            }
            if (!push(&self->known_as, (uint32_t)number)) {
                PyErr_NoMemory();
                goto done;
            }
        }
    }
    for (size_t at = 0; at < self->found.count; at++)
        self->found.items[at] = self->known_as.items[self->found.items[at]];
    sound = 1;
done:
    Py_XDECREF(answer);
    return sound;
}

static void
forget(Counter *self)
{
    table_clear(&self->words);
    table_clear(&self->terms);
    drop(&self->given);
    free(self->of_word);
    self->of_word = NULL;
    self->of_word_room = 0;
    drop(&self->met);
    drop(&self->place);
    drop(&self->known_as);
    drop(&self->found);
    drop(&self->frequencies);
    self->long_term = self->long_times = 0;
}

static PyObject *
bytes_of(const Numbers *numbers)
{
    return PyBytes_FromStringAndSize((const char *)numbers->items,
                                     (Py_ssize_t)(numbers->count * sizeof *numbers->items));
}

static PyObject *
counted(Counter *self, PyObject *pieces, PyObject *numbers)
{
    Py_ssize_t count = PyTuple_Size(pieces);
    PyObject *ends = PyList_New(count), *terms = NULL, *times = NULL, *result = NULL;
    if (!ends)
        return NULL;
    if (!self->of_word && (!more_words(self) || !table_double(&self->words))) {
        PyErr_NoMemory();
        goto done;
    }
    self->found.count = self->frequencies.count = 0;
    for (Py_ssize_t at = 0; at < count; at++) {
        PyObject *end;
        if (!count_piece(self, PyTuple_GetItem(pieces, at)))
            goto done;
        end = PyLong_FromSize_t(self->found.count);
        if (!end || PyList_SetItem(ends, at, end) < 0)
            goto done;
    }
    if (!number_terms(self, numbers))
        goto done;
    terms = bytes_of(&self->found);
    times = bytes_of(&self->frequencies);
    if (terms && times)
        result = PyTuple_Pack(3, terms, times, ends);
done:
    Py_DECREF(ends);
    Py_XDECREF(terms);
    Py_XDECREF(times);
    return result;
}

PyDoc_STRVAR(count_doc,
             "count(pieces, numbers, other_terms)\n--\n\n"
             "Terms and frequencies of all pieces as uint32, and where each piece's end.");

static PyObject *
counter_count(PyObject *object, PyObject *arguments)
{
    Counter *self = (Counter *)object;
    PyObject *pieces, *numbers, *other_terms, *all, *result;
    if (!PyArg_ParseTuple(arguments, "OOO:count", &pieces, &numbers, &other_terms))
        return NULL;
    if (self->busy) {
        PyErr_SetString(PyExc_RuntimeError, "the counter is counting already");
        return NULL;
    }
    if (!(all = PySequence_Tuple(pieces)))
        return NULL;
    self->busy = 1;
    self->other_terms = other_terms;
    result = counted(self, all, numbers);
    if (!result)
        forget(self);
    self->other_terms = NULL;
    self->busy = 0;
    Py_DECREF(all);
    return result;
}

static PyObject *
counter_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"key", NULL};
    const char *key;
    Py_ssize_t length;
    Counter *self;
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "y#:WordCounter", names, &key, &length))
        return NULL;
    if (length != 16) {
        PyErr_SetString(PyExc_ValueError, "a key has 16 bytes");
        return NULL;
    }
    if (!(self = (Counter *)alloc(type, 0)))
        return NULL;
    self->key.k0 = eight_bytes((const uint8_t *)key);
    self->key.k1 = eight_bytes((const uint8_t *)key + 8);
    return (PyObject *)self;
}

static void
counter_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    forget((Counter *)object);
    free(((Counter *)object)->alphanumeric);
    release(object);
    Py_DECREF(type);
}

static Py_ssize_t
counter_length(PyObject *object)
{
    return (Py_ssize_t)((Counter *)object)->words.count;
}

static PyMethodDef COUNTER_METHODS[] = {
    {"count", counter_count, METH_VARARGS, count_doc},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot COUNTER_SLOTS[] = {
    {Py_tp_doc, "Counts terms; its length is how many different words it remembers."},
    {Py_tp_new, counter_new},
    {Py_tp_dealloc, counter_dealloc},
    {Py_sq_length, counter_length},
    {Py_tp_methods, COUNTER_METHODS},
    {0, NULL},
};

static PyType_Spec COUNTER_SPEC = {
    .name = "repo_mcp.text._counting.WordCounter",
    .basicsize = sizeof(Counter),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = COUNTER_SLOTS,
};

static int
module_exec(PyObject *module)
{
    PyObject *type = PyType_FromModuleAndSpec(module, &COUNTER_SPEC, NULL);
    int added = type ? PyModule_AddType(module, (PyTypeObject *)type) : -1;
    Py_XDECREF(type);
    prepare_runs();
    return added < 0 ? -1 : PyModule_AddIntConstant(module, "VERSION", VERSION);
}

static PyModuleDef_Slot MODULE_SLOTS[] = {{Py_mod_exec, module_exec}, {0, NULL}};

static struct PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_counting",
    .m_doc = "Counts the terms of texts.",
    .m_slots = MODULE_SLOTS,
};

PyMODINIT_FUNC
PyInit__counting(void)
{
    return PyModuleDef_Init(&MODULE);
}
