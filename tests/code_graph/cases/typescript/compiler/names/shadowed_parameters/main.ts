function format(text: string) {
  return text
}

function apply(format: (text: string) => string, text: string) {
  return format(text)
}

export function run(text: string) {
  const join = (text: string) => format(text)
  return apply(join, format(text))
}
