class Row {
  save() {
    return 1
  }
}

interface Options {
  row: Row
  name: string
}

interface Connection {
  execute<T>(query: string): Promise<T>
  one<T = Row>(query: string): T
}

class Settings {
  get<K extends keyof Options, V extends Options[K]>(key: K, other?: V): V {
    return other as V
  }
}

declare function make<T>(): T

export async function run(connection: Connection, settings: Settings) {
  make<Row>().save()
  const rows = await connection.execute<{ row: Row }[]>('a')
  for (const each of rows) each.row.save()
  const list = (await connection.execute<Row[]>('b')).map((each) => each.save())
  connection.one('c').save()
  connection.one<Options>('d').row.save()
  settings.get('row').save()
  return list
}
