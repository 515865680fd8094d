package overloads.bounded;

class Main {
  <T extends Number> void take(T x) { } // @take_number
  <T extends CharSequence> void take(T x) { } // @take_chars
  void number(Integer i) { take(i); }
  void text() { take("a"); }
  void builder(StringBuilder b) { take(b); }
}
