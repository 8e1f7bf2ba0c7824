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
#[test]
fn who() {
    for (game, private) in [(Game::Arena, true), (Game::Combat, false)] {
        let frames: Vec<Frame> = Match::new(MatchOptions{seed:3, game, private, pauses: true, bones:true, spectators:2, frames: Some(30_000), ..MatchOptions::default()}).collect();
        let bytes = butter::write(&frames, butter::Options::default()).unwrap();
        let file = butter::read(&bytes).unwrap();
        let mut back = file.frames();
        let mut prev: Option<(Frame, Frame)> = None;
        let mut d = 0;
        for (i, f) in frames.iter().enumerate() {
            let mut b = back.next_frame().unwrap().unwrap().clone();
            b.session.last_score = f.session.last_score.clone();
            let before = prev.as_ref().map(|p| p.0.clone());
            let mut differ = diff::Differ::new(diff::Tolerance::BUTTER);
            if let Some(p) = &before { differ.push(Some(p), Some(p)); }
            differ.push(Some(f), Some(&b));
            if let Some(x) = differ.finish().first {
                let diff::Side::Both(x) = x.what else { panic!() };
                println!("{game:?} {i} {x}");
                if let (Some((pa,pb)), Some(t)) = (&prev, x.path.strip_prefix("teams[")) {
                    let team: usize = t[..1].parse().unwrap(); let p: usize = t.split("players[").nth(1).unwrap()[..1].parse().unwrap();
                    let id = f.session.teams[team].players[p].userid;
                    for (n, fr) in [("prev", pa), ("prevstored", pb), ("now", f), ("nowstored", &b)] {
                        println!("   {n} {:?}", fr.session.player_by_userid(id).map(|p| (p.head.position, p.lhand.position, p.rhand.position)));
                    }
                }
                if x.path.starts_with("disc") { if let Some((pa,pb)) = &prev { for fr in [pa,pb,f,&b] { println!("   {:?}", fr.session.disc.unwrap().velocity); } } }
                d += 1; if d > 12 { return; }
            }
            prev = Some((f.clone(), b));
        }
    }
}
