package classes.switches;

enum Kind { ONE, TWO; void use() { } }
class ONE { }
class Main {
  void one() { }
  void two() { }
  void run(Kind kind) {
    switch (kind) {
      case ONE: one(); break;
      case TWO: two(); break;
    }
  }
  int value(Kind kind) { return switch (kind) { case ONE -> 1; case TWO -> { two(); yield 2; } }; }
}
