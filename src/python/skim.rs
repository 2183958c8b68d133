//! Marshal data checked without building anything of it: for records that are passed on as they are.

use crate::python::marshal::{DEPTH_MAX, DecodeError};

/// What still belongs to an open container: this many values, or a dict's next key or value.
#[derive(Clone, Copy)]
enum Open {
    Values(u32),
    Key,
    Value,
}

/// Checks that bytes are one whole value in the form that [`crate::python::marshal::decode`] reads.
///
/// # Errors
/// When they are not.
pub fn skim(bytes: &[u8]) -> Result<(), DecodeError> {
    let mut open = [Open::Values(0); DEPTH_MAX + 2];
    let mut depth = 0;
    let mut at = 0;
    open[0] = Open::Values(1);
    loop {
        // What is complete is closed, and counts as one value of what is around it.
        while let Open::Values(0) = open[depth] {
            if depth == 0 {
                return if at < bytes.len() { Err(DecodeError::Trailing(at)) } else { Ok(()) };
            }
            depth -= 1;
            open[depth] = taken(open[depth]);
        }
        let code = *bytes.get(at).ok_or(DecodeError::Truncated(at))?;
        at += 1;
        let inner = match code {
            b'N' | b'T' | b'F' | b'S' | b'.' => None,
            b'i' => skip(bytes, &mut at, 4)?,
            b'g' => skip(bytes, &mut at, 8)?,
            b'y' => skip(bytes, &mut at, 16)?,
            b'l' => {
                let digits = length(bytes, &mut at)?.unsigned_abs();
                skip(bytes, &mut at, digits as usize * 2)?
            }
            b's' | b'u' => {
                let size = usize::try_from(length(bytes, &mut at)?).map_err(|_| DecodeError::Truncated(at))?;
                skip(bytes, &mut at, size)?
            }
            b'(' | b'[' | b'<' | b'>' => {
                let items = u32::try_from(length(bytes, &mut at)?).map_err(|_| DecodeError::Truncated(at))?;
                Some(Open::Values(items))
            }
            b'{' => Some(Open::Key),
            b'0' if matches!(open[depth], Open::Key) => {
                open[depth] = Open::Values(0);
                continue;
            }
            code => return Err(DecodeError::Code { code, at: at - 1 }),
        };
        match inner {
            None => open[depth] = taken(open[depth]),
            Some(_) if depth > DEPTH_MAX => return Err(DecodeError::TooDeep),
            Some(inner) => {
                depth += 1;
                open[depth] = inner;
            }
        }
    }
}

fn taken(open: Open) -> Open {
    match open {
        Open::Values(left) => Open::Values(left.saturating_sub(1)),
        Open::Key => Open::Value,
        Open::Value => Open::Key,
    }
}

fn length(bytes: &[u8], at: &mut usize) -> Result<i32, DecodeError> {
    let four = bytes.get(*at..).and_then(<[u8]>::first_chunk).ok_or(DecodeError::Truncated(*at))?;
    *at += 4;
    Ok(i32::from_le_bytes(*four))
}

fn skip(bytes: &[u8], at: &mut usize, count: usize) -> Result<Option<Open>, DecodeError> {
    if count > bytes.len() - *at {
        return Err(DecodeError::Truncated(*at));
    }
    *at += count;
    Ok(None)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::python::marshal::decode;

    proptest! {
        #[test]
        fn what_is_read_passes_and_what_does_not_pass_is_not_read(bytes in proptest::collection::vec(
            proptest::sample::select(b"NFTS.ilgyus([{<>0\x00\x01\x02".to_vec()), 0..60)) {
            // Decoding has limits of its own on size and text, so it may refuse what has the right form.
            if decode(&bytes).is_ok() {
                prop_assert_eq!(skim(&bytes), Ok(()));
            }
            if skim(&bytes).is_err() {
                prop_assert!(decode(&bytes).is_err());
            }
        }
    }

    #[test]
    fn containers_end_where_they_say() {
        assert_eq!(skim(b"(\x02\x00\x00\x00N{i\x01\x00\x00\x00[\x00\x00\x00\x000"), Ok(()));
        assert_eq!(skim(b"(\x02\x00\x00\x00N"), Err(DecodeError::Truncated(6)));
        assert_eq!(skim(b"NN"), Err(DecodeError::Trailing(1)));
        assert_eq!(skim(b"{N0"), Err(DecodeError::Code { code: b'0', at: 2 }), "a key without its value");
        assert_eq!(skim(&b"[\x01\x00\x00\x00".repeat(DEPTH_MAX + 2)), Err(DecodeError::TooDeep));
        assert_eq!(skim(b"u\xff\xff\xff\x7f"), Err(DecodeError::Truncated(5)));
    }
}
