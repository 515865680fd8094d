export function push() {
  return pop()
}

export function pop() {
  return 1
}

export default function clear() {
  return push()
}
