abstract class Shape {
  abstract area(): number

  describe() {
    return this.area() + this.scale()
  }

  protected scale() {
    return 1
  }
}

class Square extends Shape {
  area() {
    return 4
  }

  protected scale() {
    return super.scale() * 2
  }
}

export function run(shape: Shape) {
  shape.describe()
  new Square().describe()
}
