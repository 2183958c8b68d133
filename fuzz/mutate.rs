//! Makes broken inputs out of good ones.

/// What readers stumble over, put in here and there.
const TOKENS: &[&[u8]] = &[
    b"\0",
    b"\xff\xff\xff\xff",
    b"\xff\xff\xff\x7f",
    b"\x00\x00\x00\x80",
    b"-1",
    b"9223372036854775808",
    b"1e999",
    b"nan",
    b"${",
    b"}",
    b"\"",
    b"'",
    b"`",
    b"\\",
    b"\r\n",
    b"\t",
    b": ",
    b"- ",
    b"&a ",
    b"*a",
    b"<<: ",
    b"!!python/object ",
    b"[[[[[[[[",
    b"{{{{{{{{",
    b"]",
    b"\xed\xa0\x80",
    b"\xc3",
    "\u{202e}".as_bytes(),
    "\u{1f469}\u{200d}\u{1f4bb}".as_bytes(),
    "e\u{301}".as_bytes(),
    b"\x1b[31m",
    b"```",
    b"<think>",
    b"</think>",
    b"def ",
    b"class ",
    b"async ",
    b"@",
    b"is called",
    b"exactly",
    b"before",
    b"GGUF",
];

/// A source of chance: xorshift64*, as good as is needed here, and the same everywhere.
pub struct Mutator(u64);

impl Mutator {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Gives a number below `end`, 0 where there is none.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() >> 11).unwrap_or(0).checked_rem(end).unwrap_or(0)
    }

    fn range(&mut self, input: &[u8]) -> std::ops::Range<usize> {
        let start = self.below(input.len() + 1);
        let most = if self.below(4) == 0 { input.len() } else { 16 };
        start..(start + self.below(most + 1)).min(input.len())
    }

    /// Makes an input of one or two others.
    pub fn mutate(&mut self, pool: &[Vec<u8>]) -> Vec<u8> {
        let mut input = pool[self.below(pool.len())].clone();
        for _ in 0..=self.below(6) {
            let range = self.range(&input);
            match self.below(8) {
                0 => input.truncate(range.start),
                1 => drop(input.drain(range)),
                2 => {
                    let copy = input[range].to_vec();
                    let at = self.below(input.len() + 1);
                    drop(input.splice(at..at, copy));
                }
                3 => {
                    let other = &pool[self.below(pool.len())];
                    let theirs = self.range(other);
                    drop(input.splice(range, other[theirs].iter().copied()));
                }
                4 => drop(input.splice(range.start..range.start, TOKENS[self.below(TOKENS.len())].iter().copied())),
                5 => drop(input.splice(range, TOKENS[self.below(TOKENS.len())].iter().copied())),
                6 => {
                    if let Some(byte) = input.get_mut(range.start) {
                        *byte ^= 1 << self.below(8);
                    }
                }
                _ => {
                    if let Some(byte) = input.get_mut(range.start) {
                        *byte = u8::try_from(self.below(256)).unwrap_or(0);
                    }
                }
            }
        }
        input
    }
}
