interface Client {
  open: () => Client
  close(): void
}

export function run({ open, close: shut }: Client) {
  open().close()
  shut()
}

export function use(client: Client) {
  const { open, ...rest } = client
  rest.close()
  return open()
}
