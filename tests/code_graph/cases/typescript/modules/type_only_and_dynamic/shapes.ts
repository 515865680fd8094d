export interface Shape {
  area(): number
}

export class Square implements Shape {
  area() {
    return side()
  }
}

function side() {
  return 1
}

export function unit(): Shape {
  return new Square()
}
