class Safe {
  #code = 1

  #check(code: number) {
    return this.#code === code
  }

  open(code: number) {
    return this.#check(code)
  }
}

new Safe().open(1)

export {}
