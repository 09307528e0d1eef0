# The cases that all fronts share: the same options by the same names give the same numbers as the command line.

root <- Sys.getenv("MIXGIST_ROOT")
command_line <- Sys.getenv("MIXGIST_CLI")

cases <- function() {
  skip_if(!nzchar(root) || !nzchar(command_line), "MIXGIST_ROOT and MIXGIST_CLI are set by 'cargo xtask test r'")
  skip_if_not_installed("jsonlite")
  text <- paste(readLines(file.path(root, "tests/cases/faithful.json")), collapse = "\n")
  # Seeds beyond 2^53 are texts in R.
  jsonlite::fromJSON(gsub("\"seed\": ([0-9]{16,})", "\"seed\": \"\\1\"", text), simplifyVector = FALSE)
}

questions <- list(summarize = mixgist_summary, credible = mixgist_ball, components = mixgist_components, representatives = mixgist_representatives, stability = mixgist_stability,
  align = mixgist_align, memberships = mixgist_memberships, `how-many` = mixgist_how_many, partition = mixgist_partition)

run <- function(words, options) {
  for (name in names(options)) {
    value <- options[[name]]
    words <- c(words, paste0("--", gsub("_", "-", name)), if (!isTRUE(value)) if (is.character(value)) value else format(value, digits = 17))
  }
  paste(system2(command_line, c(words, "--json"), stdout = TRUE, stderr = FALSE), collapse = "\n")
}

in_r <- function(options) {
  if (is.character(options$units) && grepl(",", options$units)) options$units <- as.numeric(strsplit(options$units, ",")[[1]])
  options
}

# What only files have: where they are; a fit gives chains and iterations from 1.
without_files <- function(json) {
  document <- jsonlite::fromJSON(json, simplifyVector = FALSE, digits = NA)
  document$source <- NULL
  document
}

test_that("documents are those of the command line, and have the numbers of the cases", {
  all <- cases()
  folder <- tempfile("cases")
  dir.create(folder)
  file <- file.path(folder, "draws.npz")
  run(c("fit", file.path(root, all$data), "-o", file), all$fit)
  draws <- read_mixgist_draws(file)
  fitted <- quietly(do.call(mixgist_fit, c(list(utils::read.csv(file.path(root, all$data))), all$fit)))
  ours <- atoms(fitted$draws)
  theirs <- atoms(draws)
  expect_identical(ours[-(1:2)], theirs[-(1:2)])
  expect_equal(ours$chain, theirs$chain + 1)
  expect_equal(ours$iteration, theirs$iteration + 1)
  checked <- 0
  for (verb in names(questions)) {
    for (case in all[[verb]]) {
      answer <- quietly(do.call(questions[[verb]], c(list(draws), in_r(case$options))))
      document <- without_files(as_json(answer))
      expect_equal(document, without_files(run(c(verb, file), case$options)), tolerance = 0, info = paste(verb, case$name))
      for (key in names(case$expect)) {
        found <- document
        for (part in strsplit(key, ".", fixed = TRUE)[[1]]) found <- if (grepl("^[0-9]+$", part)) found[[as.integer(part) + 1]] else found[[part]]
        expect_equal(found, case$expect[[key]], tolerance = 1e-12, info = paste(verb, case$name, key))
        checked <- checked + 1
      }
    }
  }
  expect_gt(checked, 30)
})

test_that("weights of draws, and labels that are drawn, are those of the command line", {
  cases()
  folder <- tempfile("weighted")
  dir.create(folder)
  file <- file.path(folder, "draws.npz")
  data_file <- file.path(folder, "data.csv")
  set.seed(1)
  m <- 40
  data <- c(rnorm(20, 0, 2), rnorm(20, 5, 2))
  utils::write.csv(data.frame(x = data), data_file, row.names = FALSE)
  means <- cbind(rnorm(m), rnorm(m, 5))
  labels <- t(replicate(m, sample(1:3, 40, TRUE, c(0.5, 0.4, 0.1))))
  make <- function(...) as_mixgist_draws(matrix(c(0.4, 0.6), m, 2, byrow = TRUE), means = means, covariances = matrix(4, m, 2), draw_weights = seq_len(m)^2, ...)
  agree <- function(answer, words) expect_equal(without_files(as_json(answer)), without_files(run(words, list())), tolerance = 0)
  write_mixgist_draws(make(), file)
  agree(mixgist_partition(make(), data, seed = 3, runs = 4, threads = 1), c("partition", file, "--data", data_file, "--seed", "3", "--runs", "4"))
  write_mixgist_draws(make(labels = labels), file, force = TRUE)
  weighted <- mixgist_partition(make(labels = labels), runs = 4, threads = 1)
  agree(weighted, c("partition", file, "--runs", "4"))
  expect_false(weighted$expected_loss == mixgist_partition(labels, runs = 4, threads = 1)$expected_loss)
  agree(quietly(mixgist_how_many(make(labels = labels), slices = 20, threads = 1)), c("how-many", file, "--slices", "20"))
})
