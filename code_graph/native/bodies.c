/* Finds bodies of functions and initial values in C that declare nothing, and names in them.

   `bodies.py` in `code_graph/languages/c` does the same in Python, and says which they are. */

#include "code_tokens.h"

/* Whether a brace begins its line. */
static int
is_at_margin(const Tokens *tokens)
{
    return tokens->start == tokens->begin || tokens->start[-1] == '\n';
}

/* ---- bodies ---- */

#define DEEPEST 64

typedef struct {
    Py_ssize_t depth;
    int is_plain;
    size_t count; /* of conditionals around */
    Py_ssize_t before[DEEPEST], first[DEEPEST];
} Nest;

static void
end_branch(Nest *nest)
{
    Py_ssize_t *first = nest->first + nest->count - 1;
    if (*first < 0)
        *first = nest->depth;
    nest->is_plain &= *first == nest->depth;
}

/* Handles a directive; 0 if there are too many in each other. */
static int
direct(Nest *nest, const uint8_t *at, const uint8_t *end)
{
    const uint8_t *word = memchr(at, '#', (size_t)(end - at));
    for (word++; word < end && (*word == ' ' || *word == '\t'); word++)
        ;
    for (at = word; at < end && *at >= 'a' && *at <= 'z'; at++)
        ;
    if (is_any(word, at, OPENING)) {
        if (nest->count == DEEPEST)
            return 0;
        nest->before[nest->count] = nest->depth;
        nest->first[nest->count++] = -1;
    } else if (is_any(word, at, OTHERWISE) && nest->count) {
        end_branch(nest);
        nest->depth = nest->before[nest->count - 1];
    } else if (is_word(word, at, "endif") && nest->count) {
        Py_ssize_t before = nest->before[--nest->count], first = nest->first[nest->count];
        /* without another branch there is one that has nothing */
        nest->is_plain &= nest->depth == (first < 0 ? before : first);
        nest->depth = first < 0 ? nest->depth : first;
    } else if (!is_any(word, at, HARMLESS)) {
        nest->is_plain = 0;
    }
    return 1;
}

/* Skips the block that was just opened; NULL if it does not end. */
static const uint8_t *
skip_block(Tokens *tokens, int *is_plain)
{
    Nest nest = {.depth = 1, .is_plain = 1};
    int in_type = 0;
    while (read_token(tokens) != END) {
        switch (tokens->kind) {
        case HASH:
            if (!direct(&nest, tokens->start, tokens->at))
                return NULL;
            break;
        case WORD:
            if (is_word(tokens->start, tokens->at, "typedef"))
                nest.is_plain = 0;
            in_type |= is_any(tokens->start, tokens->at, TYPES);
            continue;
        case '}':
            if (--nest.depth <= 0) {
                *is_plain = nest.is_plain && !nest.count;
                return tokens->start;
            }
            nest.is_plain &= !is_at_margin(tokens);
            break;
        case '{':
            nest.depth++; /* fall through */
        case '(':
            nest.is_plain &= !in_type;
            break;
        default:
            break;
        }
        in_type = 0;
    }
    return NULL;
}

/* What is known of a declaration at the top level before its braces. */
typedef struct {
    int previous, is_assigned, is_called, has_type;
    Py_ssize_t parentheses;
    const uint8_t *word, *word_end, *opener, *opener_end;
} Statement;

static const Statement NONE = {0};

static void
add_token(Statement *statement, const Tokens *tokens)
{
    int kind = tokens->kind;
    statement->is_called |= kind == '(';
    if (kind == '(' && ++statement->parentheses == 1) {
        int is_named = statement->previous == WORD;
        statement->opener = is_named ? statement->word : NULL;
        statement->opener_end = is_named ? statement->word_end : NULL;
    } else if (kind == ')') {
        statement->parentheses -= statement->parentheses > 0;
    }
    if (statement->parentheses)
        return;
    if (kind == WORD) {
        if (statement->previous == ')' && tokens->at - tokens->start > 1 &&
            tokens->start[0] == '_' && tokens->start[1] == '_')
            return;
        statement->word = tokens->start;
        statement->word_end = tokens->at;
        statement->has_type |= is_any(tokens->start, tokens->at, TYPES);
    }
    statement->is_assigned |= kind == '=';
    statement->previous = kind;
}

static int
may_be_function(const Statement *statement)
{
    const uint8_t *opener = statement->opener, *end = statement->opener_end;
    if (statement->previous != ')' || statement->is_assigned)
        return 0;
    if (!opener)
        return !statement->has_type;
    if (is_any(opener, end, CONTROL))
        return 0;
    return !statement->has_type || !(end - opener > 1 && opener[0] == '_' && opener[1] == '_');
}

/* Whether an equals sign stands before the brace before a place, and blanks between them. */
static int
is_value(const uint8_t *at, const uint8_t *text)
{
    if (at == text)
        return 0;
    for (at--; at > text && at[-1] && strchr(" \t\n\r\f\v", at[-1]); at--)
        ;
    return at > text && at[-1] == '=';
}

static int
may_be_value(const Statement *statement, const Tokens *tokens, const uint8_t *begin)
{
    return statement->previous == '=' && !statement->is_called && is_value(begin, tokens->begin);
}

static int
add_pair(PyObject *list, Py_ssize_t first, Py_ssize_t second)
{
    PyObject *pair = Py_BuildValue("(nn)", first, second);
    int sound = pair && PyList_Append(list, pair) == 0;
    Py_XDECREF(pair);
    return sound;
}

static int
list_bodies(Tokens *tokens, PyObject *found)
{
    Statement statement = NONE;
    while (read_token(tokens) != END) {
        int kind = tokens->kind;
        if (kind == '{' && !statement.parentheses) {
            const uint8_t *begin = tokens->at, *close;
            int is_plain = 0, is_function;
            if (statement.previous == STRING) {
                statement = NONE;
                continue;
            }
            if (!(close = skip_block(tokens, &is_plain)))
                return 1;
            is_function = may_be_function(&statement);
            if (is_plain &&
                (is_function || may_be_value(&statement, tokens, begin)) &&
                !add_pair(found, begin - tokens->begin, close - tokens->begin))
                return 0;
            if (is_function)
                statement = NONE;
            else
                statement.previous = '}';
        } else if ((kind == '}' || kind == ';') &&
                   (!statement.parentheses || is_at_margin(tokens))) {
            statement = NONE;
        } else if (kind != HASH) {
            add_token(&statement, tokens);
        }
    }
    return 1;
}

PyDoc_STRVAR(find_bodies_doc,
             "find_bodies(code)\n--\n\n"
             "What is between the braces of functions' bodies and initial values that declare\n"
             "nothing: begin and end of each.");

static PyObject *
find_bodies(PyObject *module, PyObject *argument)
{
    char *code;
    Py_ssize_t length;
    PyObject *found;
    (void)module;
    if (PyBytes_AsStringAndSize(argument, &code, &length) < 0 || !(found = PyList_New(0)))
        return NULL;
    Tokens tokens = {.begin = (const uint8_t *)code, .at = (const uint8_t *)code};
    tokens.end = tokens.begin + length;
    if (!list_bodies(&tokens, found))
        Py_CLEAR(found);
    return found;
}

/* ---- uses ---- */

typedef struct {
    const uint8_t *at;
    size_t length;
    Py_ssize_t number;
} Name;

typedef struct {
    Name *slots;
    size_t mask;
} Names;

static size_t
hash_of(const uint8_t *at, size_t length)
{
    uint64_t hash = 0xCBF29CE484222325u;
    for (size_t index = 0; index < length; index++)
        hash = (hash ^ at[index]) * 0x100000001B3u;
    return (size_t)(hash ^ hash >> 32);
}

/* The slot of a word, or the one that is free for it. */
static Name *
find_slot(const Names *names, const uint8_t *at, size_t length)
{
    size_t place = hash_of(at, length) & names->mask;
    while (names->slots[place].at && (names->slots[place].length != length ||
                                      memcmp(names->slots[place].at, at, length)))
        place = (place + 1) & names->mask;
    return names->slots + place;
}

/* Reads a list of names, of which the first of equal ones counts; the bytes stay those of the list.
   */
static int
read_names(Names *names, PyObject *list)
{
    Py_ssize_t count = PyList_Size(list);
    size_t size = 16;
    if (count < 0)
        return 0;
    while (size < (size_t)count * 2)
        size *= 2;
    names->mask = size - 1;
    if (!(names->slots = calloc(size, sizeof *names->slots))) {
        PyErr_NoMemory();
        return 0;
    }
    for (Py_ssize_t number = 0; number < count; number++) {
        char *text;
        Py_ssize_t length;
        if (PyBytes_AsStringAndSize(PyList_GetItem(list, number), &text, &length) < 0)
            return 0;
        const uint8_t *at = (const uint8_t *)text;
        Name *slot = find_slot(names, at, (size_t)length);
        if (!slot->at)
            *slot = (Name){at, (size_t)length, number};
    }
    return 1;
}

typedef struct {
    const Names *names;
    PyObject *found;
    const uint8_t *at; /* up to here lines are counted */
    Py_ssize_t line;
} Uses;

static int
add_use(Uses *uses, const Name *name, const uint8_t *place)
{
    uses->line += (Py_ssize_t)count_line_feeds(uses->at, (size_t)(place - uses->at));
    uses->at = place;
    return add_pair(uses->found, name->number, uses->line);
}

static int
find_uses_between(Uses *uses, Tokens tokens)
{
    while (read_token(&tokens) != END) {
        if (tokens.kind == WORD) {
            const Name *name = find_slot(uses->names, tokens.start,
                                         (size_t)(tokens.at - tokens.start));
            if (name->at && !add_use(uses, name, tokens.start))
                return 0;
        }
    }
    return 1;
}

/* The part of a text that a pair of a list says; 0 with an error if there is none. */
static int
read_span(Tokens *part, PyObject *pair, const uint8_t *code, Py_ssize_t length)
{
    Py_ssize_t begin, end;
    if (!PyTuple_Check(pair) || !PyArg_ParseTuple(pair, "nn", &begin, &end)) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_TypeError, "a span is a pair");
        return 0;
    }
    if (begin < 0 || begin > end || end > length) {
        PyErr_SetString(PyExc_ValueError, "a span outside of the text");
        return 0;
    }
    *part = (Tokens){.begin = code, .at = code + begin, .end = code + end};
    return 1;
}

PyDoc_STRVAR(find_uses_doc,
             "find_uses(code, spans, names)\n--\n\n"
             "Numbers of the names that are there, and the lines. Spans ascend.");

static PyObject *
find_uses(PyObject *module, PyObject *arguments)
{
    const char *code;
    Py_ssize_t length;
    PyObject *spans, *list;
    Names names = {NULL, 0};
    const uint8_t *done = NULL;
    Uses uses = {.names = &names, .line = 1};
    int sound;
    (void)module;
    sound = PyArg_ParseTuple(arguments, "y#O!O!:find_uses", &code, &length, &PyList_Type, &spans,
                             &PyList_Type, &list) &&
            read_names(&names, list) && (uses.found = PyList_New(0));
    if (sound)
        uses.at = (const uint8_t *)code;
    for (Py_ssize_t at = 0; sound && at < PyList_Size(spans); at++) {
        Tokens part;
        sound = read_span(&part, PyList_GetItem(spans, at), (const uint8_t *)code, length);
        if (sound && done && part.at < done) {
            PyErr_SetString(PyExc_ValueError, "spans that do not ascend");
            sound = 0;
        }
        done = sound ? part.end : done;
        sound = sound && find_uses_between(&uses, part);
    }
    free(names.slots);
    if (!sound)
        Py_CLEAR(uses.found);
    return uses.found;
}

PyMethodDef BODY_FUNCTIONS[] = {
    {"find_bodies", find_bodies, METH_O, find_bodies_doc},
    {"find_uses", find_uses, METH_VARARGS, find_uses_doc},
    {NULL, NULL, 0, NULL},
};
