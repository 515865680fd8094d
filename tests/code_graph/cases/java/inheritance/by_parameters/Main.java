package inheritance.by_parameters;

class Base {
  void take(Integer x) { } // @base_take
  void both(String s) { }
}
class Main extends Base {
  void take(String x) { } // @main_take
  @Override void both(String s) { }
}
