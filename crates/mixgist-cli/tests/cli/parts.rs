//! `mixgist summarize --slice-range` and `mixgist combine`: the bits of one run, and parts that do not fit each other.

use crate::{Workplace, line_draws};

/// One run, and its parts combined in another order than they were made.
fn assert_same(place: &Workplace, options: &str, ranges: &[&str]) {
    place.done(&format!("summarize {options} -o whole.json --force"));
    let mut parts = Vec::new();
    for (i, range) in ranges.iter().enumerate() {
        place.done(&format!("summarize {options} --threads {} --slice-range {range} -o {i}.part --force", 1 + i % 2));
        parts.insert(i / 2, format!("{i}.part"));
    }
    place.done(&format!("combine {} -o combined.json --force", parts.join(" ")));
    assert_eq!(place.read("combined.json"), place.read("whole.json"), "{options} {ranges:?}");
}

#[test]
fn combined_parts_have_the_bits_of_one_run() {
    let place = Workplace::with_draws();
    place.write_draws("many.npz", line_draws(420));
    let thirds = ["0:25", "25:26", "26:60"];
    assert_same(&place, "draws.npz --slices 60", &thirds);
    assert_same(&place, "draws.npz --data data.csv --slices 60 --loss power", &thirds);
    assert_same(&place, "draws.npz --slices 60 --order 1.5 --burn-in 2 --units none", &["0:60"]);
    assert_same(&place, "draws.npz --slices 41 --estimate free --atoms 3", &["0:8", "8:41"]);
    assert_same(&place, "many.npz --slices 60 --route certified", &thirds);
}

/// The name of a part, or the slices, stand in what is said.
fn assert_refused(place: &Workplace, line: &str, code: i32, words: &[&str]) {
    let run = place.run(line);
    assert_eq!(run.code, Some(code), "mixgist {line}\n{}", run.stderr);
    for word in words {
        assert!(run.stderr.contains(word), "mixgist {line}: {word} is not in\n{}", run.stderr);
    }
    assert!(!place.files().contains(&"out.json".to_owned()), "{line}");
}

#[test]
fn parts_that_do_not_make_a_whole_are_refused_by_name() {
    let place = Workplace::with_draws();
    for (range, name) in [("0:20", "a"), ("20:40", "b"), ("40:60", "c"), ("30:50", "overlap")] {
        place.done(&format!("summarize draws.npz --slices 60 --slice-range {range} -o {name}.part"));
    }
    place.done("summarize draws.npz --slices 60 --seed 1 --slice-range 20:40 -o seed.part");
    place.done("summarize draws.npz --slices 60 --thin 2 --slice-range 20:40 -o thin.part");
    place.done("summarize draws.npz --slices 60 --data data.csv --units none --slice-range 20:40 -o data.part");
    place.done("summarize draws.npz --slices 80 --slice-range 20:40 -o more.part");
    assert_refused(&place, "combine a.part c.part -o out.json", 1, &["slices 20:40 are missing"]);
    assert_refused(&place, "combine b.part c.part -o out.json", 1, &["slices 0:20 are missing"]);
    assert_refused(&place, "combine a.part b.part -o out.json", 1, &["slices 40:60 are missing"]);
    assert_refused(&place, "combine a.part b.part b.part c.part -o out.json", 1, &["b.part", "slices 20:40"]);
    assert_refused(&place, "combine a.part b.part overlap.part c.part", 1, &["b.part", "overlap.part", "30:40"]);
    for (name, words) in
        [("seed", "other settings"), ("more", "other settings"), ("thin", "other draws"), ("data", "other settings")]
    {
        let part = format!("{name}.part");
        assert_refused(
            &place,
            &format!("combine a.part {part} c.part -o out.json"),
            1,
            &[words, part.as_str(), "a.part"],
        );
    }
    assert_refused(&place, "combine draws.npz", 1, &["draws.npz", "no part"]);
    assert_refused(&place, "combine missing.part", 1, &["missing.part"]);
    let bytes = std::fs::read(place.path("b.part")).unwrap();
    std::fs::write(place.path("cut.part"), &bytes[..bytes.len() - 9]).unwrap();
    assert_refused(&place, "combine a.part cut.part c.part", 1, &["cut.part", "damaged"]);
    let mut changed = bytes.clone();
    changed[bytes.len() / 2] ^= 1;
    std::fs::write(place.path("changed.part"), &changed).unwrap();
    assert_refused(&place, "combine a.part changed.part c.part", 1, &["changed.part", "damaged"]);
    // Nothing is replaced, and a part is no output.
    assert_refused(&place, "combine a.part b.part c.part -o a.part", 2, &["a.part"]);
    assert_eq!(std::fs::read(place.path("b.part")).unwrap(), bytes);
    std::fs::remove_file(place.path("draws.npz")).unwrap();
    place.write_draws("draws.npz", line_draws(9));
    assert_refused(&place, "combine a.part b.part c.part -o out.json", 1, &["the draws have changed", "a.part"]);
}

#[test]
fn ranges_that_cannot_be_are_refused() {
    let place = Workplace::with_draws();
    for (options, words) in [
        ("--slice-range 0:10 -o out.part", "--slices 1000"),
        ("--slices 60 --slice-range 50:61 -o out.part", "there are 60 slices"),
        ("--slices 60 --slice-range 10:10 -o out.part", "empty"),
        ("--slices 60 --slice-range ten -o out.part", "0:250"),
        ("--slices 60 --slice-range 0:10", "--output"),
        ("--slices 60 --slice-range 0:10 -o out.json", "part"),
        ("--slices 60 --slice-range 0:10 -o out.part --report page.html", "--report"),
        ("--slices 60 --slice-range 0:10 -o draws.npz", "draws.npz"),
    ] {
        assert_refused(&place, &format!("summarize draws.npz {options}"), 2, &[words]);
        assert_eq!(place.files(), ["data.csv", "draws.npz"], "{options}");
    }
}

/// A part with other bytes of the same length, and the checksum that belongs to them.
fn forge(place: &Workplace, (from, to): (&str, &str), changes: &[(&str, &str)]) {
    let mut bytes = std::fs::read(place.path(from)).unwrap();
    let begin = b"mixgist part 1\n".len();
    let end = bytes.len() - 8;
    for (old, new) in changes {
        assert_eq!(old.len(), new.len());
        let at = bytes.windows(old.len()).position(|window| window == old.as_bytes()).unwrap();
        bytes[at..at + old.len()].copy_from_slice(new.as_bytes());
    }
    let sum = bytes[begin..end]
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    bytes[end..].copy_from_slice(&sum.to_le_bytes());
    std::fs::write(place.path(to), bytes).unwrap();
}

/// A part holds the command line that made it. One from a stranger must not name a file that is written here.
#[test]
fn parts_of_strangers_write_nothing() {
    let place = Workplace::with_draws();
    place.done("summarize draws.npz --data data.csv --slices 20 --slice-range 00:20 -o a.part");
    forge(&place, ("a.part", "same.part"), &[]);
    assert_eq!(std::fs::read(place.path("a.part")).unwrap(), std::fs::read(place.path("same.part")).unwrap());
    for (option, file) in [("--memberships", "x.csv"), ("--slice-range", "20:00"), ("--slice-rangf", "00:20")] {
        forge(&place, ("a.part", "forged.part"), &[("--slice-range", option), ("00:20", file)]);
        let before = place.files();
        assert_refused(&place, "combine forged.part -o out.json", 1, &["not made by 'mixgist summarize'"]);
        assert_eq!(place.files(), before);
    }
    place.done("combine same.part -o out.json");
}

/// What has no end is not read.
#[cfg(unix)]
#[test]
fn devices_are_no_parts() {
    let place = Workplace::with_draws();
    assert_refused(&place, "combine /dev/zero", 1, &["/dev/zero", "not a regular file"]);
    assert_refused(&place, "combine .", 1, &["is a directory"]);
}
