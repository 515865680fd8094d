package overloads.static_and_instance;

class Main {
  static void take(int x) { } // @take_int
  void take(String x) { } // @take_string
  static void numbers() { Main.take(1); take(2); }
  void texts(Main m) { m.take("a"); this.take("b"); m.take(3); }
}
