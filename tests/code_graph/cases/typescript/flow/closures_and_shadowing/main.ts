function name() {
  return 'module'
}

export function outer() {
  function name() {
    return 'local'
  }
  const inner = () => name()
  return inner()
}

export function other() {
  {
    const name = () => 'block'
    name()
  }
  return name()
}

export const counter = () => {
  let count = 0
  const bump = () => (count += step())
  return { bump, reset: () => (count = 0) }
}

function step() {
  return 1
}

counter().bump()
