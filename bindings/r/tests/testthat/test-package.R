test_that("the authors of the crates in a source package are listed", {
  script <- file.path(Sys.getenv("MIXGIST_ROOT"), "bindings/r/tools/authors.sh")
  skip_if_not(file.exists(script), "the script is in the repository")
  folder <- tempfile("crates")
  dir.create(folder)
  crate <- function(name, ...) {
    dir.create(file.path(folder, name))
    writeLines(c("[package]", paste0("name = \"", name, "\""), "version = \"1.2.0\"", ..., "[dependencies.x]", "version = \"9\""), file.path(folder, name, "Cargo.toml"))
  }
  crate("a", "authors = [", "    \"Ann <a@b.c>\",", "    \"Bo\",", "]", "license = \"MIT\"")
  crate("b", "authors = [\"Cy\", \"Di\"]", "license-file = \"LICENCE\"")
  crate("c", "license = \"MIT\"", "repository = \"https://d.e\"")
  listed <- system2("sh", c(shQuote(script), shQuote(folder)), stdout = TRUE)
  expect_identical(listed[-(1:2)], c(
    "a 1.2.0: Ann <a@b.c>, Bo (MIT)", "b 1.2.0: Cy, Di (see its LICENCE)",
    "c 1.2.0: the authors named at https://d.e (MIT)"
  ))
})
