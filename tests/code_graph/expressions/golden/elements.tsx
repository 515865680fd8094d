import React, { memo, forwardRef } from "react";
const Button = memo(forwardRef<HTMLElement, Props>((props, ref) => <button ref={ref} {...props}>text</button>));
export function App({ title, items: [first] }: Props) {
  const ref = React.useRef<Box>(null);
  return (
    <Layout.Page title={title} wide {...items} render={(item) => <Row key="k" item={item} />}>
      {/* nothing */}
      {first && <b>{first}</b>}
      <>
        <Button<Item> onClick={() => ref.current.go()}>go</Button>
      </>
    </Layout.Page>
  );
}
