# The code of the vignettes runs; 'R CMD build' makes pages of them.

test_that("vignettes run", {
  root <- Sys.getenv("MIXGIST_ROOT")
  skip_if(!nzchar(root), "MIXGIST_ROOT is set by 'cargo xtask test r'")
  skip_if_not_installed("knitr")
  pages <- list.files(file.path(root, "bindings/r/vignettes"), "[.]Rmd$", full.names = TRUE)
  expect_equal(length(pages), 3)
  for (page in pages) {
    code <- tempfile(fileext = ".R")
    knitr::purl(page, code, quiet = TRUE)
    lines <- readLines(code)
    # What is meant to fail is left out.
    failing <- grep("error = TRUE|error=TRUE", lines)
    for (start in failing) {
      end <- c(grep("^## ----", lines), length(lines) + 1)
      lines[start:(min(end[end > start]) - 1)] <- ""
    }
    pdf(NULL)
    done <- tryCatch({
      utils::capture.output(suppressWarnings(source(exprs = parse(text = lines), local = new.env(), echo = FALSE)))
      "ran"
    }, error = conditionMessage, finally = dev.off())
    expect_equal(done, "ran", info = basename(page))
  }
})
