interface Context {
  log(text: string): void
}

interface Handlers {
  onOpen: (context: Context) => void
  onClose?(context: Context): void
}

const handlers: Handlers = {
  onOpen: (context) => context.log('open'),
  onClose(context) {
    context.log('close')
    finish()
  },
}

function finish() {
  return 1
}

export function register(given: Handlers) {
  return given
}

register({
  onOpen: (context) => {
    context.log('x')
    finish()
  },
})

export function fire(context: Context) {
  handlers.onOpen(context)
  handlers.onClose?.(context)
}
