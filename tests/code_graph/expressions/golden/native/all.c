static const struct ops x = { .read = my_read, [3] = foo, bar };
struct s { int a, *b; int (*fp)(int x, char *y); struct { int z; }; unsigned f : 3; };
static int (*handlers[])(void) = { a, b };
int *f(struct s *p, int n, ...) {
  struct s q = (struct s){ .a = 1 }, *r = &q;
  for (int i = 0; i < n; i++) p->b[i] += sizeof(struct s);
  x = (int *)y; z = a ? b : c; *p = 3; (*fp)(1); ({ int k = 1; k; });
  switch (n) { case FOO: return g(p); default: goto out; }
  do { x++; } while (0);
  list_for_each(x, y) { foo(x); }
  offsetof(struct s, a); typeof(x) w = 3; __typeof__(int) w2;
out: return a.b.c(d);
}
int old(a, b) int a; char *b; { return 0; }
typedef struct s s_t; typedef int (*cb_t)(void *);
enum e { A = 1, B = A + 1 };
#define F(x) x
F(y);
__attribute__((unused)) int fooo(void);
extern int v;
asm("nop");
