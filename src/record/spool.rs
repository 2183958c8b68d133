//! One spool file: read while it grows, to its last whole record.
//!
//! Knows frames, not what records mean. Nothing is kept between two readings but the place: what was half
//! written at one reading is read again from the disk at the next.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::domain::gap::GapKind;
use crate::python::marshal::DecodeError;

/// Read at once, where records keep coming.
const CHUNK: usize = 1 << 20;
/// Read at first: most of the time nothing was added, and what lies behind the last record are zeros.
const LOOK: usize = 1 << 12;
/// No recorder writes a record past this.
const RECORD_MAX: usize = 16 << 20;
/// Before a record: its length.
const HEAD: usize = 4;

/// Takes in one record.
pub(super) type Take<'a> = dyn FnMut(&[u8]) -> Result<(), DecodeError> + 'a;

/// A spool file and how far it was read.
#[derive(Debug)]
pub struct Tail {
    file: File,
    path: PathBuf,
    offset: u64,
    doubtful: Option<u64>,
    over: bool,
}

impl Tail {
    /// Opens a file; nothing is read yet.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Self { file: File::open(path)?, path: path.to_owned(), offset: 0, doubtful: None, over: false })
    }

    /// Gives the file's path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives the bytes read so far.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Reads the whole records that were added since the last time, at most about `budget` bytes of them. `record` fails
    /// when the bytes are no marshal data, and is then given them once more later. `last` says that no more will come: then
    /// what is left over is reported as a gap.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(super) fn read(
        &mut self,
        budget: u64,
        last: bool,
        record: &mut Take<'_>,
        gap: &mut dyn FnMut(GapKind),
    ) -> io::Result<()> {
        let end = self.offset.saturating_add(budget);
        let mut window = Window::default();
        while !self.over && self.offset < end {
            if !window.holds(HEAD, &self.file, self.offset)? {
                if last && window.rest().iter().any(|byte| *byte != 0) {
                    gap(GapKind::RecordCut);
                }
                break;
            }
            let length = window.rest().first_chunk().map_or(0, |head| u32::from_le_bytes(*head) as usize);
            if length == 0 {
                // A length is written after its record: without one, what is there is half of one.
                if last && window.rest().iter().any(|byte| *byte != 0) {
                    gap(GapKind::RecordCut);
                }
                break;
            }
            if length > RECORD_MAX {
                if last || self.doubtful == Some(self.offset) {
                    gap(GapKind::SpoolDamaged);
                    self.over = true;
                }
                self.doubtful = Some(self.offset);
                break;
            }
            if !window.holds(HEAD + length, &self.file, self.offset)? {
                if last {
                    gap(GapKind::RecordCut);
                }
                break;
            }
            match record(&window.rest()[HEAD..HEAD + length]) {
                Ok(()) => {}
                // It may be half written: it gets a second reading before it is passed over.
                Err(_) if !last && self.doubtful != Some(self.offset) => {
                    self.doubtful = Some(self.offset);
                    break;
                }
                Err(_) => gap(GapKind::RecordUnreadable),
            }
            window.at += HEAD + length;
            self.offset += (HEAD + length) as u64;
        }
        Ok(())
    }
}

/// The part of a file around the place that is being read.
struct Window {
    bytes: Vec<u8>,
    at: usize,
    look: usize,
}

impl Default for Window {
    fn default() -> Self {
        Self { bytes: Vec::new(), at: 0, look: LOOK }
    }
}

impl Window {
    fn rest(&self) -> &[u8] {
        &self.bytes[self.at..]
    }

    /// Reads on until `wanted` bytes from `offset` are there; `false` when the file does not have them.
    fn holds(&mut self, wanted: usize, mut file: &File, offset: u64) -> io::Result<bool> {
        if self.rest().len() < wanted {
            self.bytes.drain(..self.at);
            self.at = 0;
            file.seek(SeekFrom::Start(offset + self.bytes.len() as u64))?;
            let missing = wanted.max(self.look) - self.bytes.len();
            file.take(missing as u64).read_to_end(&mut self.bytes)?;
            self.look = (self.look * 4).min(CHUNK);
        }
        Ok(self.rest().len() >= wanted)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::python::marshal::{Tree, Writer, decode};

    fn frame(number: i64, text: &str) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.tuple(2);
        writer.int(number);
        writer.str(text);
        let body = writer.finish();
        [u32::try_from(body.len()).unwrap().to_le_bytes().to_vec(), body].concat()
    }

    fn read(tail: &mut Tail, last: bool) -> (Vec<i64>, Vec<GapKind>) {
        let (mut numbers, mut gaps) = (Vec::new(), Vec::new());
        let mut record = |bytes: &[u8]| {
            let Tree::Tuple(items) = decode(bytes)? else { panic!("not a tuple") };
            let Tree::Int(number) = items[0] else { panic!("not a number") };
            numbers.push(number);
            Ok(())
        };
        tail.read(u64::MAX, last, &mut record, &mut |gap| gaps.push(gap)).unwrap();
        (numbers, gaps)
    }

    fn file(bytes: &[u8]) -> (tempfile::TempDir, Tail) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("1-0.spool");
        std::fs::write(&path, bytes).unwrap();
        let tail = Tail::open(&path).unwrap();
        (folder, tail)
    }

    #[test]
    fn a_file_cut_at_any_byte_yields_everything_before_the_cut_and_one_gap() {
        let frames = [frame(1, "a"), frame(2, "bb"), frame(3, &"c".repeat(300))];
        let whole = frames.concat();
        let ends: Vec<usize> = frames
            .iter()
            .scan(0, |sum, frame| {
                *sum += frame.len();
                Some(*sum)
            })
            .collect();
        for cut in 0..=whole.len() {
            let (_folder, mut tail) = file(&whole[..cut]);
            let before = ends.iter().filter(|end| **end <= cut).count();
            let (numbers, gaps) = read(&mut tail, true);
            assert_eq!(numbers.len(), before, "cut at {cut}");
            let boundary = cut == 0 || ends.contains(&cut);
            assert_eq!(gaps, if boundary { vec![] } else { vec![GapKind::RecordCut] }, "cut at {cut}");
        }
    }

    #[test]
    fn a_growing_file_is_read_record_by_record() {
        let whole: Vec<u8> = (0..5).flat_map(|number| frame(number, "x")).collect();
        let (_folder, mut tail) = file(&[]);
        let mut writer = std::fs::OpenOptions::new().append(true).open(tail.path()).unwrap();
        let mut seen = Vec::new();
        for byte in whole {
            writer.write_all(&[byte]).unwrap();
            let (numbers, gaps) = read(&mut tail, false);
            assert_eq!(gaps, []);
            seen.extend(numbers);
        }
        assert_eq!(seen, [0, 1, 2, 3, 4]);
        assert_eq!(read(&mut tail, true), (vec![], vec![]));
    }

    #[test]
    fn a_length_of_zero_ends_the_file() {
        let (_folder, mut tail) = file(&[frame(1, "a"), vec![0; 4096]].concat());
        assert_eq!(read(&mut tail, true), (vec![1], vec![]));
    }

    #[test]
    fn room_that_was_reserved_is_not_yet_written_and_half_a_record_is_a_gap() {
        let reserved = |written: &[u8]| [written, &vec![0; (1 << 16) - written.len()]].concat();
        let (first, second) = (frame(1, "a"), frame(2, &"b".repeat(9000)));
        let whole = [first.clone(), second.clone()].concat();
        let without_length = |bytes: usize| {
            let mut half = whole[..first.len() + HEAD + bytes].to_vec();
            half[first.len()..first.len() + HEAD].fill(0);
            reserved(&half)
        };
        for bytes in [1, 5, second.len() - HEAD] {
            let (_folder, mut tail) = file(&without_length(bytes));
            assert_eq!(read(&mut tail, false), (vec![1], vec![]), "{bytes} bytes of the second");
            std::fs::write(tail.path(), reserved(&whole)).unwrap();
            assert_eq!(read(&mut tail, false), (vec![2], vec![]), "its length came last");
            assert_eq!(read(&mut tail, true), (vec![], vec![]));
            let (_folder, mut tail) = file(&without_length(bytes));
            assert_eq!(read(&mut tail, true), (vec![1], vec![GapKind::RecordCut]), "{bytes} bytes of the second");
        }
    }

    #[test]
    fn a_damaged_record_is_passed_over_after_a_second_reading() {
        let mut damaged = frame(2, "b");
        damaged[4] = b'?';
        let (_folder, mut tail) = file(&[frame(1, "a"), damaged, frame(3, "c")].concat());
        assert_eq!(read(&mut tail, false), (vec![1], vec![]));
        assert_eq!(read(&mut tail, false), (vec![3], vec![GapKind::RecordUnreadable]));
    }

    #[test]
    fn a_senseless_length_loses_the_rest_of_the_file_only() {
        let (_folder, mut tail) = file(&[frame(1, "a"), vec![0xff; 40]].concat());
        assert_eq!(read(&mut tail, false), (vec![1], vec![]), "it may be half written");
        assert_eq!(read(&mut tail, false), (vec![], vec![GapKind::SpoolDamaged]));
        assert_eq!(read(&mut tail, true), (vec![], vec![]), "it is said once");
    }

    #[test]
    fn a_record_larger_than_one_reading_is_read() {
        let (_folder, mut tail) = file(&[frame(1, &"x".repeat(3 * CHUNK)), frame(2, "b")].concat());
        assert_eq!(read(&mut tail, false), (vec![1, 2], vec![]));
    }
}
