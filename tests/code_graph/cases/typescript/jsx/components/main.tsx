import { useState, memo, forwardRef } from 'react'
import { Button } from './button'
import * as Layout from './layout'

type Props = { title: string; onSave: (title: string) => void }

function save(title: string) {
  return title
}

const Title = memo(({ title }: { title: string }) => <h1>{shout(title)}</h1>)

const Field = forwardRef(function Field(props: { name: string }) {
  return <input name={shout(props.name)} />
})

function shout(text: string) {
  return text.toUpperCase()
}

export function Form({ title, onSave }: Props) {
  const [text, setText] = useState(title)
  const handle = () => {
    onSave(text)
    setText(shout(text))
  }
  return (
    <Layout.Page>
      <Title title={title} />
      <Field name="a" />
      <Button onClick={handle} label={() => shout('x')} />
    </Layout.Page>
  )
}

export const App = () => <Form title="a" onSave={(title) => save(title)} />
