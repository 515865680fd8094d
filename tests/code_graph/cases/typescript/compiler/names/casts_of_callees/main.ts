type Render = (text: string) => string

interface Props {
  render?: unknown
  name: string
}

function plain(text: string) {
  return text
}

export function show(props: Props) {
  const { render } = props
  ;(plain as Render)('a')
  ;(props.render as Render)(props.name)
  return (render as any)('b')
}
