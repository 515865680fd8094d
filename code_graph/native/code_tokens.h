/* Tokens of C, as far as outlines need them: blanks and comments are none.

   `bodies.py` in `code_graph/treesitter` has the same as an expression. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdint.h>

#include "feeds.h"

#include <stdlib.h>
#include <string.h>

enum { END, HASH, STRING, WORD, OTHER }; /* a mark is its own kind, from 32 on */

typedef struct {
    const uint8_t *begin, *at, *end; /* the whole text; what is left of a part of it */
    const uint8_t *start;            /* of the last token, which ends at `at` */
    int kind;
} Tokens;

static int
is_digit(uint8_t byte)
{
    return byte >= '0' && byte <= '9';
}

static int
begins_word(uint8_t byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_';
}

static int
in_word(uint8_t byte)
{
    return begins_word(byte) || is_digit(byte);
}

/* Behind a comment that begins here. */
static const uint8_t *
after_comment(const uint8_t *at, const uint8_t *end)
{
    for (at += 2; (at = memchr(at, '*', (size_t)(end - at))); at++)
        if (at + 1 < end && at[1] == '/')
            return at + 2;
    return end;
}

/* Behind a string, or before the end of its line. */
static const uint8_t *
after_string(const uint8_t *at, const uint8_t *end)
{
    uint8_t quote = *at++;
    while (at < end && *at != '\n') {
        if (*at == quote)
            return at + 1;
        if (*at == '\\' && at + 1 == end)
            return at;
        at += *at == '\\' ? 2 : 1;
    }
    return at;
}

/* Behind a directive whose mark is here: at the end of its last line. */
static const uint8_t *
after_directive(const uint8_t *at, const uint8_t *end)
{
    at++;
    while (at < end && *at != '\n') {
        if (*at == '/' && at + 1 < end && at[1] == '*') {
            at = after_comment(at, end);
        } else if (*at == '\\') {
            if (at + 1 == end)
                return at;
            at += 2;
        } else {
            at++;
        }
    }
    return at;
}

/* The mark of a directive at the beginning of a line, or NULL. */
static const uint8_t *
find_directive(const uint8_t *line, const uint8_t *end)
{
    while (line < end && (*line == ' ' || *line == '\t'))
        line++;
    return line < end && *line == '#' ? line : NULL;
}

static int
read_token(Tokens *tokens)
{
    const uint8_t *at = tokens->at, *end = tokens->end, *mark;
    while (at < end) {
        uint8_t byte = *at;
        tokens->start = at;
        if (byte == '\n' || at == tokens->begin) {
            mark = find_directive(at + (byte == '\n'), end);
            if (mark) {
                tokens->at = after_directive(mark, end);
                return tokens->kind = HASH;
            }
        }
        if (byte == ' ' || (byte >= '\t' && byte <= '\r')) {
            at++;
            continue;
        }
        if (begins_word(byte)) {
            while (at < end && in_word(*at))
                at++;
            tokens->at = at;
            return tokens->kind = WORD;
        }
        if (byte == '/' && at + 1 < end && at[1] == '/') {
            at = memchr(at, '\n', (size_t)(end - at));
            at = at ? at : end;
            continue;
        }
        if (byte == '/' && at + 1 < end && at[1] == '*') {
            at = after_comment(at, end);
            continue;
        }
        tokens->kind = OTHER;
        if (byte == '"' || byte == '\'') {
            tokens->kind = STRING;
            at = after_string(at, end);
        } else if (is_digit(byte)) {
            while (at < end && in_word(*at))
                at++;
        } else if (at + 1 < end && at[1] == '=' &&
                   (byte == '=' || byte == '!' || byte == '<' || byte == '>')) {
            at += 2;
        } else {
            if (byte && strchr("(){};,=", byte))
                tokens->kind = byte;
            at++;
        }
        tokens->at = at;
        return tokens->kind;
    }
    tokens->start = tokens->at = end;
    return tokens->kind = END;
}

static int
is_word(const uint8_t *begin, const uint8_t *end, const char *word)
{
    size_t size = strlen(word);
    return (size_t)(end - begin) == size && !memcmp(begin, word, size);
}

static int
is_any(const uint8_t *begin, const uint8_t *end, const char *const *words)
{
    for (; *words; words++)
        if (is_word(begin, end, *words))
            return 1;
    return 0;
}

static const char *const TYPES[] = {"struct", "union", "enum", NULL};
static const char *const CONTROL[] = {"if", "for", "while", "switch", NULL};
static const char *const OPENING[] = {"if", "ifdef", "ifndef", NULL};
static const char *const OTHERWISE[] = {"else", "elif", "elifdef", "elifndef", NULL};
static const char *const HARMLESS[] = {"undef", "pragma", "error", "warning", "line", NULL};
