/* Pages of a dictionary: their terms and numbers, decoded and encoded. `codec/term_pages.py` says
   what the bytes mean, and does the same where nothing is compiled.

   Every number is checked before it is used: bytes that no encoder writes are a ValueError. */

#include "native.h"

#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "term_pages.h"

#define MAX_WIDTH 16
#define BLOCK 128

static PyObject *
malformed(const char *what)
{
    PyErr_SetString(PyExc_ValueError, what);
    return NULL;
}

/* ---- decoding ---- */

static inline uint64_t
little_64(const uint8_t *at)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < 8; i++)
        value |= (uint64_t)at[i] << (8 * i);
    return value;
}

/* Unpacks a run that lies before `end`: eight bytes at a time where there are so many. */
static void
unpack_run(const uint8_t *at, const uint8_t *end, unsigned width, size_t count, uint64_t *values)
{
    const uint64_t mask = ((uint64_t)1 << width) - 1;
    size_t i = 0, bit = 0, room = (size_t)(end - at);
    for (; i < count && bit / 8 + 8 <= room; i++, bit += width)
        values[i] = little_64(at + bit / 8) >> (bit & 7) & mask;
    for (; i < count; i++, bit += width) {
        uint64_t held = 0;
        for (size_t byte = bit / 8, shift = 0; byte < room && shift < 24; byte++, shift += 8)
            held |= (uint64_t)at[byte] << shift;
        values[i] = held >> (bit & 7) & mask;
    }
}

/* Reads a varint and adds it to a number; 0 where that is too much. */
static int
add_varint(const uint8_t **at, const uint8_t *end, uint64_t *number)
{
    for (unsigned shift = 0;; shift += 7) {
        if (*at == end || shift > NUMBER_BITS)
            return 0;
        uint8_t byte = *(*at)++;
        *number += (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80)
            return !(*number >> NUMBER_BITS);
    }
}

/* Decodes the first runs of a page of so many terms; returns what is wrong with them, or NULL. */
static const char *
decode_runs(const uint8_t *info, size_t length, unsigned runs, size_t count, TermPage *page)
{
    size_t at = RUNS;
    if (length < RUNS)
        return "a page without widths";
    for (unsigned run = 0; run < RUNS; run++) {
        unsigned width = info[run];
        if (width > MAX_WIDTH)
            return "a width beyond the widest";
        size_t bytes = (count * width + 7) / 8;
        if (bytes > length - at)
            return "a run beyond the end of its page";
        if (run < runs)
            unpack_run(info + at, info + length, width, count, page->values[run]);
        at += bytes;
    }
    const uint8_t *rest = info + at, *end = info + length;
    for (unsigned run = 0; run < runs; run++) {
        uint64_t more = ((uint64_t)1 << info[run]) - 1, *values = page->values[run];
        for (size_t i = 0; more && i < count; i++)
            if (values[i] == more && !add_varint(&rest, end, values + i))
                return "a number that is cut off or too large";
    }
    if (runs < RUNS)
        return NULL;
    for (size_t i = 0; i < count; i++)
        page->values[CHUNKS][i]++;
    return rest == end ? NULL : "bytes behind the last number of a page";
}

int
has_all_pages(const TermPages *pages)
{
    return pages->pages == (pages->count + TERMS_PER_PAGE - 1) / TERMS_PER_PAGE;
}

const char *
decode_page(const TermPages *pages, size_t number, unsigned runs, TermPage *page, size_t *size)
{
    int64_t begin, end = (int64_t)pages->length;
    size_t first = number * TERMS_PER_PAGE;
    memcpy(&begin, pages->starts + number * sizeof begin, sizeof begin);
    if (number + 1 < pages->pages)
        memcpy(&end, pages->starts + (number + 1) * sizeof end, sizeof end);
    if (begin < 0 || begin > end || (uint64_t)end > pages->length)
        return "pages that are not one after the other";
    *size = pages->count - first < TERMS_PER_PAGE ? pages->count - first : TERMS_PER_PAGE;
    return decode_runs(pages->info + begin, (size_t)(end - begin), runs, *size, page);
}

PyDoc_STRVAR(decode_pages_doc,
             "decode_pages(info, starts, count)\n--\n\n"
             "Six columns of `count` numbers (int64), one behind the other: bytes that a term shares\n"
             "with the one before it, other bytes, chunks, occurrences less chunks, lengths of its\n"
             "tail and of its positions. `starts` are the places of pages in `info` (int64).");

static PyObject *
decode_pages(PyObject *module, PyObject *arguments)
{
    Py_buffer info;
    const char *starts, *wrong = NULL;
    Py_ssize_t length, count;
    PyObject *found = NULL;
    TermPage page;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y*y#n:decode_pages", &info, &starts, &length, &count))
        return NULL;
    size_t number = (size_t)length / sizeof(int64_t);
    TermPages pages = {info.buf, starts, (size_t)info.len, number, (size_t)count};
    if (count < 0 || !has_all_pages(&pages))
        wrong = "pages for another count of terms";
    else if ((found = PyBytes_FromStringAndSize(NULL, count * RUNS * (Py_ssize_t)sizeof(int64_t)))) {
        uint64_t *columns = (uint64_t *)PyBytes_AsString(found);
        size_t size;
        for (size_t at = 0; at < number && !(wrong = decode_page(&pages, at, RUNS, &page, &size)); at++)
            for (unsigned run = 0; run < RUNS; run++)
                memcpy(columns + run * pages.count + at * TERMS_PER_PAGE, page.values[run],
                       size * sizeof *columns);
    }
    PyBuffer_Release(&info);
    if (wrong) {
        Py_XDECREF(found);
        return malformed(wrong);
    }
    return found;
}

PyDoc_STRVAR(spell_terms_doc,
             "spell_terms(text, info, starts, count)\n--\n\n"
             "The terms of pages, one behind the other, and their lengths (uint32).");

/* Copies a few bytes, and what is behind them: sixteen more of either have to be there. */
static inline void
copy_short(uint8_t *to, const uint8_t *from, size_t length)
{
    for (size_t at = 0; at < length; at += 16) {
        uint8_t held[16];
        memcpy(held, from + at, 16);
        memcpy(to + at, held, 16);
    }
}

/* Spells a page's terms at `out`, where the most that they can be and sixteen bytes are free; returns
   what is wrong with them, or NULL. */
static const char *
spell_page(const TermPage *page, size_t size, const uint8_t **others, const uint8_t *end,
           uint8_t **out, uint32_t *lengths)
{
    const uint8_t *before = *out;
    uint64_t length = 0;
    for (size_t i = 0; i < size; i++) {
        uint64_t shared = page->values[SHARED][i], other = page->values[OTHERS][i];
        uint64_t left = (uint64_t)(end - *others);
        const char *wrong = shared > length ? "a term that shares more than the one before it has"
                            : other > left  ? "terms longer than their text"
                            : shared + other > MAX_TERM_BYTES ? "a term longer than any may be"
                                                              : NULL;
        if (wrong)
            return wrong;
        copy_short(*out, before, (size_t)shared);
        if (left >= other + 16)
            copy_short(*out + shared, *others, (size_t)other);
        else
            memcpy(*out + shared, *others, (size_t)other);
        before = *out;
        length = shared + other;
        *others += other;
        *out += length;
        lengths[i] = (uint32_t)length;
    }
    return NULL;
}

#define PAGE_BYTES (TERMS_PER_PAGE * MAX_TERM_BYTES + 16)

/* Spells all terms; returns what is wrong with them, or NULL. */
static const char *
spell(const TermPages *pages, const Py_buffer *text, Buffer *out, uint32_t *lengths)
{
    const uint8_t *others = text->buf, *end = others + text->len;
    TermPage page;
    size_t size;
    for (size_t number = 0; number < pages->pages; number++, lengths += size) {
        const char *wrong = decode_page(pages, number, OTHERS + 1, &page, &size);
        if (wrong)
            return wrong;
        if (!reserve(out, out->length + PAGE_BYTES))
            return "more terms than there is memory for";
        uint8_t *term = out->at + out->length;
        if ((wrong = spell_page(&page, size, &others, end, &term, lengths)))
            return wrong;
        out->length = (size_t)(term - out->at);
    }
    return others == end ? NULL : "a text longer than its terms";
}

static PyObject *
spell_terms(PyObject *module, PyObject *arguments)
{
    Py_buffer text, info;
    const char *starts, *wrong = "pages for another count of terms";
    Py_ssize_t length, count;
    PyObject *found = NULL, *lengths = NULL;
    Buffer out = {0};
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y*y*y#n:spell_terms", &text, &info, &starts, &length, &count))
        return NULL;
    TermPages pages = {info.buf, starts, (size_t)info.len, (size_t)length / sizeof(int64_t),
                       (size_t)count};
    if (count >= 0 && has_all_pages(&pages)) {
        lengths = PyBytes_FromStringAndSize(NULL, count * (Py_ssize_t)sizeof(uint32_t));
        if (lengths && !reserve(&out, 3 * (size_t)text.len + PAGE_BYTES))
            PyErr_NoMemory();
        else if (lengths)
            wrong = spell(&pages, &text, &out, (uint32_t *)PyBytes_AsString(lengths));
    }
    if (wrong && !PyErr_Occurred())
        malformed(wrong);
    else if (lengths)
        found = Py_BuildValue("y#O", (const char *)out.at, (Py_ssize_t)out.length, lengths);
    release(&out);
    Py_XDECREF(lengths);
    PyBuffer_Release(&text);
    PyBuffer_Release(&info);
    return found;
}

/* ---- one term ---- */

/* A term that is looked for in ascending terms: how much the last one read has of it. */
typedef struct {
    const uint8_t *term;
    size_t length, same;
    int passed; /* what follows is behind the term */
} Search;

/* Whether the next term is it. */
static int
is_next(Search *search, const uint8_t *others, size_t shared, size_t length)
{
    if (search->passed || shared > search->same)
        return 0;
    if (shared < search->same) {
        search->passed = 1;
        return 0;
    }
    size_t at = 0, left = search->length - shared;
    while (at < length && at < left && others[at] == search->term[shared + at])
        at++;
    search->same = shared + at;
    return at == length && at == left;
}

PyDoc_STRVAR(decode_entry_doc,
             "decode_entry(info, text, term, size)\n--\n\n"
             "Sums over a dictionary page (bytes of terms, lengths of tails and positions; blocks),\n"
             "and the entry of one term: chunks, occurrences, blocks before it, offset and length of\n"
             "its tail, offset and length of its positions. None where the page lacks the term.");

/* Which term of a page it is: -1 for none, -2 for terms that are malformed. */
static Py_ssize_t
find_term(const TermPage *page, size_t size, const Py_buffer *text, Search *search)
{
    uint64_t before = 0, used = 0;
    Py_ssize_t at = -1;
    for (size_t i = 0; i < size; i++) {
        uint64_t shared = page->values[SHARED][i], others = page->values[OTHERS][i];
        if (shared > before || others > (uint64_t)text->len - used)
            return -2;
        if (is_next(search, (const uint8_t *)text->buf + used, (size_t)shared, (size_t)others))
            at = (Py_ssize_t)i;
        before = shared + others;
        used += others;
    }
    return used == (uint64_t)text->len ? at : -2;
}

static PyObject *
entry_object(const TermPage *page, size_t size, size_t at)
{
    uint64_t sums[4] = {0}, found[4] = {0};
    const uint64_t(*values)[TERMS_PER_PAGE] = page->values;
    for (size_t i = 0; i < size; i++) {
        if (i == at)
            memcpy(found, sums, sizeof found);
        sums[0] += values[OTHERS][i];
        sums[1] += values[TAILS][i];
        sums[2] += values[POSITIONS][i];
        sums[3] += values[CHUNKS][i] / BLOCK;
    }
    return Py_BuildValue("(KKKK)(KKKKKKK)", sums[0], sums[1], sums[2], sums[3], values[CHUNKS][at],
                         values[CHUNKS][at] + values[SURPLUS][at], found[3], found[1],
                         values[TAILS][at], found[2], values[POSITIONS][at]);
}

static PyObject *
decode_entry(PyObject *module, PyObject *arguments)
{
    Py_buffer info, text;
    const char *term, *wrong = "a page of another size";
    Py_ssize_t length, size, at = -1;
    TermPage page;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y*y*y#n:decode_entry", &info, &text, &term, &length, &size))
        return NULL;
    Search search = {(const uint8_t *)term, (size_t)length, 0, 0};
    if (size >= 0 && size <= TERMS_PER_PAGE)
        wrong = decode_runs(info.buf, (size_t)info.len, OTHERS + 1, (size_t)size, &page);
    if (!wrong && (at = find_term(&page, (size_t)size, &text, &search)) == -2)
        wrong = "terms that do not fit their text";
    /* the rest of the page, once the term is in it */
    if (!wrong && at >= 0)
        wrong = decode_runs(info.buf, (size_t)info.len, RUNS, (size_t)size, &page);
    PyBuffer_Release(&info);
    PyBuffer_Release(&text);
    if (wrong)
        return malformed(wrong);
    if (at < 0)
        Py_RETURN_NONE;
    return entry_object(&page, (size_t)size, (size_t)at);
}

/* ---- encoding ---- */

/* Room for what the largest page takes: values of `NUMBER_BITS` bits as varints, too. */
#define PAGE_ROOM (RUNS * (1 + TERMS_PER_PAGE * (2 + 6)))

/* The width at which a run and its varints are shortest, if each of these took a byte. */
static unsigned
choose_width(const uint64_t *values, size_t count)
{
    size_t counts[NUMBER_BITS + 2] = {0}, larger = count, least = 0;
    unsigned best = 0;
    for (size_t i = 0; i < count; i++)
        counts[bit_length(values[i] + 1)]++;
    if (counts[1] == count)
        return 0;
    for (unsigned width = 1; width <= MAX_WIDTH; width++) {
        larger -= counts[width];
        size_t cost = width * count + 8 * larger;
        if (!best || cost < least) {
            best = width;
            least = cost;
        }
    }
    return best;
}

static uint8_t *
pack_run(uint8_t *out, unsigned width, size_t count, const uint64_t *values)
{
    uint64_t held = 0, most = ((uint64_t)1 << width) - 1;
    unsigned bits = 0;
    for (size_t i = 0; i < count; i++) {
        held |= (values[i] < most ? values[i] : most) << bits;
        for (bits += width; bits >= 8; bits -= 8, held >>= 8)
            *out++ = (uint8_t)held;
    }
    if (bits)
        *out++ = (uint8_t)held;
    return out;
}

static uint8_t *
put_varint(uint8_t *out, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *out++ = (uint8_t)(value | 0x80);
    *out++ = (uint8_t)value;
    return out;
}

/* Encodes a page's runs; returns their end. `values` are as stored: chunks less 1. */
static uint8_t *
encode_runs(const TermPage *page, size_t count, uint8_t *out)
{
    uint8_t *widths = out;
    out += RUNS;
    for (unsigned run = 0; run < RUNS; run++) {
        widths[run] = (uint8_t)choose_width(page->values[run], count);
        out = pack_run(out, widths[run], count, page->values[run]);
    }
    for (unsigned run = 0; run < RUNS; run++) {
        uint64_t most = ((uint64_t)1 << widths[run]) - 1;
        for (size_t i = 0; most && i < count; i++)
            if (page->values[run][i] >= most)
                out = put_varint(out, page->values[run][i] - most);
    }
    return out;
}

/* The terms of a page and their columns: four of `all` numbers each. */
typedef struct {
    PyObject *terms;
    const char *columns;
    size_t all;
} Terms;

/* Puts what terms have behind the ones before them; fills two runs. NULL where one is no bytes. */
static uint8_t *
put_terms(const Terms *terms, size_t first, size_t count, TermPage *page, uint8_t *out)
{
    const char *before = "";
    size_t before_length = 0;
    for (size_t i = 0; i < count; i++) {
        char *term;
        Py_ssize_t length;
        /* borrowed: nothing runs in between that could change the list */
        PyObject *item = PyList_GetItem(terms->terms, (Py_ssize_t)(first + i));
        if (!item || PyBytes_AsStringAndSize(item, &term, &length) < 0)
            return NULL;
        size_t shared = 0, most = before_length < (size_t)length ? before_length : (size_t)length;
        while (shared < most && before[shared] == term[shared])
            shared++;
        memcpy(out, term + shared, (size_t)length - shared);
        out += (size_t)length - shared;
        page->values[SHARED][i] = shared;
        page->values[OTHERS][i] = (size_t)length - shared;
        before = term;
        before_length = (size_t)length;
    }
    return out;
}

static const char *
put_columns(const Terms *terms, size_t first, size_t count, TermPage *page)
{
    for (unsigned run = CHUNKS; run < RUNS; run++) {
        const char *column = terms->columns + (run - CHUNKS) * terms->all * sizeof(uint64_t);
        memcpy(page->values[run], column + first * sizeof(uint64_t), count * sizeof(uint64_t));
        for (size_t i = 0; i < count; i++) {
            page->values[run][i] -= run == CHUNKS;
            if (page->values[run][i] >> NUMBER_BITS)
                return "a number that no page holds";
        }
    }
    return NULL;
}

/* How many bytes these terms have; -1 where one is no bytes. */
static Py_ssize_t
count_bytes(PyObject *terms, Py_ssize_t count)
{
    Py_ssize_t total = 0, length;
    char *term;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *item = PyList_GetItem(terms, i);
        if (!item || PyBytes_AsStringAndSize(item, &term, &length) < 0)
            return -1;
        total += length;
    }
    return total;
}

PyDoc_STRVAR(encode_pages_doc,
             "encode_pages(terms, columns)\n--\n\n"
             "The bytes of pages of ascending terms, the last may be short: their text, their\n"
             "numbers, and of each page how long these are (int64). `columns` are chunks,\n"
             "occurrences less chunks, and lengths of tails and positions (int64).");

static PyObject *
encode_pages(PyObject *module, PyObject *arguments)
{
    PyObject *list, *result = NULL;
    const char *columns, *wrong = NULL;
    Py_ssize_t length;
    TermPage page;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!y#:encode_pages", &PyList_Type, &list, &columns, &length))
        return NULL;
    Py_ssize_t count = PyList_Size(list), bytes;
    if (count < 0 || (bytes = count_bytes(list, count)) < 0)
        return NULL;
    if (length != count * 4 * (Py_ssize_t)sizeof(uint64_t))
        return malformed("columns of other lengths");
    size_t pages = ((size_t)count + TERMS_PER_PAGE - 1) / TERMS_PER_PAGE;
    Terms terms = {list, columns, (size_t)count};
    uint8_t *text = malloc((size_t)bytes + 1), *info = malloc(pages * PAGE_ROOM + 1);
    int64_t *sizes = malloc(pages * 2 * sizeof *sizes + 1);
    uint8_t *text_end = text, *info_end = info;
    for (size_t at = 0; text && info && sizes && at < pages && !wrong; at++) {
        size_t first = at * TERMS_PER_PAGE, left = (size_t)count - first;
        size_t size = left < TERMS_PER_PAGE ? left : TERMS_PER_PAGE;
        uint8_t *text_begin = text_end, *info_begin = info_end;
        if (!(text_end = put_terms(&terms, first, size, &page, text_end)))
            break;
        wrong = put_columns(&terms, first, size, &page);
        if (!wrong)
            info_end = encode_runs(&page, size, info_end);
        sizes[2 * at] = text_end - text_begin;
        sizes[2 * at + 1] = info_end - info_begin;
    }
    if (!text || !info || !sizes)
        PyErr_NoMemory();
    else if (wrong)
        malformed(wrong);
    else if (text_end)
        result = Py_BuildValue("y#y#y#", (const char *)text, (Py_ssize_t)(text_end - text),
                               (const char *)info, (Py_ssize_t)(info_end - info),
                               (const char *)sizes, (Py_ssize_t)(pages * 2 * sizeof *sizes));
    free(text);
    free(info);
    free(sizes);
    return result;
}

PyMethodDef TERM_PAGE_FUNCTIONS[] = {
    {"decode_entry", decode_entry, METH_VARARGS, decode_entry_doc},
    {"decode_pages", decode_pages, METH_VARARGS, decode_pages_doc},
    {"spell_terms", spell_terms, METH_VARARGS, spell_terms_doc},
    {"encode_pages", encode_pages, METH_VARARGS, encode_pages_doc},
    {NULL, NULL, 0, NULL},
};
