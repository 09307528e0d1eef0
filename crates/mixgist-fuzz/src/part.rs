//! Parts of a summary, changed here and there, with the checksum that belongs to them.

use std::sync::LazyLock;

use mixgist::{Ensemble, Route, Settings, SliceCount, Units};

use crate::documents::draws;

/// Draws, and for each of two routes the settings and the body of the part that has all slices.
type Sound = (Ensemble, [(Settings, Vec<u8>); 2]);

static SOUND: LazyLock<Sound> = LazyLock::new(|| {
    let draws = draws().expect("sound draws");
    let part = |route| {
        let settings = Settings::default().with_slices(SliceCount::Fixed(16)).with_units(Units::Sd).with_route(route);
        let body = mixgist_cli::part_body(&draws, &settings).expect("sound draws give a sound part");
        (settings, body)
    };
    let parts = [part(Route::Pairs), part(Route::Certified)];
    (draws, parts)
});

/// The first byte says of which route; then each four bytes are a change: two for the place, one for what is done there, one for the byte that is put in.
pub fn part(bytes: &[u8]) {
    let Some((&first, changes)) = bytes.split_first() else { return };
    let (draws, parts) = &*SOUND;
    let (settings, sound) = &parts[usize::from(first) % parts.len()];
    let mut body = sound.clone();
    for change in changes.chunks_exact(4) {
        let place = usize::from(u16::from_le_bytes([change[0], change[1]])) % (body.len() + 1);
        match change[2] % 4 {
            0 => body.truncate(place),
            1 => body.insert(place, change[3]),
            2 if place < body.len() => drop(body.remove(place)),
            _ if place < body.len() => body[place] = change[3],
            _ => {}
        }
    }
    let combined = mixgist_cli::combine_body(&body, draws, settings);
    assert!(combined.is_ok() || body != *sound, "{:?}", combined.err());
}
