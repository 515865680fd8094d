enum Level {
  Low = start(),
  High = 2,
}

function start() {
  return 1
}

namespace Level {
  export function parse(text: string): Level {
    return text ? Level.High : Level.Low
  }
}

export const level = Level.parse('a')
