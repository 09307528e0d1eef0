# Whatever is given: a condition of mixgist, never a crash, and never an error of R that names nothing.

nonsense <- function() {
  list(NULL, NA, NA_real_, NaN, Inf, -1, "text", character(), factor("a"), TRUE, list(), list(1, "a"), data.frame(), data.frame(a = "x"), data.frame(a = 1), matrix(numeric(), 0, 3),
    matrix(numeric(), 3, 0), array(0, c(2, 2, 2, 2, 2)), function(x) x, quote(a + b), as.Date("2020-01-01"), 1i, raw(3), new.env(), matrix("a"), matrix(list(1, 2), 1),
    matrix(NA_real_, 2, 2), matrix(Inf, 2, 2), matrix(1e308, 2, 2), matrix(0, 2, 2), 1:3, numeric())
}

# A call with arguments as they are, even where they are language.
call_with <- function(f, arguments) do.call(f, arguments, quote = TRUE)

# Gives a value, or a condition of mixgist.
expect_condition_of_mixgist <- function(code, what) {
  done <- tryCatch(quietly(code), mixgist_error = function(e) "refused", error = function(e) e)
  expect_false(inherits(done, "error"), info = paste(what, if (inherits(done, "error")) conditionMessage(done)))
}

test_that("arrays of any kind", {
  good <- list(x = matrix(0.5, 2, 2), means = matrix(1:4, 2), covariances = matrix(1, 2, 2))
  for (bad in nonsense()) {
    for (part in c("x", "means", "covariances")) {
      arguments <- good
      arguments[part] <- list(bad)
      expect_condition_of_mixgist(call_with(as_mixgist_draws, arguments), paste(part, class(bad)[1]))
    }
    for (option in c("covariance_form", "chains", "iterations", "draw_weights", "labels", "data")) {
      expect_condition_of_mixgist(call_with(as_mixgist_draws, c(good, stats::setNames(list(bad), option))), paste(option, class(bad)[1]))
    }
    expect_condition_of_mixgist(as_mixgist_draws(list(list(weights = bad, means = bad, covariances = bad))), paste("list", class(bad)[1]))
    expect_condition_of_mixgist(mixgist_partition(bad, threads = 1, runs = 1), paste("labels", class(bad)[1]))
    expect_condition_of_mixgist(mixgist_partition(two_groups(4), bad, threads = 1, runs = 1), paste("data of a partition", class(bad)[1]))
    for (option in setdiff(names(formals(mixgist_partition)), c("x", "data", "progress", "runs", "threads"))) {
      expect_condition_of_mixgist(call_with(mixgist_partition, c(list(rbind(c(1, 1, 2)), runs = 1, threads = 1), stats::setNames(list(bad), option))), paste("partition", option, class(bad)[1]))
    }
  }
})

test_that("options of any kind", {
  draws <- two_groups(8)
  found <- quietly(mixgist_summary(draws, slices = 8, threads = 1))
  options <- setdiff(names(formals(mixgist_summary)), c("x", "slices", "threads"))
  for (bad in nonsense()) {
    for (option in options) {
      expect_condition_of_mixgist(call_with(mixgist_summary, c(list(draws, slices = 8, threads = 1), stats::setNames(list(bad), option))), paste(option, class(bad)[1]))
    }
    for (option in c("slices", "threads")) {
      if (identical(bad, 1:3)) next
      expect_condition_of_mixgist(call_with(mixgist_summary, c(list(draws), stats::setNames(list(bad), option))), paste(option, class(bad)[1]))
    }
    for (option in c("level", "hypothesis", "radius", "conformal")) {
      expect_condition_of_mixgist(call_with(mixgist_ball, c(list(found), stats::setNames(list(bad), option))), paste(option, class(bad)[1]))
    }
    for (option in c("overlap", "share", "least_weight")) {
      expect_condition_of_mixgist(call_with(mixgist_components, c(list(found), stats::setNames(list(bad), option))), paste(option, class(bad)[1]))
    }
    expect_condition_of_mixgist(mixgist_representatives(found, count = bad, grid = 0), paste("count", class(bad)[1]))
    expect_condition_of_mixgist(predict(found, bad), paste("newdata", class(bad)[1]))
    expect_condition_of_mixgist(draws[bad], paste("selection", class(bad)[1]))
    short <- list(iterations = 4, burn_in = 2, thin = 1, chains = 1, threads = 1)
    expect_condition_of_mixgist(call_with(mixgist_fit, c(list(bad), short)), paste("fit", class(bad)[1]))
    for (option in setdiff(names(formals(mixgist_fit)), c("data", "progress"))) {
      # Few iterations, whatever else is asked for.
      if (option %in% c("iterations", "chains", "thin") && is.numeric(bad) && any(bad > 3, na.rm = TRUE)) next
      arguments <- c(list(c(1, 2, 5, 6)), short)
      arguments[option] <- list(bad)
      expect_condition_of_mixgist(call_with(mixgist_fit, arguments), paste("fit", option, class(bad)[1]))
    }
  }
  # Whatever language R speaks.
  expect_error(mixgist_ball(draws, nothing = 3), "there is no option 'nothing'\nhint: one of: estimate", class = "mixgist_usage_error")
  expect_error(mixgist_ball(draws, unit = "sd"), "there is no option 'unit'", class = "mixgist_usage_error")
  expect_error(mixgist_ball(draws, NULL, 0.9, NULL, NULL, FALSE, 3), "has no name", class = "mixgist_usage_error")
})

test_that("objects that were put together by hand are refused", {
  for (bad in list(structure(list(), class = "mixgist_draws"), structure(list(source = 1, cache = new.env()), class = "mixgist_draws"))) {
    for (f in list(as_mixgist_draws, mixgist_summary, mixgist_partition, mixgist_components, atoms, thin)) expect_error(f(bad), class = "mixgist_error")
  }
  expect_error(mixgist_ball(structure(list(), class = "mixgist_summary")), class = "mixgist_error")
})

test_that("draws themselves are summarised by what they are, and say where figures are", {
  for (x in list(two_groups(8), as_mixgist_draws(rbind(c(1, 1, 2), c(1, 2, 2))))) {
    expect_output(print(summary(x)), "draws")
    expect_error(plot(x), "mixgist_", class = "mixgist_error")
  }
})

test_that("other functions with anything", {
  draws <- two_groups(8)
  found <- quietly(mixgist_summary(draws, slices = 8, threads = 1))
  file <- tempfile(fileext = ".html")
  old <- setwd(tempdir())
  on.exit(setwd(old))
  for (bad in nonsense()) {
    kind <- class(bad)[1]
    for (option in c("names", "old", "overlap", "share", "least_weight")) {
      expect_condition_of_mixgist(call_with(mixgist_align, c(list(found, threads = 1), stats::setNames(list(bad), option))), paste("align", option, kind))
    }
    expect_condition_of_mixgist(mixgist_align(bad), paste("align", kind))
    expect_condition_of_mixgist(mixgist_memberships(draws, data = bad, slices = 8, threads = 1), paste("memberships", kind))
    expect_condition_of_mixgist(mixgist_how_many(draws, data = bad, slices = 8, threads = 1), paste("how many", kind))
    expect_condition_of_mixgist(thin(draws, burn_in = bad), paste("burn_in", kind))
    expect_condition_of_mixgist(thin(draws, by = bad), paste("by", kind))
    expect_condition_of_mixgist(predict(found, 0, type = bad), paste("type", kind))
    expect_condition_of_mixgist(predict(found, 0, type = "density", log = bad), paste("log", kind))
    expect_condition_of_mixgist(similarity(bad), paste("similarity", kind))
    expect_condition_of_mixgist(report(bad, file), paste("report", kind))
    for (option in c("title", "without", "force")) {
      expect_condition_of_mixgist(call_with(report, c(list(list(), file), stats::setNames(list(bad), option))), paste("report", option, kind))
    }
    # A text is a name of a file there, and may be written.
    if (!is.character(bad)) expect_condition_of_mixgist(report(found, bad), paste("report", kind))
    if (!is.character(bad)) expect_condition_of_mixgist(as_json(found, bad), paste("as_json", kind))
    if (!is.character(bad)) expect_condition_of_mixgist(write_mixgist_draws(draws, bad), paste("write", kind))
    expect_condition_of_mixgist(as_json(bad), paste("as_json", kind))
    expect_condition_of_mixgist(read_mixgist_draws(bad), paste("read", kind))
    expect_condition_of_mixgist(read_mixgist_draws("x.npz", format = bad), paste("format", kind))
  }
})

test_that("objects of other packages with parts of any kind", {
  nimble <- function(x) as_mixgist_draws(x, means = "muTilde", covariances = "s2Tilde", covariance_form = "precision")
  objects <- list(bnpmix_ls1(), bnpmix_l1(), bnpmix_ls2(), bnpmix_l2(), bnpmix_dls(), dirichletprocess1(), dirichletprocess2(), dirichletprocess_fixed(), antman1(), antman2(), nimble1(),
    list(list(weights = 1, means = 0, covariances = 1)),
    structure(list(pro = matrix(1, 1), mean = array(0, c(1, 1, 1)), variance = array(1, c(1, 1, 1, 1))), class = "MclustBootstrap"),
    structure(list(probdraw = matrix(1), zdraw = matrix(1), compdraw = list(list(list(mu = 0, rooti = matrix(1))))), class = "bayesm.nmix"),
    list(directoryPath = tempdir(), fileStem = "none", nSweeps = 1))
  for (object in objects) {
    read <- if (is.matrix(object[[1]])) nimble else as_mixgist_draws
    for (part in if (is.null(names(object))) seq_along(object) else names(object)) {
      for (bad in nonsense()) {
        damaged <- object
        damaged[part] <- list(bad)
        expect_condition_of_mixgist(read(damaged), paste(class(object)[1], part, class(bad)[1]))
        # One draw of many.
        if (is.list(object[[part]]) && length(object[[part]]) > 1) {
          damaged <- object
          damaged[[part]][2] <- list(bad)
          expect_condition_of_mixgist(read(damaged), paste(class(object)[1], part, "2", class(bad)[1]))
        }
      }
    }
  }
})

test_that("dimensions that do not fit, or are huge", {
  expect_error(as_mixgist_draws(matrix(0.5, 2, 2), means = matrix(0, 2, 3), covariances = matrix(1, 2, 2)), "means", class = "mixgist_input_error")
  expect_error(as_mixgist_draws(matrix(0.5, 2, 2), means = matrix(0, 2, 2), covariances = matrix(1, 3, 2)), "covariances", class = "mixgist_input_error")
  expect_error(mixgist_summary(two_groups(4), slices = 1e9), "slices", class = "mixgist_usage_error")
  expect_error(mixgist_summary(two_groups(4), threads = 1e6), "threads", class = "mixgist_usage_error")
  expect_error(mixgist_summary(two_groups(4), seed = 2^60), "seed", class = "mixgist_usage_error")
  wide <- matrix(1 / 5000, 1, 5000)
  expect_s3_class(quietly(mixgist_summary(as_mixgist_draws(wide, means = wide, covariances = wide), slices = 4, threads = 1)), "mixgist_summary")
})

test_that("pointers that are dead or of another kind are noticed", {
  draws <- two_groups(4)
  draws$cache$handle <- NULL
  expect_equal(length(draws[1]), 1)
  partitions <- as_mixgist_draws(rbind(c(1, 2), c(1, 1)))
  draws$cache$handle <- partitions$cache$handle
  expect_error(draws[1], "partitions", class = "mixgist_error")
})

# Runs lines of R, or a script, in a session of its own.
session <- function(lines, script = tempfile(fileext = ".R"), arguments = NULL) {
  if (!is.null(lines)) writeLines(lines, script)
  libraries <- paste0("R_LIBS=", paste(.libPaths(), collapse = ":"))
  out <- suppressWarnings(system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", shQuote(script), arguments), stdout = TRUE, stderr = TRUE, env = libraries))
  paste(out, collapse = " ")
}

test_that("every function of the bridge survives the torture of R's memory", {
  skip_on_cran()
  out <- session(NULL, test_path("fixtures", "bridge.R"), "torture")
  expect_match(out, "0.5 6 mixgist_failure 6 4 not called: *$")
})

test_that("an interrupt stops the work and R goes on", {
  skip_on_cran()
  skip_on_os("windows")
  out <- session(c(
    "library(mixgist)",
    "m <- 1500; k <- 60; set.seed(1)",
    "draws <- as_mixgist_draws(matrix(1 / k, m, k), means = matrix(rnorm(m * k), m), covariances = matrix(1, m, k))",
    # The signal is sent from within, once the core is at work.
    "started <- FALSE",
    "signal <- function(phase, done, total, remark) if (!started && nzchar(phase)) { started <<- TRUE; tools::pskill(Sys.getpid(), tools::SIGINT) }",
    "ask <- function() mixgist_summary(draws, slices = 60000, route = 'pairs', threads = 1, progress = signal)",
    "done <- tryCatch({ ask(); 'finished' }, interrupt = function(i) 'interrupted')",
    "small <- suppressWarnings(mixgist_summary(draws[1:3], slices = 10, threads = 1))",
    "cat(done, small$draws)"
  ))
  expect_match(out, "interrupted 3")
})

test_that("progress is told, and its errors come through", {
  phases <- character()
  draws <- two_groups(400)
  seen <- function(phase, done, total, remark) phases <<- c(phases, phase)
  mixgist_summary(draws, slices = 20000, route = "pairs", threads = 1, progress = seen)
  expect_gt(length(phases), 0)
  expect_error(mixgist_summary(draws, slices = 20000, route = "pairs", threads = 1, progress = function(...) stop("enough")), "enough")
})
