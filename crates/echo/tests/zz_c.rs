use gametape_echo::butter::*;
fn again(p: u32) -> u32 { let [f,_,u] = to_basis(from_smallest3(p)); to_smallest3_nearest(from_basis(f,u)) }
#[test]
fn look() {
    let mut rng = fastrand::Rng::with_seed(1);
    let edge = [0u32, 1, 511, 512, 510, 513, 1022, 1023, 873, 150];
    let (mut bad, mut n) = (0, 0);
    for i in 0..4_000_000u32 {
        let mut c = || if rng.u8(..2)==0 { edge[rng.usize(..edge.len())] } else { rng.u32(..1024) };
        let p = (i & 3) | c() << 2 | c() << 12 | c() << 22;
        let r = again(p); let s = again(r);
        n += 1;
        if r != s { bad += 1; if bad < 12 { 
            let show = |p: u32| format!("{} {} {} {} {:?}", p&3, p>>2&1023, p>>12&1023, p>>22, from_smallest3(p));
            println!("{}\n  {}\n  {}\n  {}", show(p), show(r), show(s), show(again(s))); let [f,_,u] = to_basis(from_smallest3(r)); println!("   {:?}", from_basis(f,u)); } }
    }
    println!("{bad} of {n}");
}
