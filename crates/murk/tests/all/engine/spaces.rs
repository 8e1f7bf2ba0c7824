//! Coordinates agree with the origin's canonical order.

use gametape_murk::engine::{Edge, Space};
use murk_space::{
    EdgeBehavior, Fcc12, Hex2D, Line1D, ProductSpace, Ring1D, Space as OriginSpace, Square4,
    Square8,
};

fn same(ours: &Space, its: &dyn OriginSpace) {
    let cells = its.canonical_ordering();
    assert_eq!(ours.cell_count(), Some(cells.len() as u64), "{ours:?}");
    assert_eq!(ours.ndim(), its.ndim());
    for (cell, coord) in (0..).zip(&cells) {
        assert_eq!(ours.coord(cell).unwrap(), coord.to_vec(), "{ours:?} {cell}");
    }
    assert_eq!(ours.coord(cells.len() as u64), None);
    assert_eq!(ours.coord(u64::MAX), None);
}

#[test]
fn coordinates_are_in_the_canonical_order() {
    for len in [1, 2, 7] {
        let edge = Edge::Absorb;
        same(
            &Space::Line1D { len, edge },
            &Line1D::new(len, EdgeBehavior::Absorb).unwrap(),
        );
        same(&Space::Ring1D { len }, &Ring1D::new(len).unwrap());
        for wide in [1, 2, 5] {
            let (rows, cols) = (len, wide);
            let edge = Edge::Clamp;
            same(
                &Space::Square4 { rows, cols, edge },
                &Square4::new(rows, cols, EdgeBehavior::Clamp).unwrap(),
            );
            same(
                &Space::Square8 { rows, cols, edge },
                &Square8::new(rows, cols, EdgeBehavior::Clamp).unwrap(),
            );
            same(
                &Space::Hex2D { rows, cols },
                &Hex2D::new(rows, cols).unwrap(),
            );
        }
    }
}

#[test]
fn coordinates_of_every_small_crystal() {
    let edge = Edge::Absorb;
    for w in 1..6 {
        for h in 1..6 {
            for d in 1..6 {
                same(
                    &Space::Fcc12 { w, h, d, edge },
                    &Fcc12::new(w, h, d, EdgeBehavior::Absorb).unwrap(),
                );
            }
        }
    }
}

#[test]
fn coordinates_of_products() {
    let edge = Edge::Absorb;
    let fcc = Space::Fcc12 {
        w: 3,
        h: 2,
        d: 3,
        edge,
    };
    let hex = Space::Hex2D { rows: 2, cols: 3 };
    let inner = Space::Product {
        components: vec![Space::Ring1D { len: 2 }, fcc],
    };
    let ours = Space::Product {
        components: vec![hex, inner, Space::Line1D { len: 4, edge }],
    };
    let inner: Vec<Box<dyn OriginSpace>> = vec![
        Box::new(Ring1D::new(2).unwrap()),
        Box::new(Fcc12::new(3, 2, 3, EdgeBehavior::Absorb).unwrap()),
    ];
    let outer: Vec<Box<dyn OriginSpace>> = vec![
        Box::new(Hex2D::new(2, 3).unwrap()),
        Box::new(ProductSpace::new(inner).unwrap()),
        Box::new(Line1D::new(4, EdgeBehavior::Absorb).unwrap()),
    ];
    same(&ours, &ProductSpace::new(outer).unwrap());
}

#[test]
fn spaces_beyond_counting() {
    let most = u32::MAX;
    let edge = Edge::Absorb;
    let square = Space::Square4 {
        rows: most,
        cols: most,
        edge,
    };
    assert_eq!(square.cell_count(), Some(u64::from(most) * u64::from(most)));
    let components = vec![square.clone(), square];
    assert_eq!(Space::Product { components }.cell_count(), None);
    let (w, h, d) = (most, most, most);
    assert_eq!(Space::Fcc12 { w, h, d, edge }.cell_count(), None);
    for space in [
        Space::Ring1D { len: 0 },
        Space::Hex2D { rows: 3, cols: 0 },
        Space::Fcc12 {
            w: 0,
            h: 0,
            d: 0,
            edge,
        },
    ] {
        assert_eq!(space.coord(0), None);
    }
}
