//! The data sets of the project, read for tests.

/// The numeric columns of a data set, row-major.
pub fn read(name: &str, columns: usize) -> Vec<f64> {
    let path = format!("{}/../../datasets/{name}.csv", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap();
    text.lines().skip(1).flat_map(|line| line.split(',').take(columns)).map(|value| value.parse().unwrap()).collect()
}
