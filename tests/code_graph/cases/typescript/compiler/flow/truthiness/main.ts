class Session {
  end() {
    return 1
  }
}

type Result = { ok: true; value: Session } | { ok: false; error: Failure }

class Failure {
  show() {
    return 1
  }
}

export function run(result: Result, session?: Session) {
  if (result.ok) result.value.end()
  else result.error.show()
  if (!session) return
  session.end()
  const chosen = session ?? new Session()
  chosen.end()
}
