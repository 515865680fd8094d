declare namespace React {
  class Component<P, S = {}> {
    props: P
    state: S
    render(): unknown
  }
}

declare global {
  namespace JSX {
    interface IntrinsicElements {
      div: {}
    }
  }
}

interface Props {
  store: Store
  onSave?: (name: string) => void
}

interface Store {
  load(): string
}

export class Editor extends React.Component<Props> {
  render() {
    const { store, onSave } = this.props
    onSave?.(store.load())
    return this.props.store.load()
  }
}
