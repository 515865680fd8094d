class Builder {
  set(): this {
    return this
  }
}

class Query extends Builder {
  where(): this {
    return this
  }

  run() {
    return 1
  }
}

export const result = new Query().set().where().set().run()
