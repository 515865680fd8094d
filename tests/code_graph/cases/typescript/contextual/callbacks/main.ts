interface Item {
  price(): number
  tags(): Tag[]
}

class Tag {
  label() {
    return ''
  }
}

function each(items: Item[], visit: (item: Item, index: number) => void) {
  items.forEach((item, index) => visit(item, index))
}

export function total(items: Item[]) {
  let sum = 0
  each(items, (item) => {
    sum += item.price()
  })
  return sum
}

export const labels = (items: Item[]) =>
  items
    .filter((item) => item.price() > 0)
    .flatMap((item) => item.tags())
    .map((tag) => tag.label())

export function cheapest(items: Item[]) {
  return [...items].sort((left, right) => left.price() - right.price())[0].tags()
}

export function reduced(items: Item[]) {
  return items.reduce((sum, item) => sum + item.price(), 0)
}
