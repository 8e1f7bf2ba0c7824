//! Files that no program would write.

use gametape_mines::{Encoding, Game};

/// The parts of a file, which are put together without any check.
#[derive(Clone)]
pub struct Parts {
    pub version: u8,
    pub clone: Vec<u8>,
    pub result: Vec<u8>,
    pub info: Vec<u8>,
    pub player: Vec<u8>,
    pub board: Vec<u8>,
    pub preflags: Vec<u8>,
    pub properties: Vec<u8>,
    pub extensions: Vec<u8>,
    pub events: Vec<u8>,
    pub ending: Vec<u8>,
    pub tail: Vec<u8>,
    pub checksum: Vec<u8>,
    /// Bytes after the checksum.
    pub after: Vec<u8>,
    /// The difference between `file_size` and the right value.
    pub size_off: i32,
}

impl Parts {
    pub fn of(game: &Game<'_>) -> Self {
        let (clone, result, extensions) = match &game.encoding {
            Encoding::V1 { result } => (vec![], result.as_bytes().to_vec(), vec![]),
            Encoding::V2 {
                clone_id,
                clone_major,
                extensions,
            } => (
                vec![*clone_id, *clone_major],
                vec![],
                [&extensions.len().to_be_bytes(), extensions.as_bytes()].concat(),
            ),
        };
        let board = &game.board;
        let ending = game.ending.unwrap();
        Self {
            version: game.version().number() as u8,
            clone,
            result,
            info: game.version_info.as_bytes().to_vec(),
            player: [&game.player.len().to_be_bytes(), game.player.as_bytes()].concat(),
            board: [
                &board.timestamp.to_be_bytes()[..],
                &[board.cols, board.rows],
                &(board.mines.len() as u16).to_be_bytes(),
                board.mines.as_bytes(),
            ]
            .concat(),
            preflags: vec![0, 0],
            properties: game.properties.to_vec(),
            extensions,
            events: game.events.as_bytes().to_vec(),
            ending: [&[ending.outcome.code()], &ending.time_ms.to_be_bytes()[1..]].concat(),
            tail: game.tail.to_vec(),
            checksum: (1..=18).collect(),
            after: vec![],
            size_off: 0,
        }
    }

    pub fn bytes(&self) -> Vec<u8> {
        let v2 = self.version == 2;
        let video = [&self.events[..], &self.ending, &self.tail].concat();
        let mut sizes = Vec::new();
        let mut put = |part: &Vec<u8>| sizes.extend((part.len() as u16).to_be_bytes());
        if !v2 {
            put(&self.result);
        }
        for part in [
            &self.info,
            &self.player,
            &self.board,
            &self.preflags,
            &self.properties,
        ] {
            put(part);
        }
        if v2 {
            put(&self.extensions);
        }
        sizes.extend((video.len() as u32).to_be_bytes());
        sizes.extend((self.checksum.len() as u16).to_be_bytes());
        let sections = [
            &self.result,
            &self.info,
            &self.player,
            &self.board,
            &self.preflags,
            &self.properties,
            &self.extensions,
            &video,
            &self.checksum,
        ];
        let body: usize = sections.iter().map(|part| part.len()).sum();
        let real = 6 + self.clone.len() + 4 + sizes.len() + body + self.after.len();
        let declared = real as i32 - if v2 { 2 } else { 0 } + self.size_off;
        let mut bytes = [&b"*rmv\0"[..], &[self.version], &self.clone].concat();
        bytes.extend((declared as u32).to_be_bytes());
        bytes.extend(sizes);
        for part in sections {
            bytes.extend(part);
        }
        bytes.extend(&self.after);
        bytes
    }
}
