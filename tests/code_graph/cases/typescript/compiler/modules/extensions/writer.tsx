export function write(text: string) {
  return text
}
