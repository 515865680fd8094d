type Service = import('./service').Service

export async function run(service: Service) {
  service.start()
  const { Service: Loaded, create } = await import('./service')
  new Loaded().start()
  create().start()
}
