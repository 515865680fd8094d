package overloads.inherited_from_the_library;

import java.util.ArrayList;
class Names extends ArrayList<String> {
  void add(String name, boolean quiet) { } // @add_quiet
  @Override public boolean add(String name) { return true; } // @add_name
  void put() { add("a"); }
  void quiet() { add("a", true); }
  void indexed() { add(0, "a"); }
}
class Main {
  void first(Names names) { show(names.get(0)); }
  void all(Names names) { for (String name : names) show(name); }
  void show(String s) { } // @show_string
  void show(Object o) { } // @show_object
}
