/* Cuts the lines of a file that answer a query best. What is weighed, and all limits, are the
   caller's, who has a way of its own (and the model of this one) for whatever is not plain: text
   beyond ASCII, words too long to be indexed, damaged columns. */

#include "passages.h"

/* ---- what is returned ---- */

/* The qualified name of a place; Py_None where it is not plain. */
static PyObject *
qualified_name(Search *search, Py_ssize_t place)
{
    int64_t numbers[MOST_SCOPES];
    size_t count = 0, length = 0;
    PyObject *result;
    char *text, *at;
    if (place < 0)
        return PyUnicode_FromStringAndSize(NULL, 0);
    if (find_edges(search) != CHOSEN)
        return PyErr_NoMemory();
    for (int64_t number = search->places[place].number; number >= 0;
         number = scope_of(search, number)) {
        if (count == MOST_SCOPES)
            Py_RETURN_NONE;
        numbers[count++] = number;
        length += (size_t)(search->edges[number + 1] - search->edges[number]) + 1;
    }
    if (!(text = malloc(length + 1)))
        return PyErr_NoMemory();
    at = text;
    while (count--) {
        size_t size = (size_t)(search->edges[numbers[count] + 1] - search->edges[numbers[count]]);
        memcpy(at, search->names + search->edges[numbers[count]], size);
        at += size;
        *at++ = '.';
    }
    result = PyUnicode_FromStringAndSize(text, at - text - 1);
    free(text);
    return result;
}

/* The text of the chosen lines without blank lines at its ends, which are left out of the choice;
   Py_None where it is not plain. */
static PyObject *
snippet(const Search *search, Choice *choice)
{
    const Limits *limits = &search->limits;
    const uint8_t *from, *stop;
    size_t count, begin = 0, end, room = 1;
    PyObject *result = NULL;
    Line *lines;
    char *text, *at;
    if (choice->start < 1 || choice->stop < choice->start ||
        !find_text(search, choice->start, choice->stop, &from, &stop))
        Py_RETURN_NONE;
    if (!(lines = split_lines(from, stop, &count)))
        return PyErr_NoMemory();
    end = count;
    while (end && skip_blanks(lines + end - 1) == lines[end - 1].end)
        end--;
    while (begin < end && skip_blanks(lines + begin) == lines[begin].end)
        begin++;
    if (!end)
        end = count;
    for (size_t line = begin; line < end; line++)
        room += (size_t)(lines[line].end - lines[line].begin) + (size_t)limits->more_length + 1;
    if ((at = text = malloc(room))) {
        for (size_t line = begin; line < end; line++) {
            size_t size = (size_t)(lines[line].end - lines[line].begin);
            int is_long = size > (size_t)limits->longest;
            size = is_long ? (size_t)limits->longest : size;
            memcpy(at, lines[line].begin, size);
            at += size;
            if (is_long) {
                memcpy(at, limits->more, (size_t)limits->more_length);
                at += limits->more_length;
            }
            *at++ = '\n';
        }
        result = PyUnicode_FromStringAndSize(text, at - text - 1);
    } else {
        PyErr_NoMemory();
    }
    choice->begin = choice->start + (int64_t)begin;
    choice->end = choice->start + (int64_t)end - 1;
    free(text);
    free(lines);
    return result;
}

/* First and last lines of other units that are worth showing, and apart from the passage. */
static PyObject *
list_others(const Search *search, const Choice *choice)
{
    PyObject *result = PyList_New(0);
    Py_ssize_t count = 0, most = search->limits.most_others;
    int64_t *taken;
    if (!result || !choice->mark || search->held < 2)
        return result;
    if (!(taken = malloc(((size_t)most + 1) * 2 * sizeof *taken))) {
        Py_DECREF(result);
        return PyErr_NoMemory();
    }
    taken[0] = choice->begin;
    taken[1] = choice->end;
    for (size_t at = 1; result && at < search->held && count < most; at++) {
        const Unit *unit = search->units + at;
        int64_t first = search->first + (int64_t)unit->first;
        int64_t last = search->first + (int64_t)unit->last - 1;
        int apart = unit->unit && last > first &&
                    unit->worth >= search->units[0].worth * search->limits.worth_showing;
        for (Py_ssize_t other = 0; apart && other <= count; other++)
            apart = last < taken[2 * other] || taken[2 * other + 1] < first;
        if (apart) {
            PyObject *span = Py_BuildValue("(LL)", (long long)first, (long long)last);
            count++;
            taken[2 * count] = first;
            taken[2 * count + 1] = last;
            if (!span || PyList_Append(result, span) < 0)
                Py_CLEAR(result);
            Py_XDECREF(span);
        }
    }
    free(taken);
    return result;
}

static PyObject *
describe(Search *search, Choice *choice)
{
    PyObject *text = snippet(search, choice), *symbol = NULL, *others = NULL, *result = NULL;
    if (text && text != Py_None)
        symbol = qualified_name(search, choice->symbol);
    if (symbol && symbol != Py_None)
        others = list_others(search, choice);
    if (others)
        result = Py_BuildValue("LLKOOO", (long long)choice->begin, (long long)choice->end,
                               (unsigned long long)choice->mark, symbol, text, others);
    else if (text == Py_None || symbol == Py_None)
        result = Py_NewRef(Py_None);
    Py_XDECREF(text);
    Py_XDECREF(symbol);
    Py_XDECREF(others);
    return result;
}

static void
release_search(Search *search)
{
    free(search->edges);
    free(search->lines);
    free(search->marks);
    free(search->unit_of);
    free(search->places);
    free(search->is_meant);
    free(search->units);
    free(search->matches);
    free(search->quoted);
}

/* ---- what is asked ---- */

static int
read_limits(Limits *limits, PyObject *given)
{
    const Py_ssize_t *sizes[] = {
        &limits->window,   &limits->context, &limits->without_match, &limits->longest,
        &limits->shortest, &limits->head,    &limits->around,        &limits->above,
        &limits->most_lines, &limits->most_others};
    if (!PyArg_ParseTuple(given, "nnnnnnnnnndddy#O!", &limits->window, &limits->context,
                          &limits->without_match, &limits->longest, &limits->shortest,
                          &limits->head, &limits->around, &limits->above, &limits->most_lines,
                          &limits->most_others, &limits->declares, &limits->meant,
                          &limits->worth_showing, &limits->more, &limits->more_length,
                          &PyTuple_Type, &limits->comments))
        return 0;
    for (size_t at = 0; at < sizeof sizes / sizeof *sizes; at++)
        if (*sizes[at] < 1 || *sizes[at] > 1 << 20) {
            PyErr_SetString(PyExc_ValueError, "a limit out of range");
            return 0;
        }
    for (Py_ssize_t at = 0; at < PyTuple_Size(limits->comments); at++)
        if (!PyBytes_Check(PyTuple_GetItem(limits->comments, at))) {
            PyErr_SetString(PyExc_TypeError, "a comment mark is bytes");
            return 0;
        }
    return 1;
}

static int
read_question(Search *search, PyObject *given)
{
    PyObject *terms;
    const char *weights, *name;
    Py_ssize_t weights_length, name_length;
    if (!PyArg_ParseTuple(given, "O!y#y#", &PyTuple_Type, &terms, &weights, &weights_length, &name,
                          &name_length) ||
        !read_query(&search->query, terms))
        return 0;
    if ((size_t)weights_length != search->query.count * sizeof *search->weights) {
        PyErr_SetString(PyExc_ValueError, "as many weights as terms");
        return 0;
    }
    memcpy(search->weights, weights, (size_t)weights_length);
    search->name = (const uint8_t *)name;
    search->name_length = (size_t)name_length;
    return 1;
}

/* The columns of a file's declarations; `*letters` is -1 where their names are not ASCII. */
static int
read_places(Search *search, PyObject *given, Py_ssize_t *letters)
{
    PyObject *names;
    const char *data[4], *text;
    Py_ssize_t sizes[4], count, length;
    Column *columns[4] = {&search->lengths, &search->starts, &search->spans, &search->parents};
    if (!PyArg_ParseTuple(given, "Uy#y#y#y#n", &names, &data[0], &sizes[0], &data[1], &sizes[1],
                          &data[2], &sizes[2], &data[3], &sizes[3], &count))
        return 0;
    for (size_t at = 0; at < 4; at++)
        if (!read_column(columns[at], data[at], sizes[at], count))
            return 0;
    if (!(text = PyUnicode_AsUTF8AndSize(names, &length)))
        return 0;
    search->names = (const uint8_t *)text;
    *letters = length == PyUnicode_GetLength(names) ? length : -1;
    return 1;
}

/* Lines of the file in which phrases begin; 0 where one is outside of the region. */
static int
read_quoted(Search *search, PyObject *given)
{
    Py_ssize_t count = PyTuple_Size(given);
    if (!(search->quoted = malloc(((size_t)count + 1) * sizeof *search->quoted))) {
        PyErr_NoMemory();
        return 0;
    }
    for (Py_ssize_t at = 0; at < count; at++) {
        long long line = PyLong_AsLongLong(PyTuple_GetItem(given, at));
        if (line == -1 && PyErr_Occurred())
            return 0;
        if (line < search->first || line > search->last) {
            PyErr_SetString(PyExc_ValueError, "a phrase outside of the lines");
            return 0;
        }
        search->quoted[search->quoted_count++] = line - search->first;
    }
    return 1;
}

PyDoc_STRVAR(choose_lines_doc,
             "choose_lines(data, first, last, query, places, limits, quoted)\n--\n\n"
             "The best of the lines first to last: first and last line, the bits of the terms,\n"
             "qualified name, text, and the lines of others. None for what is not plain.");

static PyObject *
choose_lines(PyObject *module, PyObject *arguments)
{
    Search search;
    Choice choice;
    const char *data;
    Py_ssize_t length, letters;
    long long first, last;
    PyObject *query, *places, *limits, *quoted, *result = NULL;
    enum Outcome outcome = NOT_PLAIN;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y#LLO!O!O!O!:choose_lines", &data, &length, &first, &last,
                          &PyTuple_Type, &query, &PyTuple_Type, &places, &PyTuple_Type, &limits,
                          &PyTuple_Type, &quoted))
        return NULL;
    memset(&search, 0, sizeof search);
    if (!read_question(&search, query) || !read_limits(&search.limits, limits) ||
        !read_places(&search, places, &letters))
        return NULL;
    search.data = (const uint8_t *)data;
    search.end = search.data + length;
    search.first = first;
    search.last = last;
    if (!read_quoted(&search, quoted)) {
        release_search(&search);
        return NULL;
    }
    if (first >= 1 && last >= first && last < FARTHEST && letters >= 0)
        outcome = choose(&search, (uint64_t)letters, &choice);
    if (outcome == CHOSEN)
        result = describe(&search, &choice);
    else if (outcome == NOT_PLAIN)
        result = Py_NewRef(Py_None);
    else
        PyErr_NoMemory();
    release_search(&search);
    return result;
}

PyMethodDef PASSAGE_FUNCTIONS[] = {
    {"choose_lines", choose_lines, METH_VARARGS, choose_lines_doc},
    {NULL, NULL, 0, NULL},
};
