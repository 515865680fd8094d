/* RowSums: sums the rows of a table of word vectors over the counted terms of texts.

   `repo_mcp/vectors/sums.py` does the same in Python and says what is summed. All arithmetic is on
   whole numbers, so the bytes are the same on every machine. A term is cut into parts once; a part
   has one row, or those of its character n-grams. Hashes are keyed as those of words.c are. */

#include "server.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "table.h"

#define FEWEST_CHARACTERS 2
#define MOST_CHARACTERS 24
#define MOST_BYTES (4 * MOST_CHARACTERS + 2)
#define MOST_DIMENSIONS 4096
/* rows that are summed in 32 bits: 512 * 32767 * 128 < 2**31 */
#define ROWS_AT_ONCE 512
#define SATURATION_BITS 10 /* of the fraction of what times are worth */
#define SHARE_BITS 15      /* of the fraction that an n-gram counts */
#define FACTOR_SHIFT 12    /* worth (11 bits) times scale (16 bits) becomes a factor (15 bits) */
#define LARGEST 127

typedef struct {
    uint32_t first, count; /* of its rows */
    uint32_t times;        /* in the current text; 0 between texts */
} Part;

typedef struct {
    PyObject_HEAD
    Key key;
    Py_buffer rows, scales;
    size_t row_count, dimensions;
    uint32_t buckets;
    Table words;
    int busy;
    /* of terms: 1 more than where its parts begin in `term_parts`, behind their count; 0: unseen */
    Numbers term_starts, term_parts;
    Table parts;
    Part *of_part;
    size_t of_part_room;
    Numbers part_rows, part_scales;
    Numbers touched; /* the parts of the current text */
    uint32_t which[ROWS_AT_ONCE];
    int32_t factors[ROWS_AT_ONCE];
    int32_t sums[MOST_DIMENSIONS];
    int64_t totals[MOST_DIMENSIONS];
} RowSums;

static uint32_t CRC[256];

static void
fill_crc(void)
{
    for (uint32_t at = 0; at < 256; at++) {
        uint32_t value = at;
        for (int bit = 0; bit < 8; bit++)
            value = value >> 1 ^ (value & 1 ? 0xEDB88320u : 0);
        CRC[at] = value;
    }
}

static uint32_t
crc32_of(const uint8_t *at, const uint8_t *end)
{
    uint32_t value = 0xFFFFFFFFu;
    for (; at < end; at++)
        value = CRC[(value ^ *at) & 0xFF] ^ value >> 8;
    return ~value;
}

static uint32_t
whole_root(uint32_t value)
{
    uint32_t root = 0;
    for (uint32_t bit = 1u << 15; bit; bit >>= 1)
        if ((root + bit) * (root + bit) <= value)
            root += bit;
    return root;
}

static uint32_t
scale_of(const RowSums *self, uint32_t row)
{
    const uint8_t *at = (const uint8_t *)self->scales.buf + 2 * (size_t)row;
    return at[0] | (uint32_t)at[1] << 8;
}

/* ---- parts ---- */

static int
add_gram_rows(RowSums *self, const uint8_t *text, size_t length)
{
    uint8_t marked[MOST_BYTES];
    uint32_t starts[MOST_CHARACTERS + 3], characters = 0, count, share;
    size_t size = 0;
    marked[size++] = '^';
    memcpy(marked + size, text, length);
    size += length;
    marked[size++] = '$';
    for (size_t at = 0; at < size; at++)
        if ((marked[at] & 0xC0) != 0x80)
            starts[characters++] = (uint32_t)at;
    starts[characters] = (uint32_t)size;
    count = (characters - 2) + (characters - 3);
    share = whole_root((1u << 2 * SHARE_BITS) / count);
    for (uint32_t width = 3; width <= 4; width++)
        for (uint32_t at = 0; at + width <= characters; at++) {
            uint32_t hash = crc32_of(marked + starts[at], marked + starts[at + width]);
            uint32_t row = (uint32_t)(self->row_count - self->buckets) + hash % self->buckets;
            uint32_t scale = scale_of(self, row) * share >> SHARE_BITS;
            if (!push(&self->part_rows, row) || !push(&self->part_scales, scale))
                return 0;
        }
    return 1;
}

/* Adds the number of a part to the current term, making the part if it is new. */
static int
add_part(RowSums *self, const uint8_t *at, size_t length, const uint8_t *end)
{
    Text text = text_of(&self->key, at, length, end);
    Slot *slot = self->parts.slots ? table_slot(&self->parts, &text) : NULL;
    uint32_t number = self->parts.count;
    if (slot && slot->next)
        return push(&self->term_parts, slot->next - 1);
    Part *of_part = grown(self->of_part, &self->of_part_room, (size_t)number + 1, sizeof *of_part);
    if (!of_part)
        return 0;
    self->of_part = of_part;
    uint32_t first = (uint32_t)self->part_rows.count;
    slot = self->words.slots ? table_slot(&self->words, &text) : NULL;
    if (slot && slot->next) {
        if (!push(&self->part_rows, slot->next - 1) ||
            !push(&self->part_scales, scale_of(self, slot->next - 1)))
            return 0;
    } else if (!add_gram_rows(self, at, length)) {
        return 0;
    }
    if (self->part_rows.count >= UINT32_MAX || !table_add(&self->parts, &text))
        return 0;
    of_part[number] = (Part){first, (uint32_t)self->part_rows.count - first, 0};
    return push(&self->term_parts, number);
}

/* Cuts a term at digits. */
static int
cut_term(RowSums *self, const uint8_t *term, size_t length)
{
    size_t begin = 0, characters = 0, place = self->term_parts.count;
    if (!push(&self->term_parts, 0))
        return 0;
    for (size_t at = 0; at <= length; at++) {
        if (at < length && (term[at] < '0' || term[at] > '9')) {
            characters += (term[at] & 0xC0) != 0x80;
            continue;
        }
        if (characters >= FEWEST_CHARACTERS && characters <= MOST_CHARACTERS) {
            if (!add_part(self, term + begin, at - begin, term + length))
                return 0;
            self->term_parts.items[place]++;
        }
        begin = at + 1;
        characters = 0;
    }
    return 1;
}

/* Where the parts of a term begin; -1 for an error. */
static int64_t
parts_of(RowSums *self, PyObject *vocabulary, uint32_t term)
{
    char *text;
    Py_ssize_t length;
    size_t place;
    if (term < self->term_starts.count && self->term_starts.items[term])
        return (int64_t)self->term_starts.items[term] - 1;
    if ((Py_ssize_t)term >= PyList_Size(vocabulary)) {
        PyErr_SetString(PyExc_IndexError, "a term that the vocabulary lacks");
        return -1;
    }
    if (PyBytes_AsStringAndSize(PyList_GetItem(vocabulary, term), &text, &length) < 0)
        return -1;
    while (self->term_starts.count <= term)
        if (!push(&self->term_starts, 0))
            goto memory;
    place = self->term_parts.count;
    if (place >= UINT32_MAX || !cut_term(self, (const uint8_t *)text, (size_t)length))
        goto memory;
    self->term_starts.items[term] = (uint32_t)place + 1;
    return (int64_t)place;
memory:
    PyErr_NoMemory();
    return -1;
}

/* ---- sums ---- */

/* Adds two rows, each times its factor, to the sums. */
#if defined(__SSE2__)
static void
add_two_rows(int32_t *sums, const int8_t *a, const int8_t *b, int32_t x, int32_t y, size_t count)
{
    const __m128i factors = _mm_set1_epi32((int32_t)((uint32_t)y << 16 | (uint32_t)x));
    size_t i = 0;
    for (; i + 16 <= count; i += 16) {
        __m128i one = _mm_loadu_si128((const __m128i *)(a + i));
        __m128i two = _mm_loadu_si128((const __m128i *)(b + i));
        __m128i pairs[2] = {_mm_unpacklo_epi8(one, two), _mm_unpackhi_epi8(one, two)};
        for (int half = 0; half < 2; half++) {
            /* each byte twice, then shifted: its sign fills the upper half */
            __m128i low = _mm_srai_epi16(_mm_unpacklo_epi8(pairs[half], pairs[half]), 8);
            __m128i high = _mm_srai_epi16(_mm_unpackhi_epi8(pairs[half], pairs[half]), 8);
            __m128i *to = (__m128i *)(sums + i + 8 * half);
            __m128i first = _mm_add_epi32(_mm_loadu_si128(to), _mm_madd_epi16(low, factors));
            __m128i next = _mm_add_epi32(_mm_loadu_si128(to + 1), _mm_madd_epi16(high, factors));
            _mm_storeu_si128(to, first);
            _mm_storeu_si128(to + 1, next);
        }
    }
    for (; i < count; i++)
        sums[i] += a[i] * x + b[i] * y;
}
#else
static void
add_two_rows(int32_t *sums, const int8_t *a, const int8_t *b, int32_t x, int32_t y, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sums[i] += a[i] * x + b[i] * y;
}
#endif

static void
add_rows(RowSums *self, size_t count)
{
    size_t dimensions = self->dimensions;
    int32_t *sums = self->sums;
    const int8_t *rows = self->rows.buf;
    memset(sums, 0, dimensions * sizeof *sums);
    for (size_t at = 0; at < count; at += 2) {
        const int8_t *a = rows + dimensions * self->which[at];
        int single = at + 1 == count;
        const int8_t *b = single ? a : rows + dimensions * self->which[at + 1];
        int32_t other = single ? 0 : self->factors[at + 1];
        add_two_rows(sums, a, b, self->factors[at], other, dimensions);
    }
    for (size_t i = 0; i < dimensions; i++)
        self->totals[i] += sums[i];
}

static void
sum_parts(RowSums *self)
{
    size_t waiting = 0;
    memset(self->totals, 0, self->dimensions * sizeof *self->totals);
    for (size_t i = 0; i < self->touched.count; i++) {
        Part *part = self->of_part + self->touched.items[i];
        uint64_t times = part->times;
        uint32_t worth = (uint32_t)((2 * times << SATURATION_BITS) / (times + 1));
        part->times = 0;
        for (uint32_t at = part->first; at < part->first + part->count; at++) {
            int32_t factor = (int32_t)(worth * self->part_scales.items[at] >> FACTOR_SHIFT);
            if (!factor)
                continue;
            self->which[waiting] = self->part_rows.items[at];
            self->factors[waiting++] = factor;
            if (waiting == ROWS_AT_ONCE) {
                add_rows(self, waiting);
                waiting = 0;
            }
        }
    }
    add_rows(self, waiting);
    self->touched.count = 0;
}

/* Writes the totals in bytes, the largest as 127. */
static void
round_totals(const RowSums *self, int8_t *vector)
{
    uint64_t largest = 0, ratio;
    int shift = 0;
    for (size_t i = 0; i < self->dimensions; i++) {
        int64_t total = self->totals[i];
        uint64_t size = (uint64_t)(total < 0 ? -total : total);
        largest = size > largest ? size : largest;
    }
    while (largest >> shift >= 1u << 31)
        shift++;
    if (!largest) {
        memset(vector, 0, self->dimensions);
        return;
    }
    ratio = ((uint64_t)LARGEST << 32) / (largest >> shift);
    for (size_t i = 0; i < self->dimensions; i++) {
        int64_t total = self->totals[i];
        uint64_t size = (uint64_t)(total < 0 ? -total : total) >> shift;
        int8_t value = (int8_t)((size * ratio + (1u << 31)) >> 32);
        vector[i] = total < 0 ? (int8_t)-value : value;
    }
}

static int
sum_text(RowSums *self, PyObject *vocabulary, const uint32_t *terms, const uint32_t *times,
         size_t count, int8_t *vector)
{
    for (size_t at = 0; at < count; at++) {
        int64_t place;
        uint32_t parts;
        if (!times[at])
            continue;
        if ((place = parts_of(self, vocabulary, terms[at])) < 0)
            return 0;
        parts = self->term_parts.items[place];
        for (uint32_t i = 1; i <= parts; i++) {
            uint32_t number = self->term_parts.items[place + i];
            Part *part = self->of_part + number;
            if (!part->times && !push(&self->touched, number)) {
                PyErr_NoMemory();
                return 0;
            }
            part->times += part->times > UINT32_MAX - times[at] ? 0 : times[at];
        }
    }
    sum_parts(self);
    round_totals(self, vector);
    return 1;
}

static void
forget(RowSums *self)
{
    drop(&self->term_starts);
    drop(&self->term_parts);
    table_clear(&self->parts);
    free(self->of_part);
    self->of_part = NULL;
    self->of_part_room = 0;
    drop(&self->part_rows);
    drop(&self->part_scales);
    drop(&self->touched);
}

static PyObject *
sum_texts(RowSums *self, PyObject *vocabulary, const Py_buffer *terms, const Py_buffer *times,
          PyObject *ends)
{
    Py_ssize_t count = PyTuple_Size(ends);
    size_t begin = 0, all = (size_t)terms->len / sizeof(uint32_t);
    PyObject *result;
    char *vectors;
    if ((size_t)count > (size_t)PY_SSIZE_T_MAX / self->dimensions)
        return PyErr_NoMemory();
    result = PyBytes_FromStringAndSize(NULL, count * (Py_ssize_t)self->dimensions);
    if (!result || !(vectors = PyBytes_AsString(result)))
        return NULL;
    for (Py_ssize_t at = 0; at < count; at++) {
        size_t end = PyLong_AsSize_t(PyTuple_GetItem(ends, at));
        int8_t *vector = (int8_t *)vectors + (size_t)at * self->dimensions;
        if (PyErr_Occurred())
            goto failed;
        if (end < begin || end > all) {
            PyErr_SetString(PyExc_ValueError, "ends have to ascend within the terms");
            goto failed;
        }
        if (!sum_text(self, vocabulary, (const uint32_t *)terms->buf + begin,
                      (const uint32_t *)times->buf + begin, end - begin, vector))
            goto failed;
        begin = end;
    }
    return result;
failed:
    Py_DECREF(result);
    return NULL;
}

PyDoc_STRVAR(sum_doc, "sum(vocabulary, terms, times, ends)\n--\n\n"
                      "A vector for each text, one behind the other. Text n has the terms from\n"
                      "ends[n - 1] to ends[n], as numbers of the vocabulary (uint32), and how\n"
                      "often each of them counts; the vocabulary may only grow between calls.");

static PyObject *
sums_sum(PyObject *object, PyObject *arguments)
{
    RowSums *self = (RowSums *)object;
    PyObject *vocabulary, *ends, *all, *result = NULL;
    Py_buffer terms, times;
    if (!PyArg_ParseTuple(arguments, "Oy*y*O:sum", &vocabulary, &terms, &times, &ends))
        return NULL;
    all = PySequence_Tuple(ends);
    if (!all)
        goto done;
    if (!PyList_Check(vocabulary))
        PyErr_SetString(PyExc_TypeError, "the vocabulary has to be a list of bytes");
    else if (self->busy)
        PyErr_SetString(PyExc_RuntimeError, "the sums are already being made");
    else if (terms.len != times.len || terms.len % (Py_ssize_t)sizeof(uint32_t))
        PyErr_SetString(PyExc_ValueError, "each term needs its times");
    else {
        self->busy = 1;
        result = sum_texts(self, vocabulary, &terms, &times, all);
        self->busy = 0;
        if (!result)
            forget(self);
    }
done:
    Py_XDECREF(all);
    PyBuffer_Release(&terms);
    PyBuffer_Release(&times);
    return result;
}

static int
read_words(RowSums *self, const uint8_t *at, size_t length)
{
    const uint8_t *end = at + length;
    while (at < end) {
        const uint8_t *stop = memchr(at, '\n', (size_t)(end - at));
        Text text;
        if (!stop)
            break;
        text = text_of(&self->key, at, (size_t)(stop - at), end);
        if (self->words.slots && table_slot(&self->words, &text)->next) {
            PyErr_SetString(PyExc_ValueError, "a word has two rows");
            return 0;
        }
        if (!table_add(&self->words, &text)) {
            PyErr_NoMemory();
            return 0;
        }
        at = stop + 1;
    }
    return 1;
}

static int
check_sizes(RowSums *self, Py_ssize_t dimensions)
{
    size_t rows = (size_t)self->scales.len / 2;
    if (dimensions < 1 || dimensions > MOST_DIMENSIONS || self->scales.len % 2 ||
        rows > UINT32_MAX || (size_t)self->rows.len != rows * (size_t)dimensions ||
        rows <= self->words.count) {
        PyErr_SetString(PyExc_ValueError, "rows, scales and words do not fit");
        return 0;
    }
    self->row_count = rows;
    self->dimensions = (size_t)dimensions;
    self->buckets = (uint32_t)(rows - self->words.count);
    return 1;
}

static PyObject *
sums_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"key", "words", "rows", "scales", "dimensions", NULL};
    const char *key, *words;
    Py_ssize_t key_length, words_length, dimensions;
    Py_buffer rows, scales;
    RowSums *self;
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "y#y#y*y*n:RowSums", names, &key,
                                     &key_length, &words, &words_length, &rows, &scales,
                                     &dimensions))
        return NULL;
    if (!(self = (RowSums *)alloc(type, 0))) {
        PyBuffer_Release(&rows);
        PyBuffer_Release(&scales);
        return NULL;
    }
    self->rows = rows;
    self->scales = scales;
    if (key_length != 16) {
        PyErr_SetString(PyExc_ValueError, "a key of 16 bytes is needed");
        goto failed;
    }
    self->key.k0 = eight_bytes((const uint8_t *)key);
    self->key.k1 = eight_bytes((const uint8_t *)key + 8);
    if (read_words(self, (const uint8_t *)words, (size_t)words_length) &&
        check_sizes(self, dimensions))
        return (PyObject *)self;
failed:
    Py_DECREF((PyObject *)self);
    return NULL;
}

static void
sums_dealloc(PyObject *object)
{
    RowSums *self = (RowSums *)object;
    PyTypeObject *type = Py_TYPE(object);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    forget(self);
    table_clear(&self->words);
    PyBuffer_Release(&self->rows);
    PyBuffer_Release(&self->scales);
    release(object);
    Py_DECREF(type);
}

static PyMethodDef SUMS_METHODS[] = {
    {"sum", sums_sum, METH_VARARGS, sum_doc},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot SUMS_SLOTS[] = {
    {Py_tp_doc, "Sums the rows of a table of word vectors over counted terms."},
    {Py_tp_new, sums_new},
    {Py_tp_dealloc, sums_dealloc},
    {Py_tp_methods, SUMS_METHODS},
    {0, NULL},
};

static PyType_Spec SUMS_SPEC = {
    .name = "index_format.native._native.RowSums",
    .basicsize = sizeof(RowSums),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = SUMS_SLOTS,
};

int
add_row_sums(PyObject *module)
{
    PyObject *type;
    int added;
    fill_crc();
    type = PyType_FromModuleAndSpec(module, &SUMS_SPEC, NULL);
    added = type ? PyModule_AddType(module, (PyTypeObject *)type) : -1;
    Py_XDECREF(type);
    return added;
}
