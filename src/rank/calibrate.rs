//! scratch
/// w
#[derive(Debug, Clone, Copy)]
pub(crate) struct Weights { pub(crate) match_score: f64, pub(crate) size: f64, pub(crate) recency: f64 }
impl Default for Weights { fn default() -> Self { Self { match_score: 1.0, size: 0.0, recency: 0.0 } } }
impl Weights { pub(crate) fn seed() -> Self { Self { match_score: 0.6, size: 0.2, recency: 0.2 } } }
pub(crate) fn quality(m: f64, s: f64, r: f64, w: &Weights) -> f64 { w.match_score * m + w.size * s + w.recency * r }
