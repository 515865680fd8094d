package classes.enum_of_an_interface;

interface Operation { int apply(int a, int b); }
enum Basic implements Operation {
  PLUS { public int apply(int a, int b) { return add(a, b); } },
  TIMES { public int apply(int a, int b) { return a * b; } };
  static int add(int a, int b) { return a + b; }
}
class Main { int run(Operation o) { return o.apply(1, 2) + Basic.PLUS.apply(1, 2); } }
