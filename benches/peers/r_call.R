# mixgist from R's arrays: reads the name of a job a line, runs it, prints the seconds that it took; for "memory" the copies of the arrays.
#
# usage: Rscript r_call.R DRAWS.npz SLICES      needs mixgist
suppressPackageStartupMessages(library(mixgist))
arguments <- commandArgs(TRUE)
slices <- as.integer(arguments[2])
all <- atoms(read_mixgist_draws(arguments[1]))
m <- max(all$draw)
k <- max(all$atom)
arrays <- function(times) {
  rows <- function(columns) {
    # Atoms run fastest in the table, draws in R's arrays.
    part <- aperm(array(as.matrix(all[columns]), c(k, m, length(columns))), c(2, 1, 3))
    part[rep(seq_len(m), times), , , drop = FALSE]
  }
  out <- list(weights = rows("weight"), means = rows(c("mean_1", "mean_2")), covariances = rows(c("cov_1_1", "cov_2_1", "cov_1_2", "cov_2_2")))
  dim(out$weights) <- c(m * times, k)
  dim(out$covariances) <- c(m * times, k, 2, 2)
  out
}
usual <- arrays(1)
draws <- function(from) as_mixgist_draws(from$weights, means = from$means, covariances = from$covariances)

# Kilobytes that the system knows of this process: what it holds now, or the most since the last look.
known <- function(field) as.numeric(gsub("[^0-9]", "", grep(field, readLines("/proc/self/status"), value = TRUE)))
copies <- function() {
  if (!file.exists("/proc/self/clear_refs")) return(NaN)
  large <- arrays(20)
  gc()
  writeLines("5", "/proc/self/clear_refs")
  before <- known("VmRSS")
  kept <- draws(large)
  (known("VmHWM") - before) * 1024 / sum(8 * lengths(large))
}
jobs <- list(call = function() suppressWarnings(mixgist_summary(draws(usual), slices = slices)), draws = function() draws(usual))

input <- file("stdin", "r")
while (length(line <- readLines(input, 1)) > 0) {
  if (line == "memory") {
    cat(copies(), "\n", sep = "")
  } else {
    begin <- Sys.time()
    jobs[[line]]()
    cat(format(as.numeric(difftime(Sys.time(), begin, units = "secs")), digits = 10), "\n", sep = "")
  }
}
