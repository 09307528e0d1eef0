#' Labels, probabilities and densities under an estimate
#'
#' @param object A summary, see [mixgist_summary()].
#' @param newdata Observations; without them those of the summary.
#' @param type `"label"`: the atom that each observation most probably belongs to, counted from 1; `"probability"`: the membership probability of every atom,
#'   observations by atoms; `"density"`: the density at each observation.
#' @param log Whether densities are logarithms.
#' @param threads See [questions].
#' @param ... Not used.
#' @return A vector, or a matrix of probabilities.
#' @examples
#' means <- cbind(rnorm(100), rnorm(100, 9))
#' draws <- as_mixgist_draws(matrix(0.5, 100, 2), means = means, covariances = matrix(1, 100, 2))
#' found <- mixgist_summary(draws, slices = 100, threads = 2)
#' predict(found, c(0, 9), type = "label")
#' predict(found, c(0, 4.5, 9), type = "probability")
#' predict(found, c(0, 4.5, 9), type = "density")
#' @export
predict.mixgist_summary <- function(object, newdata = NULL, type = c("label", "probability", "density"), log = FALSE, threads = NULL, ...) {
  type <- if (missing(type)) "label" else one_of(type, "type", c("label", "probability", "density"))
  newdata <- if (is.null(newdata)) own_data(object) else newdata
  if (is.null(newdata)) {
    abort("there are no observations", "give newdata")
  }
  predict_measure(object$estimate, newdata, type, log, threads)
}

own_data <- function(x) {
  given <- x$posterior$options$data
  if (is.null(given)) x$posterior$draws$source$data else given
}

predict_measure <- function(measure, newdata, type, log = FALSE, threads = NULL) {
  measure <- as_measure(measure, "estimate")
  options <- some(measure = measure, data = as_observations(newdata, ncol(measure$means), "newdata"), threads = as_threads(threads))
  found <- core(measure_predict(type, options, ticker(FALSE)))
  if (type == "density" && !one_flag(log, "log")) exp(found) else found
}
