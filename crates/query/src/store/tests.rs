use std::net::TcpListener;

use super::*;

#[test]
fn addresses_are_no_paths() {
    for (path, expected) in [
        ("s3://bucket/games/", true),
        ("https://example.com/a.rmv", true),
        ("games/a.rmv", false),
        ("C://games", false),
        ("a:b", false),
        ("://", false),
    ] {
        assert_eq!(is_url(path), expected, "{path}");
    }
}

#[test]
fn a_server_that_never_answers_is_given_up() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/a.rmv", listener.local_addr().unwrap());
    let patience = Patience {
        answer: Duration::from_millis(100),
        retries: 1,
        all: Duration::from_secs(5),
    };
    let stores = Stores::with(patience).unwrap();
    let error = stores.find(&address, &gametape::formats()).unwrap_err();
    assert!(error.starts_with(&format!("{address}: ")), "{error}");
}
