#include "../include/list.h"

typedef int (*command_fn)(struct list *list, int argument);

struct command {
    const char *name;
    command_fn run;
};

static int fail(struct list *list) // @fail_main
{
    list_free(list);
    return 1;
}

static int add(struct list *list, int argument)
{
    LIST_PUSH(list, argument);
    return 0;
}

static int sum(struct list *list, int argument)
{
    return list_sum(list) + argument;
}

static const struct command commands[] = {
    {"add", add},
    {"sum", sum},
};

static int dispatch(struct list *list, int index, int argument)
{
    if (index > 1)
        return fail(list);
    return commands[index].run(list, argument);
}

int main(void)
{
    struct list *list = list_new(0);
    command_fn direct = sum;
    dispatch(list, 0, 3);
    direct(list, 0);
    list_free(list);
    return 0;
}
