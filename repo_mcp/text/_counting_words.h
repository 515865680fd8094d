/* What each word gives: its terms, found once and kept, and how often it was met in a text. */

#include "_counting_table.h"
#include "_words.h"

typedef struct {
    uint32_t given; /* where its terms begin; they end where the next word's begin */
    uint32_t times; /* in the text that is being counted; 0 between texts */
} Word;

typedef struct {
    PyObject_HEAD
    Key key;
    int busy;
    Table words, terms;
    Word *of_word;      /* one more than there are words */
    size_t of_word_room;
    Numbers given;      /* the terms that words give, one word's after another's */
    Numbers met;        /* the words of the text that is being counted, each once */
    Numbers place;      /* of each term, among what was counted; out of date unless it is there */
    Numbers known_as;   /* of each term, its number outside */
    uint32_t long_term; /* number of the term for all long words, plus one; 0 before the first */
    uint32_t long_times;
    uint8_t *alphanumeric; /* two bits a code point: whether it was asked, and what was said */
    /* of one call */
    Numbers found, frequencies;
    PyObject *other_terms;
} Counter;

static uint8_t IN_RUN[2][256]; /* whether a byte may belong to a word: in ASCII, in UTF-8 */

static void
prepare_runs(void)
{
    prepare_kinds();
    for (int at = 0; at < 256; at++) {
        IN_RUN[0][at] = KIND[at] && KIND[at] != BEYOND;
        IN_RUN[1][at] = KIND[at] != 0;
    }
}

/* The number of a term; -1 where memory is used up. */
static int64_t
term_number(Counter *self, const uint8_t *at, size_t length, const uint8_t *end)
{
    Text text = text_of(&self->key, at, length, end);
    if (self->terms.slots) {
        Slot *slot = table_slot(&self->terms, &text);
        if (slot->next)
            return slot->next - 1;
    }
    if (!table_add(&self->terms, &text) || !push(&self->place, 0)) {
        PyErr_NoMemory();
        return -1;
    }
    return (int64_t)self->terms.count - 1;
}

static int
give(Counter *self, const uint8_t *at, size_t length, const uint8_t *end)
{
    int64_t number = term_number(self, at, length, end);
    if (number < 0)
        return 0;
    if (self->given.count >= UINT32_MAX || !push(&self->given, (uint32_t)number)) {
        PyErr_NoMemory();
        return 0;
    }
    return 1;
}

/* The terms of a word of letters, digits and underscores: itself, then its parts if it has any. */
static int
give_plain(Counter *self, const uint8_t *word, size_t length)
{
    uint8_t lowered[MAX_WORD + 8];
    const uint8_t *rest = lowered + sizeof lowered;
    size_t begin, end = 0;
    int whole_given = 0;
    lower(word, length, lowered);
    memset(lowered + length, 0, sizeof lowered - length);
    while (next_part(word, length, &begin, &end)) {
        int whole = end - begin == length;
        if (!whole && !whole_given && !give(self, lowered, length, rest))
            return 0;
        whole_given = 1;
        if (!give(self, lowered + begin, end - begin, rest))
            return 0;
    }
    return 1;
}

/* The terms of any other word, as Python says. */
static int
give_other(Counter *self, const uint8_t *word, size_t length)
{
    PyObject *bytes = PyBytes_FromStringAndSize((const char *)word, (Py_ssize_t)length);
    PyObject *terms = bytes ? PyObject_CallFunctionObjArgs(self->other_terms, bytes, NULL) : NULL;
    Py_ssize_t count = -1;
    int sound = 0;
    Py_XDECREF(bytes);
    if (!terms)
        return 0;
    if (PyList_Check(terms))
        count = PyList_Size(terms);
    else
        PyErr_SetString(PyExc_TypeError, "the terms of a word are a list of bytes");
    for (Py_ssize_t at = 0; at < count; at++) {
        char *text;
        Py_ssize_t size;
        /* a list may change while anything is called; this calls nothing */
        if (PyBytes_AsStringAndSize(PyList_GetItem(terms, at), &text, &size) < 0)
            goto done;
        if (!give(self, (uint8_t *)text, (size_t)size, (uint8_t *)text + size))
            goto done;
    }
    sound = count >= 0;
done:
    Py_DECREF(terms);
    return sound;
}

/* Room for what is kept of the next word, whose terms will begin where the others end. */
static int
more_words(Counter *self)
{
    size_t count = self->words.count;
    Word *of_word = grown(self->of_word, &self->of_word_room, count + 1, sizeof *of_word);
    if (!of_word)
        return 0;
    self->of_word = of_word;
    of_word[count] = (Word){(uint32_t)self->given.count, 0};
    return 1;
}

static int
count_word(Counter *self, const Text *text, int plain)
{
    uint32_t number;
    Slot *slot = table_slot(&self->words, text);
    if (slot->next) {
        number = slot->next - 1;
        if (self->of_word[number].times++)
            return 1;
    } else {
        if (!(plain ? give_plain : give_other)(self, text->at, text->length))
            return 0;
        number = self->words.count;
        if (!table_add(&self->words, text) || !more_words(self)) {
            PyErr_NoMemory();
            return 0;
        }
        self->of_word[number].times = 1;
    }
    if (!push(&self->met, number)) {
        PyErr_NoMemory();
        return 0;
    }
    return 1;
}
