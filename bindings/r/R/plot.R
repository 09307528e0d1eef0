#' Figures of answers
#'
#' Base graphics; `ggplot2::autoplot()` makes the same with ggplot2. The figures of the command line are in [report()].
#'
#' @param x An answer.
#' @param data Observations to show; without them those of the answer.
#' @param coordinates Which two coordinates of a summary to show, when there are more.
#' @param points Number of points of a curve.
#' @param which The trace of a fit to show, such as `"clusters"` or `"log_posterior"`.
#' @param ... For the graphics.
#' @return The answer, invisibly.
#' @examples
#' means <- cbind(rnorm(100), rnorm(100, 9))
#' draws <- as_mixgist_draws(matrix(0.5, 100, 2), means = means, covariances = matrix(1, 100, 2))
#' found <- mixgist_summary(draws, slices = 100, threads = 2)
#' plot(found)
#' plot(mixgist_components(found))
#' @name answer-plots
NULL

# Atoms that are heavy enough to be drawn: all of them where none is heavy.
is_shown <- function(measure) measure$weights >= min(0.005, max(measure$weights))

# The estimate on one coordinate: where its density is drawn.
marginal_range <- function(measure, j) {
  d <- ncol(measure$means)
  sd <- sqrt(measure$covariances[, j, j])
  heavy <- is_shown(measure)
  range(measure$means[heavy, j] - 3.5 * sd[heavy], measure$means[heavy, j] + 3.5 * sd[heavy])
}

density_curve <- function(measure, j = 1, points = 400, range = marginal_range(measure, j)) {
  at <- seq(range[1], range[2], length.out = points)
  sd <- sqrt(measure$covariances[, j, j])
  parts <- vapply(seq_along(measure$weights), function(k) measure$weights[k] * stats::dnorm(at, measure$means[k, j], sd[k]), at)
  data.frame(at = at, density = rowSums(matrix(parts, nrow = points)))
}

# The ellipse that holds a share of a Gaussian in two coordinates.
ellipse_frame <- function(measure, coordinates, share = 0.9, points = 120) {
  angle <- seq(0, 2 * pi, length.out = points)
  heavy <- which(is_shown(measure))
  do.call(rbind, lapply(heavy, function(k) {
    factor <- chol(measure$covariances[k, coordinates, coordinates])
    at <- sqrt(stats::qchisq(share, 2)) * cbind(cos(angle), sin(angle)) %*% factor
    data.frame(atom = k, x = at[, 1] + measure$means[k, coordinates[1]], y = at[, 2] + measure$means[k, coordinates[2]])
  }))
}

# Bins for data of several groups, whose overall spread says little about the width of each.
bins <- function(x) graphics::hist(x, plot = FALSE, breaks = max(grDevices::nclass.FD(x), min(40, ceiling(2 * sqrt(length(x))))))$breaks

# Names of coordinates for axes.
coordinate_names <- function(x, d) if (is.null(x$columns)) paste("coordinate", seq_len(d)) else x$columns

plot_data <- function(x, data, d) {
  if (is.null(data)) data <- own_data(x)
  if (is.null(data)) NULL else as_observations(data, d)
}

check_coordinates <- function(coordinates, d) {
  if (!is.numeric(coordinates) || length(coordinates) != 2 || anyNA(coordinates) || !all(coordinates %in% seq_len(d)) || coordinates[1] == coordinates[2]) {
    abort(paste0("coordinates must be two different numbers from 1 to ", d))
  }
  coordinates
}

#' @rdname answer-plots
#' @export
plot.mixgist_summary <- function(x, data = NULL, coordinates = 1:2, points = 400, ...) {
  measure <- as_measure(x$estimate, "estimate")
  d <- ncol(measure$means)
  names <- coordinate_names(x, d)
  data <- plot_data(x, data, d)
  if (d == 1) {
    curve <- density_curve(measure, points = points)
    bars <- if (!is.null(data)) graphics::hist(data[, 1], plot = FALSE, breaks = bins(data[, 1]))
    limit <- max(curve$density, bars$density)
    graphics::plot(curve$at, curve$density, type = "n", xlab = names[1], ylab = "density", ylim = c(0, limit), xlim = range(curve$at, data), ...)
    if (!is.null(bars)) graphics::rect(bars$breaks[-length(bars$breaks)], 0, bars$breaks[-1], bars$density, col = "grey90", border = "white")
    graphics::lines(curve$at, curve$density, lwd = 2)
    graphics::segments(measure$means[, 1], 0, measure$means[, 1], limit * 0.04 * is_shown(measure), lwd = 2)
    return(invisible(x))
  }
  coordinates <- check_coordinates(coordinates, d)
  ellipses <- ellipse_frame(measure, coordinates)
  shown <- if (is.null(data)) NULL else data[, coordinates]
  graphics::plot(NA, xlim = range(ellipses$x, shown[, 1]), ylim = range(ellipses$y, shown[, 2]), xlab = names[coordinates[1]], ylab = names[coordinates[2]], ...)
  if (!is.null(data)) graphics::points(shown, pch = 16, cex = 0.5, col = palette_of(predict_measure(x$estimate, data, "label")))
  for (k in unique(ellipses$atom)) {
    one <- ellipses[ellipses$atom == k, ]
    graphics::lines(one$x, one$y, lwd = 0.5 + 3 * measure$weights[k], col = palette_of(k))
  }
  graphics::points(measure$means[unique(ellipses$atom), coordinates, drop = FALSE], pch = 3, col = palette_of(unique(ellipses$atom)))
  invisible(x)
}

# Colours that most people can tell apart (Okabe and Ito), used again from the ninth on.
palette_of <- function(i) grDevices::palette.colors(8, "Okabe-Ito", recycle = FALSE)[(i - 1) %% 8 + 1]

# Room for labels on the left, whatever their length; the margins are those of before when the figure is done, because the caller restores them.
widen_left <- function(labels, cex) {
  graphics::plot.new()
  width <- max(graphics::strwidth(labels, "inches", cex = cex)) + 0.35
  margins <- graphics::par("mai")
  # At least a third of the figure is for the figure.
  graphics::par(mai = replace(margins, 2, min(max(margins[2], width), graphics::par("fin")[1] * 0.6)), new = TRUE)
}

# Intervals of one quantity of the components.
interval_frame <- function(x) {
  frame <- as.data.frame(x)
  names <- coordinate_names(x, length(x$components[[1]]$mean))
  columns <- c("weight", paste0("mean_", if (is.null(x$columns)) seq_along(names) else names))
  part <- function(column, label) {
    data.frame(component = factor(frame$component, unique(frame$component)), quantity = label, middle = frame[[column]], low = frame[[paste0(column, "_low")]], high = frame[[paste0(column, "_high")]])
  }
  do.call(rbind, Map(part, columns, c("weight", paste("mean,", names)), USE.NAMES = FALSE))
}

#' @rdname answer-plots
#' @export
plot.mixgist_components <- function(x, ...) {
  frame <- interval_frame(x)
  quantities <- unique(frame$quantity)
  shown <- quantities[seq_len(min(length(quantities), 6))]
  old <- graphics::par(mfrow = grDevices::n2mfrow(length(shown)), mar = graphics::par("mar"))
  on.exit(graphics::par(old))
  widen_left(levels(frame$component), 0.8)
  for (quantity in shown) {
    part <- frame[frame$quantity == quantity, ]
    rows <- rev(seq_len(nrow(part)))
    known <- !is.na(part$middle)
    range <- if (any(known)) range(part$low, part$high, na.rm = TRUE) else c(0, 1)
    graphics::plot(NA, xlim = range, ylim = c(0.5, nrow(part) + 0.5), yaxt = "n", xlab = quantity, ylab = "", ...)
    graphics::axis(2, at = rows, labels = part$component, las = 1, cex.axis = 0.8)
    colour <- palette_of(seq_len(nrow(part)))
    graphics::segments(part$low[known], rows[known], part$high[known], rows[known], lwd = 2, col = colour[known])
    graphics::points(part$middle[known], rows[known], pch = 16, col = colour[known])
    if (any(!known)) graphics::text(mean(range), rows[!known], "no interval: cannot be told apart, or too rare", cex = 0.7)
  }
  invisible(x)
}

#' @rdname answer-plots
#' @export
plot.mixgist_ball <- function(x, ...) {
  graphics::hist(x$distances, breaks = "FD", xlab = "distance from the estimate", ylab = "draws", main = "", col = "grey85", border = "white", ...)
  graphics::abline(v = x$ball$radius, lwd = 2)
  graphics::mtext(paste0(format(100 * x$ball$level), " % ball: radius ", format(x$ball$radius, digits = 3)), side = 3, adj = 1)
  invisible(x)
}

# "draw 12 (61 %)".
representative_names <- function(x) {
  sprintf("draw %d (%.0f %%)", vapply(x$representatives, `[[`, 0L, "draw"), 100 * vapply(x$representatives, function(one) one$weight$value, 0))
}

#' @rdname answer-plots
#' @export
plot.mixgist_representatives <- function(x, coordinates = 1:2, points = 400, ...) {
  measures <- lapply(x$representatives, function(one) as_measure(one$measure, "measure"))
  label <- representative_names(x)
  d <- ncol(measures[[1]]$means)
  names <- coordinate_names(x, d)
  if (d == 1) {
    range <- range(vapply(measures, marginal_range, c(0, 0), 1))
    curves <- lapply(measures, density_curve, points = points, range = range)
    graphics::plot(NA, xlim = range, ylim = c(0, max(vapply(curves, function(curve) max(curve$density), 0))), xlab = names[1], ylab = "density", ...)
    for (i in seq_along(curves)) graphics::lines(curves[[i]], col = palette_of(i), lwd = 2)
  } else {
    coordinates <- check_coordinates(coordinates, d)
    ellipses <- lapply(measures, ellipse_frame, coordinates)
    all <- do.call(rbind, ellipses)
    graphics::plot(NA, xlim = range(all$x), ylim = range(all$y), xlab = names[coordinates[1]], ylab = names[coordinates[2]], ...)
    for (i in seq_along(ellipses)) for (one in split(ellipses[[i]], ellipses[[i]]$atom)) graphics::lines(one$x, one$y, col = palette_of(i))
  }
  graphics::legend("topright", label, col = palette_of(seq_along(label)), lwd = 2, bty = "n")
  invisible(x)
}

#' @rdname answer-plots
#' @export
plot.mixgist_stability <- function(x, ...) {
  frame <- as.data.frame(x)
  rows <- rev(seq_len(nrow(frame)))
  known <- !is.na(frame$radii)
  old <- graphics::par(mar = graphics::par("mar"))
  on.exit(graphics::par(old))
  widen_left(frame$change, 0.8)
  graphics::plot(ifelse(known, frame$radii, 0), rows, pch = ifelse(known, 16, 4), xlim = c(0, max(1.1, frame$radii, na.rm = TRUE)), yaxt = "n",
    xlab = "movement of the estimate, in radii of the credible ball", ylab = "", ...)
  graphics::axis(2, at = rows, labels = frame$change, las = 1, cex.axis = 0.8)
  graphics::abline(v = c(0.5, 1), lty = c(3, 2))
  invisible(x)
}

#' @rdname answer-plots
#' @export
plot.mixgist_partition <- function(x, ...) {
  # Observations by cluster, so that clusters are blocks.
  order <- order(x$labels)
  matrix <- similarity(x$partitions)[order, order, drop = FALSE]
  n <- nrow(matrix)
  old <- graphics::par(pty = "s")
  on.exit(graphics::par(old))
  graphics::image(seq_len(n), seq_len(n), matrix, zlim = c(0, 1), col = grDevices::hcl.colors(32, "Blues", rev = TRUE), xlab = "observations, by cluster", ylab = "", ...)
  edges <- utils::head(cumsum(table(x$labels)), -1) + 0.5
  graphics::abline(h = edges, v = edges, lwd = 0.5)
  invisible(x)
}

#' @rdname answer-plots
#' @export
plot.mixgist_alignment <- function(x, ...) {
  colour <- palette_of(seq_along(x$names))
  # Room for the legend above the lines.
  limits <- range(x$weights, na.rm = TRUE)
  limits[2] <- limits[2] + 0.15 * diff(limits)
  graphics::matplot(x$weights, type = "l", lty = 1, col = colour, ylim = limits, xlab = "draw", ylab = "weight of each component", ...)
  graphics::legend("top", x$names, col = colour, lty = 1, bty = "n", ncol = min(length(x$names), 6))
  invisible(x)
}

# Memberships with the most certain observations first.
membership_frame <- function(x) {
  frame <- as.data.frame(x)
  frame <- frame[order(-frame$probability), ]
  frame$rank <- seq_len(nrow(frame))
  frame
}

#' @rdname answer-plots
#' @export
plot.mixgist_memberships <- function(x, ...) {
  frame <- membership_frame(x)
  colour <- palette_of(frame$component)
  graphics::plot(frame$rank, frame$probability, ylim = c(0, 1), type = "n", xlab = "observations, the most certain first", ylab = "probability of the most probable component", ...)
  graphics::segments(frame$rank, frame$low, frame$rank, frame$high, col = "grey80")
  graphics::points(frame$rank, frame$probability, pch = 16, cex = 0.6, col = colour)
  graphics::abline(h = x$sure, lty = 3)
  graphics::legend("bottomleft", paste("component", seq_len(ncol(x$mean))), col = palette_of(seq_len(ncol(x$mean))), pch = 16, bty = "n")
  invisible(x)
}

# What was counted, in words: occupied clusters, and merge-truncate-merge at the chosen rate.
number_frame <- function(x) {
  chosen <- which.min(abs(vapply(x$merged, `[[`, 0, "omega") - x$omega))
  frame <- as.data.frame(x)
  frame <- frame[frame$counted == "occupied clusters" | (frame$counted == "merge-truncate-merge" & frame$setting == x$merged[[chosen]]$omega), ]
  frame$counted <- ifelse(frame$counted == "merge-truncate-merge", "components after merging", frame$counted)
  frame
}

#' @rdname answer-plots
#' @export
plot.mixgist_how_many <- function(x, ...) {
  frame <- number_frame(x)
  numbers <- seq(min(frame$number), max(frame$number))
  counted <- unique(frame$counted)
  bars <- vapply(counted, function(what) {
    part <- frame[frame$counted == what, ]
    ifelse(numbers %in% part$number, part$probability[match(numbers, part$number)], 0)
  }, double(length(numbers)))
  bars <- matrix(bars, ncol = length(counted))
  graphics::barplot(t(bars), beside = TRUE, names.arg = numbers, col = palette_of(seq_along(counted)), border = NA, ylim = c(0, 1.2), yaxt = "n", xlab = "number", ylab = "posterior probability",
    legend.text = counted, args.legend = list(x = "top", bty = "n", border = NA), ...)
  graphics::axis(2, seq(0, 1, 0.2), las = 1)
  invisible(x)
}
