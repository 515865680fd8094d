package generics.unbounded;

import java.util.Iterator;
import java.util.List;

class Main {
  void take(Object o) { } // @take_object
  void take(String s) { } // @take_string
  void unknown(Iterator<?> it) { take(it.next()); }
  void removed(List<String> l) { take(l.remove(0)); }
  void raw(Class<?> c) { take(c.getName()); }
}
