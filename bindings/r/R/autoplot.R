# Figures by ggplot2; the methods are registered when it is loaded.

frame_of <- function(values) do.call(rbind, values)

#' @exportS3Method ggplot2::autoplot
autoplot.mixgist_summary <- function(object, data = NULL, coordinates = 1:2, points = 400, ...) {
  need("ggplot2", "autoplot")
  measure <- as_measure(object$estimate, "estimate")
  d <- ncol(measure$means)
  names <- coordinate_names(object, d)
  data <- plot_data(object, data, d)
  if (d == 1) {
    figure <- ggplot2::ggplot(density_curve(measure, points = points))
    if (!is.null(data)) {
      figure <- figure + ggplot2::geom_histogram(ggplot2::aes(x = .data$value, y = ggplot2::after_stat(.data$density)), data = data.frame(value = data[, 1]), breaks = bins(data[, 1]), fill = "grey85")
    }
    return(figure + ggplot2::geom_line(ggplot2::aes(x = .data$at, y = .data$density)) + ggplot2::labs(x = names[1], y = "density"))
  }
  coordinates <- check_coordinates(coordinates, d)
  figure <- ggplot2::ggplot()
  if (!is.null(data)) {
    shown <- data.frame(x = data[, coordinates[1]], y = data[, coordinates[2]], atom = factor(predict_measure(object$estimate, data, "label")))
    figure <- figure + ggplot2::geom_point(ggplot2::aes(x = .data$x, y = .data$y, colour = .data$atom), data = shown, size = 0.8)
  }
  ellipses <- ellipse_frame(measure, coordinates)
  ellipses$atom <- factor(ellipses$atom)
  figure + ggplot2::geom_path(ggplot2::aes(x = .data$x, y = .data$y, colour = .data$atom), data = ellipses) +
    ggplot2::labs(x = names[coordinates[1]], y = names[coordinates[2]])
}

#' @exportS3Method ggplot2::autoplot
autoplot.mixgist_components <- function(object, ...) {
  need("ggplot2", "autoplot")
  frame <- interval_frame(object)
  frame$name <- factor(frame$component, rev(levels(frame$component)))
  frame$quantity <- factor(frame$quantity, unique(frame$quantity))
  ggplot2::ggplot(frame[!is.na(frame$middle), ], ggplot2::aes(x = .data$middle, xmin = .data$low, xmax = .data$high, y = .data$name)) + ggplot2::geom_pointrange() +
    ggplot2::facet_wrap("quantity", scales = "free_x") + ggplot2::scale_y_discrete(drop = FALSE) +
    ggplot2::labs(x = NULL, y = NULL, caption = if (anyNA(frame$middle)) "without a point: cannot be told apart, or too rare")
}

#' @exportS3Method ggplot2::autoplot
autoplot.mixgist_ball <- function(object, ...) {
  need("ggplot2", "autoplot")
  breaks <- graphics::hist(object$distances, plot = FALSE, breaks = "FD")$breaks
  ggplot2::ggplot(as.data.frame(object), ggplot2::aes(x = .data$distance)) + ggplot2::geom_histogram(breaks = breaks, fill = "grey70") +
    ggplot2::geom_vline(xintercept = object$ball$radius) + ggplot2::labs(x = "distance from the estimate", y = "draws")
}

#' @exportS3Method ggplot2::autoplot
autoplot.mixgist_representatives <- function(object, coordinates = 1:2, points = 400, ...) {
  need("ggplot2", "autoplot")
  measures <- lapply(object$representatives, function(one) as_measure(one$measure, "measure"))
  label <- representative_names(object)
  d <- ncol(measures[[1]]$means)
  names <- coordinate_names(object, d)
  if (d == 1) {
    range <- range(vapply(measures, marginal_range, c(0, 0), 1))
    curves <- frame_of(Map(function(measure, label) cbind(density_curve(measure, points = points, range = range), representative = label), measures, label))
    return(ggplot2::ggplot(curves, ggplot2::aes(x = .data$at, y = .data$density, colour = .data$representative)) + ggplot2::geom_line() +
      ggplot2::labs(x = names[1], y = "density"))
  }
  coordinates <- check_coordinates(coordinates, d)
  ellipses <- frame_of(Map(function(measure, label) cbind(ellipse_frame(measure, coordinates), representative = label), measures, label))
  ggplot2::ggplot(ellipses, ggplot2::aes(x = .data$x, y = .data$y, colour = .data$representative, group = interaction(.data$representative, .data$atom))) +
    ggplot2::geom_path() + ggplot2::labs(x = names[coordinates[1]], y = names[coordinates[2]])
}

#' @exportS3Method ggplot2::autoplot
autoplot.mixgist_stability <- function(object, ...) {
  need("ggplot2", "autoplot")
  frame <- as.data.frame(object)
  frame$change <- factor(frame$change, rev(unique(frame$change)))
  ggplot2::ggplot(frame[!is.na(frame$radii), ], ggplot2::aes(x = .data$radii, y = .data$change)) + ggplot2::geom_point() +
    ggplot2::geom_vline(xintercept = c(0.5, 1), linetype = c("dotted", "dashed")) +
    ggplot2::labs(x = "movement, in radii of the credible ball", y = NULL)
}

#' @exportS3Method ggplot2::autoplot
autoplot.mixgist_partition <- function(object, ...) {
  need("ggplot2", "autoplot")
  order <- order(object$labels)
  matrix <- similarity(object$partitions)[order, order, drop = FALSE]
  frame <- expand.grid(x = seq_len(nrow(matrix)), y = seq_len(nrow(matrix)))
  frame$similarity <- as.vector(matrix)
  ggplot2::ggplot(frame, ggplot2::aes(x = .data$x, y = .data$y, fill = .data$similarity)) + ggplot2::geom_raster() + ggplot2::coord_equal() +
    ggplot2::scale_fill_gradient(low = "white", high = "#08306B", limits = c(0, 1)) + ggplot2::labs(x = "observations, by cluster", y = NULL)
}

#' @exportS3Method ggplot2::autoplot
autoplot.mixgist_fit <- function(object, which = "clusters", ...) {
  need("ggplot2", "autoplot")
  one_of(which, "which", names(object$traces))
  trace <- trace_matrix(object$traces[[which]])
  frame <- data.frame(chain = factor(as.vector(row(trace))), draw = as.vector(col(trace)), value = as.vector(trace))
  ggplot2::ggplot(frame, ggplot2::aes(x = .data$draw, y = .data$value, colour = .data$chain)) + ggplot2::geom_line() + ggplot2::labs(y = gsub("_", " ", which))
}

#' @exportS3Method ggplot2::autoplot
autoplot.mixgist_alignment <- function(object, ...) {
  need("ggplot2", "autoplot")
  frame <- data.frame(draw = as.vector(row(object$weights)), component = factor(object$names[col(object$weights)], object$names), weight = as.vector(object$weights))
  ggplot2::ggplot(frame[!is.na(frame$weight), ], ggplot2::aes(x = .data$draw, y = .data$weight, colour = .data$component)) + ggplot2::geom_line()
}

#' @exportS3Method ggplot2::autoplot
autoplot.mixgist_memberships <- function(object, ...) {
  need("ggplot2", "autoplot")
  frame <- membership_frame(object)
  frame$component <- factor(frame$component, seq_len(ncol(object$mean)))
  ggplot2::ggplot(frame, ggplot2::aes(x = .data$rank, y = .data$probability, ymin = .data$low, ymax = .data$high)) + ggplot2::geom_linerange(colour = "grey80") +
    ggplot2::geom_point(ggplot2::aes(colour = .data$component), size = 0.8) + ggplot2::geom_hline(yintercept = object$sure, linetype = "dotted") + ggplot2::ylim(0, 1) +
    ggplot2::labs(x = "observations, the most certain first", y = "probability of the most probable component")
}

#' @exportS3Method ggplot2::autoplot
autoplot.mixgist_how_many <- function(object, ...) {
  need("ggplot2", "autoplot")
  ggplot2::ggplot(number_frame(object), ggplot2::aes(x = .data$number, y = .data$probability, fill = .data$counted)) + ggplot2::geom_col(position = ggplot2::position_dodge2(preserve = "single")) +
    ggplot2::scale_x_continuous(breaks = function(limits) unique(round(pretty(limits)))) +
    ggplot2::labs(x = "number", y = "posterior probability", fill = NULL) + ggplot2::theme(legend.position = "bottom")
}

# Columns in aesthetics, as ggplot2 knows them.
utils::globalVariables(".data")
