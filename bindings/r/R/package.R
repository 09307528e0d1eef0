#' mixgist: the gist of a mixture posterior
#'
#' From posterior draws of a mixture to one point estimate, with the density and the partition that it implies and how far it can be trusted. Start with
#' [as_mixgist_draws()] and [mixgist_summary()], or with [mixgist_fit()] where there are no draws yet.
#'
#' @keywords internal
"_PACKAGE"
