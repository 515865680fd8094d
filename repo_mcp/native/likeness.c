/* How far rows of bits are from one, and what remains of code without its names.

   `packing.py` and `shapes.py` in `repo_mcp/vectors` do the same in Python. */

#include "server.h"

#include <stdlib.h>
#include <string.h>

#define FARTHEST 255 /* a distance has a byte */

/* ---- distances ---- */

static uint64_t
word_at(const uint8_t *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

static unsigned
plain_ones(uint64_t word)
{
    word -= word >> 1 & 0x5555555555555555u;
    word = (word & 0x3333333333333333u) + (word >> 2 & 0x3333333333333333u);
    word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
    return (unsigned)(word * 0x0101010101010101u >> 56);
}

#define DISTANCES(name, ones)                                                                     \
    name(const uint8_t *row, size_t count, size_t stride, const uint8_t *bits, size_t width,       \
         uint8_t *found)                                                                           \
    {                                                                                              \
        for (size_t number = 0; number < count; number++, row += stride) {                         \
            unsigned distance = 0;                                                                 \
            size_t at = 0;                                                                         \
            for (; at + 8 <= width; at += 8)                                                       \
                distance += (unsigned)ones(word_at(row + at) ^ word_at(bits + at));                \
            for (; at < width; at++)                                                               \
                distance += (unsigned)ones((uint64_t)(row[at] ^ bits[at]));                        \
            found[number] = (uint8_t)(distance < FARTHEST ? distance : FARTHEST);                  \
        }                                                                                          \
    }

static void DISTANCES(plain_distances, plain_ones)

#if defined(__GNUC__) && defined(__x86_64__)
#define COUNTS_IN_HARDWARE (__builtin_cpu_init(), __builtin_cpu_supports("popcnt"))
__attribute__((target("popcnt"))) static void DISTANCES(fast_distances, __builtin_popcountll)
#elif defined(__GNUC__) && defined(__aarch64__)
#define COUNTS_IN_HARDWARE 1
static void DISTANCES(fast_distances, __builtin_popcountll)
#else
#define COUNTS_IN_HARDWARE 0
#define fast_distances plain_distances
#endif

PyDoc_STRVAR(bit_distances_doc,
             "bit_distances(rows, stride, bits)\n--\n\n"
             "In how many bits each row differs from these at its beginning, a byte each, 255 at\n"
             "most. Rows have `stride` bytes.");

static PyObject *
bit_distances(PyObject *module, PyObject *arguments)
{
    Py_buffer rows, bits;
    Py_ssize_t stride;
    PyObject *result = NULL;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y*ny*:bit_distances", &rows, &stride, &bits))
        return NULL;
    if (stride < 1 || rows.len % stride || bits.len > stride)
        PyErr_SetString(PyExc_ValueError, "rows of another length");
    else
        result = PyBytes_FromStringAndSize(NULL, rows.len / stride);
    if (result) {
        uint8_t *found = (uint8_t *)PyBytes_AsString(result);
        (COUNTS_IN_HARDWARE ? fast_distances : plain_distances)(
            rows.buf, (size_t)(rows.len / stride), (size_t)stride, bits.buf, (size_t)bits.len, found);
    }
    PyBuffer_Release(&rows);
    PyBuffer_Release(&bits);
    return result;
}

/* ---- shapes ---- */

static int
is_digit(uint8_t byte)
{
    return byte >= '0' && byte <= '9';
}

static int
in_word(uint8_t byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || is_digit(byte) ||
           byte == '_' || byte >= 0x80;
}

static int
is_blank(uint8_t byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

static const uint8_t *
after_line(const uint8_t *at, const uint8_t *end)
{
    const uint8_t *feed = memchr(at, '\n', (size_t)(end - at));
    return feed ? feed : end;
}

/* Behind the next of these marks, each of one character as often as it has bytes. */
static const uint8_t *
after_mark(const uint8_t *at, const uint8_t *end, const char *mark, size_t size)
{
    for (; (size_t)(end - at) >= size; at++)
        if (!memcmp(at, mark, size))
            return at + size;
    return end;
}

/* Behind a string that ends with its quote, or before the end of the line. */
static const uint8_t *
after_quote(const uint8_t *at, const uint8_t *end)
{
    uint8_t quote = *at++;
    while (at < end && *at != '\n') {
        if (*at == quote)
            return at + 1;
        at += *at == '\\' && end - at > 1 && at[1] != '\n' ? 2 : 1;
    }
    return at;
}

static const uint8_t *
fold_token(const uint8_t *at, const uint8_t *end, uint8_t **folded)
{
    uint8_t byte = *at;
    size_t left = (size_t)(end - at);
    if (is_blank(byte))
        return at + 1;
    if (in_word(byte)) {
        *(*folded)++ = is_digit(byte) ? '0' : 'i';
        while (at < end && in_word(*at))
            at++;
        return at;
    }
    if (left > 2 && (!memcmp(at, "\"\"\"", 3) || !memcmp(at, "'''", 3))) {
        *(*folded)++ = 's';
        return after_mark(at + 3, end, byte == '"' ? "\"\"\"" : "'''", 3);
    }
    if (byte == '"' || byte == '\'' || byte == '`') {
        *(*folded)++ = 's';
        return after_quote(at, end);
    }
    if (left > 1 && byte == '/' && at[1] == '*')
        return after_mark(at + 2, end, "*/", 2);
    if (byte == '#' || (left > 1 && byte == '/' && at[1] == '/'))
        return after_line(at, end);
    *(*folded)++ = byte;
    return at + 1;
}

PyDoc_STRVAR(fold_code_doc,
             "fold_code(text)\n--\n\n"
             "The same as `shapes.fold_code`: i for each word, 0 for a number, s for a string, and\n"
             "all other marks, without blanks and comments.");

static PyObject *
fold_code(PyObject *module, PyObject *arguments)
{
    Py_buffer text;
    const uint8_t *at, *end;
    uint8_t *folded, *start;
    PyObject *result = NULL;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y*:fold_code", &text))
        return NULL;
    start = folded = malloc(text.len ? (size_t)text.len : 1);
    if (!start) {
        PyErr_NoMemory();
    } else {
        at = text.buf;
        end = at + text.len;
        while (at < end)
            at = fold_token(at, end, &folded);
        result = PyBytes_FromStringAndSize((const char *)start, folded - start);
        free(start);
    }
    PyBuffer_Release(&text);
    return result;
}

PyMethodDef LIKENESS_FUNCTIONS[] = {
    {"bit_distances", bit_distances, METH_VARARGS, bit_distances_doc},
    {"fold_code", fold_code, METH_VARARGS, fold_code_doc},
    {NULL, NULL, 0, NULL},
};
