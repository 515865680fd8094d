function execute() {
  return 1
}

export { execute as run }
