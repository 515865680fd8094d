function counter() {
  let count = 0
  function next() {
    count += step()
    return count
  }
  return { next, reset: () => next() }
}

function step() {
  return 1
}

export function run() {
  const { next } = counter()
  next()
  counter().next()
}
