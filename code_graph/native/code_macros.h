/* Definitions of macros in C that stand between declarations: numbers for each. */

#include "code_tokens.h"

/* Row and how many more it has; where the mark, the name and the parentheses of arguments begin or
   end; how many names those have. A marked one is followed by another directive. */
enum { ROW, MORE_ROWS, START, STOP, NAME, NAME_END, ARGUMENTS_END, ARGUMENTS, MARKED, MACRO };

typedef struct {
    int64_t *values; /* MACRO of them for each */
    size_t count, room;
    const uint8_t *at; /* up to here lines are counted */
    int64_t row;
    int is_unsure; /* whether a directive may go on behind its line */
} Macros;

static const uint8_t *
skip_blanks(const uint8_t *at, const uint8_t *end)
{
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return at;
}

static const uint8_t *
skip_name(const uint8_t *at, const uint8_t *end)
{
    if (at < end && begins_word(*at))
        while (at < end && in_word(*at))
            at++;
    return at;
}

/* Behind the parentheses of a macro's arguments, which are counted; NULL if there is more in them
   than names and dots. */
static const uint8_t *
skip_arguments(const uint8_t *at, const uint8_t *end, int64_t *count)
{
    at = skip_blanks(at + 1, end);
    if (at < end && *at == ')')
        return at + 1;
    for (;;) {
        const uint8_t *name = at;
        at = skip_name(at, end);
        if (at > name)
            ++*count;
        else if (end - at >= 3 && !memcmp(at, "...", 3))
            at += 3;
        else
            return NULL;
        at = skip_blanks(at, end);
        if (at == end || (*at != ',' && *at != ')'))
            return NULL;
        if (*at == ')')
            return at + 1;
        at = skip_blanks(at + 1, end);
    }
}

/* Whether the rest of a directive, which begins with a blank, is the replacement of a macro, and
   comments behind it. The grammar ends it only at a line feed with no blank before. */
static int
is_replacement(const uint8_t *at, const uint8_t *end)
{
    at = skip_blanks(at, end);
    while (at + 1 < end && at[0] == '\\' && at[1] == '\n')
        at = skip_blanks(at + 2, end);
    if (at == end)
        return 0;
    while (at < end && !(*at == '/' && at + 1 < end && at[1] == '*')) {
        uint8_t byte = *at, next = at + 1 < end ? at[1] : '\n';
        if (!byte || byte == '\r')
            return 0;
        if (byte == '\\') {
            if (at + 1 == end || !next || strchr("/\r\\", next))
                return 0;
            at++;
        } else if (byte == '/') {
            if (!next || strchr("\n\r\\", next) || (next == '/' && at + 2 < end && at[2] == '*'))
                return 0;
            at++;
        }
        at++;
    }
    while (at < end) {
        const uint8_t *comment = at;
        if (*at != '/' || at + 1 == end || at[1] != '*')
            return 0;
        at = after_comment(at, end);
        if (at - comment < 4 || at[-1] != '/' || memchr(comment, 0, (size_t)(at - comment)))
            return 0;
        if (at < end && (at = skip_blanks(at, end)) == end)
            return 0;
    }
    return 1;
}

/* Reads the definition of a macro that ends in a line feed; 0 if a directive may be something else,
   or more than it seems. */
static int
read_macro(int64_t *values, const Tokens *tokens)
{
    const uint8_t *end = tokens->at, *text = tokens->begin, *mark, *name, *at;
    mark = find_directive(tokens->start + (*tokens->start == '\n'), end);
    if (!mark || end == tokens->end || *end != '\n')
        return 0;
    at = skip_blanks(mark + 1, end);
    if (end - at < 7 || memcmp(at, "define", 6) || (at[6] != ' ' && at[6] != '\t'))
        return 0;
    name = skip_blanks(at + 6, end);
    at = skip_name(name, end);
    if (at == name)
        return 0;
    values[START] = mark - text;
    values[STOP] = end - text;
    values[NAME] = name - text;
    values[NAME_END] = values[ARGUMENTS_END] = at - text;
    values[ARGUMENTS] = values[MARKED] = 0;
    if (at < end && *at == '(') {
        if (!(at = skip_arguments(at, end, values + ARGUMENTS)))
            return 0;
        values[ARGUMENTS_END] = at - text;
    }
    return at == end || ((*at == ' ' || *at == '\t') && is_replacement(at, end));
}

static int64_t
count_rows(Macros *macros, const uint8_t *at)
{
    macros->row += (int64_t)count_line_feeds(macros->at, (size_t)(at - macros->at));
    macros->at = at;
    return macros->row;
}

/* Whether a directive that defines no macro ends where its line does: nothing of it but what opens
   and closes a branch may be read on behind a blank or half a comment. */
static int
ends_surely(const Tokens *tokens)
{
    const uint8_t *end = tokens->at, *word, *at;
    word = memchr(tokens->start, '#', (size_t)(end - tokens->start));
    word = skip_blanks(word + 1, end);
    at = skip_name(word, end);
    if (is_any(word, at, OPENING) || is_any(word, at, OTHERWISE) || is_word(word, at, "endif"))
        return 1;
    if (at == end || end == tokens->end)
        return at == end;
    if (is_word(word, at, "include"))
        return is_replacement(at, end) && end[-1] != ' ' && end[-1] != '\t';
    return (*at == ' ' || *at == '\t') && !is_word(word, at, "define") && is_replacement(at, end);
}

/* Adds the macro that a directive defines, if it is wanted. 1 if it does, 0 if not, -1 without
   memory. A definition that ends at `behind` stands right before: it is marked if the directive
   stays. */
static int
add_macro(Macros *macros, const Tokens *tokens, const uint8_t *behind, int is_wanted)
{
    int64_t values[MACRO];
    int is_macro = read_macro(values, tokens);
    macros->is_unsure |= !is_macro && !ends_surely(tokens);
    if (!is_macro || !is_wanted) {
        if (behind)
            macros->values[(macros->count - 1) * MACRO + MARKED] = 1;
        return 0;
    }
    if (macros->count == macros->room) {
        size_t room = macros->room ? macros->room * 2 : 64;
        int64_t *wider = realloc(macros->values, room * MACRO * sizeof *wider);
        if (!wider)
            return -1;
        macros->values = wider;
        macros->room = room;
    }
    values[ROW] = count_rows(macros, tokens->begin + values[START]);
    values[MORE_ROWS] = count_rows(macros, tokens->begin + values[STOP]) - values[ROW];
    memcpy(macros->values + macros->count++ * MACRO, values, sizeof values);
    return 1;
}

