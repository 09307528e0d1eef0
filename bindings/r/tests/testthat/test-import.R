# Weights, means and covariances beside those computed by hand from the objects.

test_that("arrays keep their numbers", {
  a <- arrays2()
  found <- atoms(as_mixgist_draws(a$weights, means = a$means, covariances = a$covariances))
  expect_equal(found$draw, rep(1:3, each = 2))
  expect_equal(found$weight, rep(c(0.4, 0.6), 3))
  expect_equal(found$mean_1, as.vector(t(a$means[, , 1])))
  expect_equal(found$mean_2, as.vector(t(a$means[, , 2])))
  expect_equal(unlist(found[1, covariance_columns], use.names = FALSE), c(2, 0.5, 0.5, 1))
  expect_equal(unlist(found[2, covariance_columns], use.names = FALSE), c(3, -1, -1, 2))
})

test_that("all forms of covariances give the same draws", {
  a <- arrays2(1)
  whole <- atoms(as_mixgist_draws(a$weights, means = a$means, covariances = a$covariances))
  inverse <- lower <- a$covariances
  for (k in 1:2) {
    inverse[1, k, , ] <- solve(a$covariances[1, k, , ])
    lower[1, k, , ] <- t(chol(a$covariances[1, k, , ]))
  }
  expect_equal(atoms(as_mixgist_draws(a$weights, means = a$means, covariances = inverse, covariance_form = "precision")), whole)
  expect_equal(atoms(as_mixgist_draws(a$weights, means = a$means, covariances = lower, covariance_form = "cholesky")), whole)
  listed <- list(list(weights = a$weights[1, ], means = a$means[1, , ], covariances = lower[1, , , ]))
  expect_equal(atoms(as_mixgist_draws(listed, covariance_form = "cholesky")), whole)
  diagonal <- atoms(as_mixgist_draws(a$weights, means = a$means, covariances = array(c(1, 2, 3, 4), c(1, 2, 2)), covariance_form = "diagonal"))
  expect_equal(diagonal$cov_1_1, c(1, 2))
  expect_equal(diagonal$cov_2_2, c(3, 4))
  expect_equal(diagonal$cov_1_2, c(0, 0))
  round <- atoms(as_mixgist_draws(a$weights, means = a$means, covariances = matrix(c(2, 3), 1), covariance_form = "spherical"))
  expect_equal(round$cov_2_2, c(2, 3))
  expect_equal(round$cov_2_1, c(0, 0))
  spread <- atoms(as_mixgist_draws(a$weights, means = a$means[, , 1, drop = FALSE], covariances = matrix(c(2, 3), 1), covariance_form = "sd"))
  expect_equal(spread$cov_1_1, c(4, 9))
})

test_that("one covariance for all atoms of a draw is repeated", {
  a <- arrays2()
  shared <- aperm(array(c(2, 0.5, 0.5, 1, 3, -1, -1, 2, 5, 0, 0, 6), c(2, 2, 3)), c(3, 1, 2))
  found <- atoms(as_mixgist_draws(a$weights, means = a$means, covariances = shared))
  expect_equal(found$cov_1_1, c(2, 2, 3, 3, 5, 5))
  expect_equal(found$cov_1_2, c(0.5, 0.5, -1, -1, 0, 0))
  flat <- atoms(as_mixgist_draws(matrix(0.5, 2, 2), means = matrix(1:4, 2), covariances = c(4, 9)))
  expect_equal(flat$cov_1_1, c(4, 4, 9, 9))
})

test_that("lists may be ragged, and data frames of atoms come back", {
  x <- list(list(weights = c(0.4, 0.6), means = c(1, 2), covariances = c(1, 4)), list(weights = 1, means = 3, covariances = 2))
  draws <- as_mixgist_draws(x, chains = c(1, 2))
  found <- atoms(draws)
  expect_equal(found$draw, c(1, 1, 2))
  expect_equal(found$cov_1_1, c(1, 4, 2))
  expect_equal(found$chain, c(1, 1, 2))
  again <- found
  again$draw <- again$iteration
  expect_equal(atoms(as_mixgist_draws(again))[-3], found[-3])
})

test_that("BNPmix: all models", {
  one <- atoms(as_mixgist_draws(bnpmix_ls1()))
  expect_equal(one$weight, c(0.25, 0.75, 0.2, 0.3, 0.5))
  expect_equal(one$mean_1, c(-1, 3, 0, 2, 4))
  expect_equal(one$cov_1_1, c(1, 4, 0.5, 1, 2))
  expect_equal(atoms(as_mixgist_draws(bnpmix_l1()))$cov_1_1, c(0.25, 0.25, 9, 9, 9))
  two <- atoms(as_mixgist_draws(bnpmix_ls2()))
  expect_equal(two$mean_2, c(2, 4, 6))
  expect_equal(unname(as.matrix(two[covariance_columns])), rbind(c(2, 0.5, 0.5, 1), c(3, -1, -1, 2), c(3, -1, -1, 2)))
  expect_equal(atoms(as_mixgist_draws(bnpmix_l2()))$cov_1_2, c(0.5, 0.5, -1))
  independent <- atoms(as_mixgist_draws(bnpmix_dls()))
  expect_equal(independent$cov_1_1, c(1, 3, 5))
  expect_equal(independent$cov_2_2, c(2, 4, 6))
  expect_equal(independent$cov_1_2, c(0, 0, 0))
  # Labels count from 0 in dimension 1 and from 1 beyond.
  expect_equal(as_mixgist_draws(bnpmix_ls1())$source$labels, rbind(c(1, 1, 2), c(3, 2, 1)))
  expect_equal(as_mixgist_draws(bnpmix_ls2())$source$labels, rbind(c(1, 1, 2), c(1, 1, 1)))
})

test_that("BNPmix without parameters names the argument", {
  x <- bnpmix_ls1()
  x$probs <- x$mean <- x$sigma2 <- NULL
  expect_error(as_mixgist_draws(x), "out_param = TRUE", class = "mixgist_input_error")
  expect_error(as_mixgist_draws(structure(list(dep = TRUE, clust = matrix(1, 2, 2)), class = "BNPdens")), "DDPdensity", class = "mixgist_error")
  expect_error(as_mixgist_draws(structure(list(regression = TRUE), class = "BNPdens")), "regression", class = "mixgist_error")
})

test_that("dirichletprocess: standard deviations in dimension 1, covariances beyond", {
  one <- atoms(as_mixgist_draws(dirichletprocess1()))
  expect_equal(one$weight, c(2, 1, 1, 1, 1) / 3)
  expect_equal(one$mean_1, c(-0.5, 3, 1, 2, 3))
  expect_equal(one$cov_1_1, c(1, 4, 9, 4, 1))
  fixed <- atoms(as_mixgist_draws(dirichletprocess_fixed()))
  expect_equal(fixed$mean_1, one$mean_1)
  expect_equal(fixed$cov_1_1, rep(9, 5))
  for (kernel in c("mvnormal", "mvnormal2")) {
    two <- atoms(as_mixgist_draws(dirichletprocess2(kernel)))
    expect_equal(two$mean_1, c(1, 3, 5))
    expect_equal(two$mean_2, c(2, 4, 6))
    expect_equal(unname(as.matrix(two[covariance_columns])), rbind(c(2, 0.5, 0.5, 1), c(3, -1, -1, 2), c(3, -1, -1, 2)))
  }
  expect_error(as_mixgist_draws(dirichletprocess2("beta")), "not Gaussian\nhint: for the partition: .*labelsChain", class = "mixgist_input_error")
  expect_error(as_mixgist_draws(structure(list(), class = c("list", "dirichletprocess", "normal"))), "Fit\\(dp", class = "mixgist_input_error")
})

test_that("NIMBLE: draws of the measure", {
  one <- atoms(as_mixgist_draws(nimble1(), means = "muTilde", covariances = "s2Tilde", covariance_form = "covariance"))
  expect_equal(one$weight, c(0.4, 0.6, 1))
  expect_equal(one$cov_1_1, c(0.5, 4, 2))
  expect_equal(atoms(as_mixgist_draws(nimble1(), means = "muTilde", covariances = "s2Tilde", covariance_form = "precision"))$cov_1_1, c(2, 0.25, 0.5))
  for (x in list(nimble2(), list(samples = nimble2()))) {
    two <- atoms(as_mixgist_draws(x, means = "muTilde", covariances = "SigmaTilde", covariance_form = "covariance"))
    expect_equal(two$mean_2, c(2, 4, 6))
    expect_equal(unname(as.matrix(two[covariance_columns])), rbind(c(2, 0.5, 0.5, 1), c(3, -1, -1, 2), c(3, -1, -1, 2)))
  }
  # Atoms that are means alone: the variance is outside of the measure, one for each draw.
  means_alone <- lapply(nimble1(), function(draw) draw[, 1:2, drop = FALSE])
  outside <- atoms(as_mixgist_draws(means_alone, means = "muTilde", covariances = c(3, 4), covariance_form = "sd"))
  expect_equal(outside[c("weight", "mean_1")], one[c("weight", "mean_1")])
  expect_equal(outside$cov_1_1, c(9, 9, 16))
  means_alone <- lapply(nimble2(), function(draw) draw[, 1:3, drop = FALSE])
  sigma <- aperm(array(c(2, 0.5, 0.5, 1, 3, -1, -1, 2), c(2, 2, 2)), c(3, 1, 2))
  outside <- atoms(as_mixgist_draws(means_alone, means = "muTilde", covariances = sigma, covariance_form = "covariance"))
  expect_equal(outside$cov_1_2, c(0.5, 0.5, -1))
  expect_equal(outside$mean_2, c(2, 4, 6))
  expect_error(as_mixgist_draws(means_alone), "numbers, one for each draw", class = "mixgist_usage_error")
  expect_error(as_mixgist_draws(means_alone, means = "muTilde", covariances = 1:3, covariance_form = "spherical"), "covariances have dimensions 3", class = "mixgist_input_error")
  # Users write models with precisions or variances: nothing is guessed.
  expect_error(as_mixgist_draws(nimble1()), "covariance_form", class = "mixgist_usage_error")
})

test_that("NIMBLE: samples of an MCMC, weights as shares of the labels", {
  samples <- structure(cbind("xi[1]" = c(1, 3), "xi[2]" = c(1, 1), "xi[3]" = c(2, 3), "muTilde[1]" = c(1, 4), "muTilde[2]" = c(2, 5), "muTilde[3]" = c(3, 6),
    "s2Tilde[1]" = c(1, 4), "s2Tilde[2]" = c(2, 5), "s2Tilde[3]" = c(3, 6)), class = "mcmc", mcpar = c(11, 12, 1))
  found <- atoms(as_mixgist_draws(samples, means = "muTilde", covariances = "s2Tilde", labels = "xi"))
  expect_equal(found$weight, c(2, 1, 1, 2) / 3)
  expect_equal(found$mean_1, c(1, 2, 4, 6))
  expect_equal(found$iteration, c(11, 11, 12, 12))
})

test_that("AntMAN, also where R has made a matrix of lists", {
  one <- atoms(as_mixgist_draws(antman1()))
  expect_equal(one$weight, c(0.4, 0.6, 0.2, 0.3, 0.5))
  expect_equal(one$mean_1, 1:5)
  expect_equal(one$cov_1_1, c(0.5, 4, 1, 2, 3))
  draws <- as_mixgist_draws(antman2())
  two <- atoms(draws)
  expect_equal(two$mean_1, c(1, 3, 5, 7))
  expect_equal(two$mean_2, c(2, 4, 6, 8))
  expect_equal(two$cov_1_2, c(0.5, -1, -1, 0.5))
  expect_equal(draws$source$labels, rbind(c(1, 2), c(2, 1)))
  expect_error(as_mixgist_draws(structure(list(CI = list(), K = 1), class = "AM_mcmc_output")), "AM_mcmc_parameters", class = "mixgist_input_error")
})

test_that("AntMAN: what its own reshaping makes of the sampler's arrays", {
  a <- matrix(c(2, 0.5, 0.5, 1), 2)
  b <- matrix(c(3, -1, -1, 2), 2)
  one <- rbind(c(1, 2), c(3, 4))
  two <- rbind(c(5, 6), c(7, 8))
  check <- function(means, covariances, weights) {
    found <- atoms(as_mixgist_draws(antman_fit(means, covariances, weights)))
    expect_equal(found$weight, unlist(weights))
    for (j in seq_len(ncol(means[[1]]))) expect_equal(found[[paste0("mean_", j)]], unlist(lapply(means, function(mean) mean[, j])))
    columns <- if (ncol(means[[1]]) == 1) "cov_1_1" else covariance_columns
    expect_equal(as.vector(t(as.matrix(found[columns]))), unlist(covariances))
  }
  # Differing numbers of components, the same number in all draws, one component in all draws.
  check(list(one, two[1, , drop = FALSE]), list(array(c(a, b), c(2, 2, 2)), array(b, c(2, 2, 1))), list(c(0.4, 0.6), 1))
  check(list(one, two), list(array(c(a, b), c(2, 2, 2)), array(c(b, a), c(2, 2, 2))), list(c(0.4, 0.6), c(0.5, 0.5)))
  check(list(one[1, , drop = FALSE], two[1, , drop = FALSE]), list(array(a, c(2, 2, 1)), array(b, c(2, 2, 1))), list(1, 1))
  check(list(matrix(1:2), matrix(3:5)), list(c(0.5, 4), c(1, 2, 3)), list(c(0.4, 0.6), c(0.2, 0.3, 0.5)))
  check(list(matrix(1:2), matrix(3:4)), list(c(0.5, 4), c(1, 2)), list(c(0.4, 0.6), c(0.2, 0.8)))
  check(list(matrix(1), matrix(2)), list(0.5, 4), list(1, 1))
})

test_that("PReMiuM: files", {
  draws <- as_mixgist_draws(premium_files(), format = "premium")
  found <- atoms(draws)
  expect_equal(found$weight, c(0.5, 0.5, 1))
  expect_equal(found$mean_1, c(1, 3, 5))
  expect_equal(found$mean_2, c(2, 4, 6))
  expect_equal(unname(as.matrix(found[covariance_columns])), rbind(c(2, 0.5, 0.5, 1), c(3, -1, -1, 2), c(3, -1, -1, 2)))
  expect_equal(draws$source$labels, rbind(c(1, 1, 2), c(1, 1, 1)))
  independent <- atoms(as_mixgist_draws(premium_files(independent = TRUE), format = "premium"))
  expect_equal(independent$cov_1_1, c(1, 3, 5))
  expect_equal(independent$cov_2_2, c(2, 4, 6))
  flat <- atoms(as_mixgist_draws(premium_files(d = 1), format = "premium"))
  expect_equal(flat$mean_1, c(1, 3, 5))
  expect_equal(flat$cov_1_1, c(2, 3, 4))
  stem <- premium_files()
  # What profRegr() returns: a plain list. The state before the first sweep is written with the burn-in, labels of subjects to predict come last.
  run <- list(directoryPath = dirname(stem), fileStem = basename(stem), nSweeps = 1, nBurn = 0, nFilter = 1, reportBurnIn = TRUE, nSubjects = 2, xModel = "Normal", xMat = data.frame(a = 1:2, b = 3:4))
  expect_equal(atoms(as_mixgist_draws(run))$mean_1, 5)
  expect_equal(as_mixgist_draws(run)$source$labels, rbind(c(1, 1)))
  expect_equal(as_mixgist_draws(run)$source$columns, c("a", "b"))
  run$reportBurnIn <- FALSE
  expect_equal(atoms(as_mixgist_draws(run)), found)
  run$reportBurnIn <- TRUE
  run$nBurn <- 5
  expect_error(as_mixgist_draws(run), "burn-in alone", class = "mixgist_input_error")
  expect_error(as_mixgist_draws(tempfile(), format = "premium"), "does not exist", class = "mixgist_io_error")
  stem <- premium_files()
  writeLines(c("1 2 3", "5 6"), paste0(stem, "_mu.txt"))
  expect_error(as_mixgist_draws(stem, format = "premium"), "_mu.txt:1", class = "mixgist_input_error")
})

test_that("bayesmix: files made by another implementation of Protocol Buffers", {
  one <- as_mixgist_draws(test_path("fixtures", "uni.recordio"))
  found <- atoms(one)
  expect_equal(found$weight, c(0.75, 0.25, 0.25, 0.5, 0.25))
  expect_equal(found$mean_1, c(0, 5, 4.5, 0.5, 9))
  expect_equal(found$cov_1_1, c(1, 2, 2, 1, 3))
  expect_equal(one$source$labels, rbind(c(1, 1, 2, 1), c(2, 2, 1, 3)))
  two <- atoms(as_mixgist_draws(rep(test_path("fixtures", "multi.recordio"), 2)))
  expect_equal(two$chain, rep(1:2, each = 4))
  expect_equal(two$weight, rep(c(0.3, 0.7), 4))
  expect_equal(unname(as.matrix(two[c(1, 3), covariance_columns])), matrix(as.vector(solve(matrix(c(2, 0.5, 0.5, 1), 2))), 2, 4, byrow = TRUE))
  expect_equal(two$cov_1_1[2], 0.25)
})

test_that("damaged files of bayesmix are errors", {
  bytes <- readBin(test_path("fixtures", "uni.recordio"), "raw", 1000)
  path <- tempfile(fileext = ".recordio")
  for (size in seq_len(length(bytes) - 1)) {
    writeBin(bytes[seq_len(size)], path)
    done <- tryCatch(as_mixgist_draws(path), mixgist_error = function(e) e)
    # The only shorter file that is whole has the first state alone.
    if (!inherits(done, "error")) expect_equal(length(done), 1)
  }
  set.seed(1)
  for (i in 1:100) {
    changed <- bytes
    changed[sample(length(bytes), 3)] <- as.raw(sample(0:255, 3))
    writeBin(changed, path)
    done <- tryCatch(quietly(as_mixgist_draws(path)), mixgist_error = function(e) e)
    expect_true(inherits(done, c("mixgist_error", "mixgist_draws")))
  }
})

test_that("draws say in a line what they are", {
  expect_output(print(as_mixgist_draws(matrix(1), means = matrix(1), covariances = matrix(1), data = 3, labels = matrix(1))),
    "1 draw of 1 atom in dimension 1\nwith 1 observation\nwith the labels of 1 observation$")
  expect_output(print(as_mixgist_draws(bnpmix_ls2())), "2 draws of 1 to 2 atoms in dimension 2\nwith 3 observations\n")
})

test_that("a matrix of labels is a set of partitions", {
  labels <- rbind(c(0, 0, 7), c(3, 1, 1))
  expect_s3_class(as_mixgist_draws(labels), "mixgist_partitions")
  expect_equal(similarity(labels), rbind(c(1, 0.5, 0), c(0.5, 1, 0.5), c(0, 0.5, 1)))
})

expect_variables <- function(found) {
  expect_equal(found$weight, c(0.4, 0.6, 0.5, 0.5, 0.6, 0.4))
  expect_equal(found$mean_1, c(1, 4, 2, 5, 3, 6))
  expect_equal(found$mean_2, c(7, 10, 8, 11, 9, 12))
  expect_equal(found$cov_1_2, rep(c(0.5, -1), 3))
}

test_that("posterior: all kinds of draws, chains and weights", {
  skip_if_not_installed("posterior")
  x <- posterior::as_draws_matrix(variables_matrix())
  for (kind in list(posterior::as_draws_matrix, posterior::as_draws_array, posterior::as_draws_df, posterior::as_draws_rvars, posterior::as_draws_list)) {
    expect_variables(atoms(as_mixgist_draws(kind(x), weights = "theta")))
  }
  # Columns in another order are the same variables.
  expect_variables(atoms(as_mixgist_draws(x[, rev(posterior::variables(x))], weights = "theta")))
  weighted <- posterior::weight_draws(x, c(0, log(2), log(5)), log = TRUE)
  expect_equal(core_weights(as_mixgist_draws(weighted, weights = "theta")), c(1, 2, 5) / 8)
  chains <- posterior::as_draws_array(array(rnorm(2 * 3 * 6), c(2, 3, 6), list(NULL, NULL, c("w[1]", "w[2]", "mu[1]", "mu[2]", "s[1]", "s[2]")))^2)
  found <- atoms(quietly(as_mixgist_draws(chains, weights = "w", covariances = "s")))
  expect_equal(found$chain, rep(1:3, each = 4))
  expect_equal(found$mean_1[1:2], as.vector(chains[1, 1, c("mu[1]", "mu[2]")]))
  expect_error(as_mixgist_draws(x, weights = "w"), "theta", class = "mixgist_input_error")
  expect_error(as_mixgist_draws(x), "weights or labels", class = "mixgist_usage_error")
})

test_that("samples in plain matrices are read by the names of their columns, one matrix for each chain", {
  values <- variables_matrix()
  expect_variables(atoms(as_mixgist_draws(values, weights = "theta", means = "mu", covariances = "Sigma")))
  expect_variables(atoms(as_mixgist_draws(values, weights = "theta")))
  both <- atoms(as_mixgist_draws(list(chain1 = values, chain2 = values), weights = "theta"))
  expect_equal(both$chain, rep(1:2, each = 6))
  expect_variables(both[1:6, ])
  # A list of arrays is one of arrays, whatever the names of their columns.
  named <- function(values) matrix(values, 2, 2, dimnames = list(NULL, c("a", "b")))
  listed <- as_mixgist_draws(list(weights = named(0.5), means = named(1:4), covariances = named(1)))
  expect_equal(atoms(listed)$mean_1, c(1, 3, 2, 4))
  labelled <- cbind(values, "xi[1]" = c(1, 2, 2), "xi[2]" = c(2, 2, 2))
  draws <- as_mixgist_draws(labelled, means = "mu", covariances = "Sigma", labels = "xi")
  expect_equal(atoms(draws)$weight, c(0.5, 0.5, 1, 1))
  expect_error(as_mixgist_draws(values, weights = "w"), "theta", class = "mixgist_input_error")
  # Weights whose columns have names are weights.
  weights <- cbind(a = c(0.4, 0.5), b = c(0.6, 0.5))
  expect_equal(atoms(as_mixgist_draws(weights, means = matrix(1:4, 2), covariances = matrix(1, 2, 2)))$weight, c(0.4, 0.6, 0.5, 0.5))
})

test_that("options that nothing knows are refused, because an option that is overlooked would give wrong draws", {
  a <- arrays2()
  precision <- list(a$weights, means = a$means, covariances = a$covariances)
  for (wrong in list(list(form = "precision"), list(covariance.form = "precision"), list(prec = TRUE))) {
    expect_error(do.call(as_mixgist_draws, c(precision, wrong)), "no option .*hint: one of: .*covariance_form", class = "mixgist_usage_error")
  }
  expect_error(as_mixgist_draws(bnpmix_ls2(), covariance_form = "precision"), "no option 'covariance_form'", class = "mixgist_usage_error")
  expect_error(as_mixgist_draws(dirichletprocess2(), covariance_form = "precision"), "no option 'covariance_form'", class = "mixgist_usage_error")
  expect_error(as_mixgist_draws(antman2(), chains = 1:2), "no option 'chains'", class = "mixgist_usage_error")
  expect_error(as_mixgist_draws(as_mixgist_draws(bnpmix_ls2()), chains = 1:2), "no option 'chains'", class = "mixgist_usage_error")
  expect_error(as_mixgist_draws(list(list(weights = 1, means = 0, covariances = 1)), form = "sd"), "no option 'form'", class = "mixgist_usage_error")
  expect_error(as_mixgist_draws(variables_matrix(), weights = "theta", form = "precision"), "no option 'form'", class = "mixgist_usage_error")
  expect_error(as_mixgist_draws(a$weights, means = a$means), "covariances are missing", class = "mixgist_usage_error")
  skip_if_not_installed("posterior")
  expect_error(as_mixgist_draws(posterior::as_draws_matrix(variables_matrix()), weights = "theta", form = "precision"), "no option 'form'", class = "mixgist_usage_error")
})

test_that("a variable without indices is one variance or deviation for all atoms of a draw", {
  skip_if_not_installed("coda")
  values <- cbind("theta[1]" = c(0.4, 0.3), "theta[2]" = c(0.6, 0.7), "mu[1]" = 1:2, "mu[2]" = 5:6, s = c(2, 3))
  read <- function(values, form) atoms(as_mixgist_draws(coda::mcmc(values), weights = "theta", covariances = "s", covariance_form = form))
  expect_equal(read(values, "covariance")$cov_1_1, c(2, 2, 3, 3))
  expect_equal(read(values, "sd")$cov_1_1, c(4, 4, 9, 9))
  colnames(values)[5] <- "s[1]"
  expect_equal(read(values, "precision")$cov_1_1, c(1, 1, 1, 1) / c(2, 2, 3, 3))
  two <- cbind(variables_matrix()[, 1:6], s = c(2, 3, 4))
  expect_equal(read(two, "spherical")[covariance_columns], data.frame(cov_1_1 = rep(2:4, each = 2), cov_2_1 = 0, cov_1_2 = 0, cov_2_2 = rep(2:4, each = 2)), ignore_attr = TRUE)
  # A column, where all is given as arrays.
  found <- atoms(as_mixgist_draws(matrix(0.5, 2, 3), means = matrix(1:6, 2), covariances = matrix(c(2, 3), 2)))
  expect_equal(found$cov_1_1, rep(c(2, 3), each = 3))
})

test_that("coda: chains and iterations", {
  skip_if_not_installed("coda")
  chain <- coda::mcmc(variables_matrix(), start = 101, thin = 5)
  expect_variables(atoms(as_mixgist_draws(chain, weights = "theta")))
  both <- atoms(as_mixgist_draws(coda::mcmc.list(chain, chain), weights = "theta"))
  expect_equal(both$chain, rep(1:2, each = 6))
  expect_equal(unique(both$iteration), c(101, 106, 111))
})

test_that("cmdstanr: what draws() gives", {
  skip_if_not_installed("posterior")
  fit <- structure(list(draws = function() posterior::as_draws_array(posterior::as_draws_matrix(variables_matrix()))), class = c("CmdStanMCMC", "CmdStanFit", "R6"))
  expect_variables(atoms(as_mixgist_draws(fit, weights = "theta")))
})

test_that("bayesm: roots of precisions, in dimension 1 and 2", {
  skip_if_not_installed("bayesm")
  for (columns in list(1, 1:2)) {
    data <- as.matrix(faithful[columns])
    utils::capture.output(fit <- bayesm::rnmixGibbs(list(y = data), list(ncomp = 2), list(R = 5, keep = 1, nprint = 0)))
    draws <- as_mixgist_draws(fit, data = data)
    found <- atoms(draws)
    expect_equal(found$weight, as.vector(t(fit$nmix$probdraw)))
    for (row in c(1, 2, 9, 10)) {
      one <- fit$nmix$compdraw[[(row + 1) %/% 2]][[2 - row %% 2]]
      expect_equal(unlist(found[row, grepl("^mean", names(found))], use.names = FALSE), one$mu)
      expect_equal(unlist(found[row, grepl("^cov", names(found))], use.names = FALSE), as.vector(solve(one$rooti %*% t(one$rooti))))
    }
    expect_equal(draws$source$labels, fit$nmix$zdraw)
    expect_equal(atoms(as_mixgist_draws(fit$nmix)), found)
  }
  # rDPGibbs has one predictive component for each draw.
  fit$nmix$probdraw <- matrix(1, 5, 1)
  expect_error(as_mixgist_draws(fit), "rDPGibbs", class = "mixgist_input_error")
})

test_that("mclust: bootstraps are draws, a fit is a measure", {
  skip_if_not_installed("mclust")
  mclustBIC <- mclust::mclustBIC
  for (fit in list(mclust::Mclust(faithful, G = 2, modelNames = "VVV", verbose = FALSE), mclust::Mclust(faithful$eruptions, G = 2, modelNames = "E", verbose = FALSE))) {
    d <- fit$d
    set.seed(1)
    bootstrap <- mclust::MclustBootstrap(fit, nboot = 3, verbose = FALSE)
    found <- atoms(as_mixgist_draws(bootstrap))
    expect_equal(found$weight, as.vector(t(unname(bootstrap$pro))))
    expect_equal(found$mean_1, as.vector(t(unname(bootstrap$mean[, 1, ]))))
    expect_equal(found$cov_1_1, as.vector(t(unname(bootstrap$variance[, 1, 1, ]))))
    if (d == 2) expect_equal(found$cov_1_2, as.vector(t(unname(bootstrap$variance[, 1, 2, ]))))
    measure <- mixgist:::as_measure(fit, "candidate")
    density <- mixgist:::predict_measure(measure, if (d == 1) 3 else data.frame(eruptions = 3, waiting = 70), "density")
    expect_equal(density, as.vector(predict(mclust::densityMclust(if (d == 1) faithful$eruptions else faithful, G = 2, modelNames = fit$modelName, verbose = FALSE, plot = FALSE),
      if (d == 1) 3 else cbind(3, 70))))
  }
})

test_that("rstan: fits that the package itself reads, in dimension 1 and 2", {
  skip_if_not_installed("rstan")
  values <- cbind(theta.1 = c(0.4, 0.3, 0.2), theta.2 = c(0.6, 0.7, 0.8), mu.1 = 1, mu.2 = 5, sigma.1 = 1, sigma.2 = 2)
  files <- c(stan_csv_file(values, 1), stan_csv_file(values[3:1, ], 2))
  draws <- as_mixgist_draws(rstan::read_stan_csv(files), weights = "theta", covariances = "sigma", covariance_form = "sd")
  found <- atoms(draws)
  expect_equal(found$weight, c(0.4, 0.6, 0.3, 0.7, 0.2, 0.8, 0.2, 0.8, 0.3, 0.7, 0.4, 0.6))
  expect_equal(found$cov_1_1, rep(c(1, 4), 6))
  expect_equal(found$chain, rep(1:2, each = 6))
  # lp__ judges the chains.
  expect_equal(unname(draws$source$log_posterior), c(-1, -2, -3, -1, -2, -3))
  values <- variables_matrix()
  colnames(values) <- gsub(",|\\[", ".", sub("\\]", "", colnames(values)))
  two <- atoms(as_mixgist_draws(rstan::read_stan_csv(stan_csv_file(values)), weights = "theta"))
  expect_variables(two)
})

test_that("standard deviations by name are not read as variances in silence", {
  skip_if_not_installed("coda")
  values <- cbind("theta[1]" = c(0.4, 0.3), "theta[2]" = c(0.6, 0.7), "mu[1]" = 1, "mu[2]" = 5, "sigma[1]" = 1, "sigma[2]" = 2)
  read <- function(form) as_mixgist_draws(coda::mcmc(values), weights = "theta", covariances = "sigma", covariance_form = form)
  expect_warning(read("covariance"), "'sigma' is read as variances", class = "mixgist_deviations_as_variances_warning")
  expect_equal(atoms(expect_no_warning(read("sd")))$cov_1_1, c(1, 4, 1, 4))
  expect_equal(atoms(expect_no_warning(read("diagonal")))$cov_1_1, c(1, 2, 1, 2))
})

test_that("files whose variables have names of any kind are read by those names", {
  values <- cbind(theta.1 = c(0.4, 0.3, 0.2), theta.2 = c(0.6, 0.7, 0.8), mu.1 = 1, mu.2 = 5, sigma.1 = 1, sigma.2 = 2)
  files <- c(stan_csv_file(values, 1), stan_csv_file(values[3:1, ], 2))
  for (read in list(read_mixgist_draws, as_mixgist_draws)) {
    found <- atoms(read(files, format = "stan-csv", weights = "theta", means = "mu", covariances = "sigma", covariance_form = "sd"))
    expect_equal(found$weight, c(0.4, 0.6, 0.3, 0.7, 0.2, 0.8, 0.2, 0.8, 0.3, 0.7, 0.4, 0.6))
    expect_equal(found$cov_1_1, rep(c(1, 4), 6))
    expect_equal(found$chain, rep(0:1, each = 6))
  }
  expect_error(read_mixgist_draws(files, format = "stan-csv", weights = "phi", means = "mu", covariances = "sigma"), "phi", class = "mixgist_error")
})

test_that("the log posterior goes with the draws, and outlives their session", {
  draws <- as_mixgist_draws(matrix(0.5, 3, 2), means = matrix(1:6, 3), covariances = matrix(1, 3, 2), log_posterior = c(-3, -2, -1))
  expect_equal(mixgist:::draws_arrays(mixgist:::draws_handle(draws[2:3]))$log_posterior, c(-2, -1))
  path <- tempfile(fileext = ".rds")
  saveRDS(draws[2:3], path)
  again <- readRDS(path)
  expect_equal(mixgist:::draws_arrays(mixgist:::draws_handle(again))$log_posterior, c(-2, -1))
  expect_error(as_mixgist_draws(matrix(0.5, 3, 2), means = matrix(1:6, 3), covariances = matrix(1, 3, 2), log_posterior = 1), "log posterior", class = "mixgist_input_error")
})
