# none <- function() 1
library(stats)
limit <- 3

#' Sells.
sell <- function(item, count = 1) {
  inner <- function(x) x + 1
  inner(count) # "}"
}

double = function(x) 2 * x
`my name` <- \(x) x
Shop <- R6Class("Shop", public = list(open = function() sell(1)))
setGeneric("price", function(x) standardGeneric("price"))
