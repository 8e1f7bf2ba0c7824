//! Names and ids on the wire.

/// Returns an id, which is not 0.
pub fn nonzero(id: u64) -> Option<u16> {
    u16::try_from(id).ok().filter(|id| *id > 0)
}

/// Converts a name to snake case: `HTTPShip2` becomes `http_ship2`.
pub fn snake_case(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut snake = String::new();
    for (at, letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| letters.get(at));
        let after = letters.get(at + 1);
        let starts_word = letter.is_uppercase()
            && before.is_some_and(|before| {
                before.is_lowercase()
                    || before.is_numeric()
                    || before.is_uppercase() && after.is_some_and(|after| after.is_lowercase())
            });
        if starts_word {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}
