# FROM none AS none
ARG VERSION=1
FROM --platform=linux/amd64 python:${VERSION} AS build
ENV HOME /srv
RUN pip install .

FROM debian:12
COPY --from=build /srv /srv
