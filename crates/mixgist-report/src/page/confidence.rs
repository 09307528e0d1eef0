//! How far from the estimate the posterior reaches: the credible ball, the conformal one, and the figures that show it.

use std::fmt::Write;

use mixgist::{ErrorKind, Result};
use mixgist_io::posterior::ConformalDocument;

use super::{Page, figures, table};
use crate::replay::known_slicer;
use crate::subject::Subject;
use crate::svg::escaped;
use crate::words::{count, percent, significant, with_error, worth};

pub fn write(subject: &Subject, page: &mut Page) -> Result<String> {
    let mut text = String::new();
    if subject.draws.is_some() {
        text.push_str(&ball(subject)?);
    }
    if let (Some(_), Err(error)) = (subject.draws, known_slicer(subject.summary)) {
        let _ = writeln!(
            text,
            "<p class=\"doubt\">Figures of distances between draws are left out: {}.</p>",
            escaped(&error.to_string())
        );
    }
    text.push_str(&figures::drawn(&["map", "losses", "similarity"], subject, page)?);
    Ok(text)
}

fn ball(subject: &Subject) -> Result<String> {
    let ball = subject.ball()?;
    let [low, _, median, _, _] = ball.distance_quantiles;
    let mut text = format!(
        "<p><b>Credible ball.</b> The {} % ball around the estimate, of radius {}, holds {} of the posterior{}. {} {}. Half of \
         them are within {} of the estimate, a twentieth within {}.{}</p>\n",
        significant(100.0 * ball.level, 2),
        with_error(ball.radius, ball.radius_error),
        percent(ball.probability.value),
        match ball.radius_high {
            Some(_) => "",
            None => ", but there are too few effective draws to say how exact that radius is",
        },
        match subject.summary.draws {
            1 => "The one draw is".into(),
            draws => format!("The {draws} draws are"),
        },
        worth(ball.probability.effective_draws),
        significant(median, 4),
        significant(low, 4),
        ball.slice_error.map_or(String::new(), |error| {
            format!(" Finitely many slices add an error of {} at the radius.", significant(error, 2))
        }),
    );
    if subject.wants("conformal") {
        match subject.conformal() {
            Ok(found) => text.push_str(&conformal(found, subject)),
            Err(error) if error.kind() == ErrorKind::Interrupted => return Err(error),
            // Such as weighted draws; that is no defect of theirs.
            Err(error) => {
                let _ = writeln!(text, "<p><b>Conformal ball.</b> There is none: {}.</p>", escaped(&error.to_string()));
            }
        }
    }
    let header = ["most distant in the ball", "chain", "iteration", "distance"].map(String::from);
    let rows: Vec<Vec<String>> = ball
        .farthest
        .iter()
        .map(|member| {
            vec![
                format!("draw {}", member.draw),
                member.chain.to_string(),
                member.iteration.to_string(),
                significant(member.distance, 4),
            ]
        })
        .collect();
    text.push_str(&table(&header, &rows));
    Ok(text)
}

fn conformal(found: &ConformalDocument, subject: &Subject) -> String {
    let mut text = String::from("<p><b>Conformal ball.</b> ");
    let _ = match (found.radius, found.coverage, found.coverage_sd) {
        (Some(radius), Some(coverage), Some(sd)) => write!(
            text,
            "A radius of {} holds the next draw with probability at least {coverage:.3} (± {sd:.3} between splits), guaranteed for this \
             number of draws",
            significant(radius, 4)
        ),
        _ => write!(
            text,
            "There are too few draws for one: {} nearly independent ones guarantee at most {:.3}, level {} needs {}",
            found.calibration_draws,
            found.attainable_level.unwrap_or(0.0),
            found.level,
            found.needed_draws.unwrap_or(0)
        ),
    };
    let _ = writeln!(
        text,
        ". Its centre is the estimate from {}, {} it; {} ({}).{}</p>",
        count(found.fitted_draws, "draw"),
        match found.calibration_draws {
            1 => "one other calibrates".to_owned(),
            others => format!("{others} others calibrate"),
        },
        match found.thin {
            1 => "no draw was left out".to_owned(),
            thin => format!("one in {thin} draws of each chain was kept, so that they are nearly exchangeable"),
        },
        subject.again(),
        subject.stand_in()
    );
    text
}
