# Milliseconds an iteration of rDPGibbs of the R package bayesm takes: a Gibbs sampler over the partition of a Dirichlet process
# mixture of normals with full covariances, in C++. Two lengths, so that what a run costs besides its iterations drops out.
arguments <- commandArgs(trailingOnly = TRUE)
suppressMessages(library(bayesm))
y <- as.matrix(read.csv(arguments[1], header = FALSE))
iterations <- as.integer(arguments[2])

# its own defaults for the prior of alpha: between 1 and a tenth of n clusters
prior <- list(Prioralpha = list(Istarmin = 1, Istarmax = min(50, 0.1 * nrow(y)), power = 0.8))

seconds <- function(R) {
  set.seed(1)
  best <- Inf
  for (repetition in 1:3) {
    sink(nullfile())
    took <- system.time(fit <- rDPGibbs(Data = list(y = y), Prior = prior, Mcmc = list(R = R, keep = 1, nprint = 0)))[["elapsed"]]
    sink()
    best <- min(best, took)
  }
  best
}

cat((seconds(3 * iterations) - seconds(iterations)) / (2 * iterations) * 1e3, "\n")
