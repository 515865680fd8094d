export function outer() {
  return inner() + later()

  function inner() {
    return 1
  }
}

function later() {
  return helper()
}

var helper = function () {
  return 2
}

outer()
