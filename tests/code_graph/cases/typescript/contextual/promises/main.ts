class Response {
  json(): Promise<User> {
    return Promise.resolve(new User())
  }
}

class User {
  name() {
    return 'x'
  }
}

async function request(): Promise<Response> {
  return new Response()
}

export function chained() {
  return request()
    .then((response) => response.json())
    .then((user) => user.name())
    .catch(() => fallback())
}

export async function awaited() {
  const response = await request()
  const user = await response.json()
  const [first, second] = await Promise.all([request(), response.json()])
  first.json()
  second.name()
  return user.name()
}

function fallback() {
  return ''
}
