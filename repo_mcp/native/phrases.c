/* Finds a phrase in lines of plain text, in any letter case and with any blanks between its pieces:
   `find_phrase` in `repo_mcp/search/filter/phrases.py` does the same for any text. */

#include "server.h"

#include <stdlib.h>
#include <string.h>

#include "feeds.h"
#include "identifiers.h"

#define FARTHEST ((Py_ssize_t)1 << 40) /* lines are no farther */

typedef struct {
    const uint8_t *at;
    size_t length;
} Piece;

typedef struct {
    Piece *pieces; /* in small letters */
    size_t count, longest;
    int begins, ends; /* whether no word character may stand before it, and behind it */
} Phrase;

static inline int
is_word(uint8_t byte)
{
    return (KIND[byte] & (CAPITAL | SMALL | OTHER)) != 0;
}

/* The next place of a piece, NULL if there is none. */
static const uint8_t *
find_piece(const Piece *piece, const uint8_t *at, const uint8_t *end)
{
    while ((size_t)(end - at) >= piece->length) {
        at = memchr(at, *piece->at, (size_t)(end - at) - piece->length + 1);
        if (!at || !memcmp(at, piece->at, piece->length))
            return at;
        at++;
    }
    return NULL;
}

/* Where a phrase that begins here ends; NULL where none begins. */
static const uint8_t *
end_of_phrase(const Phrase *phrase, const uint8_t *text, const uint8_t *at, const uint8_t *end)
{
    if (phrase->begins && at > text && is_word(at[-1]))
        return NULL;
    for (size_t number = 0; number < phrase->count; number++) {
        const Piece *piece = phrase->pieces + number;
        const uint8_t *blanks = at;
        if (number) {
            while (at < end && is_blank(*at))
                at++;
            if (at == blanks)
                return NULL;
        }
        if ((size_t)(end - at) < piece->length || memcmp(at, piece->at, piece->length))
            return NULL;
        at += piece->length;
    }
    return phrase->ends && at < end && is_word(*at) ? NULL : at;
}

static int
add_line(PyObject *lines, Py_ssize_t line)
{
    PyObject *number = PyLong_FromSsize_t(line);
    int sound = number && PyList_Append(lines, number) == 0;
    Py_XDECREF(number);
    return sound;
}

/* Appends the lines in which the phrase begins, the first of which is `line`. */
static int
list_lines(const Phrase *phrase, const uint8_t *text, const uint8_t *end, Py_ssize_t line,
           PyObject *lines)
{
    const uint8_t *at = text, *counted = text, *after;
    Py_ssize_t last = 0;
    if (!phrase->count || !find_piece(phrase->pieces + phrase->longest, text, end))
        return 1;
    while ((at = find_piece(phrase->pieces, at, end))) {
        if (!(after = end_of_phrase(phrase, text, at, end))) {
            at++;
            continue;
        }
        line += (Py_ssize_t)count_line_feeds(counted, (size_t)(at - counted));
        counted = at;
        if (line != last && !add_line(lines, line))
            return 0;
        last = line;
        at = after;
    }
    return 1;
}

/* ---- what is asked ---- */

static int
read_pieces(Phrase *phrase, PyObject *pieces)
{
    phrase->count = (size_t)PyTuple_Size(pieces);
    if (!(phrase->pieces = calloc(phrase->count + 1, sizeof *phrase->pieces))) {
        PyErr_NoMemory();
        return 0;
    }
    for (size_t at = 0; at < phrase->count; at++) {
        char *text;
        Py_ssize_t length;
        if (PyBytes_AsStringAndSize(PyTuple_GetItem(pieces, (Py_ssize_t)at), &text, &length) < 0)
            return 0;
        if (!length) {
            PyErr_SetString(PyExc_ValueError, "an empty piece");
            return 0;
        }
        phrase->pieces[at] = (Piece){(const uint8_t *)text, (size_t)length};
        if ((size_t)length > phrase->pieces[phrase->longest].length)
            phrase->longest = at;
    }
    return 1;
}

/* Copies text in small letters; 0 where it is not ASCII. */
static int
lower_plain(const uint8_t *from, size_t length, uint8_t *to)
{
    uint8_t all = 0;
    for (size_t at = 0; at < length; at++) {
        uint8_t byte = from[at];
        all |= byte;
        to[at] = (uint8_t)(byte + ((uint8_t)(byte - 'A') < 26) * 0x20);
    }
    return all < 0x80;
}

/* The lines of a region with the phrase; None where it is not plain. */
static PyObject *
lines_in(const Phrase *phrase, const uint8_t *begin, const uint8_t *end, Py_ssize_t first)
{
    size_t length = (size_t)(end - begin);
    uint8_t *lowered = malloc(length + 1);
    PyObject *lines;
    if (!lowered)
        return PyErr_NoMemory();
    if (!lower_plain(begin, length, lowered)) {
        free(lowered);
        Py_RETURN_NONE;
    }
    lines = PyList_New(0);
    if (lines && !list_lines(phrase, lowered, lowered + length, first, lines))
        Py_CLEAR(lines);
    free(lowered);
    return lines;
}

PyDoc_STRVAR(find_phrase_doc,
             "find_phrase(data, first, last, pieces, begins, ends)\n--\n\n"
             "The lines from first to last in which pieces, in small letters, begin one behind the\n"
             "other with blanks between, in any letter case. No word character may stand before\n"
             "them where it `begins` with a word, nor behind. None where these are not ASCII.");

static PyObject *
find_phrase(PyObject *module, PyObject *arguments)
{
    const char *data;
    Py_ssize_t length, first, last;
    PyObject *pieces, *result = NULL;
    Phrase phrase = {0};
    const uint8_t *begin, *end, *stop;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y#nnO!pp:find_phrase", &data, &length, &first, &last,
                          &PyTuple_Type, &pieces, &phrase.begins, &phrase.ends))
        return NULL;
    end = (const uint8_t *)data + length;
    if (first < 1 || last < first || last >= FARTHEST)
        return PyList_New(0);
    begin = skip_feeds((const uint8_t *)data, end, (size_t)first - 1);
    if (!begin)
        return PyList_New(0);
    stop = skip_feeds(begin, end, (size_t)(last - first) + 1);
    if (read_pieces(&phrase, pieces))
        result = lines_in(&phrase, begin, stop ? stop : end, first);
    free(phrase.pieces);
    return result;
}

PyMethodDef PHRASE_FUNCTIONS[] = {
    {"find_phrase", find_phrase, METH_VARARGS, find_phrase_doc},
    {NULL, NULL, 0, NULL},
};
