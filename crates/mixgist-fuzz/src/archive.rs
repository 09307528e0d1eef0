//! npz files of arrays that random bytes stand for, with sound checksums: damage within arrays is reached, not only damage around them.

use std::io::{Cursor, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// The arrays that readers look for.
const NAMES: [&str; 10] = [
    "weights",
    "means",
    "covariances",
    "offsets",
    "chain",
    "iteration",
    "draw_weights",
    "labels",
    "data",
    "data_columns",
];

/// An archive of pieces: a byte for name and compression, two for the length, the bytes of the array.
pub fn of_arrays(mut bytes: &[u8]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let mut used = [false; NAMES.len()];
    while let [first, low, high, rest @ ..] = bytes {
        let length = usize::from(u16::from_le_bytes([*low, *high])).min(rest.len());
        let (array, next) = rest.split_at(length);
        bytes = next;
        let name = usize::from(first >> 1) % NAMES.len();
        if std::mem::replace(&mut used[name], true) {
            continue;
        }
        let method = if first & 1 == 1 { CompressionMethod::Deflated } else { CompressionMethod::Stored };
        let options = SimpleFileOptions::default().compression_method(method);
        writer.start_file(format!("{}.npy", NAMES[name]), options).expect("memory takes it");
        writer.write_all(array).expect("memory takes it");
    }
    writer.finish().expect("memory takes it").into_inner()
}

/// The pieces of an archive: what [`of_arrays`] makes it of.
#[cfg(test)]
pub fn pieces(arrays: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (name, array) in arrays {
        let index = NAMES.iter().position(|known| known == name).expect("a known name");
        bytes.push((index as u8) << 1);
        bytes.extend((array.len() as u16).to_le_bytes());
        bytes.extend(array);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn archives_are_sound() {
        let archive = of_arrays(&pieces(&[("weights", vec![1, 2, 3]), ("data", vec![4])]));
        let mut zip = zip::ZipArchive::new(Cursor::new(archive)).unwrap();
        let mut read = Vec::new();
        std::io::copy(&mut zip.by_name("weights.npy").unwrap(), &mut read).unwrap();
        assert_eq!((read, zip.len()), (vec![1, 2, 3], 2));
    }
}
