#' Draws of a mixing measure
#'
#' `as_mixgist_draws()` makes posterior draws of a mixture into the form that all questions take. It knows arrays, lists, and the objects of
#' other packages. A draw is a weighted set of Gaussian atoms; numbers of atoms may differ between draws, and labels may switch.
#'
#' @param x Weights as a matrix, draws by atoms, with `means` and `covariances`; a list of draws, each a list with `weights`, `means`
#'   (atoms by coordinates) and `covariances` (atoms by coordinates by coordinates); a matrix of cluster labels, draws by observations; or an
#'   object of another package: see [import].
#' @param means Means: a matrix, draws by atoms, in dimension 1; an array, draws by atoms by coordinates.
#' @param covariances Covariances in the form `covariance_form`: draws by atoms for variances in dimension 1, draws by atoms by coordinates by
#'   coordinates for matrices, draws by atoms by coordinates for `"diagonal"`, draws by atoms for `"spherical"`, and for `"sd"` in dimension 1. Without the dimension of atoms,
#'   all atoms of a draw share it.
#' @param covariance_form What `covariances` are: `"covariance"`, `"precision"`, `"cholesky"` (lower factors), `"diagonal"` (variances),
#'   `"spherical"` (one variance for all coordinates), or `"sd"` (standard deviations, in dimension 1).
#' @param chains The chain of each draw, a number.
#' @param iterations The iteration of each draw within its chain.
#' @param draw_weights Importance weights of the draws.
#' @param log_posterior The log posterior of each draw, up to a constant: it helps to judge the chains.
#' @param labels Cluster labels of the observations, draws by observations.
#' @param data The observations that the draws were fitted to: a matrix, data frame, or vector in dimension 1.
#' @param ... For methods.
#' @return An object of class `mixgist_draws`; labels alone are of class `mixgist_partitions`.
#' @examples
#' set.seed(1)
#' means <- cbind(rnorm(200, 0, 0.1), rnorm(200, 5, 0.1))
#' draws <- as_mixgist_draws(matrix(0.5, 200, 2), means = means, covariances = matrix(1, 200, 2))
#' draws
#' @export
as_mixgist_draws <- function(x, ...) UseMethod("as_mixgist_draws")

#' @rdname as_mixgist_draws
#' @export
as_mixgist_draws.default <- function(x, ...) {
  abort(
    paste0("an object of class '", paste(class(x), collapse = "', '"), "' is not known to hold draws of a mixture"),
    "give weights, means and covariances as arrays: as_mixgist_draws(weights, means = , covariances = )", "input"
  )
}

#' @rdname as_mixgist_draws
#' @export
as_mixgist_draws.mixgist_draws <- function(x, ...) {
  no_more(as_mixgist_draws.mixgist_draws, ...)
  whole(x)
}

#' @rdname as_mixgist_draws
#' @export
as_mixgist_draws.mixgist_partitions <- function(x, ...) {
  no_more(as_mixgist_draws.mixgist_partitions, ...)
  whole(x)
}

# An object that was put together by hand, or lost a part.
whole <- function(x) {
  parts <- unclass(x)
  if (!is.list(parts) || !is.list(parts$source) || !is.environment(parts$cache)) {
    abort(paste0("x has the class ", class(x)[1], ", but not what such an object holds"), "make it by as_mixgist_draws()", "input")
  }
  x
}

#' @rdname as_mixgist_draws
#' @export
as_mixgist_draws.mixgist_fit <- function(x, ...) {
  no_more(as_mixgist_draws.mixgist_fit, ...)
  x$draws
}

#' @rdname as_mixgist_draws
#' @export
as_mixgist_draws.array <- function(x, means = NULL, covariances = NULL, covariance_form = "covariance", chains = NULL, iterations = NULL,
                                   draw_weights = NULL, log_posterior = NULL, labels = NULL, data = NULL, ...) {
  if (is.matrix(x) && !is.null(colnames(x)) && any(vapply(list(means, covariances, labels, list(...)$weights), is.character, NA))) {
    # Samples of named variables, such as runMCMC() of NIMBLE gives.
    given <- some(means = means, covariances = covariances, covariance_form = covariance_form, labels = labels, data = data)
    return(do.call(as_mixgist_draws.mcmc.list, c(list(list(x)), given, list(...)), quote = TRUE))
  }
  no_more(as_mixgist_draws.array, ...)
  if (is.null(means) && is.null(covariances)) {
    if (is.numeric(x) && length(dim(x)) == 2 && length(x) > 0 && all(is.finite(x)) && all(x == round(x))) {
      return(new_partitions(x, draw_weights))
    }
    abort("a matrix alone is no draws of a mixture: weights need their means and covariances",
      "weights: as_mixgist_draws(weights, means = , covariances = ); labels must be whole numbers, draws by observations; observations are fitted first: mixgist_fit(x)")
  }
  for (part in list(list("weights", x), list("means", means), list("covariances", covariances))) {
    if (is.null(part[[2]])) {
      abort(paste0(part[[1]], " are missing"), "as_mixgist_draws(weights, means = , covariances = )")
    }
    if (!is.numeric(part[[2]]) || is.factor(part[[2]])) {
      abort(paste0(part[[1]], " must be a numeric array, not ", class(part[[2]])[1]), kind = "input")
    }
  }
  if (length(dim(x)) != 2) {
    abort("weights must be a matrix, draws by atoms", kind = "input")
  }
  size <- dim(x)
  shape <- dim(means)
  if (is.null(shape) || length(shape) > 3 || !identical(as.double(shape[1:2]), as.double(size))) {
    abort(paste0("means must be an array of ", size[1], " draws by ", size[2], " atoms (by coordinates)"), kind = "input")
  }
  d <- if (length(shape) == 3) shape[3] else 1
  new_draws(some(
    dim = as.double(d), weights = x, means = means, covariances = full_covariances(covariances, size, d, covariance_form),
    covariance_form = covariance_form, chains = chains, iterations = iterations, draw_weights = draw_weights, log_posterior = log_posterior,
    labels = as_label_matrix(labels, size[1]), data = as_observations(data, d), columns = colnames(data)
  ))
}

#' @rdname as_mixgist_draws
#' @export
as_mixgist_draws.numeric <- function(x, ...) {
  abort("weights must be a matrix, draws by atoms", "one draw is a matrix with one row: matrix(weights, 1); observations are fitted first: mixgist_fit(x)", "input")
}

# Covariances as (draws, atoms, ...), repeated where all atoms of a draw share one.
full_covariances <- function(covariances, size, d, form) {
  one_of(form, "covariance_form", c("covariance", "precision", "cholesky", "diagonal", "spherical", "sd"))
  inner <- switch(form, diagonal = d, spherical = , sd = integer(), c(d, d))
  if (d == 1) inner <- integer()
  shape <- if (is.null(dim(covariances))) length(covariances) else dim(covariances)
  # In dimension 1 the last dimensions may be there or not.
  while (d == 1 && length(shape) > 2 && shape[length(shape)] == 1) shape <- shape[-length(shape)]
  same <- function(a, b) length(a) == length(b) && all(a == b)
  # A column with one number for each draw.
  if (length(inner) == 0 && same(shape, c(size[1], 1))) shape <- size[1]
  if (same(shape, c(size, inner))) {
    # As it is where that will do: R copies what it changes.
    return(if (same(dim(covariances), c(size, inner))) covariances else array(covariances, dim = c(size, inner)))
  }
  if (same(shape, c(size[1], inner))) {
    shared <- array(covariances, dim = c(size[1], max(1, prod(inner))))
    all <- shared[, rep(seq_len(ncol(shared)), each = size[2]), drop = FALSE]
    return(array(all, dim = c(size, inner)))
  }
  expected <- paste(c(size, inner), collapse = " x ")
  abort(paste0("covariances have dimensions ", paste(shape, collapse = " x "), ", expected ", expected, " (draws x atoms x ...)"),
    paste0("or ", paste(c(size[1], inner), collapse = " x "), " when the atoms of a draw share it; covariance_form = \"", form, "\" says what they are"), "input")
}

as_label_matrix <- function(labels, draws = NULL) {
  if (is.null(labels)) {
    return(NULL)
  }
  if (is.data.frame(labels)) labels <- as.matrix(labels)
  if (!is.numeric(labels) || is.factor(labels) || length(dim(labels)) != 2) {
    abort("labels must be a matrix of whole numbers, draws by observations", kind = "input")
  }
  if (!is.null(draws) && nrow(labels) != draws) {
    abort(paste0("labels have ", nrow(labels), " rows, but there are ", draws, " draws"), kind = "input")
  }
  labels
}

#' @rdname as_mixgist_draws
#' @export
as_mixgist_draws.list <- function(x, covariance_form = NULL, chains = NULL, iterations = NULL, draw_weights = NULL, log_posterior = NULL,
                                  labels = NULL, data = NULL, ...) {
  if (length(x) == 0 && !inherits(x, "dirichletprocess")) {
    abort("there are no draws", kind = "input")
  }
  # That package puts the class of a list first.
  if (inherits(x, "dirichletprocess") || inherits(x$nmix, "bayesm.nmix") || is_premium_run(x)) {
    given <- some(covariance_form = covariance_form, chains = chains, iterations = iterations, draw_weights = draw_weights, log_posterior = log_posterior, labels = labels)
    do.call(no_more, c(list(as_mixgist_draws.dirichletprocess), given, list(...)), quote = TRUE)
    if (inherits(x, "dirichletprocess")) {
      return(as_mixgist_draws.dirichletprocess(x, data = data))
    }
    return(if (is_premium_run(x)) understood("PReMiuM", from_premium_run(x, data)) else as_mixgist_draws(x$nmix, data = data))
  }
  if (is_nimble_measure(x)) {
    return(understood("NIMBLE", from_nimble_measure(x, covariance_form = covariance_form, chains = chains, iterations = iterations, draw_weights = draw_weights,
      log_posterior = log_posterior, labels = labels, data = data, ...)))
  }
  if (is.null(covariance_form)) covariance_form <- "covariance"
  if (all(c("weights", "means", "covariances") %in% names(x))) {
    no_more(as_mixgist_draws.list, ...)
    return(as_mixgist_draws(as.array(x$weights), means = x$means, covariances = x$covariances, covariance_form = covariance_form,
      chains = chains, iterations = iterations, draw_weights = draw_weights, log_posterior = log_posterior, labels = labels, data = data))
  }
  if (all(vapply(x, function(chain) is.matrix(chain) && is.numeric(chain) && !is.null(colnames(chain)), NA))) {
    # Several chains of samples of named variables.
    return(as_mixgist_draws.mcmc.list(x, covariance_form = covariance_form, labels = labels, data = data, ...))
  }
  no_more(as_mixgist_draws.list, ...)
  known <- vapply(x, function(draw) is.list(draw) && all(c("weights", "means", "covariances") %in% names(draw)), NA)
  if (!all(known)) {
    abort(paste0("draw ", which(!known)[1], " is no list with weights, means and covariances"), kind = "input")
  }
  ragged_draws(lapply(x, `[[`, "weights"), lapply(x, `[[`, "means"), lapply(x, `[[`, "covariances"),
    covariance_form = covariance_form, chains = chains, iterations = iterations, draw_weights = draw_weights, log_posterior = log_posterior, labels = labels, data = data)
}

# Draws from lists, one entry a draw: weights K; means K, or K x d; covariances K, K x d x d, or K x d for a diagonal.
ragged_draws <- function(weights, means, covariances, covariance_form = "covariance", chains = NULL, iterations = NULL, draw_weights = NULL,
                         log_posterior = NULL, labels = NULL, data = NULL) {
  one_of(covariance_form, "covariance_form", c("covariance", "precision", "cholesky", "diagonal", "spherical", "sd"))
  first <- means[[1]]
  d <- if (length(dim(first)) == 2) ncol(first) else 1L
  per_atom <- switch(covariance_form, diagonal = d, spherical = , sd = 1L, d * d)
  for (m in seq_along(weights)) {
    k <- length(weights[[m]])
    parts <- list(weights = weights[[m]], means = means[[m]], covariances = covariances[[m]])
    wanted <- c(k, k * d, k * per_atom)
    for (i in 1:3) {
      part <- parts[[i]]
      if (!is.numeric(part) || is.factor(part)) {
        abort(paste0("draw ", m, ": ", names(parts)[i], " are not numeric"), kind = "input")
      }
      if (length(part) != wanted[i]) {
        abort(paste0("draw ", m, ": ", names(parts)[i], " hold ", length(part), " numbers, expected ", wanted[i], " for ", k, " atoms of dimension ", d),
          kind = "input")
      }
    }
  }
  # Atoms one after the other: the index of the atom comes last.
  atom_last <- function(part, k, inner) if (inner == 1) as.double(part) else as.double(t(matrix(part, nrow = k)))
  sizes <- lengths(weights)
  new_draws(some(
    dim = as.double(d), sizes = as.double(sizes), weights = as.double(unlist(weights)),
    means = unlist(Map(atom_last, means, sizes, d)), covariances = unlist(Map(atom_last, covariances, sizes, per_atom)),
    covariance_form = covariance_form, chains = chains, iterations = iterations, draw_weights = draw_weights, log_posterior = log_posterior,
    labels = as_label_matrix(labels, length(weights)), data = as_observations(data, d), columns = colnames(data)
  ))
}

#' @rdname as_mixgist_draws
#' @export
as_mixgist_draws.data.frame <- function(x, covariance_form = "covariance", data = NULL, ...) {
  no_more(as_mixgist_draws.data.frame, ...)
  wanted <- c("draw", "weight", "mean_1")
  if (!all(wanted %in% names(x))) {
    abort("a data frame of draws has one row per atom, with columns draw, weight, mean_1, ..., cov_1_1, ... (and chain, draw_weight)",
      "if these are observations, fit them first: mixgist_fit(x); if the columns are variables such as mu[1], say so: as_mixgist_draws(posterior::as_draws_df(x), weights = , means = , covariances = )", "input")
  }
  d <- sum(grepl("^mean_[0-9]+$", names(x)))
  full <- paste0("cov_", rep(seq_len(d), each = d), "_", rep(seq_len(d), d))
  if (!all(full %in% names(x))) {
    # The matrices are symmetric: one of two entries is enough.
    full <- ifelse(full %in% names(x), full, paste0("cov_", rep(seq_len(d), d), "_", rep(seq_len(d), each = d)))
  }
  columns <- c("draw", "weight", paste0("mean_", seq_len(d)), full)
  missing <- setdiff(columns, names(x))
  if (length(missing) > 0) {
    abort(paste0("the data frame has no column '", missing[1], "'"), kind = "input")
  }
  bad <- columns[!vapply(x[columns], is.numeric, NA)]
  if (length(bad) > 0) {
    abort(paste0("column '", bad[1], "' is not numeric"), kind = "input")
  }
  chain <- if ("chain" %in% names(x)) x$chain else rep(1, nrow(x))
  key <- paste(chain, x$draw)
  rows <- split(seq_len(nrow(x)), factor(key, unique(key)))
  first <- vapply(rows, `[`, 0L, 1L)
  ragged_draws(lapply(rows, function(i) x$weight[i]), lapply(rows, function(i) as.matrix(x[i, paste0("mean_", seq_len(d)), drop = FALSE])),
    lapply(rows, function(i) array(as.matrix(x[i, full, drop = FALSE]), c(length(i), d, d))),
    covariance_form = covariance_form, chains = chain[first], iterations = x$draw[first],
    draw_weights = if ("draw_weight" %in% names(x)) x$draw_weight[first], data = data)
}

new_draws <- function(source) from_handle(wrap(draws_from_arrays(source)), source)

# Draws that the core has; without their arrays these are taken from it, so that an object outlives its session.
from_handle <- function(handle, source = core(draws_arrays(handle))) {
  cache <- new.env(parent = emptyenv())
  cache$handle <- handle
  structure(list(source = source, facts = core(draws_facts(handle)), cache = cache), class = "mixgist_draws")
}

draws_handle <- function(x) {
  whole(x)
  if (!alive(x$cache$handle)) x$cache$handle <- wrap(draws_from_arrays(x$source))
  x$cache$handle
}

new_partitions <- function(labels, draw_weights = NULL) {
  labels <- as_label_matrix(labels)
  source <- some(labels = labels, draw_weights = draw_weights)
  cache <- new.env(parent = emptyenv())
  cache$handle <- wrap(partitions_from_labels(source))
  structure(list(source = source, cache = cache), class = "mixgist_partitions")
}

partitions_handle <- function(x) {
  if (!alive(x$cache$handle)) x$cache$handle <- wrap(partitions_from_labels(x$source))
  x$cache$handle
}

#' @export
print.mixgist_draws <- function(x, ...) {
  facts <- x$facts
  atoms <- if (facts$fewest == facts$most) facts$most else paste(facts$fewest, "to", facts$most)
  chains <- if (facts$chains > 1) paste0(" from ", facts$chains, " chains") else ""
  plural <- function(count, what) paste0(count, " ", what, if (count != 1) "s")
  cat("<mixgist draws> ", plural(facts$draws, "draw"), chains, " of ", atoms, if (facts$most == 1) " atom" else " atoms", " in dimension ", facts$dim, "\n", sep = "")
  if (facts$observations > 0) cat("with ", plural(facts$observations, "observation"), "\n", sep = "")
  if (facts$labelled > 0) cat("with the labels of ", plural(facts$labelled, "observation"), "\n", sep = "")
  invisible(x)
}

#' @export
print.mixgist_partitions <- function(x, ...) {
  size <- dim(x$source$labels)
  cat("<mixgist partitions> ", size[1], " draws of a partition of ", size[2], " observations\n", sep = "")
  invisible(x)
}

#' @export
summary.mixgist_draws <- function(object, ...) object

#' @export
summary.mixgist_partitions <- function(object, ...) object

#' @export
plot.mixgist_draws <- function(x, ...) abort("draws have no figure of their own", "plot(mixgist_summary(x))")

#' @export
plot.mixgist_partitions <- function(x, ...) abort("partitions have no figure of their own", "plot(mixgist_partition(x))")

#' @export
length.mixgist_draws <- function(x) unclass(x)$facts$draws

#' @export
length.mixgist_partitions <- function(x) nrow(unclass(x)$source$labels)

#' Parts of draws
#'
#' `x[i]` keeps the draws `i`; `thin()` drops the first draws of each chain and keeps every so many of the rest; `atoms()` gives all atoms as a data frame.
#'
#' `c()` puts draws of several runs together, as further chains: the chains of each part are counted on after those of the parts before it. Labels are kept when
#' all parts have them, data when all parts have the same. Draws with weights cannot be put together, because their weights are known within a part alone.
#'
#' @param x Draws, see [as_mixgist_draws()].
#' @param i Which draws: numbers, negative numbers, or logical values.
#' @param burn_in Draws to drop at the start of each chain.
#' @param by Every so many draws of each chain are kept.
#' @param ... For `c()` draws, or what [as_mixgist_draws()] makes draws of; else not used.
#' @return Draws; for `atoms()` a data frame with one row per atom: `chain`, `iteration`, `draw`, `atom`, `weight`, `mean_1`, ..., `cov_1_1`, ...
#' @examples
#' means <- matrix(rnorm(8), 4)
#' draws <- as_mixgist_draws(matrix(0.5, 4, 2), means = means, covariances = matrix(1, 4, 2))
#' draws[1:2]
#' thin(draws, burn_in = 2)
#' atoms(draws[1])
#' c(draws[1:2], draws[3:4])
#' @name draws-parts
#' @export
`[.mixgist_draws` <- function(x, i) {
  if (missing(i)) {
    return(x)
  }
  n <- length(x)
  if (is.logical(i) && length(i) != n) {
    abort(paste0("a logical selection has ", length(i), " values for ", n, " draws"))
  }
  if (!(is.numeric(i) || is.logical(i)) || anyNA(i)) {
    abort("select draws by numbers or logical values")
  }
  index <- seq_len(n)[i]
  if (anyNA(index) || length(index) == 0) {
    abort(paste0("the selection must be from the ", n, " draws, and not empty"))
  }
  from_handle(wrap(draws_select(draws_handle(x), list(indices = as.double(index)))))
}

#' @rdname draws-parts
#' @export
c.mixgist_draws <- function(...) {
  parts <- lapply(list(...), as_mixgist_draws)
  if (!all(vapply(parts, inherits, NA, "mixgist_draws"))) {
    abort("draws cannot be put together with partitions", "give the labels as one matrix, draws by observations: rbind()", "input")
  }
  arrays <- lapply(unname(parts), function(part) core(draws_arrays(draws_handle(part))))
  each <- function(name) lapply(arrays, `[[`, name)
  in_all <- function(name) !any(vapply(each(name), is.null, NA))
  same <- function(values) all(vapply(values, identical, NA, values[[1]]))
  d <- unlist(each("dim"))
  if (!same(d)) {
    abort(paste0("the parts have dimensions ", paste(d, collapse = ", "), ", expected the same"), kind = "input")
  }
  if (!all(vapply(each("draw_weights"), is.null, NA))) {
    abort("draws with weights cannot be put together", "give all of them with their weights: as_mixgist_draws(..., draw_weights = )", "input")
  }
  chains <- Map(function(part, chains) paste(part, chains), seq_along(arrays), each("chains"))
  labelled <- in_all("labels") && same(lapply(each("labels"), ncol))
  same_data <- same(each("data")) && same(each("columns"))
  new_draws(some(
    dim = d[1], sizes = as.double(unlist(each("sizes"))), weights = unlist(each("weights")), means = unlist(each("means")),
    covariances = unlist(each("covariances")), covariance_form = "covariance", chains = match(unlist(chains), unique(unlist(chains))),
    iterations = unlist(each("iterations")), log_posterior = if (in_all("log_posterior")) unlist(each("log_posterior")),
    labels = if (labelled) do.call(rbind, each("labels")), data = if (same_data) arrays[[1]]$data, columns = if (same_data) arrays[[1]]$columns
  ))
}

#' @rdname draws-parts
#' @export
thin <- function(x, burn_in = 0, by = 1) {
  x <- as_mixgist_draws(x)
  options <- list(burn_in = one_number(burn_in, "burn_in", 0, whole = TRUE), thin = one_number(by, "by", 1, whole = TRUE))
  from_handle(wrap(draws_select(draws_handle(x), options)))
}

#' @rdname draws-parts
#' @export
atoms <- function(x) {
  x <- as_mixgist_draws(x)
  arrays <- core(draws_arrays(draws_handle(x)))
  d <- arrays$dim
  draw <- rep(seq_along(arrays$sizes), arrays$sizes)
  means <- t(arrays$means)
  colnames(means) <- paste0("mean_", seq_len(d))
  covariances <- t(matrix(arrays$covariances, d * d))
  colnames(covariances) <- paste0("cov_", rep(seq_len(d), d), "_", rep(seq_len(d), each = d))
  data.frame(chain = arrays$chains[draw], iteration = arrays$iterations[draw], draw = draw, atom = sequence(arrays$sizes), weight = arrays$weights,
    means, covariances)
}

#' @rdname draws-parts
#' @export
as.data.frame.mixgist_draws <- function(x, ...) atoms(x)

#' Files of draws
#'
#' The formats of the command line: `.npz`, `.csv` and `.parquet` files of mixgist, CSV files of Stan, tables with a column for each number (`"wide-csv"`), NetCDF and
#' Zarr of ArviZ, files of bayesmix and PReMiuM; several files are several chains. Those are read; `.npz`, `.csv` and `.parquet` are written, too.
#'
#' @param path Files; one to write.
#' @param format The format, when the extension does not tell: `"npz"`, `"csv"`, `"parquet"`, `"wide-csv"`, `"stan-csv"`, `"netcdf"`, `"zarr"`, `"bayesmix"` or `"premium"`.
#' @param covariance_form See [as_mixgist_draws()].
#' @param weights,means,covariances,labels Names of the variables that hold them, in files whose variables have names of any kind (Stan, wide tables, NetCDF,
#'   Zarr); `"weights"`, `"means"` and `"covariances"` without them, and no labels.
#' @param x Draws.
#' @param force Whether to replace a file.
#' @return Draws; `write_mixgist_draws()` gives them back invisibly.
#' @examples
#' means <- matrix(rnorm(8), 4)
#' draws <- as_mixgist_draws(matrix(0.5, 4, 2), means = means, covariances = matrix(1, 4, 2))
#' file <- tempfile(fileext = ".npz")
#' write_mixgist_draws(draws, file)
#' read_mixgist_draws(file)
#' @export
read_mixgist_draws <- function(path, format = NULL, covariance_form = "covariance", weights = NULL, means = NULL, covariances = NULL,
                               labels = NULL) {
  if (!is.character(path) || length(path) == 0 || anyNA(path)) {
    abort("path must be the name of one file, or of several")
  }
  options <- some(format = format, covariance_form = covariance_form, weights = weights, means = means, covariances = covariances, labels = labels)
  draws <- from_handle(wrap(draws_from_files(path.expand(path), options, ticker(FALSE))))
  if (!is.null(covariances)) warn_of_deviations(covariances, covariance_form, draws$facts$dim)
  draws
}

#' @rdname read_mixgist_draws
#' @export
write_mixgist_draws <- function(x, path, format = NULL, force = FALSE) {
  x <- as_mixgist_draws(x)
  core(draws_write(draws_handle(x), path.expand(one_text(path, "path")), some(format = format, force = one_flag(force, "force"))))
  invisible(x)
}

one_text <- function(x, name) {
  if (!is.character(x) || length(x) != 1 || is.na(x)) abort(paste0(name, " must be one text"))
  x
}
