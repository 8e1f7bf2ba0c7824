mod common;
use common::*;
use gametape_echo::butter::*;
use gametape_echo::*;
use std::collections::BTreeMap;
#[test]
fn look() {
    for (name, k) in [("a_single", 300), ("b_scenario", 5), ("c_combat", 4)] {
        let Some(orig) = tape(&format!("{name}.echoreplay")) else { return };
        let orig = lines(&orig);
        let refd = lines(&tape(&format!("{name}.k{k}.refdecoded.txt")).unwrap());
        let bytes = tape(&format!("{name}.k{k}.none.butter")).unwrap();
        let file = read(&bytes).unwrap();
        let mut fr = file.frames();
        let mut ours = vec![];
        let mut keys = vec![];
        while let Some(f) = fr.next_frame().unwrap() { ours.push(f.clone()); keys.push(fr.is_keyframe()); }
        println!("=== {name} {} {} {} {:?} {:?}", orig.len(), refd.len(), ours.len(), fr.seen(), fr.findings());
        let mut vs_orig: BTreeMap<&str, (usize, f64, Vec<usize>)> = BTreeMap::new();
        let mut vs_ref = vs_orig.clone();
        for (i, f) in ours.iter().enumerate() {
            for (other, map) in [(&orig[i], &mut vs_orig), (&refd[i], &mut vs_ref)] {
                walk(other, f, None, &mut |key, pair| {
                    let (same, err) = match pair {
                        Pair::Same(s) => (s, 0.0),
                        Pair::Difference{a,b,..}|Pair::Fixed{a,b,..}|Pair::Half(a,b)|Pair::Float(a,b) => (a==b, f64::from(a-b).abs()),
                        Pair::Turn(a,b) => (a==b, turned(a,b)),
                        Pair::Quaternion(a,b) => (a==b, angle(a,b)),
                    };
                    if !same { let e = map.entry(key.1).or_default(); e.0+=1; e.1=e.1.max(err); if e.2.last()!=Some(&i) {e.2.push(i);} }
                });
            }
        }
        println!("vs orig");
        for (k,v) in vs_orig { println!("  {k}: {v:?}"); }
        println!("vs ref");
        for (k,v) in vs_ref { println!("  {k}: {v:?}"); }
        for (i,f) in orig.iter().enumerate() { println!("{i} k{} {} {:?} {} | ours {:?} ref {:?} disc {:?} {:?} {:?} pts {} {} {}", keys[i], f.session.game_status, f.session.pause.as_ref().map(|p|(&p.paused_state,p.paused_timer,p.unpaused_timer)), f.bones.as_ref().map_or(99,|b|b.user_bones.len()),
          ours[i].session.pause.as_ref().map(|p|(p.paused_timer,p.unpaused_timer)), refd[i].session.pause.as_ref().map(|p|(p.paused_timer,p.unpaused_timer)),
          f.session.disc.map(|d|d.pose.position), ours[i].session.disc.map(|d|d.pose.position), refd[i].session.disc.map(|d|d.pose.position), f.session.blue_points, ours[i].session.blue_points, refd[i].session.blue_points); }
    }
}
