#!/bin/sh
# Prints who wrote the crates of others that a source package carries, and under which licence: one line for each crate in the given folder.
set -e
echo "The Rust sources in src/vendor.tar.xz are the work of others:"
echo
for manifest in "$1"/*/Cargo.toml; do
    awk '
        function content(line) { sub(/^[^"]*"/, "", line); sub(/"[^"]*$/, "", line); return line }
        /^\[/ { package = ($0 == "[package]") }
        !package { next }
        listing && /^\]/ { listing = 0 }
        listing { authors = authors (authors == "" ? "" : ", ") content($0) }
        /^authors = \[$/ { listing = 1 }
        /^authors = \[.+\]/ { authors = content($0); gsub(/", *"/, ", ", authors) }
        /^name = / { name = content($0) }
        /^version = / { version = content($0) }
        /^license = / { license = content($0) }
        /^license-file = / && license == "" { license = "see its " content($0) }
        /^repository = / { repository = content($0) }
        END {
            if (authors == "") authors = "the authors named at " (repository == "" ? "its page on crates.io" : repository)
            print name " " version ": " authors " (" license ")"
        }
    ' "$manifest"
done
