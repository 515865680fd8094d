package overloads.overridden;

class Base {
  void take(Object o) { } // @base_object
  void take(String s) { } // @base_string
}
class Main extends Base {
  @Override void take(String s) { } // @main_string
  void text() { take("a"); }
  void object() { take(new Object()); }
  void above() { super.take("a"); }
}
