//! When to draw: only after a change, at most sixty times a second, never when idle. Does not draw.

use std::time::{Duration, Instant};

/// The shortest time between two frames.
pub const FRAME: Duration = Duration::from_micros(16_667);

/// Keeps frames apart.
#[derive(Debug, Clone, Copy, Default)]
pub struct FrameLimiter {
    last: Option<Instant>,
}

impl FrameLimiter {
    /// Tells how long to wait before the next frame; zero means now.
    #[must_use]
    pub fn wait(&self, now: Instant) -> Duration {
        self.last.map_or(Duration::ZERO, |last| FRAME.saturating_sub(now.saturating_duration_since(last)))
    }

    /// A frame was drawn.
    pub fn drawn(&mut self, now: Instant) {
        self.last = Some(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_frame_is_at_once_and_no_second_has_more_than_sixty() {
        let start = Instant::now();
        let mut limiter = FrameLimiter::default();
        assert_eq!(limiter.wait(start), Duration::ZERO);
        let mut frames = 0;
        for ms in 0..1000 {
            let now = start + Duration::from_millis(ms);
            if limiter.wait(now).is_zero() {
                limiter.drawn(now);
                frames += 1;
            }
        }
        assert!((50..=60).contains(&frames), "{frames}");
    }
}
