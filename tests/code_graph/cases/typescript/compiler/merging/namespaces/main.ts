namespace Shapes {
  export function area(side: number) {
    return square(side)
  }
}

namespace Shapes {
  export function square(side: number) {
    return side * side
  }

  export namespace Deep {
    export const double = (side: number) => square(side) * 2
  }
}

import Deep = Shapes.Deep

export const area = Shapes.area(1) + Shapes.square(2) + Deep.double(3)
