/* Objects of git: what a delta makes of its base, which entries of two trees differ, and how much of
   one text is in another. `repo_mcp/git/deltas.py` and `repo_mcp/git/likeness.py` are the models. */

#include "server.h"

#include <stdlib.h>
#include <string.h>

#define HASH_BYTES 20
#define MOST_SPAN 64 /* a span ends at a line feed, or after so many bytes */

/* ---- deltas ---- */

/* A size: seven bits a byte, the lowest first; -1 where the bytes end. */
static int64_t
read_size(const uint8_t **at, const uint8_t *end)
{
    uint64_t size = 0;
    for (int shift = 0; *at < end && shift < 63; shift += 7) {
        uint8_t byte = *(*at)++;
        size |= (uint64_t)(byte & 0x7F) << shift;
        if (!(byte & 0x80))
            return (int64_t)size;
    }
    return -1;
}

/* The bytes of a number that the bits of a command announce. */
static int
read_number(const uint8_t **at, const uint8_t *end, int bits, uint64_t *number)
{
    *number = 0;
    for (int place = 0; bits; place++, bits >>= 1) {
        if (!(bits & 1))
            continue;
        if (*at == end)
            return 0;
        *number |= (uint64_t)*(*at)++ << 8 * place;
    }
    return 1;
}

static int
apply(const uint8_t *base, uint64_t base_size, const uint8_t *at, const uint8_t *end,
      uint8_t *made, uint64_t size)
{
    uint8_t *stop = made + size;
    while (at < end) {
        uint8_t command = *at++;
        uint64_t from, length = command;
        const uint8_t *source = at;
        if (command & 0x80) {
            if (!read_number(&at, end, command & 0xF, &from) ||
                !read_number(&at, end, command >> 4 & 7, &length))
                return 0;
            length = length ? length : 0x10000;
            if (from > base_size || length > base_size - from)
                return 0;
            source = base + from;
        } else {
            if (!command || length > (uint64_t)(end - at))
                return 0;
            at += length;
        }
        if (length > (uint64_t)(stop - made))
            return 0;
        memcpy(made, source, length);
        made += length;
    }
    return made == stop;
}

PyDoc_STRVAR(apply_delta_doc,
             "apply_delta(base, delta, most)\n--\n\n"
             "The content of up to `most` bytes that a delta makes of its base; ValueError for\n"
             "any other delta.");

static PyObject *
apply_delta(PyObject *module, PyObject *arguments)
{
    Py_buffer base, delta;
    Py_ssize_t most;
    PyObject *made = NULL;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y*y*n:apply_delta", &base, &delta, &most))
        return NULL;
    const uint8_t *at = delta.buf, *end = at + delta.len;
    int64_t from = read_size(&at, end), size = read_size(&at, end);
    if (from == base.len && size >= 0 && size <= most)
        made = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    if (made && !apply(base.buf, (uint64_t)base.len, at, end, (uint8_t *)PyBytes_AsString(made),
                       (uint64_t)size))
        Py_CLEAR(made);
    if (!made && !PyErr_Occurred())
        PyErr_SetString(PyExc_ValueError, "a damaged delta");
    PyBuffer_Release(&base);
    PyBuffer_Release(&delta);
    return made;
}

/* ---- trees ---- */

typedef struct {
    const uint8_t *begin, *name, *hash, *next; /* the mode is from `begin` to before `name` */
} Entry;

/* The entry at `at`: 1, or 0 for damaged bytes. At the end its name is NULL. */
static int
read_entry(const uint8_t *at, const uint8_t *end, Entry *entry)
{
    const uint8_t *blank, *zero;
    *entry = (Entry){at, NULL, NULL, at};
    if (at == end)
        return 1;
    blank = memchr(at, ' ', (size_t)(end - at));
    zero = blank ? memchr(blank, 0, (size_t)(end - blank)) : NULL;
    if (!zero || end - zero <= HASH_BYTES)
        return 0;
    while (at < blank && *at == '0') /* some writers have padded the mode */
        at++;
    *entry = (Entry){at, blank + 1, zero + 1, zero + 1 + HASH_BYTES};
    return 1;
}

/* The order of entries in a tree: a folder's name counts as if it ended with a slash. */
static int
order_of(const Entry *one, const Entry *other)
{
    size_t sizes[2], common;
    int order, ends[2];
    if (!one->name || !other->name)
        return !one->name - !other->name;
    sizes[0] = (size_t)(one->hash - one->name - 1);
    sizes[1] = (size_t)(other->hash - other->name - 1);
    common = sizes[0] < sizes[1] ? sizes[0] : sizes[1];
    order = memcmp(one->name, other->name, common);
    if (order)
        return order;
    ends[0] = sizes[0] > common ? one->name[common] : *one->begin == '4' ? '/' : 0;
    ends[1] = sizes[1] > common ? other->name[common] : *other->begin == '4' ? '/' : 0;
    if (sizes[0] == sizes[1] && ends[0] == ends[1])
        return 0;
    return ends[0] - ends[1] ? ends[0] - ends[1] : sizes[0] < sizes[1] ? -1 : 1;
}

static int
add_change(PyObject *found, const Entry *old, const Entry *new)
{
    const Entry *named = old ? old : new;
    PyObject *item = Py_BuildValue(
        "y#y#y#y#y#", named->name, (Py_ssize_t)(named->hash - named->name - 1),
        old ? old->begin : named->name, old ? (Py_ssize_t)(old->name - old->begin - 1) : 0,
        old ? old->hash : named->name, old ? (Py_ssize_t)HASH_BYTES : 0,
        new ? new->begin : named->name, new ? (Py_ssize_t)(new->name - new->begin - 1) : 0,
        new ? new->hash : named->name, new ? (Py_ssize_t)HASH_BYTES : 0);
    int sound = item && PyList_Append(found, item) == 0;
    Py_XDECREF(item);
    return sound;
}

PyDoc_STRVAR(changed_entries_doc,
             "changed_entries(old, new)\n--\n\n"
             "Entries that two trees have not alike: name, then mode and hash in each of them,\n"
             "which are empty where it has none. ValueError for damaged trees.");

static PyObject *
changed_entries(PyObject *module, PyObject *arguments)
{
    Py_buffer trees[2];
    Entry old, new;
    PyObject *found;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y*y*:changed_entries", trees, trees + 1))
        return NULL;
    const uint8_t *ends[2];
    for (int side = 0; side < 2; side++)
        ends[side] = (const uint8_t *)trees[side].buf + trees[side].len;
    found = PyList_New(0);
    int sound = found && read_entry(trees[0].buf, ends[0], &old) &&
                read_entry(trees[1].buf, ends[1], &new);
    while (sound && (old.name || new.name)) {
        int order = order_of(&old, &new);
        if (order < 0)
            sound = add_change(found, &old, NULL);
        else if (order > 0)
            sound = add_change(found, NULL, &new);
        else if (old.name - old.begin != new.name - new.begin ||
                 memcmp(old.begin, new.begin, (size_t)(old.name - old.begin)) ||
                 memcmp(old.hash, new.hash, HASH_BYTES))
            sound = add_change(found, &old, &new);
        if (sound && order <= 0)
            sound = read_entry(old.next, ends[0], &old);
        if (sound && order >= 0)
            sound = read_entry(new.next, ends[1], &new);
    }
    if (!sound) {
        Py_CLEAR(found);
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_ValueError, "a damaged tree");
    }
    PyBuffer_Release(trees);
    PyBuffer_Release(trees + 1);
    return found;
}

/* ---- likeness ---- */

typedef struct {
    uint64_t hash;
    uint64_t bytes; /* of all spans with this hash */
} Span;

static int
by_hash(const void *one, const void *other)
{
    uint64_t a = ((const Span *)one)->hash, b = ((const Span *)other)->hash;
    return (a > b) - (a < b);
}

/* Distinct spans in the order of their hashes; NULL without memory. */
static Span *
spans_of(const uint8_t *at, const uint8_t *end, size_t *count)
{
    int is_text = !memchr(at, 0, (size_t)(end - at < 8000 ? end - at : 8000));
    size_t room = 64, found = 0, kept = 0;
    Span *spans = malloc(room * sizeof *spans), *more;
    while (spans && at < end) {
        uint64_t hash = 0xCBF29CE484222325u, bytes = 0;
        while (at < end) {
            uint8_t byte = *at++;
            if (is_text && byte == '\r' && at < end && *at == '\n')
                continue;
            hash = (hash ^ byte) * 0x100000001B3u;
            if (++bytes == MOST_SPAN || byte == '\n')
                break;
        }
        if (found == room) {
            if (!(more = realloc(spans, (room *= 2) * sizeof *spans))) {
                free(spans);
                return NULL;
            }
            spans = more;
        }
        spans[found++] = (Span){hash, bytes};
    }
    if (!spans)
        return NULL;
    qsort(spans, found, sizeof *spans, by_hash);
    for (size_t number = 0; number < found; number++) {
        if (kept && spans[kept - 1].hash == spans[number].hash)
            spans[kept - 1].bytes += spans[number].bytes;
        else
            spans[kept++] = spans[number];
    }
    *count = kept;
    return spans;
}

PyDoc_STRVAR(text_spans_doc,
             "text_spans(text)\n--\n\n"
             "Hashes and sizes of the lines of a text, and of pieces of long ones, for\n"
             "`common_bytes`.");

static PyObject *
text_spans(PyObject *module, PyObject *arguments)
{
    Py_buffer text;
    PyObject *result;
    size_t count = 0;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y*:text_spans", &text))
        return NULL;
    Span *spans = spans_of(text.buf, (const uint8_t *)text.buf + text.len, &count);
    result = spans ? PyBytes_FromStringAndSize((const char *)spans,
                                               (Py_ssize_t)(count * sizeof *spans))
                   : PyErr_NoMemory();
    free(spans);
    PyBuffer_Release(&text);
    return result;
}

PyDoc_STRVAR(common_bytes_doc,
             "common_bytes(old, new)\n--\n\n"
             "How many bytes of a text are in another one, by the spans of both.");

static PyObject *
common_bytes(PyObject *module, PyObject *arguments)
{
    Py_buffer spans[2];
    uint64_t common = 0;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y*y*:common_bytes", spans, spans + 1))
        return NULL;
    const uint8_t *at[2], *end[2];
    for (int side = 0; side < 2; side++) {
        at[side] = spans[side].buf;
        end[side] = at[side] + spans[side].len / (Py_ssize_t)sizeof(Span) * (Py_ssize_t)sizeof(Span);
    }
    while (at[0] < end[0] && at[1] < end[1]) {
        Span old, new;
        memcpy(&old, at[0], sizeof old);
        memcpy(&new, at[1], sizeof new);
        if (old.hash == new.hash)
            common += old.bytes < new.bytes ? old.bytes : new.bytes;
        at[0] += old.hash <= new.hash ? sizeof old : 0;
        at[1] += new.hash <= old.hash ? sizeof new : 0;
    }
    PyBuffer_Release(spans);
    PyBuffer_Release(spans + 1);
    return PyLong_FromUnsignedLongLong(common);
}

PyMethodDef GIT_FUNCTIONS[] = {
    {"apply_delta", apply_delta, METH_VARARGS, apply_delta_doc},
    {"changed_entries", changed_entries, METH_VARARGS, changed_entries_doc},
    {"text_spans", text_spans, METH_VARARGS, text_spans_doc},
    {"common_bytes", common_bytes, METH_VARARGS, common_bytes_doc},
    {NULL, NULL, 0, NULL},
};
