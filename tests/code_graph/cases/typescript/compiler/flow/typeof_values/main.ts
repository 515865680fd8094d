const defaults = {
  format(text: string) {
    return text
  },
  parse: (text: string) => text.length,
}

type Options = typeof defaults

class Model {
  static load() {
    return new Model()
  }

  save() {
    return 1
  }
}

export function run(options: Options, model: typeof Model, one: InstanceType<typeof Model>) {
  options.format('a')
  options.parse('b')
  model.load().save()
  new model().save()
  return one.save()
}
