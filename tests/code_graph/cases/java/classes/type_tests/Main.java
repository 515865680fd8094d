package classes.type_tests;

class Part { void use() { } }
class Main {
  void run(Object o) {
    if (o instanceof Part p) p.use();
    if (o instanceof Part) ((Part) o).use();
  }
}
