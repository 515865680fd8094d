package overloads.inherited;

class Base {
  void take(Object o) { } // @base_take
  void only(String s) { } // @base_only
}
class Main extends Base {
  void take(String s) { } // @main_take
  void only(Integer i) { } // @main_only
  void object(Object o) { take(o); }
  void text() { take("a"); }
  void base() { only("a"); }
  void own() { only(1); }
}
