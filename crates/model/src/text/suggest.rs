//! "Did you mean" suggestions.

/// Maximum number of characters of a name for which there are suggestions: comparing takes quadratic time.
const MAX_CHARS: usize = 200;

/// Returns the candidate most similar to `name`, if it is similar enough to be a suggestion.
pub fn suggest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Jaro-Winkler favours a shared prefix, which people remember best of an id; 0.75
    // admits a transposition or two in a short word and rejects unrelated ones.
    const MIN_SIMILARITY: f64 = 0.75;
    let wanted = name.to_lowercase();
    let n_chars = wanted.chars().count();
    if n_chars == 0 || n_chars > MAX_CHARS {
        return None;
    }
    let mut best: Option<(f64, &str)> = None;
    for candidate in candidates {
        let lower = candidate.to_lowercase();
        let mut similarity = strsim::jaro_winkler(&wanted, &lower);
        // The user may have typed a prefix instead of the full name. Of so few letters, the same ones in another
        // order are not enough.
        let prefix: String = lower.chars().take(n_chars).collect();
        if strsim::osa_distance(&wanted, &prefix) * 3 <= n_chars {
            similarity = similarity.max(strsim::jaro_winkler(&wanted, &prefix));
        }
        if similarity >= MIN_SIMILARITY && best.is_none_or(|(most, _)| similarity > most) {
            best = Some((similarity, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Returns the candidate of which `word` is probably a typo: at most one letter in four is
/// wrong, missing, doubled or swapped. Stricter than [`suggest`].
pub fn closest_match<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let max_distance = word.chars().count() / 4;
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let found = (strsim::osa_distance(word, candidate), candidate);
        if (1..=max_distance).contains(&found.0) && best.is_none_or(|best| found < best) {
            best = Some(found);
        }
    }
    best.map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggest_accepts_typos_and_rejects_unrelated_names() {
        let ids = ["close-sessions", "hash-passwords"];
        assert_eq!(suggest("close-sesions", ids), Some("close-sessions"));
        assert_eq!(suggest("HASH-password", ids), Some("hash-passwords"));
        assert_eq!(suggest("clsoe", ids), Some("close-sessions"));
        assert_eq!(suggest("qqq", ids), None);
        assert_eq!(suggest("redact", ["create-files-if-needed"]), None);
        let long = "close".repeat(MAX_CHARS / 5);
        assert_eq!(
            suggest(&long, [&*format!("{long}s")]).map(str::len),
            Some(MAX_CHARS + 1)
        );
        assert_eq!(suggest(&format!("{long}s"), [&*long]), None);
    }

    #[test]
    fn closest_match_accepts_typos_only() {
        let words = ["release", "close", "tags", "seven"];
        assert_eq!(closest_match("relaese", words), Some("release"));
        assert_eq!(closest_match("closed", words), Some("close"));
        assert_eq!(closest_match("release", ["release"]), None, "it is right");
        assert_eq!(closest_match("and", words), None);
        assert_eq!(closest_match("never", words), None);
    }
}
