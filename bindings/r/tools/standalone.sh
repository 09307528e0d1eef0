#!/bin/sh
# Makes a workspace of its own of src: rust (the bridge) and crates (mixgist itself). 'R CMD build' has copied what are links in the repository.
set -e
cd "$(dirname "$0")/../src"
if [ ! -f Cargo.toml ]; then
    sed -e 's|^members = .*|members = ["rust", "crates/*"]|' -e '/^exclude = /d' -e '/^default-members = /d' workspace.toml > Cargo.toml
    cp workspace.lock Cargo.lock
    rm -f workspace.toml workspace.lock
    # Tests, benchmarks and examples are not built here, and what they need is not packed.
    for manifest in crates/*/Cargo.toml; do
        awk '/^\[/ { skip = /^\[dev-dependencies/ || /^\[\[(test|bench|example)\]\]/ } !skip' "$manifest" > manifest.tmp
        mv manifest.tmp "$manifest"
    done
fi
if [ -f vendor.tar.xz ] && [ ! -d vendor ]; then
    tar -xJf vendor.tar.xz
    mkdir -p .cargo
    cat > .cargo/config.toml <<'CONFIG'
[source.crates-io]
replace-with = "vendored-sources"

[source.vendored-sources]
directory = "vendor"
CONFIG
fi
