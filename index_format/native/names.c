/* Finds the files whose names have nearly the letters of a given one; `find_names` in names.py does
   the same in Python. It reads millions of paths for few that are compared letter by letter. */

#include "native.h"

#include <stdlib.h>
#include <string.h>

#define KINDS 256
#define MOST_EDITS (1 << 20)
#define BEYOND 0xC0 /* all characters beyond ASCII count as one */

/* How often each character is wanted. */
typedef struct {
    int32_t left[KINDS];
    int32_t all, most_apart;
} Letters;

typedef struct {
    int64_t *numbers;
    size_t count, room;
} Found;

/* The kind of a byte; -1 for one that follows another one of its character. */
static int
kind_of(uint8_t byte)
{
    if (byte >= 'A' && byte <= 'Z')
        return byte + ('a' - 'A');
    if (byte < 0x80)
        return byte;
    return byte < BEYOND ? -1 : BEYOND;
}

/* Whether a name lacks, and has besides, few characters; `letters` are as before at the end. */
static int
is_near(Letters *letters, const uint8_t *name, const uint8_t *end)
{
    int32_t lacking = letters->all, besides = 0;
    const uint8_t *at = name;
    for (; at < end && besides <= letters->most_apart; at++) {
        int kind = kind_of(*at);
        if (kind >= 0) {
            if (--letters->left[kind] >= 0)
                lacking--;
            else
                besides++;
        }
    }
    while (at > name) {
        int kind = kind_of(*--at);
        if (kind >= 0)
            letters->left[kind]++;
    }
    return lacking + besides <= letters->most_apart;
}

/* Where the name in a path begins. */
static const uint8_t *
name_in(const uint8_t *path, const uint8_t *end)
{
    const uint8_t *at = end;
    while (at > path && at[-1] != '/')
        at--;
    return at;
}

static int
add(Found *found, int64_t file, int64_t begin, int64_t end)
{
    if (found->count + 3 > found->room) {
        size_t room = 2 * found->room + 96;
        int64_t *grown = realloc(found->numbers, room * sizeof *grown);
        if (!grown)
            return 0;
        found->numbers = grown;
        found->room = room;
    }
    found->numbers[found->count++] = file;
    found->numbers[found->count++] = begin;
    found->numbers[found->count++] = end;
    return 1;
}

/* Looks at all names; returns 0 without memory. */
static int
find_all(Letters *letters, const uint8_t *text, const int64_t *bounds, size_t files, int whole,
         Found *found)
{
    for (size_t file = 0; file < files; file++) {
        const uint8_t *end = text + bounds[file + 1], *begin = name_in(text + bounds[file], end);
        if (!whole && begin < end) {
            const uint8_t *dot = memchr(begin + 1, '.', (size_t)(end - begin) - 1);
            end = dot ? dot : end;
        }
        if (end - begin + letters->most_apart >= letters->all && is_near(letters, begin, end) &&
            !add(found, (int64_t)file, begin - text, end - text))
            return 0;
    }
    return 1;
}

static int
are_bounds(const int64_t *bounds, size_t files, size_t length)
{
    for (size_t file = 0; file < files; file++)
        if (bounds[file] < 0 || bounds[file] > bounds[file + 1])
            return 0;
    return bounds[files] >= 0 && (uint64_t)bounds[files] <= length;
}

PyDoc_STRVAR(find_names_doc,
             "find_names(text, bounds, wanted, limit, whole)\n--\n\n"
             "The files whose names may be within `limit` edits of the wanted one: for each its\n"
             "number, and where in the text its name begins and ends (int64).");

static PyObject *
find_names(PyObject *module, PyObject *arguments)
{
    Py_buffer bounds;
    Letters letters = {0};
    Found found = {0};
    const char *text, *wanted;
    Py_ssize_t length, size;
    PyObject *packed = NULL;
    int limit, whole, sound = 1;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y#y*y#ip:find_names", &text, &length, &bounds, &wanted, &size,
                          &limit, &whole))
        return NULL;
    size_t files = (size_t)bounds.len / sizeof(int64_t);
    if (!files || (size_t)bounds.len % sizeof(int64_t) || limit < 0 ||
        !are_bounds(bounds.buf, files - 1, (size_t)length)) {
        PyErr_SetString(PyExc_ValueError, "bounds of paths ascend within the text, with one more");
    } else {
        letters.most_apart = 2 * (limit < MOST_EDITS ? limit : MOST_EDITS);
        for (Py_ssize_t at = 0; at < size; at++) {
            int kind = kind_of((uint8_t)wanted[at]);
            if (kind >= 0) {
                letters.left[kind]++;
                letters.all++;
            }
        }
        Py_BEGIN_ALLOW_THREADS
        sound = find_all(&letters, (const uint8_t *)text, bounds.buf, files - 1, whole, &found);
        Py_END_ALLOW_THREADS
        packed = sound ? PyBytes_FromStringAndSize((const char *)found.numbers,
                                                   (Py_ssize_t)(found.count * sizeof(int64_t)))
                       : PyErr_NoMemory();
    }
    free(found.numbers);
    PyBuffer_Release(&bounds);
    return packed;
}

PyMethodDef NAME_FUNCTIONS[] = {
    {"find_names", find_names, METH_VARARGS, find_names_doc},
    {NULL, NULL, 0, NULL},
};
