package overloads.method_references;

import java.util.function.Function;
import java.util.function.Supplier;
class Main {
  String name() { return ""; }
  static String show(Main m) { return ""; }
  void take(Supplier<String> s) { } // @take_supplier
  void take(Runnable r, int x) { } // @take_runnable
  void map(Function<Main, String> f) { } // @map_function
  void map(String s) { } // @map_string
  void supplied() { take(this::name); }
  void mapped() { map(Main::show); }
  void unbound() { map(Main::name); }
}
