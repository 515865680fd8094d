declare function load(path: string): Text
declare function load(path: string, raw: true): Bytes

declare class Text {
  trim(): Text
}

declare class Bytes {
  slice(): Bytes
}

export function run() {
  load('a').trim()
  load('a', true).slice()
}
