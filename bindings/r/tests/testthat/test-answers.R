test_that("labels, probabilities and densities are those of the formula", {
  found <- mixgist_summary(two_groups(), slices = 100, threads = 2)
  w <- found$estimate$weights
  mu <- as.vector(found$estimate$means)
  at <- c(-1, 2.4, 2.6, 7)
  parts <- outer(at, seq_along(w), function(x, k) w[k] * dnorm(x, mu[k], 1))
  expect_equal(predict(found, at, type = "density"), rowSums(parts))
  expect_equal(predict(found, at, type = "density", log = TRUE), log(rowSums(parts)))
  expect_equal(predict(found, at, type = "probability"), parts / rowSums(parts))
  expect_equal(predict(found, at), max.col(parts))
  expect_error(predict(found), "newdata", class = "mixgist_error")
  expect_error(predict(found, matrix(0, 2, 2)), "2 columns", class = "mixgist_input_error")
})

test_that("draws, atoms and labels count from 1 everywhere", {
  draws <- two_groups()
  found <- mixgist_summary(draws, data = c(0, 5), slices = 100, threads = 2)
  # The draw keeps its order, every estimate has its heaviest atom first.
  chosen <- atoms(draws[found$draw])
  expect_equal(found$estimate$weights, sort(chosen$weight, decreasing = TRUE))
  expect_equal(found$estimate$means[, 1], chosen$mean_1[order(-chosen$weight)])
  expect_equal(found$labels, vapply(c(0, 5), function(x) which.min(abs(x - found$estimate$means[, 1])), 1L))
  expect_match(attr(found, "plain"), paste0("draw ", found$draw, " of 150"))
  # The document itself counts from 0, as that of the command line.
  expect_match(as_json(found), paste0("\"draw\": ?", found$draw - 1, ","))
  expect_match(attr(found, "plain"), "\n +1 +0.[46]")
  ball <- mixgist_ball(found)
  farthest <- ball$ball$farthest_draws[[1]]
  expect_equal(ball$distances[farthest$draw], farthest$distance)
  expect_equal(which.max(ball$distances), farthest$draw)
  expect_match(ball$estimate_source, paste0("draw ", found$draw))
  components <- mixgist_components(found)
  expect_equal(sort(vapply(components$components, `[[`, 0L, "atom")), 1:2)
  one <- components$components[[1]]
  expect_equal(one$mean, found$estimate$means[one$atom, ])
  modes <- mixgist_representatives(found, count = 2, grid = 0)
  expect_equal(sort(unique(modes$assignment)), 1:2)
  expect_equal(modes$assignment[modes$representatives[[2]]$draw], 2L)
  partition <- mixgist_partition(rbind(c(5, 5, 9), c(5, 5, 9)), threads = 2)
  expect_equal(partition$labels, c(1L, 1L, 2L))
  expect_equal(partition$ball$inside, 1:2)
})

test_that("sentences count from 1", {
  weights <- rbind(c(0.5, 0.5), c(0.5, -0.5))
  expect_error(as_mixgist_draws(weights, means = weights, covariances = abs(weights)), "draw 2, atom 2: weight is -0.5", class = "mixgist_input_error")
  few <- two_groups(4)
  expect_warning(mixgist_summary(few, slices = 50, threads = 2), class = "mixgist_few_draws_warning")
})

test_that("remedies are in R's words", {
  x <- arrays2(120)
  x$means[, , 2] <- x$means[, , 2] * 1000
  draws <- as_mixgist_draws(x$weights, means = x$means, covariances = x$covariances)
  caught <- list()
  withCallingHandlers(mixgist_summary(draws, units = "none", slices = 50, threads = 2), mixgist_warning = function(w) {
    caught[[length(caught) + 1]] <<- w
    invokeRestart("muffleWarning")
  })
  unequal <- Filter(function(w) inherits(w, "mixgist_unequal_units_warning"), caught)[[1]]
  expect_match(unequal$advice, "units = \"sd\"", fixed = TRUE)
  expect_match(conditionMessage(unequal), "what helps")
  error <- tryCatch(mixgist_partition(rbind(1:3, 1:3), loss = "generalized-vi"), mixgist_error = identity)
  expect_equal(error$hint, "give it, such as a = 0.5")
})

test_that("answers do not depend on threads, and seeds matter", {
  draws <- two_groups()
  one <- mixgist_summary(draws, slices = 64, scheme = "iid", threads = 1)
  expect_identical(as_json(one), as_json(mixgist_summary(draws, slices = 64, scheme = "iid", threads = 2)))
  expect_false(identical(one$expected_loss, mixgist_summary(draws, slices = 64, scheme = "iid", seed = 5, threads = 1)$expected_loss))
  set.seed(3)
  before <- .Random.seed
  mixgist_summary(draws, slices = 64, threads = 2)
  expect_identical(.Random.seed, before)
})

test_that("a summary is not computed again, and outlives its session", {
  found <- mixgist_summary(two_groups(), slices = 100, threads = 2)
  ball <- mixgist_ball(found)
  path <- tempfile(fileext = ".rds")
  saveRDS(found, path)
  again <- readRDS(path)
  expect_false(mixgist:::alive(again$posterior$handle))
  expect_equal(mixgist_ball(again)$ball, ball$ball)
  expect_equal(predict(again, 0), predict(found, 0))
  expect_error(mixgist_ball(found, threads = 1, slices = 7), "brings its data and options\nhint: .*mixgist_...\\(draws, slices = ...\\)", class = "mixgist_usage_error")
  expect_error(mixgist_ball(found, data = 1), "mixgist_...\\(draws, data = ...\\)", class = "mixgist_usage_error")
})

test_that("answers have what R users ask for", {
  draws <- two_groups()
  found <- mixgist_summary(draws, data = c(0, 5, 5.5), slices = 100, threads = 2)
  answers <- list(found, mixgist_ball(found, conformal = TRUE), mixgist_components(found), mixgist_representatives(found), mixgist_stability(found),
    mixgist_partition(rbind(c(1, 1, 2), c(1, 2, 2)), threads = 2), mixgist_align(found), mixgist_memberships(found), mixgist_how_many(found))
  rows <- c(2, 150, 2, 1, length(answers[[5]]$checks), 3, 2, 3, NA)
  pdf(NULL)
  on.exit(dev.off())
  for (i in seq_along(answers)) {
    x <- answers[[i]]
    expect_output(print(x), "mixgist")
    expect_output(print(summary(x)), "draws")
    if (!is.na(rows[i])) expect_equal(nrow(as.data.frame(x)), rows[i])
    expect_identical(plot(x), x)
    if (requireNamespace("generics", quietly = TRUE)) {
      expect_equal(generics::tidy(x), as.data.frame(x))
      expect_equal(nrow(generics::glance(x)), 1)
    }
    if (requireNamespace("ggplot2", quietly = TRUE)) {
      figure <- ggplot2::autoplot(x)
      expect_s3_class(figure, "ggplot")
      expect_silent(ggplot2::ggplot_build(figure))
    }
  }
  expect_equal(as.data.frame(answers[[2]])$inside, answers[[2]]$distances <= answers[[2]]$ball$radius)
  # A part of a table says that it is one.
  expect_output(print(summary(answers[[2]])), "(the first 12 of 150 rows; as.data.frame() gives all)", fixed = TRUE)
  expect_false(any(grepl("first 12", utils::capture.output(print(summary(found))))))
})

test_that("figures in two dimensions", {
  fit <- quietly(mixgist_fit(faithful, chains = 2, iterations = 120, burn_in = 60, thin = 1, seed = 1, threads = 2))
  found <- quietly(mixgist_summary(fit, slices = 60, threads = 2))
  pdf(NULL)
  on.exit(dev.off())
  for (x in list(fit, found, quietly(mixgist_components(found)), quietly(mixgist_representatives(found, count = 2)), mixgist_partition(fit, runs = 2, threads = 2))) {
    expect_identical(plot(x), x)
    if (requireNamespace("ggplot2", quietly = TRUE)) expect_silent(ggplot2::ggplot_build(ggplot2::autoplot(x)))
  }
  if (requireNamespace("generics", quietly = TRUE)) {
    facts <- generics::glance(fit)
    expect_equal(facts[c("draws", "chains", "verdict")], data.frame(draws = 120, chains = 2, verdict = fit$verdict), ignore_attr = TRUE)
    # Chains of this length do not agree for sure, and the warning says which of the ways it is.
    expect_true(facts$warning %in% c("short-chains", "slow-chains", "chains-disagree", "few-draws"))
  }
  expect_equal(found$columns, names(faithful))
  expect_equal(length(found$labels), nrow(faithful))
  expect_equal(predict(found), found$labels)
  expect_error(plot(found, coordinates = c(1, 3)), "coordinates", class = "mixgist_error")
})

test_that("aligned draws are draws of posterior", {
  draws <- two_groups()
  components <- mixgist_components(draws, slices = 100, threads = 2)
  aligned <- mixgist_align(draws, slices = 100, threads = 2)
  expect_equal(dim(aligned$weights), c(150, 2))
  # Nothing is missing here, so that components are the atoms, heaviest first.
  expect_equal(unname(aligned$weights), cbind(rep(0.6, 150), rep(0.4, 150)))
  own <- atoms(draws)$mean_1
  expect_equal(aligned$means[, 1, 1], own[seq(2, 300, 2)])
  skip_if_not_installed("posterior")
  frame <- posterior::as_draws_df(components)
  expect_equal(frame$`mean[1,1]`, aligned$means[, 1, 1])
  expect_equal(posterior::nchains(frame), 1)
})

test_that("names of components are carried over", {
  draws <- two_groups()
  old <- mixgist_align(draws[1:75], names = c("heavy", "light"), slices = 100, threads = 2)
  new <- mixgist_align(draws[76:150], old = old, slices = 100, threads = 2)
  expect_equal(new$names, c("heavy", "light"))
  expect_equal(new$carried$components[[1]]$from, "heavy")
  expect_equal(mixgist_align(draws, old = list(weights = 1, means = 90, covariances = 1), slices = 100, threads = 2)$names, c("new", "new 2"))
  expect_error(mixgist_align(draws, names = "one"), "names", class = "mixgist_error")
})

test_that("memberships are means over the draws of what each draw says", {
  draws <- two_groups()
  at <- c(-1, 2.4, 2.6, 7)
  found <- mixgist_memberships(draws, data = at, slices = 100, threads = 2)
  all <- atoms(draws)
  by_hand <- t(vapply(at, function(x) {
    parts <- matrix(all$weight * dnorm(x, all$mean_1, 1), 2)
    rowMeans(parts / rep(colSums(parts), each = 2))[2:1]
  }, c(0, 0)))
  expect_equal(found$mean, by_hand)
  expect_equal(found$labels, max.col(by_hand))
  expect_true(all(found$low <= found$mean & found$mean <= found$high))
  expect_match(attr(found, "plain"), paste0("\n *", found$uncertain[1], " +", found$labels[found$uncertain[1]]))
  expect_error(mixgist_memberships(draws), "data", class = "mixgist_error")
})

test_that("how many: the posterior of the number, and cuts between components count from 1", {
  draws <- two_groups()
  expect_equal(mixgist_how_many(draws, slices = 100, threads = 2)$components, 2)
  found <- mixgist_how_many(draws, data = c(0, 5, 5.5), slices = 100, threads = 2)
  expect_false(found$occupied$from_labels)
  frame <- as.data.frame(found)
  expect_equal(as.vector(tapply(frame$probability, paste(frame$counted, frame$setting), sum)), rep(1, length(unique(paste(frame$counted, frame$setting)))))
  components <- mixgist_components(draws, slices = 100, threads = 2)
  expect_equal(sort(c(components$cuts[[1]]$left, components$cuts[[1]]$right)), 1:2)
  expect_match(attr(components, "plain"), "components (1 and 2|2 and 1)")
})

test_that("the report is written whole or not at all", {
  found <- mixgist_summary(two_groups(), data = c(0, 5, 5.5), slices = 60, threads = 2)
  path <- tempfile(fileext = ".html")
  expect_equal(report(found, path, without = "stability", threads = 2), path)
  expect_match(readLines(path, 1), "<!doctype html>", ignore.case = TRUE)
  expect_error(report(found, path), "force = TRUE", class = "mixgist_error")
  expect_error(report(found, "report.txt"), class = "mixgist_usage_error")
  expect_error(report(list(), path), class = "mixgist_usage_error")
})

test_that("parts of draws", {
  draws <- two_groups(10)
  expect_equal(length(draws[3:4]), 2)
  expect_equal(atoms(draws[4])$mean_1, atoms(draws)$mean_1[7:8])
  expect_equal(length(draws[-1]), 9)
  expect_identical(draws[], draws)
  expect_equal(unique(atoms(thin(draws, burn_in = 4, by = 3))$iteration), c(5, 8))
  expect_error(draws[11], class = "mixgist_error")
  expect_error(draws[0], class = "mixgist_error")
  expect_error(thin(draws, burn_in = 10), "burn_in", class = "mixgist_error")
  path <- tempfile(fileext = ".npz")
  write_mixgist_draws(draws, path)
  expect_equal(atoms(read_mixgist_draws(path)), atoms(draws))
  expect_error(write_mixgist_draws(draws, path), "force = TRUE", class = "mixgist_error")
  expect_error(read_mixgist_draws(tempfile(fileext = ".npz")), class = "mixgist_io_error")
})

test_that("draws of several runs are put together as further chains", {
  one <- bnpmix_ls2()
  ragged <- as_mixgist_draws(one)
  other <- as_mixgist_draws(list(list(weights = 1, means = matrix(7:8, 1), covariances = array(diag(2), c(1, 2, 2)))), labels = rbind(c(4, 4, 5)), data = one$data)
  both <- c(ragged, other, one)
  expect_identical(atoms(both)$chain, as.integer(c(1, 1, 1, 2, 3, 3, 3)))
  expect_equal(atoms(both)[-(1:3)], rbind(atoms(ragged), atoms(other), atoms(ragged))[-(1:3)], ignore_attr = TRUE)
  expect_equal(both$source$labels, rbind(one$clust, c(4, 4, 5), one$clust))
  expect_equal(both$source$data, one$data)
  expect_equal(both$facts$chains, 3)
  # What only some of them have is not kept.
  bare <- c(ragged, as_mixgist_draws(list(list(weights = 1, means = matrix(7:8, 1), covariances = array(diag(2), c(1, 2, 2))))))
  expect_null(bare$source$labels)
  expect_null(bare$source$data)
  # Chains of a part are counted on, whatever their numbers are.
  chains <- function(numbers) as_mixgist_draws(matrix(1, 3, 1), means = matrix(1:3), covariances = matrix(1, 3, 1), chains = numbers, log_posterior = -(1:3))
  joined <- c(chains(c(7, 7, 2)), chains(c(2, 2, 2)))
  expect_equal(atoms(joined)$chain, c(1, 1, 2, 3, 3, 3))
  expect_equal(atoms(joined)$iteration, c(1, 2, 1, 1, 2, 3))
  expect_equal(mixgist:::draws_arrays(mixgist:::draws_handle(joined))$log_posterior, -c(1:3, 1:3))
  expect_error(c(ragged, chains(1:3)), "dimensions 2, 1", class = "mixgist_input_error")
  expect_error(c(ragged, rbind(c(1, 1, 2))), "partitions", class = "mixgist_input_error")
  expect_error(c(ragged, 3), class = "mixgist_error")
  weighted <- as_mixgist_draws(matrix(1, 2, 1), means = matrix(1:2), covariances = matrix(1, 2, 1), draw_weights = 1:2)
  expect_error(c(weighted, weighted), "weights cannot be put together", class = "mixgist_input_error")
})

test_that("components that cannot be told apart have a row of their own, in tables and figures", {
  # Two atoms whose places are those of one and the same component, and one far from them.
  m <- 200
  set.seed(1)
  means <- cbind(rnorm(m, 0.3, 0.3), rnorm(m, 0.3, 0.3), rnorm(m, 12, 0.1))
  draws <- as_mixgist_draws(matrix(c(0.3, 0.3, 0.4), m, 3, byrow = TRUE), means = means, covariances = matrix(1, m, 3))
  found <- quietly(mixgist_components(draws, estimate = "medoid", slices = 60, threads = 2))
  frame <- as.data.frame(found)
  expect_equal(nrow(frame), length(found$components) + length(found$groups) + length(found$missing))
  expect_gt(length(found$groups), 0)
  group <- frame[frame$standing == "group", ][1, ]
  expect_equal(group$component, paste("atoms", paste(sort(found$groups[[1]]$atoms), collapse = ", ")))
  expect_equal(group$weight, found$groups[[1]]$together$intervals$weight$median)
  expect_true(group$component %in% mixgist:::interval_frame(found)$component)
  pdf(NULL)
  on.exit(dev.off())
  before <- par(c("mar", "mfrow"))
  plot(found)
  plot(quietly(mixgist_stability(draws, slices = 60, threads = 2)))
  expect_equal(par(c("mar", "mfrow")), before)
  skip_if_not_installed("ggplot2")
  figure <- ggplot2::autoplot(found)
  expect_match(figure$labels$caption, "cannot be told apart")
  expect_identical(levels(figure$data$quantity), c("weight", "mean, coordinate 1"))
  expect_null(ggplot2::autoplot(mixgist_components(two_groups(), slices = 60, threads = 2))$labels$caption)
})

test_that("a count of atoms in a warning is no index", {
  # What the schema calls an index is shifted, nothing else: the warnings of the answer have the numbers of the document.
  found <- quietly(mixgist_summary(two_groups(8), slices = 30, threads = 2))
  skip_if_not_installed("jsonlite")
  document <- jsonlite::fromJSON(as_json(found), simplifyVector = FALSE)
  few <- function(warnings) Filter(function(one) one$name == "few-draws", warnings)[[1]]
  expect_equal(few(found$warnings)$draws, few(document$warnings)$draws)
  expect_equal(found$draw, document$draw + 1)
  expect_equal(found$margin$rival, document$margin$rival + 1)
  expect_equal(found$runner_up$draw, document$runner_up$draw + 1)
})

test_that("the stability card prints options as R writes them", {
  card <- quietly(mixgist_stability(two_groups(), slices = 60, threads = 2))
  expect_output(print(card), "units = \"none\"", fixed = TRUE)
})

test_that("observations in place of draws, and a vector of labels, get the remedy", {
  expect_error(mixgist_summary(faithful), "mixgist_fit", class = "mixgist_input_error")
  expect_error(mixgist_summary(as.matrix(faithful)), "mixgist_fit", class = "mixgist_usage_error")
  expect_error(mixgist_partition(c(1, 1, 2)), "matrix\\(labels, 1\\)", class = "mixgist_input_error")
  expect_error(mixgist_fit(faithful, psi = matrix(c(1, 2, 3, 4), 2)), "entry \\(2, 1\\) is 2", class = "mixgist_usage_error")
})

test_that("draws without labels get them from the observations, given each draw", {
  draws <- two_groups(20)
  data <- c(-0.5, 0, 0.5, 4.5, 5, 5.5)
  expect_error(mixgist_partition(draws), "data", class = "mixgist_usage_error")
  expect_error(similarity(draws), "labels", class = "mixgist_usage_error")
  expect_error(mixgist_partition(draws, cbind(data, data)), "columns", class = "mixgist_input_error")
  found <- mixgist_partition(draws, data, threads = 2)
  expect_true(found$labels_sampled)
  expect_equal(found$labels, c(1, 1, 1, 2, 2, 2))
  expect_false(mixgist_partition(rbind(c(1, 1, 2)), threads = 1)$labels_sampled)
  # A word in the place of the data is the loss; a summary brings its observations.
  expect_equal(mixgist_partition(rbind(c(1, 1, 2)), "binder", threads = 1)$loss, "binder")
  summary <- quietly(mixgist_summary(draws, data, slices = 20, threads = 2))
  expect_equal(mixgist_partition(summary, threads = 2)$labels, found$labels)
})

test_that("errors count atoms, entries and columns from 1", {
  weights <- matrix(0.5, 2, 2)
  means <- array(c(0, 1, 2, 3, 4, 5, 6, 7), c(2, 2, 2))
  sigma <- aperm(array(diag(2), c(2, 2, 2, 2)), c(3, 4, 1, 2))
  bad <- sigma
  bad[2, 1, 2, 1] <- 9
  expect_error(as_mixgist_draws(weights, means = means, covariances = bad), "draw 2, atom 1: .*entry \\(2, 1\\) is 9, entry \\(1, 2\\) is 0", class = "mixgist_input_error")
  expect_error(as_mixgist_draws(weights, means = means, covariances = bad * Inf), "draw 1, atom 1: entry \\(1, 1\\)", class = "mixgist_input_error")
  means[1, 2, 2] <- NaN
  expect_error(as_mixgist_draws(weights, means = means, covariances = sigma), "draw 1, atom 2: coordinate 2 of the mean", class = "mixgist_input_error")
  expect_error(as_mixgist_draws(weights, means = means * 0 + 1, covariances = -sigma), class = "mixgist_input_error")
  expect_error(mixgist_partition(rbind(c(1, 1, 2), c(1, NA, 2)), threads = 1), "label 2 of draw 2|labels", class = "mixgist_error")
  expect_error(mixgist_summary(two_groups(4), slices = 4, units = -1), "number 1 is -1", class = "mixgist_usage_error")
  expect_error(mixgist_align(two_groups(4), names = c("a", ""), slices = 4), "component 2 is empty", class = "mixgist_usage_error")
})

test_that("figures of many light atoms", {
  k <- 300
  set.seed(1)
  draws <- as_mixgist_draws(matrix(1 / k, 4, k), means = array(rnorm(8 * k), c(4, k, 2)), covariances = aperm(array(diag(2), c(2, 2, 4, k)), c(3, 4, 1, 2)))
  found <- quietly(mixgist_summary(draws, slices = 8, threads = 2))
  pdf(NULL)
  on.exit(dev.off())
  expect_identical(plot(found), found)
  expect_s3_class(quietly(mixgist_representatives(found, count = 1, grid = 0)), "mixgist_representatives")
  expect_identical(nrow(unique(mixgist:::ellipse_frame(mixgist:::as_measure(found$estimate, ""), 1:2)["atom"])), 300L)
})

test_that("draws in files may be read in blocks", {
  draws <- two_groups(60)
  folder <- tempfile("blocks")
  dir.create(folder)
  for (i in 1:3) write_mixgist_draws(draws[20 * (i - 1) + 1:20], file.path(folder, paste0(i, ".npz")))
  files <- file.path(folder, paste0(1:3, ".npz"))
  found <- quietly(mixgist_summary(files, route = "blocks", loss = "power", slices = 50, threads = 2))
  whole <- quietly(mixgist_summary(read_mixgist_draws(files), route = "blocks", loss = "power", slices = 50, threads = 2))
  expect_equal(found[c("estimate", "draw", "expected_loss", "floor")], whole[c("estimate", "draw", "expected_loss", "floor")], tolerance = 0)
  expect_equal(predict(found, c(0, 5)), predict(whole, c(0, 5)))
  expect_output(print(found), "60")
  for (f in list(mixgist_ball, mixgist_components, mixgist_partition, mixgist_summary, mixgist_align)) expect_error(f(found), "read_mixgist_draws", class = "mixgist_usage_error")
  expect_error(report(found, tempfile(fileext = ".html")), "read_mixgist_draws", class = "mixgist_usage_error")
  expect_error(mixgist_summary(files, route = "blocks", slices = 50), class = "mixgist_error")
  expect_error(mixgist_summary(file.path(folder, "none.npz"), route = "blocks", loss = "power"), class = "mixgist_io_error")
})
