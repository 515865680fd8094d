import type { Shape } from './shapes'

export function area(shape: Shape) {
  return shape.area()
}

export async function load() {
  const { Square } = await import('./shapes')
  return area(new Square())
}

export async function whole() {
  const shapes = await import('./shapes')
  return shapes.unit().area()
}
