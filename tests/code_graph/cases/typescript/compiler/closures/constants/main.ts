function createSystem() {
  function link() {
    return 1
  }

  function unlink() {
    return link()
  }

  return { link, unlink, name: 'a' }
}

const { link, unlink } = createSystem()
const again = link

interface Hooks {
  open: () => number
}

declare const hooks: Hooks
const { open } = hooks

export function run() {
  return link() + unlink() + again() + open()
}
