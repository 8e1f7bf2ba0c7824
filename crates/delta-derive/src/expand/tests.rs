use super::*;
use syn::parse_quote;

/// Returns the line and the message of each error.
fn errors(input: &DeriveInput) -> Vec<(usize, String)> {
    errors_of(expand(input))
}

fn errors_of(result: Result<TokenStream>) -> Vec<(usize, String)> {
    match result {
        Ok(_) => Vec::new(),
        Err(why) => why
            .into_iter()
            .map(|why| (why.span().start().line, why.to_string()))
            .collect(),
    }
}

/// The documentation promises a line and a message for each error; doctests only check that there
/// is an error.
#[test]
fn documented_errors_are_raised_as_documented() {
    let source = include_str!("../lib.rs");
    let mut examples = 0;
    for block in source.split("/// ```compile_fail\n").skip(1) {
        let block = block.split("/// ```\n").next().unwrap();
        // The import becomes an empty line, so that line numbers stay correct.
        let code: String = block
            .lines()
            .map(|line| line.trim_start_matches("///"))
            .map(|line| if line.starts_with(" # ") { "" } else { line })
            .map(|line| line.to_owned() + "\n")
            .collect();
        let promised: Vec<_> = code
            .lines()
            .enumerate()
            .filter_map(|(at, line)| Some((at + 1, line.split_once("// error: ")?.1.to_owned())))
            .collect();
        assert_eq!(promised.len(), 1, "an example shows one error:\n{code}");
        let input = syn::parse_str(&code).unwrap();
        let result = if code.contains("derive(ReplicateField)") {
            expand_field(&input)
        } else {
            expand(&input)
        };
        assert_eq!(errors_of(result), promised, "{code}");
        examples += 1;
    }
    assert!(examples > 30, "only {examples} examples were found");
}

#[test]
fn all_errors_come_at_once() {
    let input = parse_quote! {
        #[replicate(colour = "red")]
        struct Ship {
            x: f32,
            #[replicate(bits = 9)]
            hull: u8,
            fine: bool,
        }
    };
    let messages: Vec<_> = errors(&input)
        .into_iter()
        .map(|(_, message)| message)
        .collect();
    assert_eq!(messages.len(), 3, "{messages:?}");
    assert!(
        messages[0].contains("`colour`")
            && messages[1].contains("f32")
            && messages[2].contains("u8")
    );
}

#[test]
fn steps_are_one_divided_by_a_whole_number() {
    for (step, fits) in [
        (quote!(1), true),
        (quote!(1.0), true),
        (quote!(0.333333333), true),
        (quote!(0.001), true),
        (quote!(1e-6), true),
        (quote!(0.00390625f64), true),
        (quote!(0.33), false),
        (quote!(0.7), false),
        (quote!(1.5), false),
        (quote!(0), false),
        (quote!(-0.01), false),
        (quote!(1e-10), false),
    ] {
        let input: DeriveInput = parse_quote! {
            #[replicate(component = 1)]
            struct Ship {
                #[replicate(fixed(min = -1, max = 1, step = #step))]
                x: f32,
            }
        };
        assert_eq!(errors(&input).is_empty(), fits, "{step}");
    }
}

#[test]
fn malformed_attributes_are_errors_not_panics() {
    for attribute in [
        quote!(#[replicate]),
        quote!(#[replicate = 1]),
        quote!(#[replicate(1)]),
        quote!(#[replicate(bits)]),
        quote!(#[replicate(bits = -1)]),
        quote!(#[replicate(bits = 99999999999999999999999)]),
        quote!(#[replicate(id = 65536)]),
        quote!(#[replicate(varint = true)]),
        quote!(#[replicate(fixed)]),
        quote!(#[replicate(fixed())]),
        quote!(#[replicate(fixed(min = -, max = 1, step = 1))]),
        quote!(#[replicate(fixed(min = "0", max = 1, step = 1))]),
        quote!(#[replicate(fixed(min = -1e999, max = 1, step = 1))]),
        quote!(#[replicate(rotation())]),
        quote!(#[replicate(rotation)]),
        quote!(#[replicate(a::b)]),
        quote!(#[replicate(threshold = 4294967296)]),
        quote!(#[replicate(name = 7)]),
    ] {
        let input: DeriveInput = parse_quote! {
            #[replicate(component = 1)]
            struct Ship {
                #attribute
                x: u8,
            }
        };
        assert_eq!(errors(&input).len(), 1, "{attribute}");
    }
}

#[test]
fn names_become_snake_case() {
    for (name, snake) in [
        ("Ship", "ship"),
        ("ShipHull", "ship_hull"),
        ("HTTPShip2", "http_ship2"),
        ("Ship2D", "ship2_d"),
        ("X", "x"),
        ("already_snake", "already_snake"),
    ] {
        assert_eq!(snake_case(name), snake);
    }
}

#[test]
fn generated_code_names_nothing_of_std() {
    let input = parse_quote! {
        #[replicate(component = 1)]
        struct Ship {
            #[replicate(fixed(min = -1, max = 1, step = 0.01), clamp)]
            x: [f32; 2],
            #[replicate(rotation(bits = 9))]
            facing: [f32; 4],
            hull: u8,
            landed: bool,
            #[replicate(skip)]
            rest: String,
        }
    };
    let code = expand(&input).unwrap().to_string();
    assert!(
        !code.contains("std ::") && !code.contains("alloc ::"),
        "{code}"
    );
}
