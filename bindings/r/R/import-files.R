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

# A text file of numbers, a line a sweep, of differing length.
lines_of <- function(stem, name) {
  path <- paste0(stem, "_", name, ".txt")
  if (!file.exists(path)) {
    hint <- if (name == "psi") "weights are written for the truncated and slice samplers" else "run profRegr() with xModel = \"Normal\" and keep its files"
    abort(paste0(path, " does not exist"), hint, "io")
  }
  lines <- readLines(path)
  numbers <- lapply(strsplit(trimws(lines[nzchar(trimws(lines))]), "[[:space:]]+"), function(words) suppressWarnings(as.double(words)))
  bad <- which(vapply(numbers, anyNA, NA))
  if (length(bad) > 0) {
    abort(paste0(path, ":", bad[1], ": not all words of the line are numbers"), kind = "input")
  }
  numbers
}

# PReMiuM: means and covariances have the cluster as their last index, empty clusters have a place, psi need not sum to 1.
from_premium <- function(stem, data, burn_in = 0, observations = NULL) {
  stem <- path.expand(stem)
  sizes <- vapply(lines_of(stem, "nClusters"), `[`, 0, 1)
  keep <- seq_along(sizes) > burn_in
  if (!any(keep)) {
    abort(paste0(stem, ": the files hold the burn-in alone"), kind = "input")
  }
  psi <- lines_of(stem, "psi")
  mu <- lines_of(stem, "mu")
  sigma <- lines_of(stem, "Sigma")
  count <- c(nClusters = length(sizes), psi = length(psi), mu = length(mu), Sigma = length(sigma))
  if (length(unique(count)) != 1 || count[[1]] == 0) {
    abort(paste0(stem, ": the files have ", paste(count, names(count), collapse = ", "), " lines: the run did not end, or they are of different runs"), kind = "input")
  }
  d <- length(mu[[1]]) / sizes[1]
  per_atom <- length(sigma[[1]]) / sizes[1]
  fits <- lengths(psi) >= sizes & lengths(mu) == sizes * d & lengths(sigma) == sizes * per_atom
  if (d != round(d) || !(per_atom %in% c(d, d * d)) || !all(fits)) {
    # The dimension is that of the first line.
    line <- if (d == round(d) && per_atom %in% c(d, d * d)) which(!fits)[1] else 1
    abort(paste0(stem, ": line ", line, " does not hold as many numbers as its clusters need"), kind = "input")
  }
  z_path <- paste0(stem, "_z.txt")
  labels <- if (file.exists(z_path)) lines_of(stem, "z")
  if (!is.null(observations)) labels <- lapply(labels, utils::head, observations)
  good <- !is.null(labels) && length(labels) == length(sizes) && length(unique(lengths(labels))) == 1
  full <- per_atom == d * d && d > 1
  draw <- function(i) {
    k <- sizes[i]
    w <- psi[[i]][seq_len(k)]
    list(w / sum(w), if (d == 1) mu[[i]] else matrix(mu[[i]], nrow = k),
      if (full) aperm(array(sigma[[i]], c(k, d, d)), c(1, 3, 2)) else if (d == 1) sigma[[i]] else matrix(sigma[[i]], nrow = k))
  }
  # The cluster runs fastest in a line: that is R's own order with the atom first.
  draws <- lapply(which(keep), draw)
  ragged_draws(lapply(draws, `[[`, 1), lapply(draws, `[[`, 2), lapply(draws, `[[`, 3), covariance_form = if (full || d == 1) "covariance" else "diagonal",
    labels = if (good) do.call(rbind, labels)[keep, , drop = FALSE] + 1, data = data)
}

# bayesmix: messages of Protocol Buffers, each after its length.
from_bayesmix <- function(paths, data) {
  chains <- lapply(path.expand(paths), bayesmix_states)
  all <- do.call(c, chains)
  multivariate <- is.matrix(all[[1]]$means)
  labels <- lapply(all, `[[`, "labels")
  same <- length(unique(lengths(labels))) == 1 && length(labels[[1]]) > 0
  ragged_draws(lapply(all, `[[`, "weights"), lapply(all, `[[`, "means"), lapply(all, `[[`, "covariances"),
    covariance_form = if (multivariate) "precision" else "covariance", chains = rep(seq_along(chains), lengths(chains)),
    labels = if (same) do.call(rbind, labels) + 1, data = data)
}

bayesmix_states <- function(path) {
  if (!file.exists(path)) {
    abort(paste0(path, " does not exist"), kind = "io")
  }
  bytes <- readBin(path, "raw", file.size(path))
  states <- list()
  at <- 1
  while (at <= length(bytes)) {
    size <- varint(bytes, at, path)
    at <- size$next_at
    if (at + size$value - 1 > length(bytes)) {
      abort(paste0(path, ": the file ends within state ", length(states) + 1), "the run did not end: leave out the last state", "input")
    }
    states[[length(states) + 1]] <- bayesmix_state(bytes[seq_len(size$value) + at - 1], paste0(path, ": state ", length(states) + 1))
    at <- at + size$value
  }
  if (length(states) == 0) {
    abort(paste0(path, " holds no states"), kind = "input")
  }
  states
}

bayesmix_state <- function(bytes, place) {
  fields <- message_fields(bytes, place)
  clusters <- lapply(fields$value[fields$number == 1], message_fields, place = place)
  cardinality <- vapply(clusters, function(cluster) {
    found <- cluster$value[cluster$number == 3]
    if (length(found) == 0) 0 else found[[1]]
  }, 0)
  kinds <- unique(vapply(clusters, function(cluster) setdiff(cluster$number, 3)[1], 0))
  if (length(clusters) == 0 || length(kinds) != 1 || !kinds %in% c(1, 2)) {
    abort(paste0(place, " has no Gaussian clusters"), "hierarchies of location and scale are known: NNIG, NNW and their like", "input")
  }
  states <- lapply(clusters, function(cluster) message_fields(cluster$value[[which(cluster$number == kinds)[1]]], place))
  labels <- unlist(lapply(fields$value[fields$number == 2], function(part) if (is.raw(part)) varints(part, place) else part))
  # Weights are drawn by conditional algorithms alone.
  mixing <- field(fields, 3)
  stick <- if (!is.null(mixing)) field(message_fields(mixing, place), 4)
  log_weights <- if (!is.null(stick)) vector_of(field(message_fields(stick, place), 2), place)
  weights <- if (length(log_weights) == length(clusters)) exp(log_weights) else cardinality / sum(cardinality)
  if (kinds == 1) {
    number <- function(state, i) if (is.null(field(state, i))) 0 else field(state, i)
    return(list(weights = weights, means = vapply(states, number, 0, 1), covariances = vapply(states, number, 0, 2), labels = labels))
  }
  means <- do.call(rbind, lapply(states, function(state) vector_of(field(state, 1), place)))
  d <- ncol(means)
  precisions <- vapply(states, function(state) as.double(matrix_of(field(state, 2), d, place)), double(d * d))
  list(weights = weights, means = means, covariances = aperm(array(precisions, c(d, d, length(states))), c(3, 1, 2)), labels = labels)
}

field <- function(fields, number) {
  found <- which(fields$number == number)
  if (length(found) == 0) NULL else fields$value[[found[length(found)]]]
}

doubles <- function(bytes) readBin(bytes, "double", length(bytes) / 8, endian = "little")

vector_of <- function(bytes, place) {
  if (is.null(bytes)) abort(paste0(place, " lacks a vector"), kind = "input")
  fields <- message_fields(bytes, place)
  unlist(lapply(fields$value[fields$number == 2], function(part) if (is.raw(part)) doubles(part) else part))
}

# By columns, unless it says otherwise.
matrix_of <- function(bytes, d, place) {
  if (is.null(bytes)) abort(paste0(place, " lacks a precision matrix"), kind = "input")
  fields <- message_fields(bytes, place)
  values <- unlist(lapply(fields$value[fields$number == 3], function(part) if (is.raw(part)) doubles(part) else part))
  if (length(values) != d * d) {
    abort(paste0(place, " has a matrix of ", length(values), " numbers in dimension ", d), kind = "input")
  }
  matrix(values, d, byrow = isTRUE(field(fields, 4) == 1))
}

# The fields of a message: numbers, and values (a number, or the bytes of what is inside).
message_fields <- function(bytes, place) {
  number <- integer()
  value <- list()
  at <- 1
  while (at <= length(bytes)) {
    key <- varint(bytes, at, place)
    at <- key$next_at
    if (key$value %% 8 == 0) {
      found <- varint(bytes, at, place)
      part <- found$value
      at <- found$next_at
    } else {
      size <- switch(as.character(key$value %% 8), "1" = 8, "5" = 4, "2" = {
        found <- varint(bytes, at, place)
        at <- found$next_at
        found$value
      }, abort(paste0(place, " is damaged: it is no message of bayesmix"), kind = "input"))
      if (at + size - 1 > length(bytes)) abort(paste0(place, " is damaged: a field is longer than its message"), kind = "input")
      part <- bytes[seq_len(size) + at - 1]
      if (key$value %% 8 == 1) part <- doubles(part)
      at <- at + size
    }
    number <- c(number, key$value %/% 8)
    value[[length(value) + 1]] <- part
  }
  list(number = number, value = value)
}

varint <- function(bytes, at, place) {
  value <- 0
  shift <- 1
  repeat {
    if (at > length(bytes) || shift > 2^63) abort(paste0(place, " is damaged: a number does not end"), kind = "input")
    byte <- as.integer(bytes[at])
    value <- value + (byte %% 128) * shift
    at <- at + 1
    if (byte < 128) return(list(value = value, next_at = at))
    shift <- shift * 128
  }
}

varints <- function(bytes, place) {
  out <- double()
  at <- 1
  while (at <= length(bytes)) {
    found <- varint(bytes, at, place)
    out[length(out) + 1] <- found$value
    at <- found$next_at
  }
  out
}
