//! Finds the value that explains a hash.

use arbitrary::{Result, Unstructured};
use gametape_murk::{State, explain};

fn state(fields: &[Vec<u32>]) -> State {
    let floats: Vec<Vec<f32>> = fields
        .iter()
        .map(|field| field.iter().map(|&bits| f32::from_bits(bits)).collect())
        .collect();
    State::from_fields(floats.iter().map(Vec::as_slice))
}

/// Asserts that each candidate leads to the hash.
fn all_lead(fields: &[Vec<u32>], recorded: u64) -> Vec<(usize, usize, u32)> {
    let found = explain(&state(fields), recorded);
    let mut places = Vec::new();
    for candidate in found {
        let (field, element) = (candidate.field as usize, candidate.element);
        let mut changed = fields.to_vec();
        let value = &mut changed[field][element];
        assert_eq!(candidate.replayed.to_bits(), *value);
        let bits = candidate.recorded.to_bits();
        assert_ne!(bits, *value, "no change is no explanation");
        *value = bits;
        assert_eq!(state(&changed).hash(), recorded, "{candidate:?}");
        places.push((field, element, bits));
    }
    assert!(places.is_sorted(), "{places:?}");
    places
}

pub(super) fn check(script: &mut Unstructured<'_>) -> Result<()> {
    let shape: [u8; 3] = script.arbitrary()?;
    let edits: [(u16, u32); 2] = script.arbitrary()?;
    let any: u64 = script.arbitrary()?;
    let mut fields = Vec::new();
    for length in &shape[..=usize::from(shape[0] % 3)] {
        let field: Vec<u32> = (0..length % 40)
            .map(|_| script.arbitrary())
            .collect::<Result<_>>()?;
        fields.push(field);
    }
    let as_it_is = state(&fields).hash();
    // A single change never leaves the hash unchanged, because each of its steps can be undone.
    assert_eq!(all_lead(&fields, as_it_is), []);
    all_lead(&fields, any);
    all_lead(&fields, as_it_is ^ u64::from(any.trailing_zeros()));

    let places: Vec<(usize, usize)> = fields
        .iter()
        .enumerate()
        .flat_map(|(field, values)| (0..values.len()).map(move |at| (field, at)))
        .collect();
    let mut changed = fields.clone();
    let mut last = None;
    for (place, bits) in edits {
        let Some(&(field, at)) = places.get(usize::from(place) % places.len().max(1)) else {
            return Ok(());
        };
        changed[field][at] ^= bits;
        let recorded = state(&changed).hash();
        let found = all_lead(&fields, recorded);
        let differ = places
            .iter()
            .filter(|&&(f, a)| changed[f][a] != fields[f][a]);
        let differ: Vec<_> = differ.map(|&(f, a)| (f, a, changed[f][a])).collect();
        if let [only] = differ[..] {
            assert!(found.contains(&only), "{only:?} is not among {found:?}");
        }
        last = Some(recorded);
    }
    // The same in the other direction.
    if let Some(recorded) = last {
        all_lead(&changed, as_it_is);
        assert_eq!(state(&changed).hash(), recorded);
    }
    Ok(())
}
