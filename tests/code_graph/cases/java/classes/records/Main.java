package classes.records;

record Point(int x, int y) {
  Point { check(x); }
  static void check(int x) { }
  int sum() { return x() + y; }
  static Point origin() { return new Point(0, 0); }
}
class Main { int run(Point p) { return p.x() + p.sum() + Point.origin().sum(); } }
