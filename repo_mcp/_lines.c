/* Finds lines in bytes, and the words of a question in lines; `lines_reference.py` says what the
   result has to be.

   Only calls of the limited API are made. Nothing is remembered from one call to the next. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdint.h>
#include <string.h>

/* raised with every change of what Python sees: an extension left over from another version of this
   file is not used */
#define VERSION 1

#define MAX_TERMS 62 /* a bit of a mark for each */
#define MAX_WORD 64  /* characters; longer ones are left to Python */
#define LANES 16
#define MOST_ROUNDS 255 /* before a lane's count may run over */

enum { CAPITAL = 1, SMALL = 2, OTHER = 4, BEYOND = 8 };

static uint8_t KIND[256];

static void
prepare_kinds(void)
{
    for (int at = 0; at < 256; at++) {
        int small = at >= 'a' && at <= 'z', capital = at >= 'A' && at <= 'Z';
        int other = (at >= '0' && at <= '9') || at == '_';
        KIND[at] = small ? SMALL : capital ? CAPITAL : other ? OTHER : at >= 0x80 ? BEYOND : 0;
    }
}

/* ---- where lines are ---- */

/* How many line feeds there are in so many bytes, at most LANES * MOST_ROUNDS. */
static size_t
feeds_in(const uint8_t *at, size_t count)
{
    uint8_t lanes[LANES] = {0};
    size_t whole = count / LANES * LANES, found = 0;
    for (size_t begin = 0; begin < whole; begin += LANES)
        for (size_t lane = 0; lane < LANES; lane++)
            lanes[lane] += at[begin + lane] == '\n';
    for (size_t lane = 0; lane < LANES; lane++)
        found += lanes[lane];
    for (; whole < count; whole++)
        found += at[whole] == '\n';
    return found;
}

/* The byte behind the next `feeds` line feeds; NULL where there are fewer. */
static const uint8_t *
behind(const uint8_t *at, const uint8_t *end, size_t feeds)
{
    const size_t step = LANES * MOST_ROUNDS;
    while (feeds && (size_t)(end - at) > step) {
        size_t found = feeds_in(at, step);
        if (found >= feeds)
            break;
        feeds -= found;
        at += step;
    }
    for (; feeds; feeds--, at++)
        if (at == end || !(at = memchr(at, '\n', (size_t)(end - at))))
            return NULL;
    return at;
}

PyDoc_STRVAR(span_doc,
             "span(data, first, last)\n--\n\n"
             "Where these lines, counted from 1, begin, and where the last of them that is there\n"
             "ends, without its line feed; None where there is none of them.");

static PyObject *
lines_span(PyObject *module, PyObject *arguments)
{
    const char *data;
    Py_ssize_t length, first, last;
    const uint8_t *begin, *end, *stop;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y#nn:span", &data, &length, &first, &last))
        return NULL;
    end = (const uint8_t *)data + length;
    begin = first < 1 || last < first ? NULL : behind((const uint8_t *)data, end, (size_t)first - 1);
    if (!begin || begin == end)
        Py_RETURN_NONE;
    stop = behind(begin, end, (size_t)(last - first) + 1);
    if (stop)
        stop--;
    else
        stop = end[-1] == '\n' ? end - 1 : end;
    return Py_BuildValue("nn", (Py_ssize_t)(begin - (const uint8_t *)data),
                         (Py_ssize_t)(stop - (const uint8_t *)data));
}

/* ---- what words are in them ---- */

typedef struct {
    const uint8_t *at;
    size_t length;
} Term;

typedef struct {
    Term terms[MAX_TERMS];
    size_t count;
    uint64_t beginning[256];      /* by first byte: the terms that begin so, a bit each */
    uint64_t long_as[MAX_WORD + 1]; /* by length */
} Question;

/* Which terms a word is, or a part of one, given in small letters. */
static inline uint64_t
equal_terms(const Question *question, const uint8_t *word, size_t length)
{
    uint64_t likely = question->beginning[*word] & question->long_as[length], found = 0;
    for (size_t bit = 0; likely; bit++, likely >>= 1)
        if (likely & 1 && !memcmp(question->terms[bit].at, word, length))
            found |= (uint64_t)1 << bit;
    return found;
}

/* Which terms a word of letters, digits and underscores gives: itself, and its parts. */
static uint64_t
terms_of(const Question *question, const uint8_t *word, size_t length)
{
    uint8_t lowered[MAX_WORD];
    uint64_t found = 0;
    size_t begin = 0;
    for (size_t at = 0; at < length; at++)
        lowered[at] = KIND[word[at]] & CAPITAL ? (uint8_t)(word[at] | 0x20) : word[at];
    for (size_t at = 1; at <= length; at++) {
        int between = at == length || word[at] == '_';
        if (!between) {
            if (at == begin || !(KIND[word[at]] & CAPITAL))
                continue;
            if (KIND[word[at - 1]] & CAPITAL && !(at + 1 < length && KIND[word[at + 1]] & SMALL))
                continue;
        }
        if (word[begin] == '_')
            begin++;
        if (at > begin)
            found |= equal_terms(question, lowered + begin, at - begin);
        begin = at;
    }
    /* what has neither letter nor digit is no word */
    for (size_t at = 0; at < length; at++)
        if (word[at] != '_')
            return found | equal_terms(question, lowered, length);
    return 0;
}

static int
append(PyObject *list, PyObject *item)
{
    int sound = item && PyList_Append(list, item) == 0;
    Py_XDECREF(item);
    return sound;
}

typedef struct {
    PyObject *lines, *marks, *unsure;
} Found;

static int
end_line(const Found *found, Py_ssize_t line, uint64_t mark, int unsure)
{
    if (unsure)
        return append(found->unsure, PyLong_FromSsize_t(line));
    if (!mark)
        return 1;
    return append(found->lines, PyLong_FromSsize_t(line)) &&
           append(found->marks, PyLong_FromUnsignedLongLong(mark));
}

static int
mark_lines(const Question *question, const uint8_t *at, const uint8_t *end, const Found *found)
{
    Py_ssize_t line = 0;
    uint64_t mark = 0;
    int unsure = 0;
    while (at < end) {
        const uint8_t *begin = at;
        uint8_t kinds = 0;
        while (at < end && KIND[*at])
            kinds |= KIND[*at++];
        if (kinds & BEYOND || at - begin > MAX_WORD)
            unsure = 1;
        else if (at > begin)
            mark |= terms_of(question, begin, (size_t)(at - begin));
        if (at < end && *at++ == '\n') {
            if (!end_line(found, line++, mark, unsure))
                return 0;
            mark = 0;
            unsure = 0;
        }
    }
    return end_line(found, line, mark, unsure);
}

static int
read_question(Question *question, PyObject *terms)
{
    memset(question, 0, sizeof *question);
    question->count = (size_t)PyTuple_Size(terms);
    if (PyErr_Occurred())
        return 0;
    if (question->count > MAX_TERMS) {
        PyErr_SetString(PyExc_ValueError, "too many terms");
        return 0;
    }
    for (size_t bit = 0; bit < question->count; bit++) {
        char *text;
        Py_ssize_t length;
        if (PyBytes_AsStringAndSize(PyTuple_GetItem(terms, (Py_ssize_t)bit), &text, &length) < 0)
            return 0;
        if (length < 1 || length > MAX_WORD)
            continue;
        question->terms[bit] = (Term){(const uint8_t *)text, (size_t)length};
        question->beginning[(uint8_t)*text] |= (uint64_t)1 << bit;
        question->long_as[length] |= (uint64_t)1 << bit;
    }
    return 1;
}

PyDoc_STRVAR(marks_doc,
             "marks(text, terms)\n--\n\n"
             "Numbers of lines with terms in them, a bit of each term for every such line, and\n"
             "lines of which only Python can tell.");

static PyObject *
lines_marks(PyObject *module, PyObject *arguments)
{
    PyObject *text, *terms, *result = NULL;
    Question question;
    const char *data;
    Py_ssize_t length;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OO!:marks", &text, &PyTuple_Type, &terms))
        return NULL;
    if (!(data = PyUnicode_AsUTF8AndSize(text, &length)) || !read_question(&question, terms))
        return NULL;
    Found found = {PyList_New(0), PyList_New(0), PyList_New(0)};
    if (found.lines && found.marks && found.unsure &&
        mark_lines(&question, (const uint8_t *)data, (const uint8_t *)data + length, &found))
        result = PyTuple_Pack(3, found.lines, found.marks, found.unsure);
    Py_XDECREF(found.lines);
    Py_XDECREF(found.marks);
    Py_XDECREF(found.unsure);
    return result;
}

static PyMethodDef METHODS[] = {
    {"span", lines_span, METH_VARARGS, span_doc},
    {"marks", lines_marks, METH_VARARGS, marks_doc},
    {NULL, NULL, 0, NULL},
};

static int
module_exec(PyObject *module)
{
    prepare_kinds();
    return PyModule_AddIntConstant(module, "VERSION", VERSION);
}

static PyModuleDef_Slot MODULE_SLOTS[] = {{Py_mod_exec, module_exec}, {0, NULL}};

static struct PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_lines",
    .m_doc = "Lines in bytes, and words in lines.",
    .m_methods = METHODS,
    .m_slots = MODULE_SLOTS,
};

PyMODINIT_FUNC
PyInit__lines(void)
{
    return PyModuleDef_Init(&MODULE);
}
