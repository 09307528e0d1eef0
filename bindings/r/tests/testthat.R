library(testthat)
library(mixgist)

test_check("mixgist")
