function retry(action: () => number, times: number): number {
  return times ? action() : retry(action, times - 1)
}

function load() {
  return 1
}

export function run() {
  retry(load, 2)
  retry(() => load(), 3)
  ;[1, 2].map((value) => value + load())
}
