package overloads.generic_and_plain;

import java.util.List;
class Main {
  <T> void take(T x) { } // @take_any
  void take(String x) { } // @take_string
  <T> void all(List<T> xs) { } // @all_list
  <T> void all(T[] xs) { } // @all_array
  void text() { take("a"); }
  void number() { take(1); }
  void list(List<String> l) { all(l); }
  void array(String[] a) { all(a); }
}
