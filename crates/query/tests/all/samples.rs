//! A folder with recordings of every kind.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::execution::SendableRecordBatchStream;
use gametape::capture;
use gametape::core::table::Owned;
use gametape::core::table::kit::scanned;
use gametape::delta::{Encoder, Snapshot};
use gametape::echo::{butter, echoreplay};
use gametape::murk::engine::World;
use gametape::{Options, Recording, Secrets};
use gametape_query::{Archive, Settings, session};
use gametape_samples::delta::Arena;
use gametape_samples::echo::{Match, MatchOptions};
use gametape_samples::mines::{record, scenarios};

/// Writes recordings of every format: games, matches, runs, captures.
pub fn fill(folder: &Path) {
    for scenario in scenarios().iter().take(4) {
        let game = gametape::mines::rmv::write(&record(scenario, 3).unwrap()).unwrap();
        fs::write(folder.join(format!("{}.rmv", scenario.name)), game).unwrap();
    }
    let frames: Vec<_> = Match::new(MatchOptions {
        frames: Some(300),
        ..MatchOptions::default()
    })
    .collect();
    let mut text = echoreplay::Writer::new(Vec::new());
    for frame in &frames {
        text.push(frame).unwrap();
    }
    fs::write(folder.join("match.echoreplay"), text.finish().unwrap()).unwrap();
    let packed = butter::write(&frames[..200], butter::Options::default()).unwrap();
    fs::write(folder.join("it's a \"match\".butter"), packed).unwrap();
    let (_, heat) = gametape_samples::murk::ALL[0];
    let world = World::from_toml(heat).unwrap();
    for seed in [1, 2] {
        let run = gametape_samples::murk::record(&world, world.build().unwrap(), seed, 20).unwrap();
        fs::write(folder.join(format!("heat-{seed}.murk")), run).unwrap();
    }
    let arena = Recording::open(folder.join("match.echoreplay")).unwrap();
    let capture = arena.convert("capture", &Options::new()).unwrap();
    fs::write(folder.join("match.mcap"), capture.content.bytes().unwrap()).unwrap();
    fs::write(folder.join("notes.txt"), "no recording").unwrap();
}

/// Adds recordings that make more of the book's questions worth asking: a longer match, lost games, a game
/// whose board was changed.
pub fn fill_more(folder: &Path) {
    for scenario in scenarios()
        .iter()
        .filter(|scenario| ["loss", "clumsy"].contains(&scenario.name))
    {
        let game = gametape::mines::rmv::write(&record(scenario, 5).unwrap()).unwrap();
        fs::write(folder.join(format!("{}.rmv", scenario.name)), game).unwrap();
    }
    let options = MatchOptions {
        seed: 11,
        frames: Some(3000),
        ..MatchOptions::default()
    };
    let frames: Vec<_> = Match::new(options).collect();
    let packed = butter::write(&frames, butter::Options::default()).unwrap();
    fs::write(folder.join("final.butter"), packed).unwrap();
    fs::write(folder.join("arena.mcap"), arena()).unwrap();
    // A run that went another way on another machine, from tick 9 on, as one hash shows.
    let mut astray = fs::read(folder.join("heat-1.murk")).unwrap();
    let hashes = Recording::open(folder.join("heat-1.murk")).unwrap();
    let scan = gametape::Scan::table("ticks").columns(["hash"]);
    let ticks = scanned(&**hashes.tape(), &scan);
    let Owned::Text(hash) = &ticks[8].values[0] else {
        panic!("a hash is a text");
    };
    let hash = u64::from_str_radix(hash, 16).unwrap().to_le_bytes();
    let at = astray.windows(8).position(|bytes| bytes == hash).unwrap();
    astray[at] ^= 1;
    fs::write(folder.join("heat-3.murk"), astray).unwrap();
    let mut tampered = fs::read(folder.join("beginner-win.rmv")).unwrap();
    let at = tampered.len() / 2 + 1;
    tampered[at] ^= 1;
    fs::write(folder.join("tampered.rmv"), tampered).unwrap();
}

/// A capture of two seconds of ships.
fn arena() -> Vec<u8> {
    let schema = Arena::schema();
    let mut arena = Arena::new(8, 3);
    let mut capture =
        capture::Writer::new(Vec::new(), &schema, capture::Options::default()).unwrap();
    let mut encoder = Encoder::new(&schema);
    let mut held: Option<Snapshot> = None;
    let mut packet = Vec::new();
    for tick in 1..=120 {
        arena.step();
        let mut state = Snapshot::new(&schema, tick);
        arena.state(&mut state).unwrap();
        match &held {
            Some(held) => encoder.delta(held, &state, &mut packet).unwrap(),
            None => encoder.full(&state, &mut packet).unwrap(),
        }
        capture.push(&packet).unwrap();
        held = Some(state);
    }
    capture.finish().unwrap()
}

pub struct Asked {
    pub archive: Arc<Archive>,
    context: datafusion::prelude::SessionContext,
    runtime: tokio::runtime::Runtime,
}

impl Asked {
    pub fn of(paths: &[PathBuf]) -> Self {
        Self::with(gametape::formats(), paths)
    }

    pub fn with(formats: gametape::Formats, paths: &[PathBuf]) -> Self {
        Self::opened(formats, paths, Secrets::Hide, 3)
    }

    /// Asks one recording, on one core: rows come in its order.
    pub fn in_order(path: &Path) -> Self {
        Self::opened(gametape::formats(), &[path.to_owned()], Secrets::Hide, 1)
    }

    /// Asks on this many cores.
    pub fn on_cores(paths: &[PathBuf], cores: usize) -> Self {
        Self::opened(gametape::formats(), paths, Secrets::Show, cores)
    }

    pub fn with_secrets(paths: &[PathBuf]) -> Self {
        Self::opened(gametape::formats(), paths, Secrets::Show, 3)
    }

    fn opened(
        formats: gametape::Formats,
        paths: &[PathBuf],
        secrets: Secrets,
        cores: usize,
    ) -> Self {
        let archive = Arc::new(Archive::open(formats, paths, secrets).unwrap());
        let settings = Settings {
            cores: Some(cores),
            ..Settings::default()
        };
        let context = session(&archive, &settings).unwrap();
        let runtime = tokio::runtime::Runtime::new().unwrap();
        Self {
            archive,
            context,
            runtime,
        }
    }

    pub fn batches(&self, sql: &str) -> Result<Vec<RecordBatch>, String> {
        let answer = async {
            let answer = self.context.sql(sql).await?;
            let empty = RecordBatch::new_empty(Arc::clone(answer.schema().inner()));
            let mut batches = answer.collect().await?;
            if batches.is_empty() {
                // The names of the columns, at least.
                batches.push(empty);
            }
            Ok::<_, datafusion::error::DataFusionError>(batches)
        };
        let answer = self.runtime.block_on(answer);
        answer.map_err(|error| error.strip_backtrace())
    }

    /// Gives the rows of an answer to a function, as they come.
    pub fn stream(
        &self,
        sql: &str,
        take: impl AsyncFnOnce(SendableRecordBatchStream) -> datafusion::error::Result<u64>,
    ) {
        let answer = async {
            let answer = self.context.sql(sql).await?;
            take(answer.execute_stream().await?).await
        };
        self.runtime
            .block_on(answer)
            .unwrap_or_else(|error| panic!("{sql}: {error}"));
    }

    /// The rows of an answer as texts; a missing value is `null`.
    #[track_caller]
    pub fn rows(&self, sql: &str) -> Vec<Vec<String>> {
        let options = FormatOptions::new().with_null("null");
        let mut rows = Vec::new();
        for batch in self
            .batches(sql)
            .unwrap_or_else(|error| panic!("{sql}: {error}"))
        {
            let columns: Vec<_> = (batch.columns().iter())
                .map(|column| ArrayFormatter::try_new(column, &options).unwrap())
                .collect();
            for row in 0..batch.num_rows() {
                rows.push(
                    columns
                        .iter()
                        .map(|column| column.value(row).to_string())
                        .collect(),
                );
            }
        }
        rows
    }

    /// The only value of an answer.
    #[track_caller]
    pub fn value(&self, sql: &str) -> String {
        let mut rows = self.rows(sql);
        assert_eq!(rows.len(), 1, "{sql}");
        rows.remove(0).remove(0)
    }
}
