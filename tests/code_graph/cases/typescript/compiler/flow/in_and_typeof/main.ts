interface Bird {
  fly(): void
}

interface Fish {
  swim(): void
}

export function move(animal: Bird | Fish, value: string | (() => void)) {
  if ('fly' in animal) animal.fly()
  else animal.swim()
  if (typeof value === 'function') value()
  return value
}
