function load() {
  return 1
}

export default { load }
