interface Entity {
  id(): string
}

class Customer implements Entity {
  id() {
    return 'c'
  }

  rename() {
    return 1
  }
}

class Repository<T extends Entity> {
  private items = new Map<string, T>()

  add(item: T) {
    this.items.set(item.id(), item)
    return item
  }

  find(id: string) {
    return this.items.get(id)
  }

  all(): T[] {
    return [...this.items.values()]
  }
}

class Customers extends Repository<Customer> {
  renameAll() {
    this.all().forEach((customer) => customer.rename())
  }
}

export function run(customers: Customers, byName: Record<string, Customer>) {
  customers.add(new Customer()).rename()
  customers.find('a')?.rename()
  customers.renameAll()
  for (const customer of customers.all()) customer.rename()
  Object.values(byName).forEach((each) => each.rename())
  byName['x'].id()
}
