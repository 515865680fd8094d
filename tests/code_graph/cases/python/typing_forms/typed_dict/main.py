from typing import TypedDict


class Author:
    def sign(self):
        return 1


class Book(TypedDict):
    author: Author
    pages: list[Author]


def read(book: Book):
    book["author"].sign()
    for page in book["pages"]:
        page.sign()


read({"author": Author(), "pages": [Author()]})
read(Book(author=Author(), pages=[]))
