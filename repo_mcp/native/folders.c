/* Lists an open folder in one call, or many folders below one: names, kinds, and the stat keys of
   their files. Or compares many folders with hashes of what they held, and makes no object of them.

   A stat key is size, modification and change time in nanoseconds, and inode: four numbers of eight
   bytes, little-endian. No link is followed. All work is done without the interpreter's lock. */

#include "server.h"

#include <stdlib.h>
#include <string.h>

#if defined(__linux__)

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "beneath.h"
#include "xxh64.h"

#define KEY_BYTES 32
#define ITEM_ROOM (1 << 15)

/* An entry as the kernel gives it, without the space of `readdir` and a descriptor of its own. */
typedef struct {
    uint64_t inode;
    int64_t next;
    uint16_t size;
    uint8_t type;
    char name[];
} Item;

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
    char *items; /* ITEM_ROOM bytes of the kernel's entries */
} Listing;

static void
release_listing(Listing *found)
{
    free(found->entries);
    free(found->names);
    free(found->items);
    memset(found, 0, sizeof *found);
}

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

/* 0, or an error number; an entry that was removed meanwhile is left out */
static int
add_found(Listing *found, int folder, const char *name, int type)
{
    Entry *entry = add_entry(found, name);
    if (entry == NULL)
        return ENOMEM;
    if (type == DT_DIR || type == DT_LNK) {
        entry->kind = type == DT_DIR ? 'd' : 'l';
        return 0;
    }
    if (type != DT_REG && type != DT_UNKNOWN) {
        entry->kind = 'o';
        return 0;
    }
    struct stat status;
    if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) < 0) {
        if (errno != ENOENT)
            return errno;
        found->length = entry->name;
        found->count--;
        return 0;
    }
    entry->kind = kind_of(status.st_mode);
    if (entry->kind == 'f')
        set_key(entry->key, &status);
    return 0;
}

static int
add_items(Listing *found, int folder, size_t length)
{
    for (size_t at = 0; at < length;) {
        const Item *item = (const Item *)(found->items + at);
        if (item->size <= offsetof(Item, name) || item->size > length - at)
            return EIO;
        at += item->size;
        if (strcmp(item->name, ".") == 0 || strcmp(item->name, "..") == 0)
            continue;
        int error = add_found(found, folder, item->name, item->type);
        if (error)
            return error;
    }
    return 0;
}

static int
read_entries(Listing *found, int folder)
{
    if (found->items == NULL && (found->items = malloc(ITEM_ROOM)) == NULL)
        return ENOMEM;
    for (;;) {
        long length = syscall(SYS_getdents64, folder, found->items, ITEM_ROOM);
        if (length <= 0)
            return length ? errno : 0;
        int error = add_items(found, folder, (size_t)length);
        if (error)
            return error;
    }
}

/* Lists a folder whose descriptor nothing was read from. */
static int
list_open(Listing *found, int folder)
{
    struct stat status;
    if (fstat(folder, &status) < 0)
        return errno;
    found->device = (uint64_t)status.st_dev;
    return read_entries(found, folder);
}

static int
list_shared(Listing *found, int folder)
{
    int own = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (own < 0)
        return errno;
    int error = list_open(found, own);
    close(own);
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

/* Names, kinds and keys of a listing, into `count` bytes of each and the names' length. */
static void
put_columns(const Listing *found, const Named *order, char *name, char *kind, char *key)
{
    for (size_t n = 0; n < found->count; n++) {
        size_t bytes = strlen(order[n].name) + 1;
        memcpy(name, order[n].name, bytes);
        name += bytes;
        kind[n] = order[n].entry->kind;
        put_key(key + n * KEY_BYTES, order[n].entry->key);
    }
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
    put_columns(found, order, PyBytes_AsString(names), PyBytes_AsString(kinds),
                PyBytes_AsString(keys));
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
    error = list_shared(&found, (int)folder);
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
    release_listing(&found);
    return result;
}

/* A folder of many: its path, and what was found or an error number. */
typedef struct {
    const char *path;
    Listing found;
    Named *order;
    int error;
} Listed;

static void
list_one(Listed *item, int root)
{
    int folder = open_beneath(root, item->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) {
        item->error = errno;
        return;
    }
    item->error = list_open(&item->found, folder);
    close(folder);
    free(item->found.items);
    item->found.items = NULL;
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
        release_listing(&items[n].found);
    }
    free(items);
    return results;
}

/* Room that one folder after the other uses. */
typedef struct {
    Listing found;
    char *columns;
    size_t room;
} Room;

/* Whether the columns of the listing in this room have this hash; 0 too if memory is short. */
static int
has_hash(Room *room, const uint8_t *expected)
{
    const Listing *found = &room->found;
    size_t bytes = found->length + found->count * (1 + KEY_BYTES);
    if (bytes > room->room) {
        char *columns = realloc(room->columns, bytes);
        if (columns == NULL)
            return 0;
        room->columns = columns;
        room->room = bytes;
    }
    Named *order = sorted_entries(found);
    if (order == NULL)
        return 0;
    char *kinds = room->columns + found->length;
    put_columns(found, order, room->columns, kinds, kinds + found->count);
    free(order);
    uint64_t hash = xxh64((const uint8_t *)room->columns, bytes);
    for (int byte = 0; byte < 8; byte++)
        if (expected[byte] != (uint8_t)(hash >> (56 - 8 * byte)))
            return 0;
    return 1;
}

static int
is_same_folder(Room *room, int root, const char *path, const uint8_t *expected, uint64_t device)
{
    int folder = open_beneath(root, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return 0;
    room->found.length = room->found.count = 0;
    int error = list_open(&room->found, folder);
    close(folder);
    return !error && room->found.device == device && has_hash(room, expected);
}

static PyObject *
same_folders(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    int root;
    const char *paths, *hashes;
    Py_ssize_t length, bytes;
    unsigned long long device;
    if (!PyArg_ParseTuple(arguments, "iy#y#K:same_folders", &root, &paths, &length, &hashes, &bytes,
                          &device))
        return NULL;
    size_t count = 0;
    for (Py_ssize_t at = 0; at < length; at++)
        count += !paths[at];
    if (bytes % 8 || count != (size_t)bytes / 8 || (length && paths[length - 1])) {
        PyErr_SetString(PyExc_ValueError, "a hash for each path");
        return NULL;
    }
    PyObject *result = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)count);
    if (result == NULL)
        return NULL;
    char *same = PyBytes_AsString(result);
    Py_BEGIN_ALLOW_THREADS
    Room room = {0};
    for (size_t n = 0; n < count; n++, paths += strlen(paths) + 1)
        same[n] = (char)is_same_folder(&room, root, paths, (const uint8_t *)hashes + 8 * n, device);
    release_listing(&room.found);
    free(room.columns);
    Py_END_ALLOW_THREADS
    return result;
}

#else

static PyObject *
same_folders(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(arguments))
{
    Py_RETURN_NONE;
}

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

PyDoc_STRVAR(same_folders_doc,
             "same_folders(root, paths, hashes, device)\n--\n\n"
             "Of each folder, whether its columns have this hash: 1 or 0.");

PyMethodDef FOLDER_FUNCTIONS[] = {
    {"list_folder", list_folder, METH_O, list_folder_doc},
    {"list_folders", list_folders, METH_VARARGS, list_folders_doc},
    {"same_folders", same_folders, METH_VARARGS, same_folders_doc},
    {NULL, NULL, 0, NULL},
};
