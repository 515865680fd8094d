class Page {
  title() {
    return 'a'
  }
}

async function load(): Promise<Page> {
  return new Page()
}

export async function run() {
  const page = await load()
  page.title()
  const [one, two] = await Promise.all([load(), load()])
  one.title()
  two.title()
  load().then((each) => each.title())
  for await (const each of pages()) each.title()
}

async function* pages() {
  yield await load()
}
