package classes.sealed;

sealed interface Shape permits Square, Circle { int area(); }
record Square(int side) implements Shape { public int area() { return side * side; } }
record Circle(int radius) implements Shape { public int area() { return 3 * radius; } }
class Main { int run(Shape s, Circle c) { return s.area() + c.area(); } }
