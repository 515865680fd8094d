export interface ButtonProps {
  onClick: () => void
  label(): string
}

export class Button {
  constructor(private props: ButtonProps) {}

  render() {
    return <button onClick={this.props.onClick}>{this.props.label()}</button>
  }
}
