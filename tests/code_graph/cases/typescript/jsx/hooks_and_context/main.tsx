import { useUser, useSession } from './context'

export default function Profile() {
  const user = useUser()
  const { name } = user
  useSession().user().name()
  return <p title={name()}>{user.name()}</p>
}
