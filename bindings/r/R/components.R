#' Components that exist
#'
#' `mixgist_align()` aligns every draw with the components: what tools for traces, R-hat and forest plots read. No label is sorted or permuted; draws are coupled
#' with the components by exact transport. `mixgist_memberships()` says who belongs to which component, with intervals, and ranks the uncertain ones.
#' `mixgist_how_many()` gives the posterior of the number of clusters and components, with and without merging similar ones.
#'
#' The components are those that at least half of the draws have, heaviest first, unless you name another `estimate`. A summary of `mixgist_summary()` whose
#' estimate is a draw is asked about them too.
#'
#' @inheritParams questions
#' @param names Names of the components, heaviest first; numbers from 1 without them.
#' @param old An older fit, the names of whose components are carried over: an answer of `mixgist_align()` or `mixgist_summary()`, or a list of `weights`, `means` and
#'   `covariances`. The field `carried` says what is new, split and gone.
#' @return An object of class `mixgist_alignment`, `mixgist_memberships` or `mixgist_how_many`, with the methods of all answers (see [questions]).
#'
#'   An alignment has the `names` of the components, `components` as one measure, their `existence`, and for all draws `weights` (draws by components), `means`
#'   (draws by components by coordinates), `covariances`, and the mass `unmatched` of each draw. Values are `NA` where a draw lacks a component.
#'   `posterior::as_draws_df()` makes it draws of variables `weight[j]`, `mean[j,i]` and `covariance[j,i,l]`.
#'
#'   Memberships have the posterior `mean` of each probability, `low` and `high` ends of its interval (observations by components), the probability of `none`,
#'   `labels`, and the observations that are `uncertain`, least certain first.
#' @examples
#' set.seed(1)
#' means <- cbind(rnorm(200, 0, 0.1), rnorm(200, 5, 0.1))
#' data <- c(-1, 0, 2.6, 5, 6)
#' sigma <- matrix(1, 200, 2)
#' draws <- as_mixgist_draws(matrix(0.5, 200, 2), means = means, covariances = sigma, data = data)
#' aligned <- mixgist_align(draws, names = c("right", "left"), slices = 100, threads = 2)
#' aligned
#' dim(aligned$means)
#' mixgist_align(draws[101:200], old = aligned, slices = 100, threads = 2)$names
#' mixgist_memberships(draws, slices = 100, threads = 2)
#' mixgist_how_many(draws, slices = 100, threads = 2)
#' @export
mixgist_align <- function(x, data = NULL, names = NULL, old = NULL, overlap = NULL, share = NULL, least_weight = NULL, ...) {
  if (!is.null(names) && (!is.character(names) || length(names) == 0 || anyNA(names))) {
    abort("names must be texts, one for each component")
  }
  if (!is.null(names) && !is.null(old)) {
    abort("names gives names, and an older fit does too", "leave out names")
  }
  measure <- if (inherits(old, "mixgist_alignment")) old$components else old
  measure <- if (!is.null(old)) as_measure(measure, "old")
  old_names <- if (inherits(old, "mixgist_alignment")) old$names else as.character(seq_along(measure$weights))
  rules <- rules_of(overlap = overlap, share = share, least_weight = least_weight)
  answer <- ask_components(x, data, list(...), posterior_aligned, "mixgist_alignment",
    c(rules, some(names = names, old = measure, old_names = if (!is.null(old)) old_names)))
  # In R components count from 1, unless they have names.
  if (is.null(names) && is.null(old)) answer$names <- as.character(seq_along(answer$names))
  with_arrays(answer)
}

# The arrays of an alignment, draws first.
with_arrays <- function(answer) {
  parts <- answer$aligned_draws
  size <- c(parts$draws, parts$components, parts$dim)
  ordered <- function(values, dim) {
    values <- vapply(values, function(value) if (is.null(value)) NA_real_ else as.double(value), 0)
    aperm(array(values, rev(dim)), rev(seq_along(dim)))
  }
  answer$weights <- ordered(parts$weights, size[1:2])
  answer$means <- ordered(parts$means, size)
  answer$covariances <- ordered(parts$covariances, size[c(1, 2, 3, 3)])
  answer$unmatched <- parts$unmatched
  colnames(answer$weights) <- answer$names
  answer
}

#' @rdname mixgist_align
#' @export
mixgist_memberships <- function(x, data = NULL, level = 0.95, overlap = NULL, share = NULL, least_weight = NULL, ...) {
  rules <- rules_of(level = level, overlap = overlap, share = share, least_weight = least_weight)
  answer <- ask_components(x, data, list(...), posterior_memberships, "mixgist_memberships", rules)
  for (part in c("mean", "low", "high")) answer[[part]] <- matrix(answer[[part]], answer$points, answer$components, byrow = TRUE)
  answer$uncertain <- as.integer(unlist(answer$uncertain))
  answer
}

#' @rdname mixgist_align
#' @export
mixgist_how_many <- function(x, data = NULL, ...) ask_components(x, data, list(...), posterior_how_many, "mixgist_how_many", list())

rules_of <- function(...) {
  rules <- some(...)
  for (name in names(rules)) rules[[name]] <- one_number(rules[[name]], name, 0, 1)
  rules
}

# A question about components: of draws about the aligned estimate, unless another one is named.
ask_components <- function(x, data, options, question, class, rules) {
  summary <- inherits(x, "mixgist_summary")
  if (!summary && is.null(options$estimate)) options$estimate <- "aligned"
  posterior <- posterior_of(x, data, options)
  do.call(ask, c(list(posterior, question, class), rules, list(usual = summary)), quote = TRUE)
}

#' @exportS3Method posterior::as_draws_df
as_draws_df.mixgist_alignment <- function(x, ...) {
  variables <- function(values, name) {
    size <- dim(values)[-1]
    index <- arrayInd(seq_len(prod(size)), size)
    matrix(values, nrow(values), dimnames = list(NULL, paste0(name, "[", apply(index, 1, paste, collapse = ","), "]")))
  }
  values <- cbind(variables(x$weights, "weight"), variables(x$means, "mean"), variables(x$covariances, "covariance"), unmatched = x$unmatched)
  chains <- x$aligned_draws$chain
  frame <- data.frame(values, check.names = FALSE)
  frame$.chain <- match(chains, unique(chains))
  frame$.iteration <- stats::ave(seq_along(chains), chains, FUN = seq_along)
  if (!is.null(x$aligned_draws$draw_weights)) frame$.log_weight <- log(x$aligned_draws$draw_weights)
  posterior::as_draws_df(frame)
}

#' @exportS3Method posterior::as_draws_df
as_draws_df.mixgist_components <- function(x, ...) {
  # About the atoms that the intervals are about.
  answer <- do.call(ask, c(list(x$posterior, posterior_aligned, "mixgist_alignment"), x$rules), quote = TRUE)
  as_draws_df.mixgist_alignment(with_arrays(answer))
}

#' @exportS3Method posterior::as_draws_df
as_draws_df.mixgist_summary <- function(x, ...) as_draws_df.mixgist_alignment(mixgist_align(x, ...))
