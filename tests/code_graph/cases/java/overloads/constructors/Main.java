package overloads.constructors;

class Box {
  Box() { this(1); } // @box_none
  Box(int size) { } // @box_int
  Box(String name) { this(); } // @box_string
  Box(Object... parts) { } // @box_parts
}
class Main extends Box {
  Main() { super("a"); }
  void none() { new Box(); }
  void one() { new Box(1); }
  void text() { new Box("a"); }
  void many() { new Box("a", 1); }
}
