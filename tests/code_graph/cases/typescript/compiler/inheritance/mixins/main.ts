type Constructor = new (...values: any[]) => {}

class Widget {
  draw() {
    return 1
  }
}

function Movable<T extends Constructor>(Base: T) {
  return class extends Base {
    move() {
      return 2
    }
  }
}

function Sized<T extends Constructor>(Base: T) {
  class Size extends Base {
    grow() {
      return 3
    }
  }
  return Size
}

class Panel extends Movable(Widget) {
  open() {
    return this.draw() + this.move()
  }
}

class Window extends Sized(Movable(Widget)) {
  open() {
    return this.draw() + this.move() + this.grow()
  }
}

export function run(panel: Panel, window: Window) {
  panel.draw()
  panel.move()
  window.grow()
}
