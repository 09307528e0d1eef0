# What answers have in common.

#' @export
print.mixgist_answer <- function(x, ...) {
  title <- c(mixgist_summary = "summary", mixgist_ball = "credible ball", mixgist_components = "components", mixgist_representatives = "representatives",
    mixgist_stability = "stability", mixgist_partition = "partition", mixgist_alignment = "aligned draws", mixgist_memberships = "memberships",
    mixgist_how_many = "number of components")[[class(x)[1]]]
  cat("<mixgist ", title, ">\n", attr(x, "plain"), "\n", sep = "")
  for (one in x$warnings) cat("warning: ", one$message, "\n  what helps: ", one$advice, "\n", sep = "")
  invisible(x)
}

#' The document of an answer
#'
#' What the command line prints with `--json`; there and in Python, draws, atoms and labels count from 0.
#'
#' @param x An answer, such as a summary.
#' @param path A file to write.
#' @param force Whether to replace a file.
#' @return The document as text; invisibly when it is written.
#' @examples
#' found <- mixgist_partition(rbind(c(1, 1, 2), c(1, 2, 2)), threads = 2)
#' cat(substr(as_json(found), 1, 80))
#' @export
as_json <- function(x, path = NULL, force = FALSE) {
  if (!inherits(x, "mixgist_answer")) {
    abort("x must be an answer of mixgist")
  }
  text <- attr(x, "json")
  if (is.null(path)) {
    return(text)
  }
  path <- path.expand(one_text(path, "path"))
  if (file.exists(path) && !one_flag(force, "force")) {
    abort(paste0(path, " exists already"), "force = TRUE replaces it", "io")
  }
  writeLines(text, path)
  invisible(text)
}

#' @export
summary.mixgist_answer <- function(object, ...) {
  structure(list(facts = glance_answer(object), rows = as.data.frame(object), class = class(object)[1]), class = "summary.mixgist_answer")
}

#' @export
print.summary.mixgist_answer <- function(x, ...) {
  facts <- vapply(x$facts, function(value) if (is.numeric(value)) format(value, digits = 5) else as.character(value), "")
  cat("<summary of ", x$class, ">\n", paste0(format(names(facts)), "  ", facts, "\n"), sep = "")
  if (nrow(x$rows) > 0) print(utils::head(x$rows, 12), digits = 4, row.names = FALSE)
  if (nrow(x$rows) > 12) cat("(the first 12 of ", nrow(x$rows), " rows; as.data.frame() gives all)\n", sep = "")
  invisible(x)
}

# The atoms of a measure, one row each.
measure_frame <- function(measure, columns = NULL) {
  k <- length(measure$weights)
  d <- length(measure$means) / k
  means <- matrix(measure$means, k)
  covariances <- matrix(measure$covariances, k)
  sd <- sqrt(covariances[, seq(1, d * d, by = d + 1), drop = FALSE])
  names <- if (is.null(columns)) seq_len(d) else columns
  colnames(means) <- paste0("mean_", names)
  colnames(sd) <- paste0("sd_", names)
  data.frame(atom = seq_len(k), weight = measure$weights, means, sd, check.names = FALSE)
}

#' Answers as data frames
#'
#' One row per atom, component, representative, check, draw or observation. Components that cannot be told apart have no intervals of their own: further rows,
#' with the `standing` `"group"`, have those of what they are together, and rows `"missing"` are components of the draws that the estimate lacks. `generics::tidy()` gives the same, `generics::glance()` one row with
#' the facts of the answer.
#'
#' @param x An answer.
#' @param row.names,optional,... Not used.
#' @return A data frame.
#' @examples
#' as.data.frame(mixgist_partition(rbind(c(1, 1, 2), c(1, 2, 2)), threads = 2))
#' @name answer-frames
NULL

#' @rdname answer-frames
#' @export
as.data.frame.mixgist_summary <- function(x, row.names = NULL, optional = FALSE, ...) measure_frame(x$estimate, x$columns)

#' @rdname answer-frames
#' @export
as.data.frame.mixgist_components <- function(x, row.names = NULL, optional = FALSE, ...) {
  row <- function(name, atom, standing, one) {
    interval <- function(part, name) {
      values <- if (is.null(part)) list(median = NA, low = NA, high = NA) else part
      stats::setNames(list(values$median, values$low, values$high), paste0(name, c("", "_low", "_high")))
    }
    own <- one$intervals
    d <- length(one$mean)
    names <- if (is.null(x$columns)) seq_len(d) else x$columns
    means <- lapply(seq_len(d), function(j) interval(own$mean[[j]], paste0("mean_", names[j])))
    sds <- lapply(seq_len(d), function(j) interval(own$sd[[j]], paste0("sd_", names[j])))
    c(list(component = name, atom = atom, standing = standing, existence = one$existence$value), interval(own$weight, "weight"), unlist(means, FALSE), unlist(sds, FALSE))
  }
  rows_of(c(
    lapply(x$components, function(one) row(paste("atom", one$atom), one$atom, one$standing, one)),
    lapply(x$groups, function(group) row(paste("atoms", paste(sort(group$atoms), collapse = ", ")), NA_integer_, "group", group$together)),
    Map(function(one, i) row(paste("not in the estimate", i), NA_integer_, "missing", one), x$missing, seq_along(x$missing))
  ))
}

#' @rdname answer-frames
#' @export
as.data.frame.mixgist_ball <- function(x, row.names = NULL, optional = FALSE, ...) {
  data.frame(draw = seq_along(x$distances), distance = x$distances, inside = x$distances <= x$ball$radius)
}

#' @rdname answer-frames
#' @export
as.data.frame.mixgist_representatives <- function(x, row.names = NULL, optional = FALSE, ...) {
  rows_of(lapply(x$representatives, function(one) {
    list(draw = one$draw, chain = one$chain, iteration = one$iteration, probability = one$weight$value, low = one$weight$low, high = one$weight$high,
      atoms = length(one$measure$weights), clusters = if (is.null(one$clusters)) NA else one$clusters, expected_distance = one$expected_distance)
  }))
}

#' @rdname answer-frames
#' @export
as.data.frame.mixgist_stability <- function(x, row.names = NULL, optional = FALSE, ...) {
  rows_of(Map(function(one, change) {
    list(choice = one$choice, change = change, distance = one$distance, radii = one$radii, movement = one$movement, clusters = one$clusters)
  }, x$checks, x$said$changes))
}

#' @rdname answer-frames
#' @export
as.data.frame.mixgist_partition <- function(x, row.names = NULL, optional = FALSE, ...) {
  out <- data.frame(observation = seq_along(x$labels), label = x$labels)
  if (!is.null(x$coclustering)) out$coclustering <- x$coclustering
  out
}

#' @rdname answer-frames
#' @export
as.data.frame.mixgist_alignment <- function(x, row.names = NULL, optional = FALSE, ...) {
  out <- measure_frame(x$components, x$columns)
  names(out)[1] <- "component"
  out$component <- x$names
  out$existence <- vapply(x$existence, `[[`, 0, "value")
  out
}

#' @rdname answer-frames
#' @export
as.data.frame.mixgist_memberships <- function(x, row.names = NULL, optional = FALSE, ...) {
  own <- cbind(seq_along(x$labels), x$labels)
  probabilities <- x$mean
  colnames(probabilities) <- paste0("probability_", seq_len(ncol(probabilities)))
  data.frame(observation = own[, 1], component = x$labels, probability = x$mean[own], low = x$low[own], high = x$high[own], none = x$none, probabilities)
}

#' @rdname answer-frames
#' @export
as.data.frame.mixgist_how_many <- function(x, row.names = NULL, optional = FALSE, ...) {
  part <- function(counted, setting, posterior) data.frame(counted = counted, setting = setting, number = posterior$counts, probability = posterior$probabilities)
  do.call(rbind, c(
    if (!is.null(x$occupied)) list(part("occupied clusters", NA_real_, x$occupied$posterior)),
    lapply(x$heavier, function(one) part("atoms heavier than", one$weight, one$posterior)),
    lapply(x$merged, function(one) part("merge-truncate-merge", one$omega, one$posterior))
  ))
}

# The facts of an answer, one row.
glance_answer <- function(x) {
  facts <- switch(class(x)[1],
    mixgist_summary = list(estimate = x$settings$estimate, draw = if (identical(x$settings$estimate, "medoid")) x$draw, atoms = length(x$estimate$weights), clusters = x$clusters,
      expected_loss = x$expected_loss, expected_loss_se = x$expected_loss_se, verdict = x$margin$verdict, chains = x$chains, draws = x$draws, slices = x$slices),
    mixgist_ball = list(level = x$ball$level, radius = x$ball$radius, radius_error = x$ball$radius_error, probability = x$ball$probability$value, draws = x$draws),
    mixgist_components = list(components = length(x$components), groups = length(x$groups), missing = length(x$missing), level = x$level, unmatched = x$unmatched$median, draws = x$draws),
    mixgist_representatives = list(representatives = length(x$representatives), expected_distance = x$expected_distance, draws = x$draws),
    mixgist_stability = list(verdict = x$verdict, movement = x$movement, decided = x$decided, radius = x$ball$radius, draws = x$draws),
    mixgist_alignment = list(components = length(x$names), least_existence = min(vapply(x$existence, `[[`, 0, "value")), unmatched = mean(x$unmatched), draws = x$draws),
    mixgist_memberships = list(observations = length(x$labels), components = ncol(x$mean), uncertain = length(x$uncertain), sure = x$sure, level = x$level, draws = x$draws_used),
    mixgist_how_many = list(components = x$components, omega = x$omega, occupied = x$occupied$posterior$mode, draws = x$draws),
    mixgist_partition = list(loss = x$loss, clusters = x$clusters, expected_loss = x$expected_loss, runs = x$runs, runs_agreeing = x$runs_agreeing, draws = x$draws,
      observations = x$observations)
  )
  as.data.frame(lapply(facts, function(value) if (is.null(value)) NA else value), stringsAsFactors = FALSE)
}

# Methods of generics that other packages own; they are registered when those packages are loaded.

#' @exportS3Method generics::tidy
tidy.mixgist_answer <- function(x, ...) as.data.frame(x)

#' @exportS3Method generics::glance
glance.mixgist_answer <- function(x, ...) glance_answer(x)

#' @exportS3Method generics::tidy
tidy.mixgist_fit <- function(x, ...) x$diagnostics

#' @exportS3Method generics::glance
glance.mixgist_fit <- function(x, ...) {
  warning <- if (is.null(x$warning)) NA_character_ else x$warning
  data.frame(draws = length(x$draws), chains = x$draws$facts$chains, verdict = x$verdict, warning = warning, unresolved = x$unresolved)
}
