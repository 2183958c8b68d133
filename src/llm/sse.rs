//! Server-sent events out of bytes that arrive cut anywhere, in time that grows with their number alone.
//!
//! Reads what model servers use: `data` lines, comments, blank lines, and the lines `error: …` of llama.cpp's server, which are an event
//! with an error. Event names, ids and retry times are skipped.

/// Turns bytes into the data of events.
#[derive(Debug, Default)]
pub(crate) struct Events {
    line: Vec<u8>,
    data: Option<String>,
    after_return: bool,
}

/// A line that is not UTF-8.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it is not UTF-8")]
pub(crate) struct NotUtf8;

impl Events {
    /// Takes more bytes in and gives the data of each event that is complete now.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Result<Vec<String>, NotUtf8> {
        let mut complete = Vec::new();
        for &byte in bytes {
            // A line ends with LF, CR or CRLF.
            let second_of_pair = byte == b'\n' && self.after_return;
            self.after_return = byte == b'\r';
            match byte {
                b'\n' if second_of_pair => {}
                b'\n' | b'\r' => complete.extend(self.end_line()?),
                byte => self.line.push(byte),
            }
        }
        Ok(complete)
    }

    fn end_line(&mut self) -> Result<Option<String>, NotUtf8> {
        let line = std::mem::take(&mut self.line);
        let line = std::str::from_utf8(&line).map_err(|_| NotUtf8)?;
        if line.is_empty() {
            return Ok(self.data.take());
        }
        if let Some(value) = line.strip_prefix("data") {
            let value = match value.strip_prefix(':') {
                Some(value) => value.strip_prefix(' ').unwrap_or(value),
                None if value.is_empty() => value,
                None => return Ok(None),
            };
            match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.data = Some(value.to_owned()),
            }
        }
        if let Some(value) = line.strip_prefix("error:") {
            let value = value.trim();
            let is_json = serde_json::from_str::<serde::de::IgnoredAny>(value).is_ok();
            let value = if is_json { value.to_owned() } else { serde_json::Value::from(value).to_string() };
            self.data = Some(format!("{{\"error\":{value}}}"));
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const STREAM: &str =
        ": hello\n\ndata: one\n\nevent: x\r\ndata:two\r\nid: 7\r\ndata: lines\r\n\r\ndata\r\rdatabase: no\n\ndata:  漢字 🎉\n\n";

    #[test]
    fn every_form_of_line_is_read() {
        assert_eq!(Events::default().feed(STREAM.as_bytes()).unwrap(), ["one", "two\nlines", "", " 漢字 🎉"]);
    }

    #[test]
    fn a_line_with_an_error_is_an_event_with_one() {
        let feed = |text: &str| Events::default().feed(text.as_bytes()).unwrap();
        assert_eq!(feed("data: a\n\nerror: {\"code\":500}\n\n"), ["a", "{\"error\":{\"code\":500}}"]);
        assert_eq!(feed("error: out of memory\n\n"), ["{\"error\":\"out of memory\"}"]);
        assert!(feed("event: error\n\nerrors: x\n\n").is_empty());
    }

    #[test]
    fn an_unfinished_event_waits() {
        let mut events = Events::default();
        assert!(events.feed(b"data: half").unwrap().is_empty());
        assert!(events.feed(b"\n").unwrap().is_empty());
        assert_eq!(events.feed(b"\n").unwrap(), ["half"]);
        assert_eq!(events.feed(b"data: \xff\n\n"), Err(NotUtf8));
    }

    proptest! {
        #[test]
        fn it_does_not_matter_where_the_bytes_are_cut(cuts in proptest::collection::vec(0..STREAM.len(), 0..12)) {
            let mut cuts = cuts;
            cuts.sort_unstable();
            let mut events = Events::default();
            let mut found = Vec::new();
            let mut start = 0;
            for cut in cuts.into_iter().chain([STREAM.len()]) {
                found.extend(events.feed(&STREAM.as_bytes()[start..cut]).unwrap());
                start = cut;
            }
            prop_assert_eq!(found, ["one", "two\nlines", "", " 漢字 🎉"]);
        }
    }
}
