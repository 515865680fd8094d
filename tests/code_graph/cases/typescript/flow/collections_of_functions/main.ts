function start() {
  return 1
}

function stop() {
  return 2
}

const table = { start, halt: stop }
const list = [start, stop]
const byName = new Map<string, () => number>([['a', start]])

export function run(name: keyof typeof table) {
  table.start()
  table.halt()
  table[name]()
}

export function all() {
  for (const each of list) each()
  list[0]()
  byName.get('a')?.()
}

export function apply(action: () => number) {
  return action()
}

apply(stop)
apply(() => start())
