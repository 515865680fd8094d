package overloads.private_in_a_base;

class Base {
  private void take(String s) { } // @base_take
  void use() { take("a"); }
}
class Main extends Base {
  void take(Object o) { } // @main_take
  void text() { take("a"); }
}
