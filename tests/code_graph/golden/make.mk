# none: none
include config.mk
CC ?= gcc
SOURCES := a.c \
  b.c

define greet
all: none
endef

.PHONY: all
# Builds all.
all: shop.o main.o
	$(CC) -o shop $^

shop.o main.o: %.o: %.c
	$(CC) -c $<

clean::; rm -f *.o
