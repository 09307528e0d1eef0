//! Points in fixed tiles, for data of more than one: each tile has a random stream of its own, so that it does not matter who works on it, and when.

use std::sync::{Mutex, PoisonError};
use std::thread;

use mixgist::random::{Purpose, stream};
use rand_chacha::ChaCha8Rng;

use super::tile::Tile;

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
        Tiling { size: 1 << 16, threads: 1 }
    }
}

impl Tiling {
    /// Whether so many points are cut.
    pub(crate) fn cuts(self, points: usize) -> bool {
        points > self.size
    }

    /// Lets threads work on the pieces of `items`, a tile each; gives the answers in the order of the tiles.
    pub(crate) fn each<I: Send, T: Send>(
        self,
        items: &mut [I],
        work: impl Fn(usize, &mut [I], &mut Tile) -> T + Sync,
    ) -> Vec<T> {
        let threads = self.threads.min(items.len().div_ceil(self.size)).max(1);
        let queue = Mutex::new(items.chunks_mut(self.size).enumerate());
        let done = Mutex::new(Vec::new());
        let run = || {
            let mut room = Tile::default();
            loop {
                let next = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some((tile, items)) = next else { break };
                let answer = work(tile, items, &mut room);
                done.lock().unwrap_or_else(PoisonError::into_inner).push((tile, answer));
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
        answers.sort_unstable_by_key(|(tile, _)| *tile);
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
    fn every_tile_is_worked_on_once_and_answers_come_in_order() {
        for threads in [1, 2, 5] {
            let mut items: Vec<u32> = (0..23).collect();
            let answers = Tiling { size: 4, threads }.each(&mut items, |tile, items, _| {
                items.iter_mut().for_each(|item| *item += 100);
                (tile, items.len())
            });
            assert_eq!(answers, [(0, 4), (1, 4), (2, 4), (3, 4), (4, 4), (5, 3)]);
            assert!(items.iter().copied().eq(100..123));
        }
    }
}
