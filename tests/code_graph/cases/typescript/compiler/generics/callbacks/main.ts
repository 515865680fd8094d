class Row {
  id() {
    return 1
  }
}

function each<T>(values: T[], action: (value: T) => void) {
  values.forEach(action)
}

function map<T, U>(values: T[], change: (value: T) => U): U[] {
  return values.map(change)
}

export function run(rows: Row[]) {
  each(rows, (row) => row.id())
  map(rows, (row) => [row]).map(([row]) => row.id())
}
