export function build(text: string) {
  return build.check(text)
}

export namespace build {
  export function check(text: string) {
    return strict(text)
  }

  function strict(text: string) {
    return text
  }
}

export enum Level {
  Low,
  High,
}

export namespace Level {
  export function parse(text: string) {
    return build(text).length ? Level.High : Level.Low
  }
}

build('a')
build.check('b')
Level.parse('c')
