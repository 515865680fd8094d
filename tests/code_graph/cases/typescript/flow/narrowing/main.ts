class Circle {
  kind = 'circle' as const
  radius() {
    return 1
  }
}

class Square {
  kind = 'square' as const
  side() {
    return 1
  }
}

type Shape = Circle | Square

function isCircle(shape: Shape): shape is Circle {
  return shape.kind === 'circle'
}

export function area(shape: Shape | null) {
  if (!shape) return 0
  if (shape instanceof Circle) return shape.radius()
  return shape.side()
}

export function byTag(shape: Shape) {
  switch (shape.kind) {
    case 'circle':
      return shape.radius()
    case 'square':
      return shape.side()
  }
}

export function byGuard(shape: Shape) {
  return isCircle(shape) ? shape.radius() : shape.side()
}

export function byCast(shape: unknown) {
  return (shape as Circle).radius() + (<Square>shape).side()
}
