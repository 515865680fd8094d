/* Lists an open folder in one call, or many folders below one: names, kinds, and the stat keys of
   their files.

   A stat key is size, modification and change time in nanoseconds, and inode: four numbers of eight
   bytes, little-endian. No link is followed. All work is done without the interpreter's lock. */

#include "native.h"

#include <stdlib.h>
#include <string.h>

#if defined(__linux__)

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "beneath.h"

#define KEY_BYTES 32
#define ATTEMPTS 16

typedef struct {
    size_t name; /* where it begins in the names */
    uint64_t key[4];
    char kind;
} Entry;

typedef struct {
    char *names; /* each ends with a NUL */
    size_t length, room;
    Entry *entries;
    size_t count, most;
    uint64_t device;
} Listing;

static int
add_name(Listing *found, const char *name)
{
    size_t bytes = strlen(name) + 1;
    if (found->length + bytes > found->room) {
        size_t room = 2 * (found->length + bytes) + 1024;
        char *names = realloc(found->names, room);
        if (names == NULL)
            return -1;
        found->names = names;
        found->room = room;
    }
    memcpy(found->names + found->length, name, bytes);
    found->length += bytes;
    return 0;
}

static Entry *
add_entry(Listing *found, const char *name)
{
    if (found->count == found->most) {
        size_t most = 2 * found->most + 64;
        Entry *entries = realloc(found->entries, most * sizeof *entries);
        if (entries == NULL)
            return NULL;
        found->entries = entries;
        found->most = most;
    }
    Entry *entry = &found->entries[found->count];
    memset(entry, 0, sizeof *entry);
    entry->name = found->length;
    if (add_name(found, name) < 0)
        return NULL;
    found->count++;
    return entry;
}

static char
kind_of(mode_t mode)
{
    return S_ISREG(mode) ? 'f' : S_ISDIR(mode) ? 'd' : S_ISLNK(mode) ? 'l' : 'o';
}

static uint64_t
nanoseconds(const struct timespec *time)
{
    return (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_nsec;
}

/* 0, or an error number; an entry that was removed meanwhile is left out */
static int
add_found(Listing *found, int folder, const struct dirent *item)
{
    Entry *entry = add_entry(found, item->d_name);
    if (entry == NULL)
        return ENOMEM;
    if (item->d_type == DT_DIR || item->d_type == DT_LNK) {
        entry->kind = item->d_type == DT_DIR ? 'd' : 'l';
        return 0;
    }
    if (item->d_type != DT_REG && item->d_type != DT_UNKNOWN) {
        entry->kind = 'o';
        return 0;
    }
    struct stat status;
    if (fstatat(folder, item->d_name, &status, AT_SYMLINK_NOFOLLOW) < 0) {
        if (errno != ENOENT)
            return errno;
        found->length = entry->name;
        found->count--;
        return 0;
    }
    entry->kind = kind_of(status.st_mode);
    if (entry->kind == 'f') {
        entry->key[0] = (uint64_t)status.st_size;
        entry->key[1] = nanoseconds(&status.st_mtim);
        entry->key[2] = nanoseconds(&status.st_ctim);
        entry->key[3] = (uint64_t)status.st_ino;
    }
    return 0;
}

static int
read_entries(Listing *found, int folder, DIR *stream)
{
    for (;;) {
        errno = 0;
        const struct dirent *item = readdir(stream);
        if (item == NULL)
            return errno;
        if (strcmp(item->d_name, ".") == 0 || strcmp(item->d_name, "..") == 0)
            continue;
        int error = add_found(found, folder, item);
        if (error)
            return error;
    }
}

static int
list_open(Listing *found, int folder)
{
    struct stat status;
    if (fstat(folder, &status) < 0)
        return errno;
    found->device = (uint64_t)status.st_dev;
    int own = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (own < 0)
        return errno;
    DIR *stream = fdopendir(own);
    if (stream == NULL) {
        int error = errno;
        close(own);
        return error;
    }
    int error = read_entries(found, folder, stream);
    closedir(stream);
    return error;
}

typedef struct {
    const char *name;
    const Entry *entry;
} Named;

static int
by_name(const void *one, const void *other)
{
    return strcmp(((const Named *)one)->name, ((const Named *)other)->name);
}

static Named *
sorted_entries(const Listing *found)
{
    Named *order = malloc((found->count ? found->count : 1) * sizeof *order);
    if (order == NULL)
        return NULL;
    for (size_t n = 0; n < found->count; n++)
        order[n] = (Named){found->names + found->entries[n].name, &found->entries[n]};
    qsort(order, found->count, sizeof *order, by_name);
    return order;
}

static void
put_key(char *at, const uint64_t *key)
{
    for (int part = 0; part < 4; part++)
        for (int byte = 0; byte < 8; byte++)
            *at++ = (char)(key[part] >> (8 * byte));
}

static PyObject *
columns_of(const Listing *found, const Named *order)
{
    PyObject *names = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)found->length);
    PyObject *kinds = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)found->count);
    PyObject *keys = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)found->count * KEY_BYTES);
    if (names == NULL || kinds == NULL || keys == NULL) {
        Py_XDECREF(names);
        Py_XDECREF(kinds);
        Py_XDECREF(keys);
        return NULL;
    }
    char *name = PyBytes_AsString(names), *kind = PyBytes_AsString(kinds);
    char *key = PyBytes_AsString(keys);
    for (size_t n = 0; n < found->count; n++) {
        size_t bytes = strlen(order[n].name) + 1;
        memcpy(name, order[n].name, bytes);
        name += bytes;
        kind[n] = order[n].entry->kind;
        put_key(key + n * KEY_BYTES, order[n].entry->key);
    }
    return Py_BuildValue("(NNNK)", names, kinds, keys, (unsigned long long)found->device);
}

static PyObject *
list_folder(PyObject *Py_UNUSED(module), PyObject *argument)
{
    long folder = PyLong_AsLong(argument);
    if (folder == -1 && PyErr_Occurred())
        return NULL;
    Listing found = {0};
    Named *order = NULL;
    int error;
    Py_BEGIN_ALLOW_THREADS
    error = list_open(&found, (int)folder);
    if (!error) {
        order = sorted_entries(&found);
        error = order == NULL ? ENOMEM : 0;
    }
    Py_END_ALLOW_THREADS
    PyObject *result = NULL;
    if (error) {
        errno = error;
        PyErr_SetFromErrno(PyExc_OSError);
    }
    else
        result = columns_of(&found, order);
    free(order);
    free(found.entries);
    free(found.names);
    return result;
}

/* A folder of many: its path, and what was found or an error number. */
typedef struct {
    const char *path;
    Listing found;
    Named *order;
    int error;
} Listed;

static int
open_folder(int root, const char *path)
{
    for (int attempt = 1;; attempt++) {
        int folder = open_beneath(root, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (folder >= 0 || (errno != EAGAIN && errno != EINTR) || attempt == ATTEMPTS)
            return folder;
    }
}

static void
list_one(Listed *item, int root)
{
    int folder = open_folder(root, item->path);
    if (folder < 0) {
        item->error = errno;
        return;
    }
    item->error = list_open(&item->found, folder);
    close(folder);
    if (!item->error) {
        item->order = sorted_entries(&item->found);
        item->error = item->order == NULL ? ENOMEM : 0;
    }
}

static PyObject *
results_of(const Listed *items, Py_ssize_t count)
{
    PyObject *results = PyList_New(count);
    for (Py_ssize_t n = 0; results != NULL && n < count; n++) {
        PyObject *result = items[n].error ? PyLong_FromLong(items[n].error)
                                          : columns_of(&items[n].found, items[n].order);
        if (result == NULL || PyList_SetItem(results, n, result) < 0) {
            Py_DECREF(results);
            return NULL;
        }
    }
    return results;
}

static PyObject *
list_folders(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    int root;
    PyObject *paths;
    if (!PyArg_ParseTuple(arguments, "iO!", &root, &PyTuple_Type, &paths))
        return NULL;
    Py_ssize_t count = PyTuple_Size(paths);
    Listed *items = calloc(count ? (size_t)count : 1, sizeof *items);
    if (items == NULL)
        return PyErr_NoMemory();
    for (Py_ssize_t n = 0; n < count; n++) {
        items[n].path = PyBytes_AsString(PyTuple_GetItem(paths, n));
        if (items[n].path == NULL) {
            free(items);
            return NULL;
        }
    }
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t n = 0; n < count; n++)
        list_one(&items[n], root);
    Py_END_ALLOW_THREADS
    PyObject *results = results_of(items, count);
    for (Py_ssize_t n = 0; n < count; n++) {
        free(items[n].order);
        free(items[n].found.entries);
        free(items[n].found.names);
    }
    free(items);
    return results;
}

#else

static PyObject *
list_folder(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(argument))
{
    Py_RETURN_NONE;
}

static PyObject *
list_folders(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(arguments))
{
    Py_RETURN_NONE;
}

#endif

PyDoc_STRVAR(list_folder_doc, "list_folder(descriptor)\n--\n\nNames, kinds and stat keys.");
PyDoc_STRVAR(list_folders_doc,
             "list_folders(root, paths)\n--\n\nThe same of each folder, or an error number.");

PyMethodDef FOLDER_FUNCTIONS[] = {
    {"list_folder", list_folder, METH_O, list_folder_doc},
    {"list_folders", list_folders, METH_VARARGS, list_folders_doc},
    {NULL, NULL, 0, NULL},
};
