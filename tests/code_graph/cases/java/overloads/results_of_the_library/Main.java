package overloads.results_of_the_library;

import java.util.List;
import java.util.Map;
class Main {
  void take(String s) { } // @take_string
  void take(int i) { } // @take_int
  void take(Object o) { } // @take_object
  void text(Object o) { take(o.toString()); }
  void size(List<String> l) { take(l.size()); }
  void element(List<String> l) { take(l.get(0)); }
  void value(Map<String, Integer> m) { take(m.get("a")); }
  void upper(String s) { take(s.trim().toUpperCase()); }
  void length(String[] s) { take(s.length); }
  void parsed(String s) { take(Integer.parseInt(s)); }
}
