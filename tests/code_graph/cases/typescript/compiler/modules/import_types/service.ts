export class Service {
  start() {
    return 1
  }
}

export function create(): Service {
  return new Service()
}
