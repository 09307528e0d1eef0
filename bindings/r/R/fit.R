#' Draws from data
#'
#' Fits a Dirichlet process mixture of Gaussians (or a Pitman-Yor or finite one) by several chains, with diagnostics.
#'
#' @param data Observations: a matrix, data frame, or vector in dimension 1.
#' @param alpha Concentration: a number, or the shape and rate of its gamma prior.
#' @param discount Discount of a Pitman-Yor process.
#' @param components Number of components of a finite mixture.
#' @param covariance How covariances vary between components: `"full"`, `"diagonal"` or another model that the error lists.
#' @param mu0,lambda,psi,nu Hyperparameters; chosen from the data without them.
#' @param scales Those of `lambda`, `psi` and `nu` that are not given: `"fixed"`, chosen from the spread of the data, `"learned"` with everything else, or `"auto"` (the default): learned from three dimensions on.
#' @param algorithm `"blocked"` or another one that the error lists.
#' @param truncation Number of sticks of the blocked sampler.
#' @param chains,iterations,burn_in,thin Length of the chains; `iterations` include the burn-in.
#' @param seed Seed; R's own random numbers are not used.
#' @param threads,progress See [questions].
#' @return An object of class `mixgist_fit`: a list with `draws` (see [as_mixgist_draws()]), the `model` in words, `diagnostics`, the `verdict` on the chains,
#'   `advice` and `traces`.
#' @examples
#' fit <- mixgist_fit(faithful, chains = 2, iterations = 200, burn_in = 100, thin = 1, threads = 2)
#' fit
#' @export
mixgist_fit <- function(data, alpha = NULL, discount = 0, components = NULL, covariance = NULL, mu0 = NULL, lambda = NULL, psi = NULL, nu = NULL,
                        scales = NULL,
                        algorithm = NULL, truncation = NULL, chains = NULL, iterations = NULL, burn_in = NULL, thin = NULL, seed = NULL, threads = NULL,
                        progress = FALSE) {
  count <- function(x, name) if (is.null(x)) NULL else one_number(x, name, 0, whole = TRUE)
  number <- function(x, name) if (is.null(x)) NULL else one_number(x, name)
  numbers <- function(x, name) {
    if (is.null(x)) {
      return(NULL)
    }
    if (!is.numeric(x) || length(x) == 0 || !all(is.finite(x))) abort(paste0(name, " must be numbers"))
    storage.mode(x) <- "double"
    x
  }
  observations <- as_observations(data)
  if (is.null(observations)) {
    abort("data are missing", kind = "input")
  }
  options <- some(data = observations, columns = colnames(observations), alpha = numbers(alpha, "alpha"), discount = one_number(discount, "discount"),
    components = count(components, "components"), covariance = covariance, mu0 = numbers(mu0, "mu0"), lambda = number(lambda, "lambda"), psi = numbers(psi, "psi"),
    nu = number(nu, "nu"), scales = scales, algorithm = algorithm, truncation = count(truncation, "truncation"), chains = count(chains, "chains"),
    iterations = count(iterations, "iterations"), burn_in = count(burn_in, "burn_in"), thin = count(thin, "thin"), seed = as_seed(seed),
    threads = as_threads(threads))
  on.exit(end_progress(progress))
  found <- core(fit_mixture(options, ticker(progress)))
  evidence <- found$evidence
  evidence$diagnostics <- rows_of(lapply(evidence$diagnostics, `[`, c("name", "rhat", "bulk_ess", "tail_ess")))
  if (!is.null(evidence$warning)) {
    advice <- if (length(evidence$advice) > 0) paste(unlist(evidence$advice), collapse = "; ") else "run longer: more iterations"
    warn_all(list(list(name = evidence$warning, message = evidence$verdict, advice = advice)))
  }
  structure(c(list(draws = from_handle(.savvy_wrap_Handle(found$handle))), evidence), class = "mixgist_fit")
}

# A data frame from a list of lists with the same scalar fields.
rows_of <- function(list) {
  if (length(list) == 0) {
    return(data.frame())
  }
  names <- unique(unlist(lapply(list, names)))
  columns <- lapply(names, function(name) {
    values <- lapply(list, function(row) if (is.null(row[[name]])) NA else row[[name]])
    if (all(lengths(values) == 1)) unlist(values) else I(values)
  })
  as.data.frame(structure(columns, names = names), stringsAsFactors = FALSE, optional = TRUE)
}

#' @export
print.mixgist_fit <- function(x, ...) {
  cat("<mixgist fit> ", x$model, "\n", sep = "")
  print(x$draws)
  cat(x$verdict, "\n", sep = "")
  if (nrow(x$diagnostics) > 0) print(x$diagnostics, digits = 3, row.names = FALSE)
  for (advice in x$advice) cat("what helps: ", advice, "\n", sep = "")
  invisible(x)
}

#' @export
summary.mixgist_fit <- function(object, ...) object$diagnostics

#' @export
as.data.frame.mixgist_fit <- function(x, ...) atoms(x$draws)

#' @rdname answer-plots
#' @export
plot.mixgist_fit <- function(x, which = "clusters", ...) {
  one_of(which, "which", names(x$traces))
  trace <- trace_matrix(x$traces[[which]])
  graphics::matplot(t(trace), type = "l", lty = 1, xlab = "draw", ylab = gsub("_", " ", which), ...)
  invisible(x)
}

# One row per chain.
trace_matrix <- function(trace) if (is.matrix(trace)) trace else do.call(rbind, trace)
