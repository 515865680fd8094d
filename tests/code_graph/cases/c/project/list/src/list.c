#include "list.h"

#include <stdlib.h>

#include "memory.h"

static node_t *make_node(int value);
static int by_value(int left, int right);

static const struct list_ops default_ops = {
    .compare = by_value,
    .free = node_release,
};

struct list *list_new(const struct list_ops *ops)
{
    struct list *list = zalloc(sizeof(*list));
    list->ops = ops ? ops : &default_ops;
    return list;
}

void list_push(struct list *list, int value)
{
    node_t *node = make_node(value);
    if (list_is_empty(list)) {
        list->head = node;
    } else if (list->ops->compare(list->head->value, value) > 0) {
        node->next = list->head;
        list->head = node;
    }
    list->size++;
}

int list_sum(const struct list *list)
{
    int sum = 0;
    list_each(item, list) {
        sum += checked(item->value);
    }
    return sum;
}

void list_free(struct list *list)
{
    node_t *node = list->head;
    while (node) {
        node_t *next = node->next;
        list->ops->free(node);
        node = next;
    }
    free(list);
}

static node_t *make_node(int value)
{
    node_t *node = zalloc(sizeof(*node));
    node->value = checked(value);
    return node;
}

static int by_value(int left, int right)
{
    return left - right;
}
