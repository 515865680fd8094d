export function join(text: string) {
  return text
}
