#include "memory.h"

#include <stdio.h>
#include <stdlib.h>

static void fail(const char *text) // @fail_memory
{
    fprintf(stderr, "%s\n", text);
    exit(1);
}

void *zalloc(size_t size)
{
    void *block = calloc(1, size);
    if (!block)
        fail("memory");
    return block;
}

void node_release(node_t *node)
{
    free(node);
}

#ifdef CHECKS
int checked(int value)
{
    if (value < 0)
        fail("negative");
    return value;
}
#else
int checked(int value)
{
    return value;
}
#endif
