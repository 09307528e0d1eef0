//! Bytes of npy and npz files, made by hand so that they can be made wrong.
#![allow(dead_code, reason = "each test uses its part")]

use std::io::Write;

use zip::write::SimpleFileOptions;

/// An npy file with this header text and body.
pub fn npy_with(header: &str, body: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(body);
    bytes
}

/// The header of an array of f64.
pub fn header(shape: &str) -> String {
    format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}\n")
}

/// An npy file of f64.
pub fn npy(shape: &str, values: &[f64]) -> Vec<u8> {
    let body: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
    npy_with(&header(shape), &body)
}

/// A zip file of these entries.
pub fn zip(entries: &[(&str, Vec<u8>)], method: zip::CompressionMethod) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in entries {
        writer.start_file(format!("{name}.npy"), SimpleFileOptions::default().compression_method(method)).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// Two draws of two atoms on the line, as arrays.
pub fn arrays() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("weights", npy("(2, 2)", &[0.5, 0.5, 0.25, 0.75])),
        ("means", npy("(2, 2)", &[0.0, 1.0, 2.0, 3.0])),
        ("covariances", npy("(2, 2)", &[1.0, 2.0, 3.0, 4.0])),
    ]
}

/// Processor time of this thread so far, where the system tells: unlike the clock it does not depend on what else runs.
pub fn processor_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|nanoseconds| nanoseconds.parse::<f64>().ok()).unwrap_or(0.0) * 1e-9
}
