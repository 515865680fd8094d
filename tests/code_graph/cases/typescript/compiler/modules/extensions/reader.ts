export function read() {
  return 'a'
}
