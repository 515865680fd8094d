package overloads.conditions;

class Main {
  void take(String s) { } // @take_string
  void take(Object o) { } // @take_object
  void texts(boolean b) { take(b ? "a" : "c"); }
  void nulls(boolean b) { take(b ? "a" : null); }
  void mixed(boolean b) { take(b ? "a" : new Object()); }
}
