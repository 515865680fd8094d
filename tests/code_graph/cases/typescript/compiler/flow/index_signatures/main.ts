class Entry {
  open() {
    return 1
  }
}

interface Table {
  [name: string]: Entry
}

class Index {
  size() {
    return 0
  }

  lookup(name: string) {
    return this[name as 'size']()
  }
}

export function run(table: Table, record: Record<string, Entry>, index: Index, key: string) {
  table[key].open()
  table.first.open()
  record[key].open()
  return index.lookup(key)
}
