export default class Store {
  save() {
    return 1
  }
}

export const open = () => new Store()
