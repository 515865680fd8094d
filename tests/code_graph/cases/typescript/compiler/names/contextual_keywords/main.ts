interface Options {
  abstract?: boolean
  readonly: boolean
  accessor(name: string): string
}

class Reader {
  accessor(name: string) {
    return this.read(name)
  }

  read(name: string) {
    return name
  }
}

function make(using: string, type: string, of: Options) {
  const text = `by ${using}`
  of.accessor(using)
  return describe(using) + type + text
}

function describe(text: string) {
  return text.concat(text)
}

export function run(reader: Reader) {
  const using = make('a', 'b', { readonly: true, accessor: (name) => name })
  return reader.accessor(using)
}
