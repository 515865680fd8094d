/* Finds the terms of a query in words: a mark has a bit for each term. */

#include "identifiers.h"

#include <string.h>

#define MAX_TERMS 62 /* one bit of a mark each */

typedef struct {
    const uint8_t *at;
    size_t length;
} Term;

typedef struct {
    Term terms[MAX_TERMS];
    size_t count;
    uint64_t by_first_byte[256]; /* bits of the terms that begin with it */
    uint64_t by_length[MAX_WORD + 1];
} Query;

/* The bits of the terms equal to a word or a part of one, in small letters. */
static inline uint64_t
equal_terms(const Query *query, const uint8_t *word, size_t length)
{
    uint64_t likely = query->by_first_byte[*word] & query->by_length[length], found = 0;
    for (size_t bit = 0; likely; bit++, likely >>= 1)
        if (likely & 1 && !memcmp(query->terms[bit].at, word, length))
            found |= (uint64_t)1 << bit;
    return found;
}

/* The bits of the terms of an ASCII word: the word itself and its parts. */
static inline uint64_t
terms_of(const Query *query, const uint8_t *word, size_t length)
{
    uint8_t lowered[MAX_WORD];
    uint64_t found = 0;
    size_t begin, end = 0;
    lower(word, length, lowered);
    while (next_part(word, length, &begin, &end))
        found |= equal_terms(query, lowered + begin, end - begin);
    /* only underscores: no word */
    return end ? found | equal_terms(query, lowered, length) : 0;
}

static inline int
read_query(Query *query, PyObject *terms)
{
    memset(query, 0, sizeof *query);
    query->count = (size_t)PyTuple_Size(terms);
    if (PyErr_Occurred())
        return 0;
    if (query->count > MAX_TERMS) {
        PyErr_SetString(PyExc_ValueError, "too many terms");
        return 0;
    }
    for (size_t bit = 0; bit < query->count; bit++) {
        char *text;
        Py_ssize_t length;
        if (PyBytes_AsStringAndSize(PyTuple_GetItem(terms, (Py_ssize_t)bit), &text, &length) < 0)
            return 0;
        if (length < 1 || length > MAX_WORD)
            continue;
        query->terms[bit] = (Term){(const uint8_t *)text, (size_t)length};
        query->by_first_byte[(uint8_t)*text] |= (uint64_t)1 << bit;
        query->by_length[length] |= (uint64_t)1 << bit;
    }
    return 1;
}
