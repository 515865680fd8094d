function logged(target: unknown, context: ClassMethodDecoratorContext) {
  note(String(context.name))
}

function prefixed(text: string) {
  return function (target: unknown, context: unknown) {
    note(text)
  }
}

function note(text: string) {
  return text
}

class Page {
  show() {
    return 1
  }
}

class Book {
  @logged
  @prefixed('b')
  open() {
    return this.first()
  }

  first() {
    return new Page()
  }

  *pages() {
    yield this.first()
    yield* [new Page()]
  }
}

export function read(book: Book) {
  for (const page of book.pages()) page.show()
  book.open().show()
}
