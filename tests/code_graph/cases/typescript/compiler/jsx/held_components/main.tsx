declare global {
  namespace JSX {
    interface IntrinsicElements {
      div: {}
    }
    interface Element {}
  }
}

declare function memo<P>(component: (props: P) => JSX.Element): (props: P) => JSX.Element

const Title = memo(({ text }: { text: string }) => <div>{format(text)}</div>)

function format(text: string) {
  return text
}

export const Page = memo(function PageView() {
  return (
    <div>
      <Title text={format('a')} />
    </div>
  )
})

export const view = <Page />
