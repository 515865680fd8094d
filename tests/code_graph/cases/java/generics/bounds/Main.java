package generics.bounds;

interface Shape { double area(); }
class Main<T extends Shape> {
  T shape;
  double sum(T other) { return shape.area() + other.area(); }
  static <S extends Shape & Runnable> void both(S s) { s.area(); }
}
