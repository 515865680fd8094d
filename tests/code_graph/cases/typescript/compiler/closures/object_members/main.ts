export const api = {
  get(path: string) {
    return send(path)
  },
  post: (path: string) => api.get(path),
  nested: {
    ping() {
      return api.post('a')
    },
  },
  ['put'](path: string) {
    return this.get(path)
  },
}

function send(path: string) {
  return path
}

api.get('a')
api.nested.ping()
api.put('b')
