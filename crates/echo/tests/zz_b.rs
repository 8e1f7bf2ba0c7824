mod common;
use common::*;
use gametape_echo::butter::{Mode, Compression, read};

#[test]
fn look() {
    let v: Vec<u64> = std::env::var("ARGS").unwrap().split_whitespace().map(|x| x.parse().unwrap()).collect();
    let frames = hostile::frames(v[0], v[1], v[2] as u8);
    let o = options(Mode::Correct, v[3] as u16, Compression::None);
    let bytes = write(&frames, o);
    let r1 = read_strictly(&bytes);
    let again = write(&r1.frames, o);
    let r2 = read_strictly(&again);
    let (h1, h2) = (read(&bytes).unwrap(), read(&again).unwrap());
    if h1.header() != h2.header() { println!("{:#?}\n{:#?}", h1.header(), h2.header()); }
    println!("first diff {:?} chunk0 at {:?}", bytes.iter().zip(&again).position(|(a,b)|a!=b), h1.chunks().first());
    if let Some(d) = bytes.iter().zip(&again).position(|(a,b)|a!=b) { for (i,c) in h1.chunks().iter().enumerate() { if (d as u64) >= c.offset && (d as u64) < c.offset+c.size { let r = c.offset as usize..(c.offset+c.size) as usize; println!("chunk {i} at {} of {}", d-r.start, r.len());
       println!("{:02x?}\n{:02x?}", &bytes[d-8..(d+24).min(r.end)], &again[d-8..(d+24).min(again.len())]); println!("{:?}", r1.frames[i].bones.as_ref().map(|b| b.user_bones.len())); 
       println!("{:?}", r1.frames[i].session.teams.iter().map(|t| (t.stats.is_some(), t.players.iter().map(|p| (p.userid, p.stats.is_some())).collect::<Vec<_>>())).collect::<Vec<_>>());
       let nd = bytes[r.clone()].iter().zip(&again[r.clone()]).filter(|(a,b)| a!=b).count(); println!("{nd} differ"); } } }
    for (i, (a, b)) in r1.frames.iter().zip(&r2.frames).enumerate() {
        let mut n = 0;
        walk(a, b, None, &mut |key, pair| {
            let same = match pair {
                Pair::Same(s) => s,
                Pair::Difference{a,b,..}|Pair::Fixed{a,b,..}|Pair::Half(a,b)|Pair::Float(a,b) => a.to_bits()==b.to_bits(),
                Pair::Turn(a,b) => a==b,
                Pair::Quaternion(a,b) => a==b,
            };
            if !same { println!("{i} key {:?} {key:?} {pair:?}", r1.keyframes[i]); n+=1; }
        });
        if a != b || n > 0 { println!("frame {i} differs {n} {}", a==b);
           if n == 0 { let (x,y)=(format!("{a:#?}"),format!("{b:#?}")); for (l,m) in x.lines().zip(y.lines()) { if l!=m {println!("{l} | {m}");} } }
           // how it came
           println!("{:?}", frames[i].session.teams.iter().map(|t| t.players.iter().map(|p| p.userid).collect::<Vec<_>>()).collect::<Vec<_>>());
           if i > 0 {println!("before {:?}", frames[i-1].session.teams.iter().map(|t| t.players.iter().map(|p| p.userid).collect::<Vec<_>>()).collect::<Vec<_>>());}
           break; }
    }
}
