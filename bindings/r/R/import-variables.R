# Draws whose parts are named variables, such as theta[2] or mu[2,1]: posterior, coda, rstan, cmdstanr, NIMBLE.

#' Draws from other packages
#'
#' `as_mixgist_draws()` has methods for what other packages return. What an object does not hold is an error that names the argument to fit with.
#'
#' * **posterior**, **coda**, **rstan**, **cmdstanr**: `weights`, `means` and `covariances` are the names of variables, such as `theta[k]`, `mu[k]` or `mu[k,j]`,
#'   `Sigma[k,i,j]`. Chains, `.log_weight` and Stan's `lp__` are kept. `labels` names a variable of cluster labels; without `weights`, the weight of
#'   an atom is the share of the observations with its label, and atoms without observations are dropped.
#' * **BNPmix**: fit with `output = list(out_type = "FULL", out_param = TRUE)`. All models of `PYdensity` are known; `DDPdensity` keeps no parameters, and regressions
#'   have no mixing measure over means and covariances. In dimension 1 labels count from 0 there and from 1 here.
#' * **dirichletprocess**: weights are the shares of the observations, because the package draws no weights. The normal kernels are known, that of fixed variance too: in dimension 1
#'   the package has standard deviations, beyond it covariances. For `MvNormal` the package's draws of the covariance are those of its likelihood.
#' * **NIMBLE**: the list of `getSamplesDPmeasure()`, or its element `samples`; `means` and `covariances` name the atoms' parameters, `covariance_form`
#'   says what they are, because models are written with variances, standard deviations or precisions. Where the atoms are means alone, `covariances` are numbers: one number or matrix for
#'   each draw. Samples of an MCMC are those of coda; the matrix that `runMCMC()` gives, or a list of one for each chain, is read the same way.
#' * **AntMAN**: fit with `AM_mcmc_parameters(output = "ALL")`, which keeps `W`, `mu` and `Sig` or `sig2`. Beyond dimension 1, `AM_mcmc_fit()` up to version 1.1.0 keeps means in pieces that mix
#'   coordinates of several components; they are put in order.
#' * **PReMiuM**: what `profRegr()` returns, or with `format = "premium"` the stem of its files (folder and name). Weights that do not sum to 1 are scaled.
#' * **bayesmix**: the file `chains.recordio`, by its extension or `format = "bayesmix"`. Marginal algorithms draw no weights: then they are the shares of the observations.
#' * **bayesm**: what `rnmixGibbs()` returns, or its element `nmix`. `rDPGibbs()` keeps no mixing measure.
#' * **mclust**: what `MclustBootstrap()` returns. A fit of `Mclust()` is one measure: give it as `candidate` or `estimate` of a question, see [questions].
#'
#' @inheritParams as_mixgist_draws
#' @param weights,means,covariances,labels Names of variables.
#' @param format The format of files: `"premium"`, `"bayesmix"`, or one that [read_mixgist_draws()] knows.
#' @return An object of class `mixgist_draws`.
#' @examples
#' if (requireNamespace("posterior", quietly = TRUE)) {
#'   x <- posterior::as_draws_matrix(cbind(
#'     "theta[1]" = rep(0.4, 50), "theta[2]" = rep(0.6, 50),
#'     "mu[1]" = rnorm(50), "mu[2]" = rnorm(50, 5),
#'     "sigma[1]" = rep(1, 50), "sigma[2]" = rep(2, 50)
#'   ))
#'   as_mixgist_draws(x, weights = "theta", covariances = "sigma", covariance_form = "sd")
#' }
#' @name import
NULL

#' @rdname import
#' @export
as_mixgist_draws.draws <- function(x, weights = NULL, means = "mu", covariances = "Sigma", covariance_form = "covariance", labels = NULL,
                                   data = NULL, ...) {
  no_more(as_mixgist_draws.draws, ...)
  need("posterior", "draws of the package posterior")
  frame <- as.data.frame(posterior::as_draws_df(x))
  values <- as.matrix(frame[setdiff(names(frame), c(".chain", ".iteration", ".draw"))])
  log_weights <- if (".log_weight" %in% colnames(values)) values[, ".log_weight"]
  from_variables(values, frame$.chain, frame$.iteration, weights, means, covariances, covariance_form, labels, data,
    draw_weights = if (!is.null(log_weights)) exp(log_weights - max(log_weights)))
}

#' @rdname import
#' @export
as_mixgist_draws.mcmc.list <- function(x, weights = NULL, means = "mu", covariances = "Sigma", covariance_form = "covariance", labels = NULL,
                                       data = NULL, ...) {
  no_more(as_mixgist_draws.mcmc.list, ...)
  chains <- lapply(x, function(chain) as.matrix(unclass(chain)))
  rows <- vapply(chains, nrow, 0L)
  iterations <- unlist(lapply(x, coda_iterations))
  from_variables(do.call(rbind, chains), rep(seq_along(chains), rows), iterations, weights, means, covariances, covariance_form, labels, data)
}

#' @rdname import
#' @export
as_mixgist_draws.mcmc <- function(x, ...) as_mixgist_draws.mcmc.list(list(x), ...)

# The numbers of iterations, from what coda keeps beside the values.
coda_iterations <- function(chain) {
  range <- attr(chain, "mcpar")
  rows <- NROW(chain)
  if (is.null(range)) seq_len(rows) else seq(range[1], by = range[3], length.out = rows)
}

#' @rdname import
#' @export
as_mixgist_draws.stanfit <- function(x, ...) {
  need("rstan", "a fit of rstan")
  values <- understood("rstan", as.array(x))
  names <- dimnames(values)[[3]]
  chains <- lapply(seq_len(dim(values)[2]), function(chain) matrix(values[, chain, ], ncol = length(names), dimnames = list(NULL, names)))
  as_mixgist_draws.mcmc.list(chains, ...)
}

#' @rdname import
#' @export
as_mixgist_draws.CmdStanFit <- function(x, ...) {
  need("posterior", "a fit of cmdstanr")
  as_mixgist_draws.draws(understood("cmdstanr", x$draws()), ...)
}

# A variable of a matrix of samples, with the indices of its columns: name, name[2], name[2,1], name[2, 1].
variable <- function(values, name, required = TRUE) {
  columns <- colnames(values)
  plain <- gsub(" ", "", columns, fixed = TRUE)
  inside <- startsWith(plain, paste0(name, "[")) & endsWith(plain, "]")
  found <- which(inside | plain == name)
  if (length(found) == 0) {
    if (!required) {
      return(NULL)
    }
    known <- unique(sub("\\[.*", "", columns))
    abort(paste0("there is no variable '", name, "'"), paste0("the variables are: ", paste(utils::head(known, 20), collapse = ", ")), "input")
  }
  if (length(found) == 1 && !any(inside)) {
    return(list(columns = found, index = matrix(1L, 1, 1)))
  }
  if (!all(inside[found])) found <- which(inside)
  inner <- substring(plain[found], nchar(name) + 2, nchar(plain[found]) - 1)
  index <- strsplit(inner, ",", fixed = TRUE)
  if (length(unique(lengths(index))) != 1 || !all(grepl("^[0-9]+(,[0-9]+)*$", inner))) {
    abort(paste0("the indices of variable '", name, "' are not numbers, or not equally many"), kind = "input")
  }
  list(columns = found, index = matrix(as.integer(unlist(index)), nrow = length(found), byrow = TRUE))
}

# The values of a variable as an array, draws first. Entries that are not there are missing.
variable_array <- function(values, name) {
  found <- variable(values, name)
  size <- apply(found$index, 2, max)
  if (any(found$index < 1) || prod(size) != nrow(found$index)) {
    abort(paste0("variable '", name, "' has ", nrow(found$index), " entries, expected ", paste(size, collapse = " x "), " from index 1"), kind = "input")
  }
  out <- matrix(NA_real_, nrow(values), prod(size))
  place <- 1 + as.vector((found$index - 1) %*% cumprod(c(1, size))[seq_along(size)])
  out[, place] <- values[, found$columns]
  array(out, c(nrow(values), size))
}

from_variables <- function(values, chains, iterations, weights, means, covariances, covariance_form, labels, data, draw_weights = NULL) {
  if (is.null(colnames(values)) || !is.numeric(values)) {
    abort("samples need numeric columns with the names of variables", kind = "input")
  }
  for (name in c("weights", "means", "covariances", "labels")) {
    given <- get(name)
    if (!is.null(given)) one_text(given, name)
  }
  label_values <- if (!is.null(labels)) variable_array(values, labels)
  if (!is.null(label_values) && length(dim(label_values)) != 2) {
    abort(paste0("labels '", labels, "' must have one index, the observation"), kind = "input")
  }
  mu <- variable_array(values, means)
  k <- dim(mu)[2]
  w <- if (!is.null(weights)) {
    variable_array(values, weights)
  } else if (!is.null(label_values)) {
    shares_of(label_values, k)
  } else {
    abort("weights or labels must be named", "such as as_mixgist_draws(x, weights = \"theta\"), or labels = \"xi\" where weights are the shares of the observations")
  }
  if (length(dim(w)) != 2) {
    abort(paste0("weights '", weights, "' must have one index, the atom"), kind = "input")
  }
  if (ncol(w) != k && ncol(w) == k + 1) {
    abort(paste0("there are ", ncol(w), " weights for ", k, " means"), kind = "input")
  }
  sigma <- variable_array(values, covariances)
  # Padding of ragged draws: what has no weight may have no parameters.
  w[is.na(w)] <- 0
  # What Stan calls the log posterior judges the chains, where all of it is known.
  log_posterior <- if ("lp__" %in% colnames(values) && all(is.finite(values[, "lp__"]))) values[, "lp__"]
  warn_of_deviations(covariances, covariance_form, if (length(dim(mu)) < 3) 1 else dim(mu)[3])
  as_mixgist_draws.array(w, means = mu, covariances = sigma, covariance_form = covariance_form, chains = chains, iterations = iterations,
    draw_weights = draw_weights, log_posterior = log_posterior, labels = label_values, data = data)
}

# Warns where numbers that are standard deviations by the name of their variable are read as variances: in one dimension their shape does not tell.
warn_of_deviations <- function(name, form, d) {
  if (d == 1 && identical(form, "covariance") && name %in% c("sigma", "sd", "sds", "std", "scale", "scales")) {
    warn_all(list(list(
      name = "deviations-as-variances",
      message = paste0("variable '", name, "' is read as variances; by its name it holds standard deviations"),
      advice = "if it does, read it as such: covariance_form = \"sd\"; if these are variances, say so: covariance_form = \"diagonal\""
    )))
  }
}

# The share of the observations with each label from 1 to k.
shares_of <- function(labels, k) {
  if (anyNA(labels) || any(labels < 1) || any(labels > k)) {
    abort(paste0("labels must be from 1 to ", k, ", the number of atoms"), kind = "input")
  }
  t(apply(labels, 1, tabulate, nbins = k)) / ncol(labels)
}
