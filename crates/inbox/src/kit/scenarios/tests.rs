use std::sync::Arc;

use super::super::join_all;
use super::*;

#[tokio::test(start_paused = true)]
async fn every_scenario_on_a_store_of_its_own() {
    for scenario in all::<MemoryStore, Notes>() {
        if let Err(failure) = scenario.play(Arc::default(), Arc::<Notes>::default()).await {
            panic!("{}: {failure}", scenario.name());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn every_scenario_at_once_on_one_store() {
    let (database, all) = (Arc::<MemoryStore>::default(), all::<MemoryStore, Notes>());
    let played =
        all.iter().map(|scenario| scenario.play(Arc::clone(&database), Arc::<Notes>::default()));
    for (scenario, played) in all.iter().zip(join_all(played).await) {
        assert!(played.is_ok(), "{}: {}", scenario.name(), played.unwrap_err());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_scenario_on_several_threads() {
    let database = Arc::<MemoryStore>::default();
    let tasks: Vec<_> = all::<MemoryStore, Notes>()
        .into_iter()
        .map(|scenario| {
            let database = Arc::clone(&database);
            tokio::spawn(async move {
                (scenario.name(), scenario.play(database, Arc::<Notes>::default()).await)
            })
        })
        .collect();
    for task in tasks {
        let (name, played) = task.await.unwrap();
        assert!(played.is_ok(), "{name}: {}", played.unwrap_err());
    }
}
