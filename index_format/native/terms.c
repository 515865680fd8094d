/* Picks the terms that may be parts of words from a dictionary. `codec/term_pages.py` says what the bytes
   mean, `query/term_search.py` does the same in Python. */

#include "native.h"

#include <string.h>

#include "scan.h"
#include "term_pages.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif


/* Terms one a line, where each line begins, and the terms' numbers in the dictionary. */
typedef struct {
    Buffer lines, starts, numbers;
} Kind;

static int
begin_kind(Kind *kind)
{
    return add_bytes(&kind->lines, "\n", 1);
}

/* 0 where there is no memory. */
static inline int
put_term(Kind *kind, const uint8_t *term, size_t length, size_t number)
{
    uint32_t start = (uint32_t)kind->lines.length, written = (uint32_t)number;
    uint8_t *line;
    if (!reserve(&kind->lines, kind->lines.length + length + 1))
        return 0;
    line = kind->lines.at + kind->lines.length;
    memcpy(line, term, length);
    line[length] = '\n';
    kind->lines.length += length + 1;
    return add_bytes(&kind->starts, &start, sizeof start) &&
           add_bytes(&kind->numbers, &written, sizeof written);
}

/* Where a term belongs, NULL for an ASCII term with underscores; `end` is that of all terms. */
static inline Kind *
kind_of(const uint8_t *term, size_t length, const uint8_t *end, Kind *parts, Kind *beyond)
{
    unsigned all = 0, underscores = 0;
    size_t place = 0;
#if defined(__SSE2__)
    const __m128i underscore = _mm_set1_epi8('_');
    for (; place < length && (size_t)(end - term) >= place + 16; place += 16) {
        size_t left = length - place;
        unsigned here = left < 16 ? (1u << left) - 1 : 0xFFFF;
        __m128i bytes = _mm_loadu_si128((const __m128i *)(term + place));
        all |= (unsigned)_mm_movemask_epi8(bytes) & here;
        underscores |= (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, underscore)) & here;
    }
#else
    (void)end;
#endif
    for (; place < length; place++) {
        all |= term[place] & 0x80;
        underscores |= term[place] == '_';
    }
    return all ? beyond : underscores ? NULL : parts;
}

enum Outcome { DONE, MALFORMED, NO_MEMORY };

/* Splits the pages of a text; each term takes the place of the one whose beginning it shares. */
static enum Outcome
split(const TermPages *pages, const uint8_t *others, size_t length, Kind *parts, Kind *beyond)
{
    const uint8_t *end = others + length;
    /* with room for what is read behind a term */
    uint8_t term[MAX_TERM_BYTES + 16];
    TermPage page;
    size_t size;
    for (size_t number = 0; number < pages->pages; number++) {
        if (decode_page(pages, number, OTHERS + 1, &page, &size))
            return MALFORMED;
        for (size_t i = 0, before = 0; i < size; i++) {
            if (replace_term(term, &before, &page, i, &others, end))
                return MALFORMED;
            Kind *kind = kind_of(term, before, term + sizeof term, parts, beyond);
            if (kind && !put_term(kind, term, before, number * TERMS_PER_PAGE + i))
                return NO_MEMORY;
        }
    }
    return others == end ? DONE : MALFORMED;
}

static PyObject *
kind_object(const Kind *kind)
{
    return Py_BuildValue("y#y#y#", (const char *)kind->lines.at, (Py_ssize_t)kind->lines.length,
                         kind->starts.at ? (const char *)kind->starts.at : "",
                         (Py_ssize_t)kind->starts.length,
                         kind->numbers.at ? (const char *)kind->numbers.at : "",
                         (Py_ssize_t)kind->numbers.length);
}

static void
release_kind(Kind *kind)
{
    release(&kind->lines);
    release(&kind->starts);
    release(&kind->numbers);
}

PyDoc_STRVAR(split_terms_doc,
             "split_terms(text, info, starts, count)\n--\n\n"
             "ASCII terms without underscores, and terms beyond ASCII: for both a line feed and the\n"
             "terms, each with a line feed; where each begins, and its number (uint32).");

static PyObject *
split_terms(PyObject *module, PyObject *arguments)
{
    Py_buffer text, info;
    const char *starts;
    Py_ssize_t starts_length, count;
    Kind parts = {{0}, {0}, {0}}, beyond = {{0}, {0}, {0}};
    PyObject *found = NULL;
    enum Outcome outcome = MALFORMED;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y*y*y#n:split_terms", &text, &info, &starts, &starts_length, &count))
        return NULL;
    TermPages pages = {info.buf, starts, (size_t)info.len, (size_t)starts_length / sizeof(int64_t),
                       (size_t)count};
    Py_BEGIN_ALLOW_THREADS
    if (count >= 0 && has_all_pages(&pages))
        outcome = begin_kind(&parts) && begin_kind(&beyond)
                      ? split(&pages, text.buf, (size_t)text.len, &parts, &beyond)
                      : NO_MEMORY;
    Py_END_ALLOW_THREADS
    if (outcome == DONE) {
        PyObject *one = kind_object(&parts), *other = kind_object(&beyond);
        found = one && other ? PyTuple_Pack(2, one, other) : NULL;
        Py_XDECREF(one);
        Py_XDECREF(other);
    }
    else if (outcome == MALFORMED)
        PyErr_SetString(PyExc_ValueError, "lengths of terms");
    else
        PyErr_NoMemory();
    PyBuffer_Release(&text);
    PyBuffer_Release(&info);
    release_kind(&parts);
    release_kind(&beyond);
    return found;
}

PyMethodDef TERM_FUNCTIONS[] = {
    {"split_terms", split_terms, METH_VARARGS, split_terms_doc},
    {NULL, NULL, 0, NULL},
};
