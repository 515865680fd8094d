function tag(parts: TemplateStringsArray, ...values: unknown[]) {
  return join(parts, values)
}

function join(parts: readonly string[], values: unknown[]) {
  return parts.join(String(values.length))
}

function value() {
  return 1
}

export const text = tag`a ${value()} b`
