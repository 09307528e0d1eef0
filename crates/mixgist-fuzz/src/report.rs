//! From a document to report and figures: a sound summary is changed here and there, and whatever is still read as one must be drawn.

use std::sync::LazyLock;

use mixgist::text::Neutral;
use mixgist::{Answer, Ensemble, Settings, Silent, SliceCount, Summary, summarize};
use mixgist_report::{KINDS, Presentation, html};
use serde_json::Value;

/// The summary that is changed.
static SOUND: LazyLock<Value> = LazyLock::new(|| {
    let numbers = |n: u32, scale: f64| (0..n).map(|i| f64::from(i * i % 17) * scale).collect::<Vec<f64>>();
    let ensemble =
        Ensemble::from_dense(2, 2, &[0.5; 16], &numbers(32, 0.3), &[2.0, 0.3, 0.3, 1.0].repeat(16), Default::default())
            .and_then(|ensemble| ensemble.with_chains(vec![0, 0, 0, 0, 1, 1, 1, 1], (0..8).collect()))
            .expect("the draws are sound");
    let settings = Settings { slices: SliceCount::Fixed(8), ..Settings::default() };
    let mut answer = summarize(&ensemble, None, &settings, &Silent).expect("the draws can be summarised");
    answer.about.columns = Some(vec!["length".to_owned(), "pause".to_owned()]);
    serde_json::to_value(answer).expect("a summary is JSON")
});

/// Each four bytes are a change: which value, and what becomes of it. The rest is text to put in.
pub fn report(bytes: &[u8]) {
    let (changes, text) = bytes.split_at(bytes.len().min(32) / 4 * 4);
    let text = String::from_utf8_lossy(text);
    let mut value = SOUND.clone();
    for change in changes.chunks_exact(4) {
        let mut left = u16::from_le_bytes([change[0], change[1]]).into();
        alter(&mut value, &mut left, change[2], change[3], &text);
    }
    let Ok(document) = serde_json::from_value::<Answer<Summary>>(value) else { return };
    let Ok(subject) = Presentation::new(&document, &Neutral, &Silent) else { return };
    for kind in KINDS {
        if let Ok(figure) = kind.draw(&subject) {
            assert!(figure.to_svg().ends_with("</svg>\n"), "{}", kind.name);
        }
    }
    if let Ok(page) = html(&text, vec![subject]) {
        assert_eq!(page.matches("<script").count(), 2);
    }
}

/// Changes the value that is `left` values further on, counted in depth.
fn alter(value: &mut Value, left: &mut usize, what: u8, seed: u8, text: &str) -> bool {
    if *left == 0 {
        *value = other(value, what, seed, text);
        return true;
    }
    *left -= 1;
    match value {
        Value::Array(items) => items.iter_mut().any(|item| alter(item, left, what, seed, text)),
        Value::Object(fields) => fields.iter_mut().any(|(_, field)| alter(field, left, what, seed, text)),
        _ => false,
    }
}

fn other(value: &Value, what: u8, seed: u8, text: &str) -> Value {
    const NUMBERS: [f64; 12] =
        [0.0, -0.0, 1.0, -1.0, 0.5, 1e-300, 1e300, -1e300, 5e-324, f64::MAX, 4_294_967_296.0, 1e17];
    match (what % 8, value) {
        (0, _) => Value::Null,
        (1, _) => NUMBERS[usize::from(seed) % NUMBERS.len()].into(),
        (2, _) => u64::from(seed).into(),
        (3, Value::Array(items)) => Value::Array(items[..items.len() * usize::from(seed) / 256].to_vec()),
        (4, Value::Array(items)) => {
            Value::Array(items.iter().cycle().take(items.len() + usize::from(seed)).cloned().collect())
        }
        (5, Value::Object(fields)) => {
            let mut fields = fields.clone();
            let name = fields.keys().nth(usize::from(seed) % fields.len().max(1)).cloned();
            name.and_then(|name| fields.remove(&name));
            Value::Object(fields)
        }
        (6, Value::Bool(old)) => (!old).into(),
        (6, _) => true.into(),
        _ => text.into(),
    }
}
