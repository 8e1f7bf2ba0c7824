//! The engine and a second simulator, which was written without it.

use gametape_mines::engine::Doubt;
use gametape_mines::{Metrics, Version, replay, rmv};
use gametape_testkit::mines::simulator::clicks;
use gametape_testkit::mines::{forgeries_of_laws, random_game};

/// The input is a seed. Games in which a random hand presses, chords, leaves the board and returns
/// in every way, recorded by the second simulator, replay without a difference and have its
/// clicks; each forgery that breaks a law of the play is found.
pub fn rmv_laws(data: &[u8]) {
    let mut rng = fastrand::Rng::with_seed(crate::seed(data));
    let version = [Version::V1, Version::V2][rng.usize(..2)];
    let game = random_game(version, &mut rng);
    let replayed = replay(&game);
    if (replayed.doubted).is_some_and(|doubted| doubted.why == Doubt::LostChord) {
        // Which cells open after the mine of a chord is not known.
        assert_eq!(replayed.fault, None);
        return;
    }
    assert_eq!(replayed.divergence, None);
    assert_eq!((replayed.unmoved, replayed.after_end), (None, None));
    let (ours, theirs) = (Metrics::of(&game).clicks, clicks(&game));
    assert_eq!(
        [ours.left, ours.right, ours.double, ours.effective()],
        [theirs.left, theirs.right, theirs.double, theirs.effective]
    );
    let bytes = rmv::write(&game).expect("the format holds it");
    assert_eq!(rmv::read(&bytes).expect("what was written"), game);
    for (name, forged) in forgeries_of_laws(&game, &mut rng) {
        let bytes = rmv::write(&forged).expect("the format holds it");
        let found = rmv::audit(&bytes).findings;
        let codes = ["rmv.board-event", "rmv.button-place", "rmv.after-end"];
        assert!(
            codes.iter().any(|code| found.has(code)),
            "{name}: {found:?}"
        );
    }
}
