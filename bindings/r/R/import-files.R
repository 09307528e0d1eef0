# Files of other programs.

#' @rdname import
#' @export
as_mixgist_draws.character <- function(x, format = NULL, data = NULL, ...) {
  if (length(x) == 0 || anyNA(x)) {
    abort("x must be the name of a file")
  }
  if (is.null(format) && all(grepl("\\.recordio$", x))) format <- "bayesmix"
  if (identical(format, "premium")) {
    return(from_premium(one_text(x, "x"), data))
  }
  if (identical(format, "bayesmix")) {
    return(from_bayesmix(x, data))
  }
  given <- list(...)
  unknown <- setdiff(names(given), names(formals(read_mixgist_draws)))
  if (length(given) > 0 && (is.null(names(given)) || length(unknown) > 0)) {
    abort(paste0("a file of draws has no option '", unknown[1], "'"), "a text is the name of a file; weights are a matrix of numbers")
  }
  read_mixgist_draws(x, format = format, ...)
}

# What profRegr() of PReMiuM returns: a plain list that says where its files are. The burn-in in them begins with the state before the first sweep; labels
# are followed by those of subjects to predict.
is_premium_run <- function(x) all(c("directoryPath", "fileStem", "nSweeps") %in% names(x))

from_premium_run <- function(x, data = NULL) {
  stem <- file.path(one_text(x$directoryPath, "directoryPath"), one_text(x$fileStem, "fileStem"))
  if (is.null(data) && identical(x$xModel, "Normal")) data <- x$xMat
  from_premium(stem, data, burn_in = if (isTRUE(x$reportBurnIn)) x$nBurn / max(1, x$nFilter) + 1 else 0, observations = x$nSubjects)
}

# Labels of the given observations alone; psi need not sum to 1, which the core knows.
from_premium <- function(stem, data, burn_in = 0, observations = NULL) {
  draws <- read_mixgist_draws(paste0(stem, "_psi.txt"), format = "premium")
  keep <- seq_len(length(draws)) > burn_in
  if (!any(keep)) {
    abort(paste0(stem, ": the files hold the burn-in alone"), kind = "input")
  }
  changed(if (all(keep)) draws else draws[keep], data, observations)
}

from_bayesmix <- function(paths, data) changed(read_mixgist_draws(paths, format = "bayesmix"), data)

# Draws of files with their data, chains counted from 1, and the labels of the first observations.
changed <- function(draws, data, observations = NULL) {
  source <- draws$source
  source$chains <- match(source$chains, unique(source$chains))
  if (!is.null(observations) && !is.null(source$labels)) source$labels <- source$labels[, seq_len(min(observations, ncol(source$labels))), drop = FALSE]
  if (!is.null(data)) {
    source$data <- as_observations(data, draws$facts$dim)
    source$columns <- colnames(data)
  }
  new_draws(source)
}
