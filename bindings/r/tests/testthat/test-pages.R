# Every block of R in the READMEs and on the site is run, in the order of its page. `<!-- not run: reason -->` stands before a block that is not; blocks in `<!-- run … -->` are not shown on the page.
pages <- function() {
  root <- Sys.getenv("MIXGIST_ROOT")
  skip_if(root == "", "MIXGIST_ROOT does not name the repository")
  c(file.path(root, c("README.md", "bindings/r/README.md")), list.files(file.path(root, "docs"), "[.]md$", recursive = TRUE, full.names = TRUE))
}

blocks <- function(lines) {
  starts <- grep("^```r$", lines)
  ends <- grep("^```$", lines)
  starts <- starts[!grepl("^<!-- not run: ", lines[pmax(starts - 1, 1)])]
  lapply(starts, function(at) lines[seq_len(min(ends[ends > at]) - at - 1) + at])
}

test_that("blocks of pages are found", {
  expect_equal(blocks(c("```r", "a", "```", "<!-- not run: slow -->", "```r", "b", "```", "```sh", "c", "```")), list("a"))
})

test_that("blocks of R on the pages run", {
  ran <- 0
  for (page in pages()) {
    found <- blocks(readLines(page, encoding = "UTF-8", warn = FALSE))
    if (length(found) == 0) next
    folder <- tempfile("page")
    dir.create(folder)
    home <- setwd(folder)
    surroundings <- new.env(parent = globalenv())
    for (code in found) {
      outcome <- tryCatch(
        suppressWarnings(utils::capture.output(grDevices::pdf(NULL), eval(parse(text = code), surroundings), grDevices::dev.off())),
        error = function(e) fail(paste0(basename(page), ": ", conditionMessage(e), "\n", paste(code, collapse = "\n")))
      )
      ran <- ran + 1
    }
    setwd(home)
  }
  expect_gte(ran, 8)
})
