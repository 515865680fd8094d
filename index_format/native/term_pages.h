/* Pages of a dictionary, decoded: what term_pages.c gives to terms.c. */

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define TERMS_PER_PAGE 128
#define RUNS 6
#define MAX_TERM_BYTES 4096
#define NUMBER_BITS 40

enum { SHARED, OTHERS, CHUNKS, SURPLUS, TAILS, POSITIONS };

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

typedef struct {
    uint64_t values[RUNS][TERMS_PER_PAGE];
} TermPage;

/* The pages of consecutive terms; `starts` are int64 at any address. */
typedef struct {
    const uint8_t *info;
    const char *starts;
    size_t length, pages, count;
} TermPages;

/* Whether there are as many pages as so many terms take. */
int has_all_pages(const TermPages *pages);

/* Decodes the first runs of a page and says how many terms it has; returns what is wrong with it, or
   NULL. With all runs the page has to end behind them. */
const char *decode_page(const TermPages *pages, size_t number, unsigned runs, TermPage *page,
                        size_t *size);

/* Puts a term, and room to read beyond it, in the place of the one before it, of so many bytes. */
static inline const char *
replace_term(uint8_t *term, size_t *length, const TermPage *page, size_t at, const uint8_t **others,
             const uint8_t *end)
{
    uint64_t shared = page->values[SHARED][at], other = page->values[OTHERS][at];
    if (shared > (at ? *length : 0))
        return "a term that shares more than the one before it has";
    if (other > (uint64_t)(end - *others))
        return "terms longer than their text";
    if (shared + other > MAX_TERM_BYTES)
        return "a term longer than any may be";
    memcpy(term + shared, *others, (size_t)other);
    *others += other;
    *length = (size_t)(shared + other);
    return NULL;
}

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
