#!/bin/sh
# Builds the shop.
. ./lib/common.sh
export ROOT=/srv
readonly LIMIT=3
name=local

# Opens it.
open_shop() {
  cat <<EOF
close_shop() {
EOF
  echo "${ROOT#/} } {" '}'
}

function close_shop {
  if [ -n "$1" ]; then open_shop; fi
}

tidy () ( rm -r "$ROOT" )
alias shop='open_shop'
open_shop
