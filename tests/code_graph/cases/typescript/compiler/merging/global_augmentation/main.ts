interface Point {
  move(): void
}

declare global {
  interface Array<T> {
    second(): T
  }
}

export function run(points: Point[]) {
  points.second().move()
}
