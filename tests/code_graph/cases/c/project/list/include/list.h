#ifndef LIST_H
#define LIST_H

#include <stddef.h>

typedef struct node {
    struct node *next;
    int value;
} node_t;

struct list {
    node_t *head;
    size_t size;
    const struct list_ops *ops;
};

struct list_ops {
    int (*compare)(int left, int right);
    void (*free)(node_t *node);
};

#define list_each(item, list) for (node_t *item = (list)->head; item; item = item->next)
#define LIST_PUSH(list, value) list_push((list), (value))

struct list *list_new(const struct list_ops *ops);
void list_push(struct list *list, int value);
int list_sum(const struct list *list);
void list_free(struct list *list);

static inline int list_is_empty(const struct list *list)
{
    return list->size == 0;
}

#endif
