import { createContext, useContext, useMemo, useRef } from 'react'

export class Session {
  user() {
    return new User()
  }
}

export class User {
  name() {
    return ''
  }
}

const SessionContext = createContext<Session | null>(null)

export function useSession(): Session {
  const session = useContext(SessionContext)
  return session ?? new Session()
}

export function useUser() {
  const session = useSession()
  const last = useRef<User | null>(null)
  last.current?.name()
  return useMemo(() => session.user(), [session])
}
