import asyncio


class Response:
    def json(self):
        return {}


async def fetch():
    await pause()
    return Response()


async def pause():
    await asyncio.sleep(0)


async def load():
    response = await fetch()
    return response.json()


async def both():
    return await asyncio.gather(load(), fetch())


asyncio.run(both())
