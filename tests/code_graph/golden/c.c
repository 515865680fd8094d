#ifndef SHOP_H
#define SHOP_H
#include <stdio.h>
#include "shop/till.h"

#define LIMIT 10
#define ADD(a, b) \
	((a) + (b))

struct later;
typedef unsigned int count_t;

/**
 * struct order - what is sold
 */
typedef struct order {
	int a, *b; /* not above */
	char name[10];
	struct {
		int deep;
	} in;
	int bits : 3;
	int (*call)(int x);
} order_t, *order_p;

typedef struct {
	int x;
} point_t;
typedef int (*compare_fn)(int, char *);
typedef int triple[3];

enum colour { RED, GREEN = 2, };
enum { ANONYMOUS };
union both { int whole; float part; };

struct list {
	struct list_head head;
	enum { KIND_A, KIND_B } kind;
} __attribute__((packed));

extern int proto(int a, ...);
int proto2(void), global = 3;
int __must_check proto3(struct order *order);
static const char *const names[] = { [0] = "a" };
static int (*hook)(void);
static DEFINE_MUTEX(till_lock);
EXPORT_SYMBOL(proto);
static struct operations ops = { .open = my_open, .release = my_release };
int tuned __read_mostly = 1;

// Counts.
static __always_inline int count(struct order *o)
{
	int local = first(o->x);
	extern int hidden(void);

	for_each_item(o) {
		o->ops->run(local);
	}
	return sizeof(struct list);
}

int *pointer(void) { return 0; }
int (*returned(int a))(int) { return 0; }
int (parenthesised)(void) { return 0; }
int old(argc, argv)
	int argc;
	char **argv;
{
	return 0;
}

SYSCALL_DEFINE3(read, unsigned int, fd, char __user *, buf, size_t, count)
{
	return do_read(fd, buf, count);
}
SYSCALL_DEFINE0(getpid)
{
	return 1;
}

#ifdef CONFIG_X
static inline void with_x(void) {}
#elif defined(CONFIG_Y)
void with_y(void) {}
#else
void without(void) {}
#endif
void __init setup(char **line) {}
#endif
