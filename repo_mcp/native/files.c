/* Reads many plain files below an open folder in one call, or finds their lines that hold a text.

   Only what needs no decision is done here: a regular file with one link, not too long, that no
   link leads to, whose name is what it was opened by, and that does not change meanwhile. Whatever
   else there is, the caller reads it in its own way. Nothing is done by this module where the
   system lacks `openat2`. All work is done without the interpreter's lock. */

#include "server.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "scan.h"

#if defined(__linux__)

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "beneath.h"

#define LONGEST_PATH 4096

typedef struct {
    int root;
    const char *top; /* the root's own path, ending in a slash */
    size_t top_length;
    size_t most;     /* bytes of a file */
    int links;       /* whether a file may have several */
} Folder;

static int
open_plain(const Folder *folder, const char *name)
{
    return open_beneath(folder->root, name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

static int
is_plain(const Folder *folder, const struct stat *found)
{
    return S_ISREG(found->st_mode) && (found->st_nlink == 1 || (folder->links && found->st_nlink)) &&
           (size_t)found->st_size <= folder->most;
}

static int
is_same(const struct stat *one, const struct stat *other)
{
    return one->st_size == other->st_size && one->st_ino == other->st_ino &&
           one->st_nlink == other->st_nlink && one->st_mode == other->st_mode &&
           one->st_mtim.tv_sec == other->st_mtim.tv_sec &&
           one->st_mtim.tv_nsec == other->st_mtim.tv_nsec &&
           one->st_ctim.tv_sec == other->st_ctim.tv_sec &&
           one->st_ctim.tv_nsec == other->st_ctim.tv_nsec;
}

/* Whether the open file has the name by which it was opened: a system may fold names. */
static int
has_name(const Folder *folder, int file, const char *name)
{
    char link[64], path[LONGEST_PATH];
    size_t length = strlen(name);
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t got = readlink(link, path, sizeof path);
    return got > 0 && (size_t)got == folder->top_length + length &&
           !memcmp(path, folder->top, folder->top_length) &&
           !memcmp(path + folder->top_length, name, length);
}

/* Reads `size` bytes and one more, which must not be there. */
static int
read_all(int file, size_t size, Buffer *content)
{
    content->length = 0;
    if (!reserve(content, size + 2))
        return 0;
    while (content->length <= size) {
        ssize_t got = read(file, content->at + content->length, size + 1 - content->length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return 0;
        content->length += (size_t)got;
        if (!got || content->length == size)
            break;
    }
    return content->length == size;
}

static int
read_plain(const Folder *folder, const char *name, Buffer *content, uint64_t *key)
{
    struct stat before, after;
    int sound = 0, file = open_plain(folder, name);
    if (file < 0)
        return 0;
    if (!fstat(file, &before) && is_plain(folder, &before) &&
        read_all(file, (size_t)before.st_size, content) && !fstat(file, &after))
        sound = is_same(&before, &after) && has_name(folder, file, name);
    if (sound && key)
        set_key(key, &after);
    close(file);
    return sound;
}

#else

typedef struct {
    int root;
    const char *top;
    size_t top_length, most;
    int links;
} Folder;

static int
read_plain(const Folder *folder, const char *name, Buffer *content, uint64_t *key)
{
    (void)folder;
    (void)name;
    (void)content;
    (void)key;
    return 0;
}

#endif

enum State { UNREAD, CONTENT, LINES };

typedef struct {
    enum State state;
    Buffer content;
    Lines lines;
} Result;

/* `content` and `lowered` are room that one file after the other uses. */
static void
scan_file(const Folder *folder, const Needle *needle, const char *name, Buffer *content,
          Buffer *lowered, Result *result)
{
    if (!read_plain(folder, name, content, NULL))
        return;
    if (needle->length && is_simple(needle, content->at, content->length)) {
        if (find_in_lines(needle, content, lowered, &result->lines))
            result->state = LINES;
        return;
    }
    result->state = CONTENT;
    result->content = *content;
    memset(content, 0, sizeof *content);
}

static PyObject *
result_object(const Result *result)
{
    if (result->state == LINES)
        return lines_object(&result->lines);
    if (result->state == CONTENT)
        return PyBytes_FromStringAndSize((const char *)result->content.at,
                                         (Py_ssize_t)result->content.length);
    Py_RETURN_NONE;
}

/* The texts of a tuple of bytes without NULs, to be freed; or NULL. */
static const char **
names_of(PyObject *names, Py_ssize_t count)
{
    const char **found = calloc((size_t)count + 1, sizeof *found);
    for (Py_ssize_t at = 0; found && at < count; at++) {
        if (PyBytes_AsStringAndSize(PyTuple_GetItem(names, at), (char **)&found[at], NULL)) {
            free(found);
            return NULL;
        }
    }
    return found;
}

PyDoc_STRVAR(scan_files_doc,
             "scan_files(root, top, names, most, links, (needle, fold, word, most))\n--\n\n"
             "For each name below the open folder `root`, whose path is `top`: None for what is no\n"
             "plain file; the result of `scan_lines`; or its bytes, where they are not plain ASCII\n"
             "lines or the needle is empty.");

static PyObject *
scan_files(PyObject *module, PyObject *arguments)
{
    Folder folder;
    Needle needle;
    PyObject *names, *found = NULL;
    Py_ssize_t top, length, most, count, lines;
    const char *text;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "is#O!np(y#ppn):scan_files", &folder.root, &folder.top, &top,
                          &PyTuple_Type, &names, &most, &folder.links, &text, &length,
                          &needle.fold, &needle.word, &lines))
        return NULL;
    folder.top_length = (size_t)top;
    folder.most = (size_t)most;
    set_needle(&needle, text, length, lines);
    count = PyTuple_Size(names);
    const char **name = names_of(names, count);
    Result *results = name ? calloc((size_t)count + 1, sizeof *results) : NULL;
    if (results) {
        Buffer content = {0}, lowered = {0};
        Py_BEGIN_ALLOW_THREADS
        for (Py_ssize_t at = 0; at < count; at++)
            scan_file(&folder, &needle, name[at], &content, &lowered, &results[at]);
        release(&content);
        release(&lowered);
        Py_END_ALLOW_THREADS
        found = PyList_New(count);
    }
    else if (!PyErr_Occurred())
        PyErr_NoMemory();
    for (Py_ssize_t at = 0; found && at < count; at++) {
        PyObject *item = result_object(&results[at]);
        if (!item || PyList_SetItem(found, at, item) < 0)
            Py_CLEAR(found);
    }
    for (Py_ssize_t at = 0; results && at < count; at++) {
        release(&results[at].content);
        release_lines(&results[at].lines);
    }
    free(results);
    free(name);
    return found;
}

typedef struct {
    Buffer content;
    uint64_t key[4];
    int sound;
} Plain;

static PyObject *
plain_object(const Plain *found)
{
    if (!found->sound)
        Py_RETURN_NONE;
    return Py_BuildValue("(y#(LLLK))", (const char *)found->content.at,
                         (Py_ssize_t)found->content.length, (long long)found->key[0],
                         (long long)found->key[1], (long long)found->key[2],
                         (unsigned long long)found->key[3]);
}

PyDoc_STRVAR(read_files_doc, "read_files(root, top, names, most, links)\n--\n\n"
                             "For each name below the open folder `root`, whose path is `top`: the\n"
                             "bytes and the stat key of a plain file, or None.");

static PyObject *
read_files(PyObject *module, PyObject *arguments)
{
    Folder folder;
    PyObject *names, *found = NULL;
    Py_ssize_t top, most, count;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "is#O!np:read_files", &folder.root, &folder.top, &top,
                          &PyTuple_Type, &names, &most, &folder.links))
        return NULL;
    folder.top_length = (size_t)top;
    folder.most = (size_t)most;
    count = PyTuple_Size(names);
    const char **name = names_of(names, count);
    Plain *plain = name ? calloc((size_t)count + 1, sizeof *plain) : NULL;
    if (plain) {
        Py_BEGIN_ALLOW_THREADS
        for (Py_ssize_t at = 0; at < count; at++)
            plain[at].sound = read_plain(&folder, name[at], &plain[at].content, plain[at].key);
        Py_END_ALLOW_THREADS
        found = PyList_New(count);
    }
    else if (!PyErr_Occurred())
        PyErr_NoMemory();
    for (Py_ssize_t at = 0; found && at < count; at++) {
        PyObject *item = plain_object(&plain[at]);
        if (!item || PyList_SetItem(found, at, item) < 0)
            Py_CLEAR(found);
    }
    for (Py_ssize_t at = 0; plain && at < count; at++)
        release(&plain[at].content);
    free(plain);
    free(name);
    return found;
}

PyMethodDef FILE_FUNCTIONS[] = {
    {"read_files", read_files, METH_VARARGS, read_files_doc},
    {"scan_files", scan_files, METH_VARARGS, scan_files_doc},
    {NULL, NULL, 0, NULL},
};
