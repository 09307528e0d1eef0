#' The partition of least expected loss
#'
#' The other way round: first the partition, from the labels of the draws alone. For those who come from salso: `mixgist_partition(labels)` takes the same
#' matrix, and labels may be any whole numbers.
#'
#' @param x A matrix of labels, draws by observations; or draws. Where draws have no labels, they are drawn given the measure of each draw, with `seed`:
#'   then `labels_sampled` of the answer is `TRUE`.
#' @param data The observations, for draws without labels; without it, those that came with the draws.
#' @param loss `"vi"`, `"binder"`, `"nvi"`, `"id"`, `"nid"`, `"omari"`, `"generalized-vi"` or `"generalized-binder"`.
#' @param a The cost of the generalized losses.
#' @param omari What omari makes of 0/0: `"identical"` or `"salso"`.
#' @param clusters,max_clusters Exactly, or at most, so many clusters.
#' @param runs Independent runs of the search.
#' @param ball Posterior probability of the credible ball.
#' @param seed Seed of the search.
#' @param threads,progress See [questions].
#' @return An object of class `mixgist_partition`: a list with `labels`, `clusters`, `expected_loss`, the credible `ball` and more.
#' @examples
#' labels <- rbind(c(1, 1, 2, 2), c(1, 1, 2, 2), c(1, 1, 1, 2))
#' mixgist_partition(labels, threads = 2)
#' @export
mixgist_partition <- function(x, data = NULL, loss = "vi", a = NULL, omari = NULL, clusters = NULL, max_clusters = NULL, runs = NULL, ball = 0.95, seed = NULL,
                              threads = NULL, progress = FALSE) {
  # A word in this place is the loss.
  if (is.character(data)) {
    loss <- data
    data <- NULL
  }
  seed <- as_seed(seed)
  partitions <- as_partitions(x, data, sampling = list(seed = seed, threads = threads, progress = progress))
  count <- function(x, name) if (is.null(x)) NULL else one_number(x, name, 1, whole = TRUE)
  options <- some(loss = one_text(loss, "loss"), a = if (!is.null(a)) one_number(a, "a"), omari = omari, clusters = count(clusters, "clusters"),
    max_clusters = count(max_clusters, "max_clusters"), runs = count(runs, "runs"), ball = one_number(ball, "ball", 0, 1), seed = seed,
    labels_sampled = if (isTRUE(partitions$sampled)) TRUE, threads = as_threads(threads))
  on.exit(end_progress(progress))
  answer <- new_answer(core(partitions_search(partitions_handle(partitions), options, ticker(progress))), "mixgist_partition")
  answer$partitions <- partitions
  answer
}

# Partitions. With `sampling`, labels of draws without any are drawn, given the measure of each draw.
as_partitions <- function(x, data = NULL, sampling = NULL) {
  if (inherits(x, "mixgist_summary")) {
    if (is.null(data)) data <- kept_posterior(x)$options$data
    x <- kept_posterior(x)$draws
  }
  if (is.numeric(x) && is.null(dim(x))) {
    abort("labels must be a matrix of whole numbers, draws by observations", "the labels of one draw are a matrix with one row: matrix(labels, 1)", "input")
  }
  x <- if (is.data.frame(x)) as_mixgist_draws(as_label_matrix(x)) else as_mixgist_draws(x)
  if (inherits(x, "mixgist_partitions")) {
    return(x)
  }
  # Labels as the core has them: those of files and fits too.
  labels <- if (is.null(x$source$labels)) core(draws_arrays(draws_handle(x)))$labels else x$source$labels
  sampled <- is.null(labels)
  if (sampled) labels <- sampled_labels(x, data, sampling)
  partitions <- new_partitions(labels, x$source$draw_weights)
  partitions$sampled <- sampled
  partitions
}

sampled_labels <- function(x, data, sampling) {
  if (is.null(sampling)) {
    abort("these draws have no labels", "give them to as_mixgist_draws() as labels, or give a matrix of labels, draws by observations")
  }
  if (is.null(data) && x$facts$observations == 0) {
    abort("these draws have no labels", "give the observations as data: labels are then drawn given the measure of each draw")
  }
  on.exit(end_progress(sampling$progress))
  options <- some(data = as_observations(data, x$facts$dim), seed = sampling$seed, threads = as_threads(sampling$threads))
  core(draws_labels(draws_handle(x), options, ticker(sampling$progress)))
}

#' Posterior similarity
#'
#' The posterior probability that two observations share a cluster.
#'
#' @param x A matrix of labels, draws by observations; or draws with labels.
#' @param threads,progress See [questions].
#' @return A symmetric matrix.
#' @examples
#' similarity(rbind(c(1, 1, 2), c(1, 2, 2)))
#' @export
similarity <- function(x, threads = NULL, progress = FALSE) {
  core(partitions_similarity(partitions_handle(as_partitions(x)), some(threads = as_threads(threads)), ticker(progress)))
}
