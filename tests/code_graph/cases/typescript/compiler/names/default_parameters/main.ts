function fallback() {
  return 'a'
}

function decorate(text: string) {
  return text
}

export function run(text = fallback(), more = decorate(text)) {
  return more
}

run()
