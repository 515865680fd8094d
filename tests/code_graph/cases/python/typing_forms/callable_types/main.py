from collections.abc import Callable, Iterator


class Event:
    def fire(self) -> None:
        return None


def listen(handler: Callable[[Event], None]) -> None:
    handler(Event())


def on_event(event: Event) -> None:
    event.fire()


def events() -> Iterator[Event]:
    yield Event()


def factory(make: Callable[[], Event]) -> None:
    make().fire()


listen(on_event)
for event in events():
    event.fire()
factory(Event)
