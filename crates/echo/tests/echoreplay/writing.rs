//! Writers that are stopped.

use std::cell::RefCell;
use std::io::{self, Cursor, Write};
use std::rc::Rc;

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
        let lines = memchr::memchr_iter(b'\n', &text[..size]).count();
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
        assert_eq!(read(&text).map(Result::unwrap).count(), lines + 1);
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
#[derive(Default)]
struct Disk {
    written: Vec<u8>,
    left: usize,
    writes: usize,
}

#[derive(Clone, Default)]
struct Shared(Rc<RefCell<Disk>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut disk = self.0.borrow_mut();
        disk.writes += 1;
        let size = bytes.len().min(disk.left);
        if size == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        disk.left -= size;
        disk.written.extend_from_slice(&bytes[..size]);
        Ok(size)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_line_that_failed_does_not_spoil_the_next() {
    for left in [0, 1, 10, 24, 100] {
        let disk = Shared::default();
        disk.0.borrow_mut().left = left;
        let mut writer = Writer::new(disk.clone());
        assert!(matches!(writer.push(&frame(0)), Err(WriteError::Io(_))));
        disk.0.borrow_mut().left = usize::MAX;
        disk.0.borrow_mut().writes = 0;
        writer.push(&frame(1)).unwrap();
        writer.push(&frame(2)).unwrap();
        assert_eq!(writer.frames(), 2);
        assert_eq!(disk.0.borrow().writes, 2, "one write a line");
        let (frames, findings) = lenient(&disk.0.borrow().written);
        assert_eq!(frames, [frame(1), frame(2)]);
        assert_eq!(findings.len(), 1);
    }
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
