//! Whether memory has grown: a line through the second half of the samples.

use crate::Error;

/// By how much the line rises from half-time to the end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Growth {
    pub(super) bytes: f64,
    /// Of the mean.
    pub(super) part: f64,
}

/// From pairs of seconds and bytes.
pub(super) fn growth(samples: &[(f64, u64)]) -> Growth {
    let half: Vec<(f64, f64)> = samples
        .iter()
        .skip(samples.len() / 2)
        .map(|&(seconds, bytes)| (seconds, kibibytes(bytes) * 1024.0))
        .collect();
    let count = half.iter().map(|_| 1.0).sum::<f64>();
    let mean = |of: fn(&(f64, f64)) -> f64| half.iter().map(of).sum::<f64>() / count;
    let (time, bytes) = (mean(|sample| sample.0), mean(|sample| sample.1));
    let (mut covariance, mut variance) = (0.0, 0.0);
    for (seconds, value) in &half {
        covariance += (seconds - time) * (value - bytes);
        variance += (seconds - time).powi(2);
    }
    let length = match (half.first(), half.last()) {
        (Some(first), Some(last)) => last.0 - first.0,
        _ => 0.0,
    };
    let rise = if variance > 0.0 { covariance / variance * length } else { 0.0 };
    Growth { bytes: rise, part: rise / bytes }
}

impl Growth {
    /// Flat within what an allocator does: 3 % or 1 MiB.
    pub(super) fn judge(self) -> Result<(), Error> {
        if self.bytes > f64::from(1 << 20) && self.part > 0.03 {
            return Err("memory grows".into());
        }
        Ok(())
    }
}

/// Whole ones: memory is resident by pages.
fn kibibytes(bytes: u64) -> f64 {
    f64::from(u32::try_from(bytes / 1024).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_leak_of_three_percent_is_seen_and_noise_is_not() {
        let samples = |leak: u64| -> Vec<(f64, u64)> {
            (0..600_u32)
                .map(|second| {
                    let noise = u64::from(second * 7919 % 13) << 16;
                    (f64::from(second), (50 << 20) + noise + u64::from(second) * leak)
                })
                .collect()
        };
        assert!(growth(&samples(0)).judge().is_ok());
        // 2 MiB in 300 s, and the same the other way.
        let leak = (2 << 20) / 300;
        let grown = growth(&samples(leak));
        assert!((grown.bytes / f64::from(1 << 20) - 2.0).abs() < 0.1, "{grown:?}");
        assert!(grown.judge().is_err());
        assert!(growth(&[]).judge().is_ok());
    }
}
