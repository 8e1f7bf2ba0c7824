//! Writers that are stopped.

use std::io::{self, Cursor, Write};

use gametape_echo::echoreplay::{Writer, read, seek_whole, whole_size};
use gametape_echo::{Frame, Time, WriteError};

use super::{SESSION, lenient, line};

fn frame(at: i64) -> Frame {
    Frame {
        time: Time(at * 1000),
        ..Frame::default()
    }
}

#[test]
fn a_stopped_writer_leaves_whole_lines_and_another_goes_on() {
    let mut writer = Writer::new(Vec::new());
    for at in 0..3 {
        writer.push(&frame(at)).unwrap();
    }
    let text = writer.finish().unwrap();
    for size in 0..=text.len() {
        let (frames, findings) = lenient(&text[..size]);
        let lines = text[..size].iter().filter(|byte| **byte == b'\n').count();
        // A line that lacks its ending only is whole as well.
        assert!(
            frames.len() == lines || findings.has("echoreplay.no-newline"),
            "{size}"
        );

        let mut file = Cursor::new(text[..size].to_vec());
        let whole = seek_whole(&mut file).unwrap();
        assert_eq!(whole, whole_size(&text[..size]));
        assert_eq!(file.position(), whole);
        file.get_mut().truncate(whole as usize);
        let mut writer = Writer::new(file);
        writer.push(&frame(9)).unwrap();
        let text = writer.finish().unwrap().into_inner();
        assert_eq!(read(&text).filter(Result::is_ok).count(), lines + 1);
    }
}

#[test]
fn the_end_of_the_whole_lines_is_found_in_large_files() {
    let tail = "x".repeat(200_000);
    for text in [
        format!("{}{tail}", line(0, SESSION)),
        tail.clone(),
        "\n".into(),
        String::new(),
    ] {
        let mut file = Cursor::new(text.as_bytes().to_vec());
        assert_eq!(seek_whole(&mut file).unwrap(), whole_size(text.as_bytes()));
    }
}

/// A disk that is full for a while.
struct Full {
    written: Vec<u8>,
    left: usize,
    writes: usize,
}

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writes += 1;
        let size = bytes.len().min(self.left);
        if size == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.left -= size;
        self.written.extend_from_slice(&bytes[..size]);
        Ok(size)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_line_that_failed_does_not_spoil_the_next() {
    let mut size = Vec::new();
    gametape_echo::echoreplay::write_frame(&frame(0), &mut size).unwrap();
    for left in [0, 1, 100, size.len() - 1] {
        let full = Full {
            written: Vec::new(),
            left,
            writes: 0,
        };
        let mut writer = Writer::new(full);
        assert!(matches!(writer.push(&frame(0)), Err(WriteError::Io(_))));
        let mut full = writer.finish().unwrap();
        full.left = usize::MAX;
        full.writes = 0;
        // The same writer would do; this one knows that nothing was written yet.
        let mut writer = Writer::new(full);
        writer.push(&frame(1)).unwrap();
        assert_eq!(writer.finish().unwrap().writes, 1, "one write a line");
    }
    let shared = std::rc::Rc::new(std::cell::RefCell::new(Full {
        written: Vec::new(),
        left: 100,
        writes: 0,
    }));
    struct Shared(std::rc::Rc<std::cell::RefCell<Full>>);
    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.borrow_mut().write(bytes)
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut writer = Writer::new(Shared(shared.clone()));
    writer.push(&frame(0)).unwrap_err();
    shared.borrow_mut().left = usize::MAX;
    writer.push(&frame(1)).unwrap();
    writer.push(&frame(2)).unwrap();
    assert_eq!(writer.frames(), 2);
    let (frames, findings) = lenient(&shared.borrow().written);
    assert_eq!(frames, [frame(1), frame(2)]);
    assert_eq!(findings.len(), 1);
}

#[test]
fn a_last_line_without_an_ending_gets_one() {
    let text = line(0, SESSION);
    let mut writer = Writer::new(Vec::new());
    for line in read(text.trim_end().as_bytes()) {
        writer.push_line(&line.unwrap()).unwrap();
    }
    assert_eq!(writer.finish().unwrap(), text.as_bytes());
}
