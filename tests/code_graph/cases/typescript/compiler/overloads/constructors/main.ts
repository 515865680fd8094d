class Point {
  x: number

  constructor(x: number)
  constructor(text: string)
  constructor(value: number | string) {
    this.x = read(value)
  }
}

function read(value: number | string) {
  return Number(value)
}

export const points = [new Point(1), new Point('2')]
