# Objects of packages that keep a list for each draw.

# An object of a package, or an error that names the package where the object is not as that package makes it, which R's errors and warnings tell.
understood <- function(package, code) {
  unlike <- function(e) {
    if (inherits(e, "mixgist_error")) stop(e)
    abort(paste0("this object is not as ", package, " makes it: ", conditionMessage(e)), "give weights, means and covariances as arrays: as_mixgist_draws(weights, means = , covariances = )", "input")
  }
  tryCatch(code, error = unlike, warning = unlike)
}

# A fit of BNPmix: lists of weights, means and variances, which are there only when they were asked for.
#' @rdname import
#' @export
as_mixgist_draws.BNPdens <- function(x, data = NULL, ...) {
  no_more(as_mixgist_draws.BNPdens, ...)
  understood("BNPmix", from_bnpmix(x, data))
}

from_bnpmix <- function(x, data) {
  if (isTRUE(x$regression)) {
    abort("a regression of BNPmix has no mixing measure over means and covariances", kind = "input")
  }
  if (isTRUE(x$dep)) {
    abort("DDPdensity keeps labels and densities alone, no parameters", "for the partition: as_mixgist_draws(fit$clust)", "input")
  }
  if (is.null(x$probs) || is.null(x$mean) || is.null(x$sigma2) || length(x$probs) == 0) {
    abort("this fit of BNPmix holds no parameters, only labels",
      "fit with output = list(out_type = \"FULL\", out_param = TRUE); for the partition alone: as_mixgist_draws(fit$clust)", "input")
  }
  m <- length(x$probs)
  # Lists of Armadillo come with a dimension.
  plain <- function(list) lapply(seq_len(m), function(i) list[[i]])
  own <- if (is.null(data)) x$data else data
  univariate <- isTRUE(x$univariate) || (is.null(x$univariate) && NCOL(own) == 1)
  # PYdensity counts labels from 0 in dimension 1 and from 1 beyond.
  labels <- if (is.null(x$clust)) NULL else if (univariate) x$clust + 1 else x$clust
  weights <- lapply(plain(x$probs), as.double)
  sizes <- lengths(weights)
  if (length(labels) > 0 && nrow(labels) != m) labels <- NULL
  if (univariate) {
    means <- lapply(plain(x$mean), as.double)
    # One variance for all atoms of a draw: a vector of numbers instead of a list.
    variances <- if (is.list(x$sigma2)) lapply(plain(x$sigma2), as.double) else Map(rep, as.double(x$sigma2), sizes)
    return(ragged_draws(weights, means, variances, labels = labels, data = own))
  }
  means <- Map(function(mean, k) matrix(mean, nrow = k), plain(x$mean), sizes)
  d <- ncol(means[[1]])
  if (is.list(x$sigma2)) {
    sigma <- plain(x$sigma2)
    if (length(dim(sigma[[1]])) == 3) {
      # d x d x K: the atom comes first here.
      sigma <- lapply(sigma, aperm, c(3, 1, 2))
      return(ragged_draws(weights, means, sigma, labels = labels, data = own))
    }
    # A matrix K x d of variances: coordinates are independent within an atom.
    sigma <- Map(function(s, k) matrix(s, nrow = k), sigma, sizes)
    return(ragged_draws(weights, means, sigma, covariance_form = "diagonal", labels = labels, data = own))
  }
  # d x d x draws: one covariance for all atoms of a draw.
  shared <- array(x$sigma2, c(d, d, m))
  sigma <- Map(function(i, k) aperm(array(shared[, , i], c(d, d, k)), c(3, 1, 2)), seq_len(m), sizes)
  ragged_draws(weights, means, sigma, labels = labels, data = own)
}

#' @rdname import
#' @export
as_mixgist_draws.dirichletprocess <- function(x, data = NULL, ...) {
  no_more(as_mixgist_draws.dirichletprocess, ...)
  understood("dirichletprocess", from_dirichletprocess(x, data))
}

from_dirichletprocess <- function(x, data) {
  if (is.null(x$clusterParametersChain) || length(x$clusterParametersChain) == 0) {
    abort("this dirichletprocess object holds no draws", "fit it first: Fit(dp, its)", "input")
  }
  kernel <- intersect(c("normal", "normalFixedVariance", "mvnormal", "mvnormal2"), class(x))
  if (length(kernel) == 0) {
    abort(paste0("the mixing distribution of class '", paste(setdiff(class(x), c("list", "dirichletprocess")), collapse = "', '"), "' is not Gaussian"),
      "for the partition: mixgist_partition(do.call(rbind, dp$labelsChain))", "input")
  }
  weights <- lapply(x$weightsChain, as.double)
  m <- length(weights)
  parameters <- lapply(x$clusterParametersChain[seq_len(m)], unname)
  labels <- if (length(x$labelsChain) == m) do.call(rbind, x$labelsChain)
  own <- if (is.null(data)) x$data else data
  if (kernel[1] %in% c("normal", "normalFixedVariance")) {
    # Standard deviations; one for all draws where it is fixed.
    sd <- function(p) if (kernel[1] == "normal") as.double(p[[2]]) else rep(as.double(x$mixingDistribution$sigma), length(p[[1]]))
    return(ragged_draws(weights, lapply(parameters, function(p) as.double(p[[1]])), lapply(parameters, sd), covariance_form = "sd", labels = labels, data = own))
  }
  means <- Map(function(p, k) matrix(aperm(p[[1]], c(3, 2, 1)), nrow = k), parameters, lengths(weights))
  ragged_draws(weights, means, lapply(parameters, function(p) aperm(p[[2]], c(3, 1, 2))), labels = labels, data = own)
}

#' @rdname import
#' @export
as_mixgist_draws.AM_mcmc_output <- function(x, data = NULL, ...) {
  no_more(as_mixgist_draws.AM_mcmc_output, ...)
  understood("AntMAN", from_antman(x, data))
}

from_antman <- function(x, data) {
  sigma <- if (is.null(x$Sig)) x$sig2 else x$Sig
  if (is.null(x$W) || is.null(x$mu) || is.null(sigma)) {
    abort("this fit of AntMAN holds no weights, means and covariances",
      "fit with a normal kernel and AM_mcmc_parameters(output = \"ALL\")", "input")
  }
  m <- length(x$W)
  weights <- lapply(x$W, as.double)
  sizes <- lengths(weights)
  # Where the number of components is constant, R has made a matrix of lists, a column a draw; where it is always 1, a list of what is inside.
  entry <- function(part, i) {
    found <- if (is.matrix(part)) part[, i] else part[[i]]
    if (is.list(found)) found else if (is.matrix(found)) list(found) else as.list(found)
  }
  d <- length(entry(x$mu, 1)[[1]])
  # AM_mcmc_fit() of AntMAN up to 1.1.0 cuts the matrix of means, components by coordinates, into pieces along its columns, so that a piece mixes
  # components: put together again they are that matrix. Objects made otherwise have a mean in each piece.
  by_columns <- !is.null(attr(x, "mix_kernel_hyperparams"))
  means <- lapply(seq_len(m), function(i) matrix(unlist(entry(x$mu, i)), ncol = d, byrow = !by_columns))
  covariances <- lapply(seq_len(m), function(i) aperm(array(unlist(entry(sigma, i)), c(d, d, sizes[i])), c(3, 1, 2)))
  if (d == 1) means <- lapply(means, as.double)
  # Labels count from 0.
  labels <- if (!is.null(x$CI) && length(x$CI) == m) do.call(rbind, lapply(seq_len(m), function(i) as.double(unlist(x$CI[[i]])))) + 1
  ragged_draws(weights, means, covariances, labels = labels, data = data)
}

# bayesm: a component has its mean and the upper triangular root R of its precision R R'.
#' @rdname import
#' @export
as_mixgist_draws.bayesm.nmix <- function(x, data = NULL, ...) {
  no_more(as_mixgist_draws.bayesm.nmix, ...)
  understood("bayesm", from_bayesm(x, data))
}

from_bayesm <- function(x, data) {
  weights <- as.matrix(x$probdraw)
  size <- dim(weights)
  if (size[2] == 1 && any(x$zdraw != 1)) {
    abort("rDPGibbs of bayesm keeps one component drawn from the predictive distribution, no mixing measure", "for the partition: as_mixgist_draws(fit$nmix$zdraw)", "input")
  }
  components <- unlist(x$compdraw, recursive = FALSE)
  d <- length(components[[1]]$mu)
  # Components run fastest.
  means <- aperm(array(unlist(lapply(components, `[[`, "mu")), c(d, size[2:1])), c(3, 2, 1))
  precisions <- aperm(array(unlist(lapply(components, function(one) tcrossprod(one$rooti))), c(d, d, size[2:1])), c(4, 3, 1, 2))
  as_mixgist_draws.array(weights, means = means, covariances = precisions, covariance_form = "precision", labels = x$zdraw, data = data)
}

# mclust: draws of a bootstrap, with the component last.
#' @rdname import
#' @export
as_mixgist_draws.MclustBootstrap <- function(x, data = NULL, ...) {
  no_more(as_mixgist_draws.MclustBootstrap, ...)
  understood("mclust", from_mclust(x, data))
}

from_mclust <- function(x, data) {
  as_mixgist_draws.array(unname(x$pro), means = unname(aperm(x$mean, c(1, 3, 2))), covariances = unname(aperm(x$variance, c(1, 4, 2, 3))), data = data)
}

# The mixture that mclust fitted, as a measure.
mclust_measure <- function(x) {
  found <- x$parameters
  k <- length(found$pro)
  d <- if (is.matrix(found$mean)) nrow(found$mean) else 1
  # In dimension 1 equal variances are one number.
  sigma <- if (d == 1) rep_len(found$variance$sigmasq, k) else found$variance$sigma
  list(weights = found$pro, means = t(matrix(found$mean, d)), covariances = aperm(array(sigma, c(d, d, k)), c(3, 1, 2)))
}

# getSamplesDPmeasure() of NIMBLE: a list of matrices, one row per atom, with a column of weights.
is_nimble_measure <- function(x) {
  if (!is.null(x$samples) && is.list(x$samples)) x <- x$samples
  all(vapply(x, function(draw) is.matrix(draw) && is.numeric(draw) && "weights" %in% colnames(draw), NA))
}

from_nimble_measure <- function(x, means = NULL, covariances = NULL, covariance_form = NULL, ...) {
  if (!is.null(x$samples) && is.list(x$samples)) x <- x$samples
  columns <- setdiff(colnames(x[[1]]), "weights")
  known <- unique(sub("\\[.*", "", columns))
  if (is.null(means) || is.null(covariances) || is.null(covariance_form)) {
    second <- if (length(known) > 1) paste0("\"", known[2], "\"") else "sigma (numbers, one for each draw)"
    abort("draws of NIMBLE need the names of the atoms' parameters, and what the second one is",
      paste0("such as means = \"", known[1], "\", covariances = ", second, ", covariance_form = \"precision\"; the parameters are: ", paste(known, collapse = ", ")))
  }
  # Columns of a parameter in the order of the model: the first index, of the cluster, is always 1.
  place <- function(name) {
    found <- variable(x[[1]], name)
    index <- found$index[, -1, drop = FALSE]
    if (ncol(index) == 0) {
      return(found$columns)
    }
    found$columns[do.call(order, rev(as.data.frame(index)))]
  }
  mean_columns <- place(means)
  d <- length(mean_columns)
  weights <- lapply(x, function(draw) draw[, "weights"])
  mu <- lapply(x, function(draw) if (d > 1) unname(draw[, mean_columns, drop = FALSE]) else as.double(draw[, mean_columns]))
  if (is.numeric(covariances)) {
    # They are no part of the measure: a row for each draw.
    shared <- matrix(full_covariances(covariances, c(length(x), 1), d, covariance_form), length(x))
    sigma <- lapply(seq_along(x), function(i) matrix(shared[i, ], nrow(x[[i]]), ncol(shared), byrow = TRUE))
    return(ragged_draws(weights, mu, sigma, covariance_form = covariance_form, ...))
  }
  covariance_columns <- place(covariances)
  # Matrices carry the cluster in their last index: Sigma[1, 2, 1]; vectors in their first: mu[1, 2].
  found <- variable(x[[1]], covariances)$index
  if (ncol(found) == 3) {
    cluster <- which(apply(found, 2, function(i) all(i == 1)))
    cluster <- if (d == 1) 3L else utils::tail(cluster, 1)
    rest <- found[, -cluster, drop = FALSE]
    columns_of <- variable(x[[1]], covariances)$columns
    covariance_columns <- columns_of[order(rest[, 2], rest[, 1])]
  }
  per_atom <- length(covariance_columns)
  shape <- function(draw) {
    values <- draw[, covariance_columns, drop = FALSE]
    if (d > 1 && per_atom == d * d) array(values, c(nrow(draw), d, d)) else if (d > 1) unname(values) else as.double(values)
  }
  ragged_draws(weights, mu, lapply(x, shape), covariance_form = covariance_form, ...)
}
