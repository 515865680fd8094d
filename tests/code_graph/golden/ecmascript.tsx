import React, { useState } from "react";
import { Card } from "./card";
import * as UI from "./ui";

interface Props { title: string }

export const Panel = memo(({ title }: Props) => {
  const [open, setOpen] = useState(false);
  const toggle = () => setOpen(!open);
  return (
    <UI.Frame onClick={toggle}>
      <Card title={title} />
      <div>{renderBody(title)}</div>
    </UI.Frame>
  );
});

export function Page(props: Props) { return <><Panel title="x" /></>; }
export default class Legacy extends React.Component<Props> {
  state = { a: 1 };
  handle = (e) => {};
  render() { return <Page {...this.props} />; }
}
export const config = defineConfig({ plugins: [] });
export default Page;
const selectAll = createSelector((state) => state.all, (all) => all);
