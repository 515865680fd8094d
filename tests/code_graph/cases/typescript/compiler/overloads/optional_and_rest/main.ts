class One {
  one() {
    return 1
  }
}

class Many {
  many() {
    return 2
  }
}

function make(a: string): One
function make(a: string, ...more: string[]): Many
function make(a: string, ...more: string[]): One | Many {
  return more.length ? new Many() : new One()
}

export function run() {
  make('a').one()
  make('a', 'b').many()
  make('a', 'b', 'c').many()
}
