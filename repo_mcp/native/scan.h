/* Lines of plain text that hold a needle: what scan.c gives to files.c. */

#include <stddef.h>
#include <stdint.h>

#include "buffer.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

typedef struct {
    const uint8_t *at;
    size_t length;
    int fold;     /* the needle is in small letters and stands for any case */
    int word;     /* no word character may adjoin it */
    size_t lines; /* the most lines to keep; all are counted */
} Needle;

typedef struct {
    size_t count; /* that hold the needle */
    size_t all;
    size_t size; /* of the bytes as they were given */
    Buffer numbers, text;
} Lines;

void set_needle(Needle *needle, const char *text, Py_ssize_t length, Py_ssize_t lines);

/* Whether these bytes have neither NUL nor carriage returns, and are ASCII; for a needle that is
   compared byte by byte, whether they are UTF-8 that begins with no byte order mark. */
int is_simple(const Needle *needle, const uint8_t *at, size_t length);

/* Fills `lines`; ends an unfinished last line of `content`. 0 where there is no memory. */
int find_in_lines(const Needle *needle, Buffer *content, Buffer *lowered, Lines *lines);
PyObject *lines_object(const Lines *lines);
void release_lines(Lines *lines);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
