//! How far a query is, as the scheduler tells over HTTP.

use gametape_query::Archive;
use gametape_query::cluster::progress;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// How far a query is.
#[derive(PartialEq, Debug)]
pub struct Progress {
    stages: usize,
    done: usize,
    /// The tasks of the stages that are worked on: those that are done, and those that were begun.
    tasks: (usize, usize),
}

/// Asks a scheduler; `None` if it does not answer.
async fn get<T: DeserializeOwned>(url: String) -> Option<T> {
    let answer = reqwest::get(url).await.ok()?;
    serde_json::from_slice(&answer.bytes().await.ok()?).ok()
}

/// Returns whether every part of a query ran once; `None` if the scheduler does not say.
///
/// Ballista 55 may read rows twice where it begins a stage again because an executor was lost: the tasks that were
/// lost are begun again when their rows cannot be fetched, and once more when the executor counts as lost.
pub async fn ran_once(url: &str, job: &str) -> Option<bool> {
    #[derive(Deserialize)]
    struct Job {
        stage_plan: String,
    }
    let plan = get::<Job>(format!("{url}/api/job/{job}")).await?.stage_plan;
    let Stages { stages } = get(format!("{url}/api/job/{job}/stages")).await?;
    let attempts: Vec<&str> = attempts(&plan).collect();
    if stages.is_empty() || attempts.len() < stages.len() {
        return None;
    }
    let mut tasks = stages.iter().flat_map(|stage| stage.tasks.iter().flatten());
    Some(attempts.iter().all(|attempt| *attempt == "0") && tasks.all(Task::is_done))
}

/// Returns the attempts of stages in a plan, which writes `stage_id=STAGE.ATTEMPT`.
fn attempts(plan: &str) -> impl Iterator<Item = &str> {
    let stages = plan.split("Stage[stage_id=").skip(1);
    stages.filter_map(|stage| {
        let (_, attempt) = stage.split_once('.')?;
        attempt
            .split(|letter: char| !letter.is_ascii_digit())
            .next()
    })
}

/// The stages of a query: see `GET /api/job/{job_id}/stages` of Ballista.
#[derive(Deserialize)]
struct Stages {
    stages: Vec<Stage>,
}

#[derive(Deserialize)]
struct Stage {
    stage_status: String,
    tasks: Option<Vec<Task>>,
}

#[derive(Deserialize)]
struct Task {
    /// A text, or an object with the reason of a failure.
    status: serde_json::Value,
}

impl Task {
    fn is_done(&self) -> bool {
        self.status == "Successful"
    }
}

impl Progress {
    /// Asks a scheduler; `None` if it does not answer.
    pub async fn of(url: &str, job: &str) -> Option<Self> {
        let stages: Stages = get(format!("{url}/api/job/{job}/stages")).await?;
        Some(stages.into())
    }

    /// Tells it to those who watch the archive.
    pub fn tell(&self, archive: &Archive) {
        const STAGE: u64 = 1_000;
        let (done, begun) = self.tasks;
        let part = (done as u64 * STAGE).checked_div(begun as u64);
        let part = part.unwrap_or(0).min(STAGE - 1);
        let words = format!(
            "stage {} of {}: {done} tasks done, {} running",
            (self.done + 1).min(self.stages),
            self.stages,
            begun - done,
        );
        let planned = self.stages as u64 * STAGE;
        progress(archive, self.done as u64 * STAGE + part, planned, words);
    }
}

impl From<Stages> for Progress {
    fn from(Stages { stages }: Stages) -> Self {
        let is_done = |stage: &&Stage| stage.stage_status == "Successful";
        let is_running = |stage: &&Stage| stage.stage_status == "Running";
        let tasks = stages.iter().filter(is_running);
        let tasks = tasks.flat_map(|stage| stage.tasks.iter().flatten());
        Self {
            stages: stages.len(),
            done: stages.iter().filter(is_done).count(),
            tasks: (
                tasks.clone().filter(|task| task.is_done()).count(),
                tasks.count(),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Progress, Stages, attempts};

    #[test]
    fn stages_and_tasks_are_counted() {
        let text = r#"{"stages": [
            {"stage_status": "Successful", "tasks": [{"status": "Successful"}]},
            {"stage_status": "Running", "tasks": [
                {"status": "Successful"}, {"status": "Running"},
                {"status": {"Failed": {"reason": "ResultLost", "error": "gone"}}}
            ]},
            {"stage_status": "Unresolved", "tasks": null}
        ]}"#;
        let stages: Stages = serde_json::from_str(text).unwrap();
        let progress = Progress {
            stages: 3,
            done: 1,
            tasks: (1, 3),
        };
        assert_eq!(Progress::from(stages), progress);
    }

    #[test]
    fn an_attempt_is_read_from_the_plan() {
        let plan = "=========SuccessfulStage[stage_id=1.0, partitions=4]=========\nSuccessfulStage[stage_id=12.3, x]";
        assert_eq!(attempts(plan).collect::<Vec<_>>(), ["0", "3"]);
    }
}
