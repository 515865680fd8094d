export interface Point {
  x: number
}

export const Point = {
  make(x: number): Point {
    return { x }
  },
}

export type Unit = 'a' | 'b'

export function Unit(text: string): Unit {
  return text as Unit
}

export class Level {
  raise() {
    return Level.top
  }
}

export namespace Level {
  export const top = 9

  export function parse(text: string) {
    return new Level()
  }
}

export function run(point: Point, unit: Unit) {
  Point.make(point.x)
  Unit(unit)
  Level.parse(unit).raise()
}
