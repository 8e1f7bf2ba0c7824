fn main() {
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path).unwrap();
        let audit = gametape_mines::rmv::audit(&bytes);
        println!("{path}");
        for f in &audit.findings { println!("   {f}"); }
        if let Some(m) = &audit.metrics { println!("   {m:?} ioe {:?} stnb {:?}", m.ioe(), m.stnb()); }
        match gametape_mines::rmv::read(&bytes) { Ok(g) => println!("  same {:?}", gametape_mines::rmv::write(&g).map(|w| w==bytes)), Err(e) => println!("  {e}") }
        let s = gametape_mines::rmv::read_from(&bytes[..], Default::default());
        println!("  stream ok {:?}", s.is_ok());
    }
}
