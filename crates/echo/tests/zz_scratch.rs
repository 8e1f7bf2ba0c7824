mod arena;
use gametape_echo::*;
use gametape_echo::generate::*;
#[test]
fn look() {
    let mut all = arena::tapes();
    for (name, game, private) in [("gen-arena", Game::Arena, false), ("gen-private", Game::Arena, true), ("gen-combat", Game::Combat, false)] {
        all.push((name.into(), Match::new(MatchOptions{seed:3, game, private, pauses: true, bones:true, spectators:2, frames: Some(30_000), ..MatchOptions::default()}).collect()));
    }
    for (name, frames) in &all {
        println!("== {name}: {} frames", frames.len());
        let mut audit = audit::SessionAudit::new();
        let mut findings = Findings::default();
        for (i, f) in frames.iter().enumerate() { audit.push(i as u64, None, f, &mut findings); }
        audit.finish(&mut findings);
        for f in &findings { println!("  {f}"); }
        let mut s = stats::StatsBuilder::new();
        let t = std::time::Instant::now();
        for f in frames { s.push(f); }
        let s = s.finish();
        println!("stats {:?}/frame", t.elapsed()/frames.len() as u32);
        println!("{}", serde_json::to_string_pretty(&s).unwrap().chars().take(if frames.len() < 100 {100} else {6000}).collect::<String>());
        for mode in [butter::Mode::Correct, butter::Mode::Compat] {
            let bytes = butter::write(frames, butter::Options{mode, ..Default::default()}).unwrap();
            let file = butter::read(&bytes).unwrap();
            let mut back = file.frames();
            let mut e = loss::FieldErrors::new();
            let mut d = diff::Differ::new(diff::Tolerance::BUTTER);
            let mut t = std::time::Duration::ZERO;
            let mut t2 = std::time::Duration::ZERO;
            for f in frames { let b = back.next_frame().unwrap().unwrap().clone();
              let s = std::time::Instant::now(); e.push(f, &b); t += s.elapsed();
              let s = std::time::Instant::now(); d.push(Some(f), Some(&b)); t2 += s.elapsed();
            }
            println!("{mode:?} loss {:?}/frame diff {:?}/frame", t / frames.len() as u32, t2 / frames.len() as u32);
            println!("{e}");
            println!("{}", d.finish());
        }
    }
}
