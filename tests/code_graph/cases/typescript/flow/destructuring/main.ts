class Engine {
  start() {
    return 1
  }
}

class Radio {
  play() {
    return 1
  }
}

interface Car {
  engine: Engine
  parts: [Engine, Radio]
  extras: { radio?: Radio }
}

function make(): Car {
  return { engine: new Engine(), parts: [new Engine(), new Radio()], extras: {} }
}

export function run({ engine, parts: [, radio] }: Car) {
  engine.start()
  radio.play()
  const { extras: { radio: other = new Radio() } } = make()
  other.play()
  const [first, ...rest] = make().parts
  first.start()
}

export function nested(car: Car) {
  const { engine: motor, ...others } = car
  motor.start()
  others.extras.radio?.play()
}
