# Objects of packages that Debian lacks, of exactly the structure that their sources make.

# BNPmix: PYdensity(..., output = list(out_type = "FULL", out_param = TRUE)). Lists of Armadillo carry a dimension; labels count from 0 in dimension 1, from 1 beyond.
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
    clust = rbind(c(1, 1, 2), c(1, 1, 1)), data = matrix(c(1, 2, 3, 4, 5, 6), 3), univariate = FALSE,
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

# DirichletProcessGaussianFixedVariance(): means alone, and one standard deviation.
dirichletprocess_fixed <- function() {
  x <- dirichletprocess1()
  x$clusterParametersChain <- lapply(x$clusterParametersChain, `[`, 1)
  x$mixingDistribution <- structure(list(distribution = "normalFixedVariance", priorParameters = c(0, 1), conjugate = "conjugate", sigma = 3),
    class = c("list", "normalFixedVariance", "conjugate"))
  structure(x, class = c("list", "dirichletprocess", "normalFixedVariance", "conjugate"))
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

# A fit of AM_mcmc_fit() itself: the sampler's matrices of means, components by coordinates, and cubes of covariances go through the package's own
# reshaping (AM_reshape of AntMAN 1.1.0, in which y_dim is d), which cuts the means along columns.
antman_fit <- function(means, covariances, weights) {
  d <- ncol(means[[1]])
  pieces <- function(x, m, shape) lapply(split(x, ceiling(seq_along(x) / (length(x) / m))), function(piece) matrix(unlist(piece), nrow = d, ncol = shape))
  size <- lengths(weights)
  x <- list(K = size, M = size, W = lapply(weights, matrix, ncol = 1), CI = lapply(size, function(m) matrix(0L, 2, 1)))
  x$mu <- mapply(function(x, m) pieces(x, m, 1), means, size)
  x[[if (d == 1) "sig2" else "Sig"]] <- mapply(function(x, m) pieces(x, m, d), covariances, size)
  structure(x, class = "AM_mcmc_output", mix_kernel_hyperparams = list(type = "AM_mix_hyperparams_multinorm"))
}

# PReMiuM: a line a sweep; means and covariances with the cluster running fastest; weights that do not sum to 1.
premium_files <- function(independent = FALSE, d = 2) {
  stem <- file.path(tempfile("premium"), "out")
  dir.create(dirname(stem))
  put <- function(name, ...) writeLines(vapply(list(...), paste, "", collapse = " "), paste0(stem, "_", name, ".txt"))
  put("nClusters", 2, 1)
  put("psi", c(0.3, 0.3), 0.9)
  put("mu", c(1, 3, 2, 4)[seq_len(2 * d)], c(5, 6)[seq_len(d)])
  if (d == 1) put("Sigma", c(2, 3), 4) else if (independent) put("Sigma", c(1, 3, 2, 4), c(5, 6)) else put("Sigma", c(2, 3, 0.5, -1, 0.5, -1, 1, 2), c(3, -1, -1, 2))
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

# The draw weights that the core has.
core_weights <- function(x) mixgist:::draws_arrays(mixgist:::draws_handle(x))$draw_weights

# Samples of named variables: three draws of two atoms in dimension 2.
variables_matrix <- function() {
  cbind("theta[1]" = c(0.4, 0.5, 0.6), "theta[2]" = c(0.6, 0.5, 0.4), "mu[1,1]" = 1:3, "mu[2,1]" = 4:6, "mu[1,2]" = 7:9, "mu[2,2]" = 10:12,
    "Sigma[1,1,1]" = 2, "Sigma[2,1,1]" = 3, "Sigma[1,2,1]" = 0.5, "Sigma[2,2,1]" = -1, "Sigma[1,1,2]" = 0.5, "Sigma[2,1,2]" = -1, "Sigma[1,2,2]" = 1, "Sigma[2,2,2]" = 2)
}

# A file as CmdStan writes it: a matrix of draws, whose columns are named as there.
stan_csv_file <- function(values, chain = 1) {
  path <- tempfile(fileext = ".csv")
  n <- nrow(values)
  lp <- -seq_len(n)
  names <- c("lp__", "accept_stat__", "stepsize__", "treedepth__", "n_leapfrog__", "divergent__", "energy__", colnames(values))
  rows <- apply(cbind(lp, 1, 1, 1, 1, 0, 1, values), 1, paste, collapse = ",")
  writeLines(c("# stan_version_major = 2", "# stan_version_minor = 30", "# stan_version_patch = 0", "# model = m_model", "# method = sample (Default)", "#   sample",
    paste("#     num_samples =", n), "#     num_warmup = 0", "#     save_warmup = 0 (Default)", "#     thin = 1 (Default)", "#     adapt", "#       engaged = 1 (Default)", "#     algorithm = hmc (Default)", "#       hmc",
    "#         engine = nuts (Default)", "#           nuts", "#             max_depth = 10 (Default)", "#         metric = diag_e (Default)", "#         stepsize = 1 (Default)", paste("# id =", chain), "# random", "#   seed = 1",
    paste(names, collapse = ","), "# Adaptation terminated", "# Step size = 1", "# Diagonal elements of inverse mass matrix:", "# 1, 1, 1", rows, "# ",
    "#  Elapsed Time: 0 seconds (Warm-up)", "#                0 seconds (Sampling)", "#                0 seconds (Total)", "# "), path)
  path
}
