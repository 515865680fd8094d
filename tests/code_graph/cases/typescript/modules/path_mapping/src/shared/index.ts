export function log(text: string) {
  return text
}
