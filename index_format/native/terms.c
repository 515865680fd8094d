/* Picks the terms that may be parts of words from a dictionary. `codec/terms.py` says what the bytes
   mean, `query/term_search.py` does the same in Python. */

#include "native.h"

#include <stdlib.h>
#include <string.h>

#include "scan.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define TERMS_PER_PAGE 128
#define LONGEST (1 << 20)

/* Terms one a line, where each line begins, and the terms' numbers in the dictionary. */
typedef struct {
    Buffer lines, starts, numbers;
} Kind;

/* Room for all terms: what is not written costs nothing. */
static int
reserve_kind(Kind *kind, size_t bytes, size_t terms)
{
    return reserve(&kind->lines, bytes + terms + 1) &&
           reserve(&kind->starts, terms * sizeof(uint32_t)) &&
           reserve(&kind->numbers, terms * sizeof(uint32_t)) && add_bytes(&kind->lines, "\n", 1);
}

static inline void
put_number(Buffer *buffer, size_t number)
{
    uint32_t written = (uint32_t)number;
    memcpy(buffer->at + buffer->length, &written, sizeof written);
    buffer->length += sizeof written;
}

static inline void
put_term(Kind *kind, const uint8_t *term, size_t length, size_t number)
{
    uint8_t *line = kind->lines.at + kind->lines.length;
    put_number(&kind->starts, kind->lines.length);
    put_number(&kind->numbers, number);
    memcpy(line, term, length);
    line[length] = '\n';
    kind->lines.length += length + 1;
}

static size_t
read_length(const uint8_t **at, const uint8_t *end)
{
    size_t value = 0;
    if (*at < end && **at < 0x80)
        return *(*at)++;
    for (unsigned shift = 0; *at < end && shift < 21; shift += 7) {
        uint8_t byte = *(*at)++;
        value |= (size_t)(byte & 0x7F) << shift;
        if (byte < 0x80)
            return value;
    }
    return LONGEST;
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

typedef struct {
    const uint8_t *text, *info;
    size_t text_length, info_length, count;
} Dictionary;

enum Outcome { DONE, MALFORMED, NO_MEMORY };

static enum Outcome
split(const Dictionary *terms, const int64_t *starts, size_t pages, Kind *parts, Kind *beyond)
{
    const uint8_t *term = terms->text, *end = term + terms->text_length;
    size_t number = 0;
    for (size_t page = 0; page < pages; page++) {
        if (starts[page] < 0 || (uint64_t)starts[page] > terms->info_length)
            return MALFORMED;
        const uint8_t *at = terms->info + starts[page];
        size_t last = number + TERMS_PER_PAGE;
        for (; number < last && number < terms->count; number++) {
            size_t length = read_length(&at, terms->info + terms->info_length);
            if (length > (size_t)(end - term))
                return MALFORMED;
            Kind *kind = kind_of(term, length, end, parts, beyond);
            if (kind)
                put_term(kind, term, length, number);
            term += length;
        }
    }
    return term == end && number == terms->count ? DONE : MALFORMED;
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
    Dictionary terms;
    Py_buffer text, info;
    const char *starts;
    Py_ssize_t starts_length, count;
    Kind parts = {{0}, {0}, {0}}, beyond = {{0}, {0}, {0}};
    PyObject *found = NULL;
    enum Outcome outcome = NO_MEMORY;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y*y*y#n:split_terms", &text, &info, &starts, &starts_length, &count))
        return NULL;
    size_t pages = (size_t)starts_length / sizeof(int64_t);
    int64_t *places = malloc((size_t)starts_length + 1);
    terms = (Dictionary){text.buf, info.buf, (size_t)text.len, (size_t)info.len, (size_t)count};
    Py_BEGIN_ALLOW_THREADS
    if (count < 0)
        outcome = MALFORMED;
    else if (places && reserve_kind(&parts, terms.text_length, terms.count) &&
        reserve_kind(&beyond, terms.text_length, terms.count)) {
        memcpy(places, starts, pages * sizeof *places);
        outcome = split(&terms, places, pages, &parts, &beyond);
    }
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
    free(places);
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
