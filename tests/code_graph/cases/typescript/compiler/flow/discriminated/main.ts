interface Circle {
  kind: 'circle'
  draw(): void
}

interface Square {
  kind: 'square'
  draw(): void
}

type Shape = Circle | Square

export function run(shape: Shape) {
  switch (shape.kind) {
    case 'circle':
      return shape.draw()
    default:
      return shape.draw()
  }
}

export function draw(shape: Shape) {
  if (shape.kind === 'square') shape.draw()
  return shape.draw()
}
