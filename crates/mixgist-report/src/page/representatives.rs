//! Whether the posterior has several modes, and a draw for each.

use mixgist::Result;
use mixgist::representatives::{LEAST_MASS, MOST_VALLEY};

use super::{Page, figures, table};
use crate::subject::Subject;
use crate::words::{count, refusal, significant};

pub fn write(subject: &Subject, page: &mut Page) -> Result<String> {
    if subject.draws.is_none() {
        return Ok(String::new());
    }
    let (document, measures) = subject.representatives()?;
    let modes = document.representatives.len();
    let how = format!(
        "A mode has at least {:.0} % of the posterior, and a valley before it that is at most {:.0} % of the lower peak and that one mode would \
         show less than once in {:.0} times ({} candidates, {} distances, {}).{}",
        100.0 * LEAST_MASS,
        100.0 * MOST_VALLEY,
        1.0 / document.false_alarm,
        document.candidates,
        document.settings.distance,
        subject.again(),
        subject.stand_in()
    );
    if modes == 1 {
        let Some(test) = document.tests.last() else {
            return Ok("<p class=\"doubt\">One answer is given: there are too few different draws to look for more modes.</p>\n".into());
        };
        return Ok(format!(
            "<p class=\"good\">One answer will do: the draws show a single mode.</p>\n<p>{how} Split in two, {:.3} of the draws lie between \
             the halves and {:.3} at the lower peak: {}.</p>\n",
            test.valley,
            test.peak,
            refusal(test)
        ));
    }
    let mut text = format!(
        "<p class=\"doubt\">The posterior has {modes} modes: one estimate alone does not stand for it. Each mode has a draw of its own \
         below.</p>\n<p>{how}</p>\n"
    );
    text.push_str(&figures::drawn(&["representatives"], subject, page)?);
    let header = ["representative", "probability", "mean distance to it", "to the first", "main atoms", "clusters"]
        .map(String::from);
    let row = |(place, one): (usize, &mixgist_io::posterior::RepresentativeDocument)| {
        let atoms = crate::subject::main_atoms(&measures[place], one.labels.as_deref()).len();
        vec![
            format!("draw {}", one.draw),
            format!("{:.3} ± {:.3}", one.weight.value, one.weight.standard_error),
            significant(one.expected_distance, 4),
            if place == 0 { "–".into() } else { significant(document.distances[0][place], 4) },
            atoms.to_string(),
            one.clusters.map_or("no data".into(), |clusters| count(clusters, "cluster")),
        ]
    };
    text.push_str(&table(&header, &document.representatives.iter().enumerate().map(row).collect::<Vec<_>>()));
    Ok(text)
}
