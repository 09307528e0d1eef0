//! Points in fixed tiles, for data of more than one: each tile has a random stream of its own, so that it does not matter who works on it, and when.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use mixgist::random::{Purpose, stream};
use rand_chacha::ChaCha8Rng;

use super::tile::Tile;

/// Points of a tile.
pub(crate) const TILE: usize = 1 << 16;

/// How points are cut into tiles, and how many threads work on those of one chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tiling {
    /// Points of a tile. It shapes the chain: another size gives other draws of the same distribution.
    pub size: usize,
    /// Threads, which shape nothing.
    pub threads: usize,
}

impl Default for Tiling {
    fn default() -> Self {
        Tiling { size: TILE, threads: 1 }
    }
}

impl Tiling {
    /// Whether so many points are cut.
    pub(crate) fn cuts(self, points: usize) -> bool {
        points > self.size
    }

    /// Lets threads work on items, of a tile each; gives the answers in the order of the items.
    pub(crate) fn each<I: Sync, T: Send>(self, items: &[I], work: impl Fn(&I, &mut Tile) -> T + Sync) -> Vec<T> {
        let threads = self.threads.min(items.len()).max(1);
        let next = AtomicUsize::new(0);
        let done = Mutex::new(Vec::with_capacity(items.len()));
        let run = || {
            let mut room = Tile::default();
            loop {
                let place = next.fetch_add(1, Ordering::Relaxed);
                let Some(item) = items.get(place) else { break };
                let answer = work(item, &mut room);
                done.lock().unwrap_or_else(PoisonError::into_inner).push((place, answer));
            }
        };
        thread::scope(|scope| {
            for _ in 1..threads {
                // a thread that cannot be had is not missed: the others do its work
                let _ = thread::Builder::new().spawn_scoped(scope, run);
            }
            run();
        });
        let mut answers = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        answers.sort_unstable_by_key(|(place, _)| *place);
        answers.into_iter().map(|(_, answer)| answer).collect()
    }
}

/// The random stream of a tile in a step that is known by its key, which the chain draws anew for each.
pub(crate) fn tile_stream(key: u64, tile: usize) -> ChaCha8Rng {
    stream(key, Purpose::Tiles, tile as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_worked_on_once_and_answers_come_in_order() {
        for threads in [1, 2, 5] {
            let items: Vec<usize> = (0..23).collect();
            let answers = Tiling { size: 4, threads }.each(&items, |item, _| item + 100);
            assert!(answers.into_iter().eq(100..123));
        }
    }
}
