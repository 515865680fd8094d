/* Finds the lines of plain text that hold a needle (`scan_lines` in lines.py does the same). */

#include "server.h"

#include <stdlib.h>
#include <string.h>

#include "feeds.h"
#include "scan.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

void
release_lines(Lines *lines)
{
    release(&lines->numbers);
    release(&lines->text);
}

void
set_needle(Needle *needle, const char *text, Py_ssize_t length, Py_ssize_t lines)
{
    needle->at = (const uint8_t *)text;
    needle->length = (size_t)length;
    needle->lines = lines < 0 ? SIZE_MAX : (size_t)lines;
}

/* How many bytes follow the first of a character in UTF-8; -1 for bytes that begin none. */
static int
trailing_bytes(const uint8_t *at)
{
    uint8_t head = at[0], next = at[1];
    if (head < 0xC2 || head > 0xF4 || (next & 0xC0) != 0x80)
        return -1;
    if (head < 0xE0)
        return 1;
    if (head < 0xF0)
        return (head == 0xE0 && next < 0xA0) || (head == 0xED && next > 0x9F) ? -1 : 2;
    return (head == 0xF0 && next < 0x90) || (head == 0xF4 && next > 0x8F) ? -1 : 3;
}

static int
is_utf8(const uint8_t *at, const uint8_t *end)
{
    while (at < end) {
        if (*at < 0x80) {
            at++;
            continue;
        }
        int more = end - at > 1 ? trailing_bytes(at) : -1;
        if (more < 0 || end - at <= more)
            return 0;
        for (int next = 2; next <= more; next++)
            if ((at[next] & 0xC0) != 0x80)
                return 0;
        at += more + 1;
    }
    return 1;
}

/* Bits: BEYOND where bytes are not ASCII, OTHER where they are NUL or carriage returns. */
enum { BEYOND = 1, OTHER = 2 };

static int
kinds_of(const uint8_t *at, const uint8_t *end)
{
    int kinds = 0;
#if defined(__SSE2__)
    const __m128i nul = _mm_setzero_si128(), carriage = _mm_set1_epi8('\r');
    __m128i beyond = nul, others = nul;
    for (; end - at >= 16; at += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)at);
        beyond = _mm_or_si128(beyond, bytes);
        others = _mm_or_si128(others, _mm_cmpeq_epi8(bytes, nul));
        others = _mm_or_si128(others, _mm_cmpeq_epi8(bytes, carriage));
    }
    kinds = (_mm_movemask_epi8(beyond) ? BEYOND : 0) | (_mm_movemask_epi8(others) ? OTHER : 0);
#endif
    for (; at < end; at++)
        kinds |= (*at >= 0x80 ? BEYOND : 0) | (*at == '\r' || !*at ? OTHER : 0);
    return kinds;
}

int
is_simple(const Needle *needle, const uint8_t *text, size_t length)
{
    int kinds = kinds_of(text, text + length);
    if (!kinds)
        return 1;
    if (kinds & OTHER || needle->fold || needle->word)
        return 0;
    if (length > 2 && text[0] == 0xEF && text[1] == 0xBB && text[2] == 0xBF)
        return 0;
    return is_utf8(text, text + length);
}

static inline int
is_here(const Needle *needle, const uint8_t *at)
{
    return *at == *needle->at && !memcmp(at, needle->at, needle->length);
}

/* The next place of the needle in these bytes, NULL if there is none. */
static const uint8_t *
find_needle(const Needle *needle, const uint8_t *at, const uint8_t *end)
{
    size_t length = needle->length;
    if ((size_t)(end - at) < length)
        return NULL;
    const uint8_t *last = end - length; /* where it may begin at most */
#if defined(__SSE2__)
    const __m128i head = _mm_set1_epi8((char)needle->at[0]);
    const __m128i tail = _mm_set1_epi8((char)needle->at[length - 1]);
    for (; last - at >= 15; at += 16) {
        __m128i heads = _mm_loadu_si128((const __m128i *)at);
        __m128i tails = _mm_loadu_si128((const __m128i *)(at + length - 1));
        __m128i both = _mm_and_si128(_mm_cmpeq_epi8(heads, head), _mm_cmpeq_epi8(tails, tail));
        for (unsigned mask = (unsigned)_mm_movemask_epi8(both); mask; mask &= mask - 1) {
            const uint8_t *here = at + __builtin_ctz(mask);
            if (is_here(needle, here))
                return here;
        }
    }
#endif
    while (at <= last && (at = memchr(at, *needle->at, (size_t)(last - at) + 1))) {
        if (is_here(needle, at))
            return at;
        at++;
    }
    return NULL;
}

static inline int
is_word(uint8_t byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') || byte == '_' ||
           (byte >= 'a' && byte <= 'z');
}

/* The next match; `begin` and `end` are those of the text. */
static const uint8_t *
find_match(const Needle *needle, const uint8_t *begin, const uint8_t *at, const uint8_t *end)
{
    while ((at = find_needle(needle, at, end)) && needle->word) {
        const uint8_t *after = at + needle->length;
        if ((at == begin || !is_word(at[-1])) && (after == end || !is_word(*after)))
            break;
        at++;
    }
    return at;
}

static void
lower_all(const Buffer *content, uint8_t *lowered)
{
    size_t at = 0;
#if defined(__SSE2__)
    const __m128i before = _mm_set1_epi8('A' - 1), after = _mm_set1_epi8('Z' + 1);
    const __m128i step = _mm_set1_epi8('a' - 'A');
    for (; content->length - at >= 16; at += 16) { /* signed: bytes beyond ASCII are below all */
        __m128i bytes = _mm_loadu_si128((const __m128i *)(content->at + at));
        __m128i capital = _mm_and_si128(_mm_cmpgt_epi8(bytes, before), _mm_cmplt_epi8(bytes, after));
        bytes = _mm_add_epi8(bytes, _mm_and_si128(capital, step));
        _mm_storeu_si128((__m128i *)(lowered + at), bytes);
    }
#endif
    for (; at < content->length; at++) {
        uint8_t byte = content->at[at];
        lowered[at] = byte >= 'A' && byte <= 'Z' ? byte + 32 : byte;
    }
}

static int
add_line(Lines *lines, const uint8_t *begin, const uint8_t *end, size_t number, size_t most)
{
    uint32_t written = (uint32_t)number;
    if (lines->count++ >= most)
        return 1;
    return add_bytes(&lines->numbers, &written, sizeof written) &&
           add_bytes(&lines->text, begin, (size_t)(end - begin));
}

int
find_in_lines(const Needle *needle, Buffer *content, Buffer *lowered, Lines *lines)
{
    lines->size = content->length;
    if (!content->length)
        return 1;
    if (content->at[content->length - 1] != '\n') {
        uint8_t feed = '\n';
        if (!add_bytes(content, &feed, 1))
            return 0;
    }
    const uint8_t *searched = content->at;
    if (needle->fold) {
        if (!reserve(lowered, content->length))
            return 0;
        lower_all(content, lowered->at);
        searched = lowered->at;
    }
    const uint8_t *end = searched + content->length, *line = searched, *hit;
    size_t number = 1;
    while (line < end && (hit = find_match(needle, searched, line, end - 1))) {
        const uint8_t *begin = hit, *stop = (const uint8_t *)memchr(hit, '\n', (size_t)(end - hit)) + 1;
        while (begin > line && begin[-1] != '\n')
            begin--;
        number += count_line_feeds(line, (size_t)(begin - line));
        ptrdiff_t moved = content->at - searched;
        if (!add_line(lines, begin + moved, stop + moved, number, needle->lines))
            return 0;
        number++;
        line = stop;
    }
    lines->all = number - 1 + count_line_feeds(line, (size_t)(end - line));
    return 1;
}

PyObject *
lines_object(const Lines *lines)
{
    return Py_BuildValue("nnny#y#", (Py_ssize_t)lines->size, (Py_ssize_t)lines->all,
                         (Py_ssize_t)lines->count,
                         lines->numbers.at ? (const char *)lines->numbers.at : "",
                         (Py_ssize_t)lines->numbers.length,
                         lines->text.at ? (const char *)lines->text.at : "",
                         (Py_ssize_t)lines->text.length);
}

PyDoc_STRVAR(scan_lines_doc,
             "scan_lines(data, (needle, fold, word, most))\n--\n\n"
             "The count of bytes, of lines and of lines that hold the needle; the numbers of the\n"
             "first so many (uint32), and these lines, each with a line feed. None for bytes that\n"
             "are no plain text.");

static PyObject *
scan_lines(PyObject *module, PyObject *arguments)
{
    Buffer content = {0}, lowered = {0};
    Lines lines = {0};
    Needle needle;
    const char *data, *text;
    Py_ssize_t size, length, most;
    PyObject *found = NULL;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y#(y#ppn):scan_lines", &data, &size, &text, &length,
                          &needle.fold, &needle.word, &most))
        return NULL;
    if (!length) {
        PyErr_SetString(PyExc_ValueError, "an empty needle");
        return NULL;
    }
    set_needle(&needle, text, length, most);
    if (!is_simple(&needle, (const uint8_t *)data, (size_t)size))
        Py_RETURN_NONE;
    int sound;
    Py_BEGIN_ALLOW_THREADS
    sound = add_bytes(&content, data, (size_t)size) &&
            find_in_lines(&needle, &content, &lowered, &lines);
    Py_END_ALLOW_THREADS
    found = sound ? lines_object(&lines) : PyErr_NoMemory();
    release(&content);
    release(&lowered);
    release_lines(&lines);
    return found;
}

/* Writes a number in decimal; returns the place behind it. */
static uint8_t *
write_number(uint8_t *at, uint32_t number)
{
    uint8_t digits[10];
    size_t count = 0;
    do
        digits[count++] = (uint8_t)('0' + number % 10);
    while (number /= 10);
    while (count)
        *at++ = digits[--count];
    return at;
}

PyDoc_STRVAR(prefix_lines_doc,
             "prefix_lines(text, numbers, head, mark)\n--\n\n"
             "Each line with a head before it and, unless there are no numbers (uint32), its number\n"
             "and a mark. Every line ends with a line feed.");

static PyObject *
prefix_lines(PyObject *module, PyObject *arguments)
{
    const char *text, *numbers, *head, *mark;
    Py_ssize_t length, number_bytes, head_length, mark_length;
    Buffer found = {0};
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y#y#y#y#:prefix_lines", &text, &length, &numbers,
                          &number_bytes, &head, &head_length, &mark, &mark_length))
        return NULL;
    size_t count = count_line_feeds(text, (size_t)length), numbered = number_bytes > 0;
    if ((length && text[length - 1] != '\n') ||
        (numbered && (size_t)number_bytes != count * sizeof(uint32_t))) {
        PyErr_SetString(PyExc_ValueError, "not a number for each line");
        return NULL;
    }
    size_t added = (size_t)head_length + numbered * (10 + (size_t)mark_length);
    if (!reserve(&found, (size_t)length + count * added))
        return PyErr_NoMemory();
    const char *line = text;
    uint8_t *at = found.at;
    for (size_t row = 0; row < count; row++) {
        const char *end = (const char *)memchr(line, '\n', (size_t)(text + length - line)) + 1;
        memcpy(at, head, (size_t)head_length);
        at += head_length;
        if (numbered) {
            uint32_t number;
            memcpy(&number, numbers + row * sizeof number, sizeof number);
            at = write_number(at, number);
            memcpy(at, mark, (size_t)mark_length);
            at += mark_length;
        }
        memcpy(at, line, (size_t)(end - line));
        at += end - line;
        line = end;
    }
    PyObject *result = PyBytes_FromStringAndSize((const char *)found.at, at - found.at);
    release(&found);
    return result;
}

PyMethodDef SCAN_FUNCTIONS[] = {
    {"prefix_lines", prefix_lines, METH_VARARGS, prefix_lines_doc},
    {"scan_lines", scan_lines, METH_VARARGS, scan_lines_doc},
    {NULL, NULL, 0, NULL},
};
