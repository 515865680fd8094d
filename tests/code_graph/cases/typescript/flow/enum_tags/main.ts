enum Kind {
  CIRCLE = 'circle',
  SQUARE = 'square',
  LINE = 'line',
}

interface Circle {
  kind: Kind.CIRCLE
  radius(): number
}

interface Square {
  kind: Kind.SQUARE
  side(): number
  measure(): number
}

interface Line {
  kind: Kind.LINE
  measure(): number
}

type Shape = Circle | Square | Line

type Parsed =
  | { errors: { show(): string }; shape?: never }
  | { errors?: never; shape: { draw(): void } }

export function byConstant(shape: Shape) {
  if (shape.kind === Kind.CIRCLE) {
    return shape.radius()
  }
  return shape.kind !== Kind.SQUARE ? shape.measure() : shape.side()
}

export function byCase(shape: Shape) {
  switch (shape.kind) {
    case Kind.CIRCLE:
      return shape.radius()
    case Kind.SQUARE:
      return shape.side()
    default:
      return shape.measure()
  }
}

export function byText(shape: Shape) {
  return shape.kind === 'line' ? shape.measure() : 0
}

export function byPresence(parsed: Parsed) {
  if (parsed.errors) {
    return parsed.errors.show()
  }
  parsed.shape.draw()
}
