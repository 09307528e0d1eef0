# Objects of packages that Debian lacks, of exactly the structure that their sources make.

# BNPmix: PYdensity(..., output = list(out_type = "FULL", out_param = TRUE)). Lists of Armadillo carry a dimension; labels count from 0.
field_of <- function(...) array(list(...), c(...length(), 1))

bnpmix_ls1 <- function() {
  structure(list(
    clust = rbind(c(0, 0, 1), c(2, 1, 0)), data = c(-1, 0, 3), univariate = TRUE, niter = 4, nburn = 2,
    probs = field_of(matrix(c(0.25, 0.75)), matrix(c(0.2, 0.3, 0.5))), mean = field_of(matrix(c(-1, 3)), matrix(c(0, 2, 4))),
    sigma2 = field_of(matrix(c(1, 4)), matrix(c(0.5, 1, 2)))
  ), class = "BNPdens")
}

bnpmix_l1 <- function() {
  x <- bnpmix_ls1()
  x$sigma2 <- matrix(c(0.25, 9))
  x
}

bnpmix_ls2 <- function() {
  sigma <- array(c(2, 0.5, 0.5, 1, 3, -1, -1, 2), c(2, 2, 2))
  structure(list(
    clust = rbind(c(0, 0, 1), c(0, 0, 0)), data = matrix(c(1, 2, 3, 4, 5, 6), 3), univariate = FALSE,
    probs = field_of(matrix(c(0.4, 0.6)), matrix(1)), mean = field_of(rbind(c(1, 2), c(3, 4)), rbind(c(5, 6))),
    sigma2 = field_of(sigma, sigma[, , 2, drop = FALSE])
  ), class = "BNPdens")
}

bnpmix_l2 <- function() {
  x <- bnpmix_ls2()
  x$sigma2 <- array(c(2, 0.5, 0.5, 1, 3, -1, -1, 2), c(2, 2, 2))
  x
}

bnpmix_dls <- function() {
  x <- bnpmix_ls2()
  x$sigma2 <- field_of(rbind(c(1, 2), c(3, 4)), rbind(c(5, 6)))
  x
}

# dirichletprocess: normal kernels keep standard deviations, the others covariances; the atom is the last index.
dirichletprocess1 <- function() {
  structure(list(
    data = matrix(c(-1, 0, 3)), weightsChain = list(c(2, 1) / 3, c(1, 1, 1) / 3), labelsChain = list(c(1, 1, 2), c(3, 2, 1)), alphaChain = c(1, 2),
    clusterParametersChain = list(list(array(c(-0.5, 3), c(1, 1, 2)), array(c(1, 2), c(1, 1, 2))), list(array(c(1, 2, 3), c(1, 1, 3)), array(c(3, 2, 1), c(1, 1, 3))))
  ), class = c("list", "dirichletprocess", "normal", "conjugate"))
}

dirichletprocess2 <- function(kernel = "mvnormal2") {
  sigma <- array(c(2, 0.5, 0.5, 1, 3, -1, -1, 2), c(2, 2, 2))
  structure(list(
    data = matrix(c(1, 2, 3, 4, 5, 6), 3), weightsChain = list(c(2, 1) / 3, 1), labelsChain = list(c(1, 1, 2), c(1, 1, 1)),
    clusterParametersChain = list(list(mu = array(c(1, 2, 3, 4), c(1, 2, 2)), sig = sigma), list(mu = array(c(5, 6), c(1, 2, 1)), sig = sigma[, , 2, drop = FALSE]))
  ), class = c("list", "dirichletprocess", kernel, "nonconjugate"))
}

# NIMBLE: getSamplesDPmeasure(), a row an atom, columns named after cluster 1, matrices by columns with the cluster last.
nimble1 <- function() {
  names <- list(NULL, c("weights", "muTilde[1]", "s2Tilde[1]"))
  list(matrix(c(0.4, 0.6, 1, 2, 0.5, 4), 2, dimnames = names), matrix(c(1, 3, 2), 1, dimnames = names))
}

nimble2 <- function() {
  names <- list(NULL, c("weights", "muTilde[1, 1]", "muTilde[1, 2]", "SigmaTilde[1, 1, 1]", "SigmaTilde[2, 1, 1]", "SigmaTilde[1, 2, 1]", "SigmaTilde[2, 2, 1]"))
  list(rbind(c(0.4, 1, 2, 2, 0.5, 0.5, 1), c(0.6, 3, 4, 3, -1, -1, 2)), rbind(c(1, 5, 6, 3, -1, -1, 2))) |> lapply(`dimnames<-`, names)
}

# AntMAN: lists of lists; where the number of components is constant, R makes a matrix of lists of them. Labels count from 0.
antman1 <- function() {
  structure(list(
    K = c(2, 1), M = c(2, 3), W = list(c(0.4, 0.6), c(0.2, 0.3, 0.5)), CI = list(c(0, 0, 1), c(2, 2, 2)),
    mu = list(list(1, 2), list(3, 4, 5)), sig2 = list(list(0.5, 4), list(1, 2, 3))
  ), class = "AM_mcmc_output")
}

antman2 <- function() {
  a <- matrix(c(2, 0.5, 0.5, 1), 2)
  b <- matrix(c(3, -1, -1, 2), 2)
  structure(list(
    K = c(2, 2), M = c(2, 2), W = list(c(0.4, 0.6), c(0.5, 0.5)), CI = list(c(0, 1), c(1, 0)),
    mu = matrix(list(matrix(c(1, 2)), matrix(c(3, 4)), matrix(c(5, 6)), matrix(c(7, 8))), 2), Sig = matrix(list(a, b, b, a), 2)
  ), class = "AM_mcmc_output")
}

# PReMiuM: a line a sweep; means and covariances with the cluster running fastest; weights that do not sum to 1.
premium_files <- function(independent = FALSE) {
  stem <- file.path(tempfile("premium"), "out")
  dir.create(dirname(stem))
  put <- function(name, ...) writeLines(vapply(list(...), paste, "", collapse = " "), paste0(stem, "_", name, ".txt"))
  put("nClusters", 2, 1)
  put("psi", c(0.3, 0.3), 0.9)
  put("mu", c(1, 3, 2, 4), c(5, 6))
  if (independent) put("Sigma", c(1, 3, 2, 4), c(5, 6)) else put("Sigma", c(2, 3, 0.5, -1, 0.5, -1, 1, 2), c(3, -1, -1, 2))
  put("z", c(0, 0, 1), c(0, 0, 0))
  put("nMembers", c(2, 1, 3), c(3, 3))
  stem
}

# Three draws of two atoms in dimension 2, as arrays.
arrays2 <- function(m = 3) {
  list(weights = cbind(rep(0.4, m), rep(0.6, m)), means = array(seq_len(4 * m) / 2, c(m, 2, 2)), covariances = aperm(array(c(2, 0.5, 0.5, 1, 3, -1, -1, 2), c(2, 2, 2, m)), c(4, 3, 1, 2)))
}

# Two clear groups in dimension 1.
two_groups <- function(m = 150) {
  means <- cbind(sin(seq_len(m)) / 10, 5 + cos(seq_len(m) * 3) / 10)
  as_mixgist_draws(cbind(rep(0.4, m), rep(0.6, m)), means = means, covariances = matrix(1, m, 2))
}

# Runs code without the warnings of mixgist.
quietly <- function(code) withCallingHandlers(code, mixgist_warning = function(w) invokeRestart("muffleWarning"))

covariance_columns <- c("cov_1_1", "cov_2_1", "cov_1_2", "cov_2_2")
