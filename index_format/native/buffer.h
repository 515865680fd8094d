/* Bytes that grow. */

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_ROOM 4096

typedef struct {
    uint8_t *at;
    size_t length, room;
} Buffer;

/* 0 where there is no memory. */
static inline int
reserve(Buffer *buffer, size_t room)
{
    size_t wanted = buffer->room ? buffer->room : LEAST_ROOM;
    uint8_t *moved;
    if (room <= buffer->room)
        return 1;
    while (wanted < room)
        wanted *= 2;
    if (!(moved = realloc(buffer->at, wanted)))
        return 0;
    buffer->at = moved;
    buffer->room = wanted;
    return 1;
}

static inline void
release(Buffer *buffer)
{
    free(buffer->at);
    memset(buffer, 0, sizeof *buffer);
}

/* 0 where there is no memory. */
static inline int
add_bytes(Buffer *buffer, const void *bytes, size_t length)
{
    if (!reserve(buffer, buffer->length + length))
        return 0;
    if (length)
        memcpy(buffer->at + buffer->length, bytes, length);
    buffer->length += length;
    return 1;
}
