package inheritance.abstract_methods;

abstract class Shape {
  abstract double area();
  double twice() { return area() * 2; }
}
class Square extends Shape { double area() { return 1; } }
class Circle extends Shape { double area() { return 3; } }
class Main { double run(Shape s) { return s.area() + new Square().area() + s.twice(); } }
