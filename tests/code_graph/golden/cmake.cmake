# function(none)
#[[ function(none2) ]]
include(GNUInstallDirs)
project(Shop VERSION 1.0)
option(SHOP_TESTS "text function(none)" ON)
set(SOURCES a.c)

# Adds one.
function(add_shop name)
  set(inner 1)
  add_library(${name} ${SOURCES})
endfunction()

macro(tidy a)
endmacro()

add_executable(shop ${SOURCES})
add_custom_target(docs)
ADD_SHOP(items)
