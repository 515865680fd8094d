class Album {
  label = new Album.Label('a')

  play() {
    return this.label.print()
  }
}

namespace Album {
  export class Label {
    constructor(readonly name: string) {}

    print() {
      return this.name
    }
  }
}

new Album().play()
new Album.Label('b').print()

export {}
