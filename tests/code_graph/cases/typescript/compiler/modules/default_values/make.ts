export class Made {
  done() {
    return 1
  }
}

const make = () => new Made()

export default make
