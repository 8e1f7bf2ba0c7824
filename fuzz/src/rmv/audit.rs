//! An audit always has an answer, and it can be trusted.

use std::collections::BTreeSet;

use gametape_core::Rule as _;
use gametape_mines::rmv::{self, ReadOptions, Rule, Severity};
use gametape_mines::{Level, Metrics, Minefield, Outcome};

/// For any bytes, an audit ends. Its findings have known codes, each once per section, worst first.
/// If strict reading fails, the audit has that error. There are a game and metrics exactly if
/// lenient reading gives a game. Every metric is finite or `None`, and no count exceeds the whole
/// of which it is a part.
pub fn rmv_audit(data: &[u8]) {
    let audit = rmv::audit(data);
    let mut codes = BTreeSet::new();
    let mut places = BTreeSet::new();
    let mut worst = Severity::Error;
    for finding in &audit.findings {
        let known = Rule::ALL.iter().find(|rule| rule.code == finding.code());
        assert_eq!(known.map(|rule| rule.severity), Some(finding.severity()));
        codes.insert(finding.code());
        let place = (finding.code(), finding.rule.group());
        assert!(places.insert(place), "{} twice", finding.code());
        assert!(
            finding.severity() <= worst,
            "not sorted: {:?}",
            audit.findings
        );
        worst = finding.severity();
        assert!(finding.to_string().contains(finding.code()));
        if let Some(offset) = finding.place.offset {
            assert!(
                offset <= data.len() as u64,
                "{finding} in {} bytes",
                data.len()
            );
        }
    }
    if let Err(error) = rmv::read(data) {
        assert_eq!(audit.findings.worst(), Some(Severity::Error));
        if audit.game.is_some() {
            assert!(codes.contains(error.code()), "{error} is not in {codes:?}");
        }
    }
    let lenient = rmv::read_with(data, ReadOptions::lenient());
    assert_eq!(
        lenient.as_ref().ok().map(|reading| &reading.game),
        audit.game.as_ref()
    );
    assert_eq!(audit.metrics.is_some(), audit.game.is_some());
    if let Err(error) = lenient {
        assert_eq!(Vec::from_iter(codes), [error.code()]);
    }
    if let (Some(game), Some(metrics)) = (&audit.game, &audit.metrics) {
        plausible(metrics, &Minefield::new(&game.board));
    }
}

/// Checks the statistics of a game.
pub(super) fn plausible(metrics: &Metrics, field: &Minefield) {
    let ratios = [
        ("3BV/s", metrics.bbbv_per_s()),
        ("estimated time", metrics.estimated_time()),
        ("IOE", metrics.ioe()),
        ("correctness", metrics.correctness()),
        ("throughput", metrics.throughput()),
        ("RQP", metrics.rqp()),
        ("QG", metrics.qg()),
        ("IOS", metrics.ios()),
        ("STNB", metrics.stnb()),
        ("ZNE", metrics.zne()),
        ("ZNT", metrics.znt()),
    ];
    for (name, value) in ratios {
        assert!(value.is_none_or(f64::is_finite), "{name} is {value:?}");
    }
    let (board, clicks) = (&metrics.board, &metrics.clicks);
    assert!(clicks.path_px.is_finite() && clicks.path_px >= 0.0);
    assert!(clicks.left_effective <= clicks.left, "{clicks:?}");
    assert!(clicks.right_effective <= clicks.right, "{clicks:?}");
    assert!(clicks.double_effective <= clicks.double, "{clicks:?}");
    assert!(clicks.one_and_a_half <= clicks.double, "{clicks:?}");
    assert_eq!(clicks.wasted() + clicks.effective(), clicks.total());
    assert!(clicks.misflags <= clicks.flags, "{clicks:?}");
    assert!(clicks.total() <= clicks.mouse_events, "{clicks:?}");
    assert!(clicks.solved_bbbv <= board.bbbv, "{clicks:?} of {board:?}");
    assert!(clicks.opened <= field.safe(), "{clicks:?} of {board:?}");
    assert!(board.openings + board.islands <= board.bbbv, "{board:?}");
    assert!(board.bbbv <= field.safe(), "{board:?}");
    assert!(
        board.zini <= board.bbbv && board.hzini <= board.bbbv,
        "{board:?}"
    );
    assert_eq!(board.zini == 0, field.safe() == 0, "{board:?}");
    assert!(metrics.stnb().is_none() || metrics.level != Level::Custom);
    assert!(metrics.zne().is_none() || metrics.outcome == Some(Outcome::Win));
}
