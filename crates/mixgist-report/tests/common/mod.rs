//! Draws, data and summaries for tests: two well separated groups, in any dimension.

use mixgist::slice::slicer;
use mixgist::text::CommandLine;
use mixgist::{
    Answer, CovarianceForm, Ensemble, PartitionDraws, Points, Posterior, Settings, Silent, SliceCount, Summary,
};
use mixgist_report::Presentation;

pub struct Scene {
    pub ensemble: Ensemble,
    pub data: Vec<f64>,
    pub dim: usize,
    pub answers: Vec<Answer<Summary>>,
    pub partitions: PartitionDraws,
}

/// Numbers that look random, the same each time.
pub struct Noise(u64);

impl Noise {
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 40) as f64 / (1u64 << 24) as f64 - 0.5
    }
}

impl Scene {
    #[allow(dead_code, reason = "each test file uses the scenes it needs")]
    /// `draws` draws in two chains of two heavy atoms and a light one, `n` observations, summarised under each of the distances.
    pub fn new(dim: usize, draws: usize, n: usize, distances: &[&str], columns: &[&str]) -> Scene {
        Self::placed(dim, draws, n, distances, columns, [0.0, 0.0])
    }

    #[allow(dead_code, reason = "each test file uses the scenes it needs")]
    /// As [`Scene::new`], but in every second draw the second atom lies elsewhere by `jump`: two modes.
    pub fn with_jump(dim: usize, draws: usize, n: usize, distances: &[&str], columns: &[&str], jump: f64) -> Scene {
        Self::placed(dim, draws, n, distances, columns, [jump, 0.0])
    }

    #[allow(dead_code, reason = "each test file uses the scenes it needs")]
    /// As [`Scene::new`], with everything moved by `far` in all coordinates.
    pub fn moved(dim: usize, draws: usize, n: usize, distances: &[&str], columns: &[&str], far: f64) -> Scene {
        Self::placed(dim, draws, n, distances, columns, [0.0, far])
    }

    fn placed(
        dim: usize,
        draws: usize,
        n: usize,
        distances: &[&str],
        columns: &[&str],
        [jump, far]: [f64; 2],
    ) -> Scene {
        let mut noise = Noise(1);
        let (mut weights, mut means, mut covariances) = (Vec::new(), Vec::new(), Vec::new());
        for m in 0..draws {
            let jump = if m % 2 == 0 { 0.0 } else { jump };
            let share = 0.6 + 0.1 * noise.next();
            weights.extend([share, 0.98 - share, 0.02]);
            for centre in [0.0, 5.0 + jump, 2.5] {
                means.extend((0..dim).map(|_| far + centre + 0.4 * noise.next()));
                covariances.extend((0..dim).map(|_| 0.8 + 0.3 * noise.next()));
            }
        }
        let mut data = Vec::new();
        for i in 0..n {
            let centre = if i % 5 < 3 { 0.0 } else { 5.0 };
            data.extend((0..dim).map(|_| far + centre + 2.0 * (noise.next() + noise.next())));
        }
        let labels: Vec<u32> = (0..draws * n).map(|i| u32::from((i % n) % 5 >= 3 || i % 97 == 0)).collect();
        Self::summarised([weights, means, covariances], dim, data, labels, distances, columns)
    }

    #[allow(dead_code, reason = "each test file uses the scenes it needs")]
    /// `clusters` equal atoms and as many clusters of observations, which overlap in every pair of coordinates.
    pub fn with_clusters(
        dim: usize,
        draws: usize,
        n: usize,
        distances: &[&str],
        columns: &[&str],
        clusters: usize,
    ) -> Scene {
        let mut noise = Noise(1);
        let (mut means, mut covariances, mut data) = (Vec::new(), Vec::new(), Vec::new());
        let centre = |k: usize, a: usize| 3.0 * ((k * (2 * a + 1)) % clusters) as f64;
        for k in (0..draws).flat_map(|_| 0..clusters) {
            means.extend((0..dim).map(|a| centre(k, a) + 0.4 * noise.next()));
            covariances.extend((0..dim).map(|_| 0.8 + 0.3 * noise.next()));
        }
        for i in 0..n {
            data.extend((0..dim).map(|a| centre(i % clusters, a) + 2.0 * (noise.next() + noise.next())));
        }
        let labels = (0..draws * n).map(|i| ((i % n) % clusters) as u32).collect();
        let weights = vec![1.0 / clusters as f64; draws * clusters];
        Self::summarised([weights, means, covariances], dim, data, labels, distances, columns)
    }

    fn summarised(
        [weights, means, covariances]: [Vec<f64>; 3],
        dim: usize,
        data: Vec<f64>,
        labels: Vec<u32>,
        distances: &[&str],
        columns: &[&str],
    ) -> Scene {
        let n = data.len() / dim;
        let (draws, atoms) = (labels.len() / n, weights.len() * n / labels.len());
        let form = CovarianceForm::Diagonal;
        let chains = (0..draws).map(|m| (2 * m / draws) as u32).collect();
        let ensemble = Ensemble::builder(dim)
            .atoms_per_draw(atoms)
            .weights(&weights)
            .means(&means)
            .covariances(&covariances)
            .form(form)
            .build()
            .and_then(|ensemble| ensemble.with_chains(chains, (0..draws as u64).collect()))
            .unwrap();
        let points = Points::new(dim, &data).unwrap();
        let columns: Vec<String> = columns.iter().map(|name| name.to_string()).collect();
        let answer = |name: &&str| {
            let slices = SliceCount::Fixed(40);
            let settings = Settings::default().with_slicer(slicer(name).unwrap().into()).with_slices(slices);
            let posterior = Posterior::new(&ensemble, Some(points), settings).unwrap().with_columns(Some(&columns));
            let summary = posterior.summary(&Silent).unwrap().clone();
            posterior.answer(summary)
        };
        let answers = distances.iter().map(answer).collect();
        let partitions = PartitionDraws::from_dense(n, &labels).unwrap();
        Scene { ensemble, data, dim, answers, partitions }
    }

    /// Everything that is known about each summary.
    pub fn presentations(&self) -> Vec<Presentation<'_>> {
        let points = Points::new(self.dim, &self.data).unwrap();
        let presented = |answer| presented(answer, &self.ensemble, Some(points)).with_partitions(&self.partitions);
        self.answers.iter().map(presented).collect()
    }
}

/// An answer with its draws and data. The posterior lives as long as the test.
pub fn presented<'a>(
    answer: &'a Answer<Summary>,
    ensemble: &'a Ensemble,
    data: Option<Points<'a>>,
) -> Presentation<'a> {
    let posterior = Posterior::new(ensemble, data, answer.about.settings.clone()).unwrap();
    let posterior = Box::leak(Box::new(posterior.with_summary(&answer.result).unwrap()));
    Presentation::new(answer, &CommandLine, &Silent).unwrap().with_posterior(posterior).unwrap()
}

/// Column names that would do harm if they were taken for markup.
pub const HOSTILE: [&str; 2] = ["<script>document.title='taken'</script>", "\"><img src=x onerror=alert(1)> & 'y'"];
