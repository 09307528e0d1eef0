# Conditions: what is wrong, with a class for each kind, and what helps.

# Raises an error of class `mixgist_<kind>_error`, `mixgist_error`.
abort <- function(message, hint = NULL, kind = "usage", call = NULL) {
  hint <- if (is.null(hint) || !nzchar(hint)) NULL else hint
  text <- if (is.null(hint)) message else paste0(message, "\nhint: ", hint)
  stop(errorCondition(text, hint = hint, class = c(paste0("mixgist_", kind, "_error"), "mixgist_error"), call = call))
}

# What the core gave, or its trouble as a condition.
core <- function(result) {
  if (!inherits(result, "mixgist_failure")) {
    return(result)
  }
  abort(result$message, result$hint, result$kind)
}

# Warns of all that limits the trust in an answer: class `mixgist_<name>_warning`, `mixgist_warning`.
warn_all <- function(warnings) {
  for (one in warnings) {
    name <- gsub("-", "_", one$name)
    warning(warningCondition(
      paste0(one$message, "\nwhat helps: ", one$advice),
      advice = one$advice, name = one$name,
      class = c(paste0("mixgist_", name, "_warning"), "mixgist_warning"), call = NULL
    ))
  }
}

# Whether a package of the Suggests is there; without it an error that names it.
need <- function(package, what) {
  if (!requireNamespace(package, quietly = TRUE)) {
    abort(paste0(what, " needs the package ", package), paste0("install.packages(\"", package, "\")"))
  }
}

# Refuses what a method has no use for: an option that is overlooked would give wrong draws without a word.
no_more <- function(method, ...) {
  if (...length() == 0) {
    return(invisible())
  }
  name <- names(list(...))[1]
  known <- setdiff(names(formals(method)), c("x", "..."))
  abort(if (is.null(name) || !nzchar(name)) "an option has no name" else paste0("there is no option '", name, "' for such draws"),
    if (length(known) > 0) paste0("one of: ", paste(known, collapse = ", ")))
}

# Checks of options. All give the option back as the core takes it.

one_of <- function(x, name, words) {
  if (!is.character(x) || length(x) != 1 || is.na(x) || !x %in% words) {
    abort(paste0(name, " must be one of: ", paste0("\"", words, "\"", collapse = ", ")))
  }
  x
}

one_number <- function(x, name, from = -Inf, to = Inf, whole = FALSE) {
  good <- is.numeric(x) && length(x) == 1 && !is.na(x) && x >= from && x <= to && (!whole || (is.finite(x) && x == round(x)))
  if (!good) {
    what <- if (whole) "one whole number" else "one number"
    range <- if (is.finite(from) && is.finite(to)) paste0(" from ", from, " to ", to) else if (is.finite(from)) paste0(" from ", from) else ""
    abort(paste0(name, " must be ", what, range))
  }
  as.double(x)
}

one_flag <- function(x, name) {
  if (!is.logical(x) || length(x) != 1 || is.na(x)) {
    abort(paste0(name, " must be TRUE or FALSE"))
  }
  x
}

# A number or a word, as a text that keeps all digits.
as_word <- function(x, name) {
  if (is.character(x) && length(x) == 1 && !is.na(x)) {
    return(x)
  }
  if (is.numeric(x) && length(x) >= 1 && all(is.finite(x))) {
    return(paste(vapply(as.double(x), format_number, ""), collapse = ","))
  }
  abort(paste0(name, " must be a number or a text"))
}

format_number <- function(x) {
  if (x == round(x) && abs(x) < 2^53) format(x, scientific = FALSE, digits = 16, trim = TRUE) else format(x, digits = 17, trim = TRUE)
}

as_seed <- function(x) {
  if (is.null(x)) {
    return(NULL)
  }
  if (!(is.numeric(x) || is.character(x)) || length(x) != 1 || is.na(x) || (is.numeric(x) && (x < 0 || x != round(x) || x > 2^53))) {
    abort("seed must be one whole number from 0", "beyond 2^53 give it as a text")
  }
  as_word(x, "seed")
}
