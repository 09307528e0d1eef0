//! Writes a report on Old Faithful and a picture of every kind of figure into a folder, to be looked at.
//!
//! `cargo run --release --package mixgist-report --example gallery -- FOLDER`

use std::path::Path;

use mixgist::text::CommandLine;
use mixgist::{Points, Posterior, Settings, Silent};
use mixgist_report::{KINDS, Presentation, html};
use mixgist_samplers::{FitSettings, fit};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: gallery FOLDER")?;
    let folder = Path::new(&folder);
    let text = include_str!("../../../datasets/faithful.csv");
    let rows = text.lines().skip(1).flat_map(|line| line.split(',').map(|x| x.parse::<f64>().expect("a number")));
    let data: Vec<f64> = rows.collect();
    let fitted =
        fit(&data, 2, &FitSettings::default().with_iterations(3000).with_burn_in(1000).with_thin(4), None, &Silent)?;
    let points = Points::new(2, &data)?;
    let columns = ["eruptions", "waiting"].map(String::from);
    let posterior = Posterior::new(&fitted.ensemble, Some(points), Settings::default())?.with_columns(Some(&columns));
    let answer = posterior.answer(posterior.summary(&Silent)?.clone());
    let presentation = || Presentation::new(&answer, &CommandLine, &Silent)?.with_posterior(&posterior);
    let shown = presentation()?;
    for kind in KINDS.iter().filter(|kind| kind.fits(&shown)) {
        let start = std::time::Instant::now();
        let figure = kind.draw(&shown)?;
        std::fs::write(folder.join(format!("{}.png", kind.name)), figure.to_png(96.0)?)?;
        println!("{:<16} {:>6.2} s  {}", kind.name, start.elapsed().as_secs_f64(), figure.caption);
    }
    std::fs::write(folder.join("report.html"), html("Old Faithful", vec![shown])?)?;
    Ok(())
}
