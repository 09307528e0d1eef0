# How the core is called: pointers that R keeps, and the function that it calls while it works.

wrap <- function(result) .savvy_wrap_Handle(core(result))

alive <- function(handle) {
  inherits(handle, "mixgist::Handle") && is.null(tryCatch(handle_alive(handle), error = function(e) FALSE))
}

# What the core calls some times per second: shows progress, and lets R notice an interrupt.
ticker <- function(progress) {
  if (is.function(progress)) {
    return(function(phase, done, total, remark) {
      progress(phase, done, total, remark)
      Sys.sleep(0)
    })
  }
  if (!one_flag(progress, "progress")) {
    return(function(phase, done, total, remark) Sys.sleep(0))
  }
  function(phase, done, total, remark) {
    share <- if (total > 0) sprintf(" %3.0f %%", 100 * done / total) else ""
    cat("\r", format(paste0(phase, share, if (nzchar(remark)) paste0(" (", remark, ")")), width = 70), sep = "", file = stderr())
    Sys.sleep(0)
  }
}

end_progress <- function(progress) if (isTRUE(progress)) cat("\r", strrep(" ", 72), "\r", sep = "", file = stderr())

# Options without those that are NULL.
some <- function(...) Filter(Negate(is.null), list(...))

as_threads <- function(threads) if (is.null(threads)) NULL else one_number(threads, "threads", 1, 65535, whole = TRUE)

# Observations as a numeric matrix, with the names of its columns.
as_observations <- function(data, dim = NULL, name = "data") {
  if (is.null(data)) {
    return(NULL)
  }
  if (is.data.frame(data)) {
    numeric <- vapply(data, function(column) is.numeric(column) && is.null(dim(column)), NA)
    if (!all(numeric)) {
      abort(paste0("column '", names(data)[!numeric][1], "' of ", name, " is not numeric"), "give numeric columns alone", "input")
    }
    data <- as.matrix(data)
  }
  if (is.factor(data) || !is.numeric(data)) {
    abort(paste0(name, " must be a numeric matrix or data frame, one row per observation, not ", class(data)[1]), kind = "input")
  }
  if (is.null(dim(data))) {
    data <- if (is.null(dim) || dim == 1 || length(data) != dim) matrix(data, ncol = 1) else matrix(data, nrow = 1)
  }
  if (length(dim(data)) != 2) {
    abort(paste0(name, " must have two dimensions, observations and coordinates"), kind = "input")
  }
  if (!is.null(dim) && ncol(data) != dim) {
    abort(paste0(name, " has ", ncol(data), " columns, the draws have dimension ", dim), kind = "input")
  }
  if (length(data) == 0) {
    abort(paste0(name, " is empty"), kind = "input")
  }
  bad <- which(!is.finite(data))
  if (length(bad) > 0) {
    place <- arrayInd(bad[1], dim(data))
    abort(paste0(name, " has ", data[bad[1]], " in row ", place[1], ", column ", place[2]), "leave out rows with missing values", "input")
  }
  storage.mode(data) <- "double"
  data
}
