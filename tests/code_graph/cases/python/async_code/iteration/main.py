import asyncio


class Page:
    def text(self):
        return ""


class Session:
    async def __aenter__(self):
        return self

    async def __aexit__(self, *error):
        self.close()

    def close(self):
        return None

    async def pages(self):
        yield Page()


async def crawl():
    async with Session() as session:
        async for page in session.pages():
            page.text()


asyncio.run(crawl())
