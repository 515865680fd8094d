export const Page = (props: { children?: unknown }) => <main>{header()}</main>

function header() {
  return <header />
}
