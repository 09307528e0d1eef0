#' The report
#'
#' Everything about one or several summaries of the same draws in one HTML file that opens anywhere: figures, the trust in the estimate, a paragraph for a methods
#' section. The report is the same in all languages: in it draws, atoms and observations count from 0.
#'
#' @param x A summary of [mixgist_summary()], or a list of several of the same draws.
#' @param path The file to write, ending in `.html`.
#' @param title A title.
#' @param without Parts to leave out, such as `"stability"`; the error lists them.
#' @param force Whether to replace a file.
#' @param threads,progress See [questions].
#' @return The path, invisibly.
#' @examples
#' \donttest{
#' fit <- mixgist_fit(faithful, chains = 2, iterations = 200, burn_in = 100, thin = 1, threads = 2)
#' found <- mixgist_summary(fit, slices = 200, threads = 2)
#' report(found, file.path(tempdir(), "report.html"), without = "stability", force = TRUE)
#' }
#' @export
report <- function(x, path, title = "mixgist", without = NULL, force = FALSE, threads = NULL, progress = FALSE) {
  summaries <- if (inherits(x, "mixgist_summary")) list(x) else x
  if (!is.list(summaries) || length(summaries) == 0 || !all(vapply(summaries, inherits, NA, "mixgist_summary"))) {
    abort("x must be a summary of mixgist_summary(), or a list of them")
  }
  first <- kept_posterior(summaries[[1]])
  same <- vapply(summaries, function(one) identical(kept_posterior(one)$draws$source, first$draws$source), NA)
  if (!all(same)) {
    abort("the summaries must be of the same draws")
  }
  path <- path.expand(one_text(path, "path"))
  options <- some(path = path, title = one_text(title, "title"), without = without, force = one_flag(force, "force"),
    documents = vapply(summaries, attr, "", "json"), data = first$options$data, columns = first$options$columns, threads = as_threads(threads))
  on.exit(end_progress(progress))
  core(report_write(draws_handle(first$draws), options, ticker(progress)))
  invisible(path)
}
