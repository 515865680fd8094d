export interface Handlers {
  onDone: (count: number) => void;
  onError?: () => void;
}

export class Task {
  onStart: () => void;
  constructor(private handlers: Handlers, onStart: () => void) {
    this.onStart = onStart;
  }
  run() {
    this.onStart();
    this.handlers.onDone(1);
    this.handlers.onError?.();
  }
}

export function taken(handlers: Handlers) {
  const { onDone } = handlers;
  onDone(2);
  const other = handlers.onDone;
  other(3);
}

export function given({ onDone, onError = () => undefined }: Handlers) {
  onDone(4);
  onError();
}

export function inside(handlers: Handlers) {
  [1, 2].forEach((each) => handlers.onDone(each));
}
