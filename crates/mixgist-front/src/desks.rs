//! Workers in other processes: draws and jobs as bytes, and the desks of this process, which outlive a call.

use std::sync::{Arc, Mutex, PoisonError};

use mixgist::{
    BlockAnswer, BlockQuestion, Desk, DrawBlocks, Ensemble, Error, PlainDraws, Result, Silent, SliceAnswer, SliceJob,
};
use serde::{Deserialize, Serialize};

/// Draws as bytes, and the number by which workers know them.
pub fn parcel(ensemble: &Ensemble) -> Result<(u64, Vec<u8>)> {
    let plain = ensemble.plain();
    Ok((plain.fingerprint(), packed(&plain)?))
}

/// A desk of this process.
struct Known {
    process: u32,
    fingerprint: u64,
    desk: Arc<Desk>,
}

/// Draws of several posteriors can be worked on in turn.
const MOST_DESKS: usize = 4;

static DESKS: Mutex<Vec<Known>> = Mutex::new(Vec::new());

/// The desk for these draws, if this process has one. Threads do not survive a fork, and so neither do desks.
pub fn known(fingerprint: u64) -> Option<Arc<Desk>> {
    let process = std::process::id();
    let desks = DESKS.lock().unwrap_or_else(PoisonError::into_inner);
    let found = desks.iter().find(|known| known.process == process && known.fingerprint == fingerprint);
    found.map(|known| Arc::clone(&known.desk))
}

/// Opens a desk for draws that came as bytes, unless there is one.
pub fn open(fingerprint: u64, parcel: &[u8], threads: usize) -> Result<Arc<Desk>> {
    if let Some(desk) = known(fingerprint) {
        return Ok(desk);
    }
    let plain: PlainDraws = unpacked(parcel)?;
    if plain.fingerprint() != fingerprint {
        return Err(damaged());
    }
    let desk = Arc::new(Desk::new(plain.into_ensemble()?, threads));
    let mut desks = DESKS.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    for foreign in desks.extract_if(.., |known| known.process != process) {
        std::mem::forget(foreign);
    }
    if desks.len() >= MOST_DESKS {
        desks.remove(0);
    }
    desks.push(Known { process, fingerprint, desk: Arc::clone(&desk) });
    Ok(desk)
}

/// A job as bytes.
pub fn pack_job(job: &SliceJob) -> Result<Vec<u8>> {
    packed(job)
}

/// Answers a job that came as bytes.
pub fn answer(desk: &Desk, job: &[u8]) -> Result<Vec<u8>> {
    packed(&desk.reply(unpacked::<SliceJob>(job)?.into_owned())?)
}

/// An answer that came as bytes.
pub fn unpack_answer(answer: &[u8]) -> Result<SliceAnswer> {
    unpacked(answer)
}

/// A question about blocks of draws as bytes.
pub fn pack_question(question: &BlockQuestion) -> Result<Vec<u8>> {
    packed(question)
}

/// Answers a question that came as bytes, of blocks that this process has or can read.
pub fn answer_blocks(question: &[u8], blocks: &[usize], draws: &(impl DrawBlocks + ?Sized)) -> Result<Vec<u8>> {
    packed(&unpacked::<BlockQuestion>(question)?.answer(blocks, draws, &Silent)?)
}

/// An answer of blocks that came as bytes.
pub fn unpack_block_answer(answer: &[u8]) -> Result<BlockAnswer> {
    unpacked(answer)
}

fn packed(value: &impl Serialize) -> Result<Vec<u8>> {
    postcard::to_allocvec(value).map_err(|cause| Error::resource(format!("a job cannot be sent: {cause}")))
}

fn unpacked<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T> {
    postcard::from_bytes(bytes).map_err(|_| damaged())
}

fn damaged() -> Error {
    Error::input("what came from another process is damaged").hint("use the same version of mixgist everywhere")
}

#[cfg(test)]
mod tests {
    use super::*;
    use mixgist::{Posterior, Progress, Settings, SliceCount, Workers};

    /// Draws whose weights do not come back to the last bit when they are normalised once more.
    fn draws() -> Ensemble {
        let weights: Vec<f64> = (0..90).map(|i| 0.1 + f64::from(i * 7 % 11)).collect();
        let means: Vec<f64> = (0..90).map(|i| f64::from(i * i % 17)).collect();
        let builder = Ensemble::builder(1).atoms_per_draw(3).weights(&weights).means(&means).covariances(&weights);
        builder.build().unwrap().with_draw_weights(&weights[..30]).unwrap()
    }

    #[test]
    fn draws_come_back_to_the_last_bit() {
        let draws = draws();
        let (fingerprint, bytes) = parcel(&draws).unwrap();
        let back = unpacked::<PlainDraws>(&bytes).unwrap().into_ensemble().unwrap();
        assert_eq!(back.plain(), draws.plain());
        assert_ne!(draws.select(&[0, 1, 2]).unwrap().plain().fingerprint(), fingerprint);
        assert!(open(fingerprint ^ 1, &bytes, 1).is_err());
        assert!(open(7, &bytes[..bytes.len() - 1], 1).is_err());
    }

    struct Bytes(Arc<Desk>);

    impl Workers for Bytes {
        fn answer(
            &self,
            jobs: &[SliceJob<'_>],
            _: &dyn Progress,
            take: &mut dyn FnMut(SliceAnswer) -> Result<()>,
        ) -> Result<()> {
            jobs.iter().try_for_each(|job| take(unpack_answer(&answer(&self.0, &pack_job(job)?)?)?))
        }

        fn most_jobs(&self) -> usize {
            3
        }
    }

    #[test]
    fn jobs_as_bytes_give_the_bits_of_one_run() {
        let draws = draws();
        let (fingerprint, bytes) = parcel(&draws).unwrap();
        let desk = open(fingerprint, &bytes, 1).unwrap();
        assert!(Arc::ptr_eq(&desk, &known(fingerprint).unwrap()));
        let settings = Settings::default().with_slices(SliceCount::Fixed(30));
        let here = Posterior::new(&draws, None, settings.clone()).unwrap();
        let workers = Bytes(desk);
        let away = Posterior::new(&draws, None, settings).unwrap().with_workers(Some(&workers));
        assert_eq!(here.summary(&Silent).unwrap(), away.summary(&Silent).unwrap());
    }
}
