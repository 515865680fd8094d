import { Client } from '@demo/core'

export function main() {
  const client = new Client()
  return client.fetch()
}
