//! What fuzzing found worth keeping, on every machine with a stable compiler.

use std::path::Path;

use mixgist_fuzz::TARGETS;

#[test]
fn every_corpus_passes() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    for (name, entry) in TARGETS {
        let folder = fuzz.join("corpus").join(name);
        let files = std::fs::read_dir(&folder).unwrap_or_else(|cause| panic!("{}: {cause}", folder.display()));
        let mut count = 0;
        for file in files {
            let path = file.unwrap().path();
            entry(&std::fs::read(&path).unwrap());
            count += 1;
        }
        assert!(count > 0, "{name} has no corpus");
        assert!(fuzz.join("fuzz_targets").join(format!("{name}.rs")).exists(), "{name} has no program");
    }
}

/// Every corpus, a few thousand times with a few bytes changed: a quick look without libFuzzer, from one seed.
#[test]
fn changed_corpora_pass() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    for (name, entry) in TARGETS {
        let rounds = if *name == "report" { 2 } else { 40 };
        for file in std::fs::read_dir(fuzz.join("corpus").join(name)).unwrap() {
            let bytes = std::fs::read(file.unwrap().path()).unwrap();
            for _ in 0..rounds {
                let mut changed = bytes.clone();
                for _ in 0..next() % 4 {
                    let place = next() as usize % (changed.len() + 1);
                    match next() % 4 {
                        0 => changed.truncate(place),
                        1 => changed.insert(place, next() as u8),
                        2 if place < changed.len() => changed[place] ^= 1 << (next() % 8),
                        _ if place < changed.len() => changed[place] = [0, 0xff, 0x7f, b'9', b','][next() as usize % 5],
                        _ => {}
                    }
                }
                entry(&changed);
            }
        }
    }
}
