function inner() {
  return 1
}

export { inner }
