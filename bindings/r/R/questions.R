#' Questions to a posterior
#'
#' `mixgist_summary()` gives one measure that stands for all draws, with the density and the partition that it implies, and how far it can be trusted. The
#' others ask about that estimate: `mixgist_ball()` how far the posterior reaches from it, `mixgist_components()` what the draws say of each of its
#' components, without relabelling, `mixgist_representatives()` whether there are several modes, `mixgist_stability()` what moves it. The answers depend on the
#' draws, the options and the seed, never on the number of threads; the command line of mixgist gives the same numbers.
#'
#' Draws, atoms, labels and rows count from 1.
#'
#' @param x Draws, or what [as_mixgist_draws()] makes draws of; or a summary of `mixgist_summary()`, whose draws, data and options are then used, and which is not
#'   computed again.
#' @param data Observations to label and to take units from: a matrix, data frame, or vector in dimension 1. Without it, those that came with the draws.
#' @param estimate `"medoid"`, one of the draws; `"free"`, a measure with few atoms that is not confined to them; `"aligned"`, the components that at least half of
#'   the draws have. The other questions also take a measure of your own: a list of `weights`, `means` and `covariances`.
#'   `mixgist_components()` of draws is about the aligned estimate unless you name another.
#' @param atoms Number of atoms of the free estimate, or `"auto"`.
#' @param candidate A measure of your own to judge beside the estimate: a list of `weights` K, `means` K by d and `covariances` K by d by d,
#'   or a fit of `mclust::Mclust()`.
#' @param distance The sliced distance: `"smix-w"` (the default), `"mix-sw"`, `"mix-sw-frobenius"` or `"sw"`.
#' @param loss What is averaged over the posterior: the `"distance"`, or its p-th `"power"`.
#' @param route How the best draw is found: `"auto"`, `"pairs"`, `"certified"`, `"sweep"` or `"blocks"`; every route finds the same draw. `"blocks"` is for the loss
#'   `"power"` of order 2. With it `x` may be names of files or folders (Parquet, Zarr, or many files), whose draws are read in blocks and need not fit into memory;
#'   only [predict()] and the figures can then use the summary.
#' @param slices Number of slices, or `"auto"` (the default): as many as needed.
#' @param order Order p of the transport cost, at least 1; 2 without it.
#' @param units Units of distances: `"sd"` (the default), `"whiten"`, `"none"`, or a number per coordinate to divide by.
#' @param scheme How directions are spread: `"balanced"` (the default), `"iid"`, `"orthogonal"` or `"qmc"`.
#' @param directions A named list of arrays of directions to use instead.
#' @param prune Which light atoms are dropped: `"rounding"` (the default: no result changes), `"off"`, or a tolerance.
#' @param seed Seed of the directions; R's own random numbers are not used. Beyond 2^53 as a text.
#' @param threads Threads to use; all cores without it.
#' @param progress Whether to show progress; or a function of `phase`, `done`, `total` and `remark`.
#' @param level Posterior probability of the ball, or level of the intervals.
#' @param hypothesis A hypothesised measure: the posterior probability of a region around it is given.
#' @param radius Radius of that region; without it, that of the ball.
#' @param conformal Whether to add a ball that holds the next draw with a guaranteed probability.
#' @param overlap,share,least_weight Rules: atoms are near when their Gaussians overlap by this much; a draw has a component when it holds this share of its weight;
#'   lighter atoms of the estimate are not reported.
#' @param count How many representatives; `"auto"` as many as there are modes.
#' @param grid Grid points per axis of the densities of the representatives; 0 leaves them out.
#' @param ... Options of `mixgist_summary()`, such as `slices`, `units`, `seed`, `threads`.
#' @return An object of class `mixgist_summary`, `mixgist_ball`, `mixgist_components`, `mixgist_representatives` or `mixgist_stability`: a list with the
#'   fields of the command line's documents. It has methods for [print()], [summary()], [plot()], [as.data.frame()], `ggplot2::autoplot()`, `generics::tidy()` and
#'   `generics::glance()`; summaries also for [predict()].
#' @section Conditions:
#' Errors have the class `mixgist_error`. What limits the trust in an answer is a warning of class `mixgist_warning`, with a class for each kind, such as
#' `mixgist_few_draws_warning`, and with the option that helps.
#' @examples
#' set.seed(1)
#' means <- cbind(rnorm(200, 0, 0.1), rnorm(200, 5, 0.1))
#' draws <- as_mixgist_draws(matrix(0.5, 200, 2), means = means, covariances = matrix(1, 200, 2))
#' found <- mixgist_summary(draws, slices = 200, threads = 2)
#' found
#' predict(found, c(0.3, 4), type = "label")
#' mixgist_ball(found)
#' mixgist_components(found)
#' mixgist_representatives(found)
#' mixgist_stability(found)
#' @name questions
NULL

# Options of the core from those of a question, checked.
settings_of <- function(estimate = NULL, atoms = NULL, candidate = NULL, distance = NULL, loss = NULL, route = NULL, slices = NULL, order = NULL,
                        units = NULL, scheme = NULL, directions = NULL, prune = NULL, seed = NULL, threads = NULL, progress = FALSE) {
  word <- function(x, name) if (is.null(x)) NULL else as_word(x, name)
  given <- NULL
  if (!is.null(estimate) && !is.character(estimate)) {
    given <- as_measure(estimate, "estimate")
    estimate <- NULL
  }
  if (!is.null(directions) && (!is.list(directions) || is.null(names(directions)))) {
    abort("directions must be a named list of arrays")
  }
  list(
    settings = some(estimate = word(estimate, "estimate"), atoms = word(atoms, "atoms"), candidate = if (!is.null(candidate)) as_measure(candidate, "candidate"),
      distance = word(distance, "distance"), loss = word(loss, "loss"), route = word(route, "route"), slices = word(slices, "slices"),
      order = if (!is.null(order)) one_number(order, "order", 1), units = word(units, "units"), scheme = word(scheme, "scheme"), directions = directions,
      prune = word(prune, "prune"), seed = as_seed(seed), given = given),
    threads = as_threads(threads), progress = progress
  )
}

# A measure: a list of weights, means and covariances, an answer that has an estimate, or a fit of mclust.
as_measure <- function(x, name) {
  if (inherits(x, "Mclust")) x <- mclust_measure(x)
  if (inherits(x, "mixgist_answer")) x <- x$estimate
  if (!is.list(x) || !all(c("weights", "means", "covariances") %in% names(x))) {
    abort(paste0(name, " must be a list of weights, means and covariances"))
  }
  k <- length(x$weights)
  numeric <- vapply(x[c("weights", "means", "covariances")], is.numeric, NA)
  if (!all(numeric) || k == 0 || length(x$means) %% k != 0 || length(x$covariances) != k * (length(x$means) / k)^2) {
    abort(paste0(name, ": means must be ", k, " by d, covariances ", k, " by d by d, all numeric"), kind = "input")
  }
  d <- length(x$means) / k
  list(weights = as.double(x$weights), means = array(as.double(x$means), c(k, d)), covariances = array(as.double(x$covariances), c(k, d, d)))
}

# A posterior: draws, data and settings bound once, by an environment that remembers how to bind them again.
new_posterior <- function(draws, data, asked) {
  posterior <- new.env(parent = emptyenv())
  posterior$draws <- draws
  posterior$options <- c(asked$settings, some(data = as_observations(data, draws$facts$dim), columns = colnames(data)))
  posterior$threads <- asked$threads
  posterior$progress <- asked$progress
  posterior_handle(posterior)
  posterior
}

posterior_handle <- function(posterior) {
  if (!alive(posterior$handle)) posterior$handle <- wrap(posterior_new(draws_handle(posterior$draws), posterior$options))
  posterior$handle
}

# The posterior that a question is about: that of a summary, or a new one.
posterior_of <- function(x, data, options) {
  if (inherits(x, "mixgist_summary")) {
    kept <- intersect(names(options), c("threads", "progress"))
    if (!is.null(data) || length(setdiff(names(options), kept)) > 0) {
      abort("a summary brings its data and options", paste0("ask about the draws that it was made of: mixgist_...(draws, ", if (is.null(data)) setdiff(names(options), kept)[1] else "data", " = ...)"))
    }
    old <- kept_posterior(x)
    posterior <- as.environment(as.list(old))
    if ("threads" %in% kept) posterior$threads <- as_threads(options$threads)
    if ("progress" %in% kept) posterior$progress <- options$progress
    posterior$handle <- posterior_handle(old)
    return(posterior)
  }
  draws <- as_mixgist_draws(x)
  if (inherits(draws, "mixgist_partitions")) {
    abort("labels alone have no mixing measure", "mixgist_partition() summarises partitions")
  }
  known <- names(formals(settings_of))
  unknown <- setdiff(if (is.null(names(options))) rep("", length(options)) else names(options), known)
  if (length(unknown) > 0) {
    abort(if (nzchar(unknown[1])) paste0("there is no option '", unknown[1], "'") else "an option has no name", paste0("one of: ", paste(known, collapse = ", ")))
  }
  twice <- names(options)[duplicated(names(options))]
  if (length(twice) > 0) {
    abort(paste0("the option '", twice[1], "' is given twice"))
  }
  new_posterior(draws, data, do.call(settings_of, options, quote = TRUE))
}

# The posterior behind a summary.
kept_posterior <- function(x) {
  if (!is.environment(x$posterior)) {
    abort("the draws of this summary are in files and not in memory", "ask about draws that are: read_mixgist_draws(path), thinned if there are too many")
  }
  x$posterior
}

# Draws in files that do not fit into memory: no further question can be put to them.
summary_in_blocks <- function(paths, data, options) {
  if (length(paths) == 0 || anyNA(paths)) {
    abort("x must be the name of a file, or of several")
  }
  asked <- do.call(settings_of, options, quote = TRUE)
  on.exit(end_progress(asked$progress))
  given <- some(paths = path.expand(paths), data = as_observations(data), columns = colnames(data), threads = asked$threads)
  parts <- core(files_summary(c(asked$settings, given), ticker(asked$progress)))
  warn_all(parts$warnings)
  new_answer(parts, "mixgist_summary")
}

# Puts a question, and makes an object of the answer.
ask <- function(posterior, question, class, ...) {
  options <- some(..., threads = posterior$threads)
  on.exit(end_progress(posterior$progress))
  parts <- core(question(posterior_handle(posterior), options, ticker(posterior$progress)))
  warn_all(parts$warnings)
  new_answer(parts, class, posterior)
}

new_answer <- function(parts, class, posterior = NULL) {
  answer <- parts$document
  answer$said <- parts$said
  # In R's words, and counted from 1.
  answer$warnings <- Map(function(one, told) utils::modifyList(one, told), answer$warnings, parts$warnings)
  structure(c(answer, list(posterior = posterior)), json = parts$json, plain = parts$plain, class = c(class, "mixgist_answer"))
}

#' @rdname questions
#' @export
mixgist_summary <- function(x, data = NULL, estimate = "medoid", atoms = NULL, candidate = NULL, distance = NULL, loss = NULL, route = NULL, slices = NULL,
                            order = NULL, units = NULL, scheme = NULL, directions = NULL, prune = NULL, seed = NULL, threads = NULL, progress = FALSE) {
  one_text(estimate, "estimate")
  options <- some(estimate = estimate, atoms = atoms, candidate = candidate, distance = distance, loss = loss, route = route, slices = slices, order = order,
    units = units, scheme = scheme, directions = directions, prune = prune, seed = seed, threads = threads, progress = progress)
  if (is.character(x) && identical(route, "blocks")) {
    return(summary_in_blocks(x, data, options))
  }
  if (inherits(x, "mixgist_summary")) x <- kept_posterior(x)$draws
  ask(posterior_of(x, data, options), posterior_summary, "mixgist_summary")
}

#' @rdname questions
#' @export
mixgist_ball <- function(x, data = NULL, level = 0.95, hypothesis = NULL, radius = NULL, conformal = FALSE, ...) {
  level <- one_number(level, "level", 0, 1)
  ask(posterior_of(x, data, list(...)), posterior_ball, "mixgist_ball", level = level,
    hypothesis = if (!is.null(hypothesis)) as_measure(hypothesis, "hypothesis"),
    radius = if (!is.null(radius)) one_number(radius, "radius", 0), conformal = one_flag(conformal, "conformal"))
}

#' @rdname questions
#' @export
mixgist_components <- function(x, data = NULL, level = 0.95, overlap = NULL, share = NULL, least_weight = NULL, ...) {
  rules <- rules_of(level = one_number(level, "level", 0, 1), overlap = overlap, share = share, least_weight = least_weight)
  options <- list(...)
  if (!inherits(x, "mixgist_summary") && is.null(options$estimate)) options$estimate <- "aligned"
  answer <- do.call(ask, c(list(posterior_of(x, data, options), posterior_components, "mixgist_components"), rules))
  answer$rules <- rules
  answer
}

#' @rdname questions
#' @export
mixgist_representatives <- function(x, data = NULL, count = "auto", grid = 60, ...) {
  count <- if (identical(count, "auto")) NULL else one_number(count, "count", 1, whole = TRUE)
  ask(posterior_of(x, data, list(...)), posterior_representatives, "mixgist_representatives", count = count, grid = one_number(grid, "grid", 0, 10000, whole = TRUE))
}

#' @rdname questions
#' @export
mixgist_stability <- function(x, data = NULL, level = 0.95, ...) {
  ask(posterior_of(x, data, list(...)), posterior_stability, "mixgist_stability", level = one_number(level, "level", 0, 1))
}
