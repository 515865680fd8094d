/* WordCounter: counts the terms of many texts in one pass. `words.py` holds the model.

   A counter keeps two tables: words as they are written, each with its terms, and terms. A word is
   hashed and looked up; only one that is new is split. Results do not depend on the hash, whose key
   the caller draws, so that nobody can choose words that collide. After any error the counter has
   forgotten everything: no table is left half filled. */

#include "counter.h"

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
            PyErr_SetString(PyExc_OverflowError, "a text of 2**32 bytes or more");
        else
            sound = count_text(self, (const uint8_t *)text, (size_t)length, unicode);
    }
    Py_XDECREF(encoded);
    return sound;
}

/* Asks for the numbers of all terms that have none, and replaces terms by them in the result. */
static int
fill_in_numbers(Counter *self, PyObject *number_terms)
{
    size_t known = self->term_numbers.count, fresh = self->terms.count - known;
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
        answer = texts ? PyObject_CallFunctionObjArgs(number_terms, texts, NULL) : NULL;
        Py_XDECREF(texts);
        if (!answer)
            return 0;
        if (!PyList_Check(answer) || PyList_Size(answer) != (Py_ssize_t)fresh) {
            PyErr_SetString(PyExc_TypeError, "numbers have to be a list, one for each term");
            goto done;
        }
        for (size_t at = 0; at < fresh; at++) {
            unsigned long number = PyLong_AsUnsignedLong(PyList_GetItem(answer, (Py_ssize_t)at));
            if (PyErr_Occurred())
                goto done;
            if (number > UINT32_MAX) {
                PyErr_SetString(PyExc_OverflowError, "a number of a term is 2**32 or more");
                goto done;
            }
            if (!push(&self->term_numbers, (uint32_t)number)) {
                PyErr_NoMemory();
                goto done;
            }
        }
    }
    for (size_t at = 0; at < self->out_terms.count; at++)
        self->out_terms.items[at] = self->term_numbers.items[self->out_terms.items[at]];
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
    drop(&self->word_terms);
    free(self->of_word);
    self->of_word = NULL;
    self->of_word_room = 0;
    drop(&self->text_words);
    drop(&self->places);
    drop(&self->term_numbers);
    drop(&self->out_terms);
    drop(&self->out_times);
    drop(&self->out_wholes);
    self->long_term = self->long_times = 0;
}

static PyObject *
bytes_of(const Numbers *numbers)
{
    return PyBytes_FromStringAndSize((const char *)numbers->items,
                                     (Py_ssize_t)(numbers->count * sizeof *numbers->items));
}

static PyObject *
count_pieces(Counter *self, PyObject *pieces, PyObject *number_terms)
{
    Py_ssize_t count = PyTuple_Size(pieces);
    PyObject *ends = PyList_New(count), *result = NULL;
    PyObject *terms = NULL, *times = NULL, *wholes = NULL;
    if (!ends)
        return NULL;
    if (!self->of_word && (!reserve_word(self) || !table_double(&self->words))) {
        PyErr_NoMemory();
        goto done;
    }
    self->out_terms.count = self->out_times.count = self->out_wholes.count = 0;
    for (Py_ssize_t at = 0; at < count; at++) {
        PyObject *end;
        if (!count_piece(self, PyTuple_GetItem(pieces, at)))
            goto done;
        end = PyLong_FromSize_t(self->out_terms.count);
        if (!end || PyList_SetItem(ends, at, end) < 0)
            goto done;
    }
    if (!fill_in_numbers(self, number_terms))
        goto done;
    terms = bytes_of(&self->out_terms);
    times = bytes_of(&self->out_times);
    wholes = bytes_of(&self->out_wholes);
    if (terms && times && wholes)
        result = PyTuple_Pack(4, terms, times, ends, wholes);
done:
    Py_DECREF(ends);
    Py_XDECREF(terms);
    Py_XDECREF(times);
    Py_XDECREF(wholes);
    return result;
}

PyDoc_STRVAR(count_doc,
             "count(pieces, number_terms, split_other)\n--\n\n"
             "Terms and frequencies of all pieces as uint32, where each piece's end, and how\n"
             "often each term is a whole word of several parts, or stands for a long one.\n"
             "`number_terms` numbers new terms, `split_other` returns the terms of a word that is\n"
             "not ASCII.");

static PyObject *
counter_count(PyObject *object, PyObject *arguments)
{
    Counter *self = (Counter *)object;
    PyObject *pieces, *number_terms, *split_other, *all, *result;
    if (!PyArg_ParseTuple(arguments, "OOO:count", &pieces, &number_terms, &split_other))
        return NULL;
    if (self->busy) {
        PyErr_SetString(PyExc_RuntimeError, "the counter is already counting");
        return NULL;
    }
    if (!(all = PySequence_Tuple(pieces)))
        return NULL;
    self->busy = 1;
    self->split_other = split_other;
    result = count_pieces(self, all, number_terms);
    if (!result)
        forget(self);
    self->split_other = NULL;
    self->busy = 0;
    Py_DECREF(all);
    return result;
}

static PyObject *
counter_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"key", "long_term", NULL};
    const char *key;
    Py_ssize_t length;
    PyObject *long_term;
    Counter *self;
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "y#S:WordCounter", names, &key, &length,
                                     &long_term))
        return NULL;
    if (length != 16) {
        PyErr_SetString(PyExc_ValueError, "a key of 16 bytes is needed");
        return NULL;
    }
    if (!(self = (Counter *)alloc(type, 0)))
        return NULL;
    Py_INCREF(long_term);
    self->long_name = long_term;
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
    Py_XDECREF(((Counter *)object)->long_name);
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
    {Py_tp_doc, "Counts terms; its length is the count of distinct words it has seen."},
    {Py_tp_new, counter_new},
    {Py_tp_dealloc, counter_dealloc},
    {Py_sq_length, counter_length},
    {Py_tp_methods, COUNTER_METHODS},
    {0, NULL},
};

static PyType_Spec COUNTER_SPEC = {
    .name = "index_format.native._native.WordCounter",
    .basicsize = sizeof(Counter),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = COUNTER_SLOTS,
};

int
add_word_counter(PyObject *module)
{
    PyObject *type = PyType_FromModuleAndSpec(module, &COUNTER_SPEC, NULL);
    int added = type ? PyModule_AddType(module, (PyTypeObject *)type) : -1;
    Py_XDECREF(type);
    return added < 0 ? -1 : PyModule_AddIntConstant(module, "MAX_WORD", MAX_WORD);
}
