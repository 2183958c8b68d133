//! Damaged and hostile files: each is refused with a sentence, before anything is believed.

use proptest::prelude::*;

use super::*;

struct Writer(Vec<u8>);

impl Writer {
    fn text(mut self, text: &str) -> Self {
        self.0.extend((text.len() as u64).to_le_bytes());
        self.0.extend(text.as_bytes());
        self
    }

    fn u32(mut self, number: u32) -> Self {
        self.0.extend(number.to_le_bytes());
        self
    }

    fn u64(mut self, number: u64) -> Self {
        self.0.extend(number.to_le_bytes());
        self
    }

    fn key(self, key: &str, value: u32) -> Self {
        self.text(key).u32(kind::U32).u32(value)
    }
}

/// A model of one tensor of eight by four numbers.
fn model() -> Vec<u8> {
    model_with(|writer| writer.key("tokenizer.ggml.eos_token_id", 1), |writer| writer.u32(2).u64(8).u64(4).u32(0).u64(0))
}

fn model_with(more: impl Fn(Writer) -> Writer, tensor: impl Fn(Writer) -> Writer) -> Vec<u8> {
    let head = Writer(b"GGUF".to_vec()).u32(3).u64(1).u64(7);
    let head = head.text("general.architecture").u32(kind::STRING).text("llama");
    let head = head.key("llama.context_length", 512).key("llama.block_count", 2).key("llama.embedding_length", 8);
    let head = head.key("llama.attention.head_count", 2);
    let head = head.text("tokenizer.ggml.tokens").u32(kind::ARRAY).u32(kind::STRING).u64(2).text("a").text("b");
    let mut bytes = tensor(more(head).text("token_embd.weight")).0;
    bytes.resize(bytes.len().next_multiple_of(32) + 128, 0);
    bytes
}

fn read(bytes: &[u8]) -> Result<Gguf, String> {
    match Head::read(bytes, bytes.len() as u64) {
        Ok(gguf) => Ok(gguf),
        Err(Wrong::Form(why)) => Err(why),
        Err(Wrong::Io(error)) => Err(error.to_string()),
    }
}

#[test]
fn a_whole_model_is_described() {
    let bytes = model();
    let gguf = read(&bytes).unwrap();
    assert_eq!((gguf.architecture.as_str(), gguf.context, gguf.bytes), ("llama", 512, bytes.len() as u64));
    assert_eq!(gguf.per_token, 2 * 2 * 4 * 4, "two layers, two heads of four values, keys and values of two bytes");
}

#[test]
fn a_file_cut_anywhere_is_refused() {
    let bytes = model();
    for end in 0..bytes.len() {
        assert!(read(&bytes[..end]).is_err(), "{end} of {} bytes", bytes.len());
    }
}

#[test]
fn what_a_loader_would_believe_is_refused() {
    let plain = |writer: Writer| writer.key("x", 1);
    let tensor = |writer: Writer| writer.u32(2).u64(8).u64(4).u32(0).u64(0);
    for (said, bytes) in [
        ("no token of it", model_with(|writer| writer.key("tokenizer.ggml.bos_token_id", 2), tensor)),
        (
            "does not fit the vocabulary",
            model_with(|w| w.text("tokenizer.ggml.scores").u32(kind::ARRAY).u32(kind::F32).u64(1).u32(0), tensor),
        ),
        (
            "items of another type",
            model_with(|w| w.text("tokenizer.ggml.token_type").u32(kind::ARRAY).u32(0).u64(2).u64(0), tensor),
        ),
        ("claims to have", model_with(|w| w.text("x").u32(kind::ARRAY).u32(kind::U32).u64(u64::MAX), tensor)),
        ("unknown type 9", model_with(|w| w.text("x").u32(kind::ARRAY).u32(kind::ARRAY).u64(1).u64(1).u64(1), tensor)),
        ("twice", model_with(|w| w.key("llama.block_count", 3), tensor)),
        ("impossible sizes", model_with(plain, |w| w.u32(2).u64(1 << 62).u64(4).u32(0).u64(0))),
        ("impossible sizes", model_with(plain, |w| w.u32(2).u64(8).u64(4).u32(8).u64(0))),
        ("unknown type 99", model_with(plain, |w| w.u32(2).u64(8).u64(4).u32(99).u64(0))),
        ("5 dimensions", model_with(plain, |w| w.u32(5).u64(1).u64(1).u64(1).u64(1).u64(1).u32(0).u64(0))),
        ("not aligned", model_with(plain, |w| w.u32(2).u64(8).u64(4).u32(0).u64(1))),
        ("not whole", model_with(plain, |w| w.u32(2).u64(8).u64(4).u32(0).u64(32))),
        ("beyond all files", model_with(plain, |w| w.u32(2).u64(8).u64(4).u32(0).u64(u64::MAX - 31))),
    ] {
        let error = read(&bytes).unwrap_err();
        assert!(error.contains(said), "{said}: {error}");
    }
}

/// One kind of damage each: what is said of it, and the file.
fn damaged() -> Vec<(&'static str, Vec<u8>)> {
    let plain = |writer: Writer| writer.key("x", 1);
    let tensor = |writer: Writer| writer.u32(2).u64(8).u64(4).u32(0).u64(0);
    let head = |version: u32, tensors: u64, keys: u64| Writer(b"GGUF".to_vec()).u32(version).u64(tensors).u64(keys);
    let padded = |writer: Writer| {
        let mut bytes = writer.0;
        bytes.resize(4096, 0);
        bytes
    };
    let swapped = |from: &str, to: &str| {
        let (mut bytes, from, to) = (model(), from.as_bytes(), to.as_bytes());
        let at = bytes.windows(from.len()).position(|part| part == from).unwrap();
        bytes[at..at + from.len()].copy_from_slice(to);
        bytes
    };
    let with = |more: fn(Writer) -> Writer| model_with(more, tensor);
    let of_tensor = |tensor: fn(Writer) -> Writer| model_with(plain, tensor);
    vec![
        ("it ends in the middle", Vec::new()),
        ("it ends in the middle", b"GGU".to_vec()),
        ("no GGUF file", b"ggml\0\0\0\0".to_vec()),
        ("no GGUF file", b"PK\x03\x04 a zip".to_vec()),
        ("no GGUF file", b"\x80\x04\x95 a pickle".to_vec()),
        ("version 1,", padded(head(1, 1, 1))),
        ("version 50331648", padded(head(3_u32.swap_bytes(), 1, 1))),
        ("no tensors", padded(head(3, 0, 0))),
        ("claims to have 18446744073709551615 tensors", padded(head(3, u64::MAX, 1))),
        ("claims to have 4294967296 keys", padded(head(3, 1, 1 << 32))),
        ("claims to have 9223372036854775808 bytes", padded(head(3, 1, 1).u64(1 << 63))),
        ("it ends in the middle", padded(head(3, 1, 1).u64(200).u64(0))[..100].to_vec()),
        ("unknown type 13", with(|w| w.text("x").u32(13).u64(0))),
        ("unknown type 4294967295", with(|w| w.text("x").u32(u32::MAX).u64(0))),
        ("neither true nor false", with(|w| w.text("x").u32(kind::BOOL).u32(2))),
        ("claims to have 1048577 bytes", with(|w| w.text("x").u32(kind::STRING).u64((1 << 20) + 1))),
        ("items of an array", with(|w| w.text("x").u32(kind::ARRAY).u32(kind::STRING).u64(1 << 25))),
        ("is missing or impossible", swapped("llama.context_length", "llama.context_lengtg")),
        ("is missing or impossible", swapped("llama.block_count", "llama.block_counu")),
        ("is missing or impossible", swapped("llama.embedding_length", "llama.embedding_lengti")),
        ("does not say what it is", swapped("general.architecture", "general.architecturf")),
        ("no vocabulary", swapped("tokenizer.ggml.tokens", "tokenizer.ggml.tokent")),
        ("stands in it twice", with(|w| w.text("general.architecture").u32(kind::STRING).text("x"))),
        ("aligned to 3", with(|w| w.key("general.alignment", 3))),
        ("aligned to 0", with(|w| w.key("general.alignment", 0))),
        ("aligned to 1073741824", with(|w| w.key("general.alignment", 1 << 30))),
        ("0 dimensions", of_tensor(|w| w.u32(0).u64(8).u64(4).u32(0).u64(0))),
        ("4294967295 dimensions", of_tensor(|w| w.u32(u32::MAX).u64(8).u64(4).u32(0).u64(0))),
        ("impossible sizes", of_tensor(|w| w.u32(2).u64(0).u64(4).u32(0).u64(0))),
        ("impossible sizes", of_tensor(|w| w.u32(4).u64(1 << 16).u64(1 << 16).u64(1 << 16).u64(1 << 16).u32(0).u64(0))),
        ("unknown type 4", of_tensor(|w| w.u32(2).u64(8).u64(4).u32(4).u64(0))),
        ("not aligned", of_tensor(|w| w.u32(2).u64(8).u64(4).u32(0).u64(31))),
        ("not whole", of_tensor(|w| w.u32(2).u64(1 << 20).u64(4).u32(0).u64(0))),
        ("beyond all files", of_tensor(|w| w.u32(2).u64(8).u64(4).u32(0).u64(u64::MAX - 63))),
        ("no token of it", with(|w| w.key("tokenizer.ggml.padding_token_id", u32::MAX))),
        ("no token of it", with(|w| w.text("tokenizer.ggml.unknown_token_id").u32(kind::STRING).text("a"))),
    ]
}

#[test]
fn each_kind_of_damage_is_told_in_a_sentence() {
    let all = damaged();
    assert!(all.len() >= 25, "{}", all.len());
    for (said, bytes) in all {
        let error = read(&bytes).err().unwrap_or_else(|| panic!("{said}: it is taken"));
        assert!(error.contains(said) && error.len() < 200 && !error.contains(['\n', '\0']), "{said}: {error}");
    }
}

/// Gives a head without an end, made while it is read: each of its keys holds the largest text there may be.
struct Endless {
    start: Vec<u8>,
    at: usize,
    given: u64,
}

impl Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let key = |number: u64| Writer(Vec::new()).text(&format!("x{number:07}")).u32(kind::STRING).u64(STRING_MAX).0;
        let of_each = key(0).len() as u64 + STRING_MAX;
        if self.at < self.start.len() {
            let length = buffer.len().min(self.start.len() - self.at);
            buffer[..length].copy_from_slice(&self.start[self.at..self.at + length]);
            self.at += length;
            return Ok(length);
        }
        let (number, inside) = (self.given / of_each, self.given % of_each);
        let head = key(number);
        let inside = usize::try_from(inside).unwrap();
        let length = if inside < head.len() {
            let length = buffer.len().min(head.len() - inside);
            buffer[..length].copy_from_slice(&head[inside..inside + length]);
            length
        } else {
            let length = buffer.len().min(usize::try_from(of_each).unwrap() - inside);
            buffer[..length].fill(b'x');
            length
        };
        self.given += length as u64;
        Ok(length)
    }
}

#[test]
fn a_head_without_an_end_is_not_read_to_its_end_and_its_texts_are_not_kept() {
    let start = Writer(b"GGUF".to_vec()).u32(3).u64(1).u64(KEYS_MAX).0;
    let mut endless = Endless { start, at: 0, given: 0 };
    let error = match Head::read(&mut endless, 1 << 40) {
        Err(Wrong::Form(why)) => why,
        other => panic!("{other:?}"),
    };
    assert!(error.contains("larger than 256 MiB"), "{error}");
    assert!(endless.given <= HEAD_MAX, "{} bytes were read", endless.given);
}

#[test]
fn what_is_no_model_is_said_so_in_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.gguf");
    std::fs::write(&path, "<html>").unwrap();
    let said = Gguf::read(&path).unwrap_err().to_string();
    assert!(said.contains("is no model that can be loaded: it is no GGUF file. Get it again"), "{said}");
    assert!(Gguf::read(folder.path()).unwrap_err().to_string().contains("is no file"));
    assert!(Gguf::read(&folder.path().join("none")).unwrap_err().to_string().contains("cannot be read"));
}

proptest! {
    #[test]
    fn no_bytes_break_the_reader(changes in prop::collection::vec((0_usize..600, any::<u8>()), 1..12), cut in 0_usize..4) {
        let mut bytes = model();
        let length = bytes.len();
        for (at, byte) in changes {
            bytes[at % length] = byte;
        }
        if cut == 0 {
            bytes.truncate(length / 2);
        }
        // An answer, whichever: no panic, no endless work, no room taken for what is only claimed.
        let _ = read(&bytes);
    }
}
