/* Goes through all terms of a dictionary: picks those that may be parts of words, and marks the
   trigrams that each page has. `codec/term_pages.py` says what the bytes mean,
   and marks in Python; `query/term_search.py` picks in Python. */

#include "native.h"

#include <stdlib.h>
#include <string.h>

#include "buffer.h"
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

/* Reads the arguments of both functions: text, numbers and their places, and the count of terms;
   0 with an error. */
static int
open_pages(PyObject *arguments, const char *format, Py_buffer *text, Py_buffer *info,
           TermPages *pages)
{
    const char *starts;
    Py_ssize_t length, count;
    if (!PyArg_ParseTuple(arguments, format, text, info, &starts, &length, &count))
        return 0;
    *pages = (TermPages){info->buf, starts, (size_t)info->len, (size_t)length / sizeof(int64_t),
                         (size_t)count};
    if (count >= 0 && has_all_pages(pages))
        return 1;
    PyErr_SetString(PyExc_ValueError, "lengths of terms");
    PyBuffer_Release(text);
    PyBuffer_Release(info);
    return 0;
}

PyDoc_STRVAR(split_terms_doc,
             "split_terms(text, info, starts, count)\n--\n\n"
             "ASCII terms without underscores, and terms beyond ASCII: for both a line feed and the\n"
             "terms, each with a line feed; where each begins, and its number (uint32).");

static PyObject *
split_terms(PyObject *module, PyObject *arguments)
{
    Py_buffer text, info;
    TermPages pages;
    Kind parts = {{0}, {0}, {0}}, beyond = {{0}, {0}, {0}};
    PyObject *found = NULL;
    enum Outcome outcome = MALFORMED;
    (void)module;
    if (!open_pages(arguments, "y*y*y#n:split_terms", &text, &info, &pages))
        return NULL;
    Py_BEGIN_ALLOW_THREADS
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

/* ---- trigrams ---- */

/* A page's marks: a bit for the hash of each three bytes that follow one another in a term. */
#define MARK_BYTES 256
#define HASH_SHIFT 21
#define HASH_FACTOR 0x9E3779B1u

static inline void
mark_trigram(uint8_t *marks, const uint8_t *at)
{
    uint32_t trigram = (uint32_t)at[0] << 16 | (uint32_t)at[1] << 8 | at[2];
    uint32_t bit = trigram * HASH_FACTOR >> HASH_SHIFT;
    marks[bit >> 3] |= (uint8_t)(1u << (bit & 7));
}

/* Marks the trigrams of all pages; those within what a term shares are of an earlier one, too. */
static enum Outcome
mark(const TermPages *pages, const uint8_t *others, size_t length, uint8_t *marks)
{
    const uint8_t *end = others + length;
    uint8_t term[MAX_TERM_BYTES];
    TermPage page;
    size_t size;
    for (size_t number = 0; number < pages->pages; number++, marks += MARK_BYTES) {
        if (decode_page(pages, number, OTHERS + 1, &page, &size))
            return MALFORMED;
        for (size_t i = 0, before = 0; i < size; i++) {
            if (replace_term(term, &before, &page, i, &others, end))
                return MALFORMED;
            for (size_t at = page.values[SHARED][i] < 2 ? 2 : page.values[SHARED][i]; at < before; at++)
                mark_trigram(marks, term + at - 2);
        }
    }
    return others == end ? DONE : MALFORMED;
}

PyDoc_STRVAR(mark_trigrams_doc,
             "mark_trigrams(text, info, starts, count)\n--\n\n"
             "For each page 2048 bits: those of the hashes of all trigrams in its terms.");

static PyObject *
mark_trigrams(PyObject *module, PyObject *arguments)
{
    Py_buffer text, info;
    TermPages pages;
    PyObject *found = NULL;
    enum Outcome outcome = MALFORMED;
    (void)module;
    if (!open_pages(arguments, "y*y*y#n:mark_trigrams", &text, &info, &pages))
        return NULL;
    uint8_t *marks = calloc(pages.pages + 1, MARK_BYTES);
    Py_BEGIN_ALLOW_THREADS
    outcome = marks ? mark(&pages, text.buf, (size_t)text.len, marks) : NO_MEMORY;
    Py_END_ALLOW_THREADS
    if (outcome == DONE)
        found = PyBytes_FromStringAndSize((const char *)marks, (Py_ssize_t)(pages.pages * MARK_BYTES));
    free(marks);
    if (outcome == MALFORMED)
        PyErr_SetString(PyExc_ValueError, "lengths of terms");
    else if (outcome == NO_MEMORY)
        PyErr_NoMemory();
    PyBuffer_Release(&text);
    PyBuffer_Release(&info);
    return found;
}

PyMethodDef TERM_FUNCTIONS[] = {
    {"split_terms", split_terms, METH_VARARGS, split_terms_doc},
    {"mark_trigrams", mark_trigrams, METH_VARARGS, mark_trigrams_doc},
    {NULL, NULL, 0, NULL},
};
