//! Directories that random bytes stand for.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;

use crate::readers::in_memory;

/// Files by their place in the directory.
pub type Files<'a> = BTreeMap<String, &'a [u8]>;

/// Lets `read` have a directory of these files. There is one for each thread; what it has already is left as it is.
pub fn with_files(files: &Files<'_>, read: impl FnOnce(&Path)) {
    type Kept = Option<(tempfile::TempDir, BTreeMap<String, Vec<u8>>)>;
    thread_local! {
        static KEPT: RefCell<Kept> = const { RefCell::new(None) };
    }
    KEPT.with_borrow_mut(|slot| {
        let make = || (tempfile::tempdir_in(in_memory()).expect("a temporary directory can be made"), BTreeMap::new());
        let (folder, before) = slot.get_or_insert_with(make);
        before.retain(|name, _| {
            let stays = files.contains_key(name);
            if !stays {
                std::fs::remove_file(folder.path().join(name)).expect("a temporary file can be removed");
            }
            stays
        });
        for (name, bytes) in files {
            if before.get(name).is_some_and(|kept| kept == bytes) {
                continue;
            }
            let path = folder.path().join(name);
            let written = std::fs::write(&path, bytes).or_else(|_| {
                std::fs::create_dir_all(path.parent().expect("it is in the directory"))?;
                std::fs::write(&path, bytes)
            });
            // What is a directory already cannot be a file, too.
            if written.is_ok() {
                before.insert(name.clone(), bytes.to_vec());
            }
        }
        read(folder.path());
    });
}

/// The arrays of a Zarr store that the reader looks for.
const ARRAYS: [&str; 6] = ["w", "mu", "Sigma", "z", "chain", "draw"];
/// Metadata of both versions, then chunks.
const PARTS: [&str; 11] = [
    ".zarray",
    ".zattrs",
    "zarr.json",
    "0",
    "0.0.0",
    "0.0.0.0",
    "0.0.0.0.0",
    "c/0",
    "c/0/0/0",
    "c/0/0/0/0",
    "c/0/0/0/0/0",
];

/// A Zarr store of pieces: a byte for the array and the part of it, two for the length, the bytes.
pub fn store(mut bytes: &[u8]) -> Files<'_> {
    let mut files = Files::from([("zarr.json".to_owned(), &b"{}"[..])]);
    while let [which, low, high, rest @ ..] = bytes {
        let length = usize::from(u16::from_le_bytes([*low, *high])).min(rest.len());
        let (content, next) = rest.split_at(length);
        bytes = next;
        let which = usize::from(*which);
        let name = format!("{}/{}", ARRAYS[which / PARTS.len() % ARRAYS.len()], PARTS[which % PARTS.len()]);
        files.insert(name, content);
    }
    files
}

/// The files of PReMiuM: texts with a blank line between them.
pub fn texts(bytes: &[u8]) -> Files<'_> {
    let mut files = Files::new();
    let mut rest = Some(bytes);
    for name in ["nClusters", "psi", "mu", "Sigma", "z"] {
        let Some(bytes) = rest else { break };
        let end = bytes.windows(2).position(|two| two == b"\n\n");
        files.insert(format!("run_{name}.txt"), &bytes[..end.map_or(bytes.len(), |end| end + 1)]);
        rest = end.map(|end| &bytes[end + 2..]);
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_become_files() {
        let files = store(&[0, 2, 0, b'{', b'}', 11, 1, 0, b'x', 255, 9, 0, b'y']);
        let names: Vec<&str> = files.keys().map(String::as_str).collect();
        assert_eq!(names, ["draw/zarr.json", "mu/.zarray", "w/.zarray", "zarr.json"]);
        let files = texts(b"1\n\n0.5\n\n");
        assert_eq!(files["run_psi.txt"], b"0.5\n");
        assert_eq!(files.len(), 3);
        with_files(&files, |folder| assert_eq!(std::fs::read(folder.join("run_nClusters.txt")).unwrap(), b"1\n"));
        with_files(&texts(b"2"), |folder| assert_eq!(std::fs::read_dir(folder).unwrap().count(), 1));
        with_files(&texts(b"3"), |folder| assert_eq!(std::fs::read(folder.join("run_nClusters.txt")).unwrap(), b"3"));
    }
}
