interface Files {
  read(path: string): string
  both(path: string): string
}

export const files: Files = {
  read(path) {
    return path
  },
  both(path) {
    return this.read(path)
  },
}

export const plain = {
  read(path: string) {
    return path
  },
  both(path: string) {
    return this.read(path)
  },
}

files.both('a')
plain.both('b')
