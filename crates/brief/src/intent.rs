//! Whether a prompt asks for a change of the project. Questions, translations and commits need no rule about code.

use cerberus_model::word_lists;

word_lists! { "words/openings.txt": FILLERS QUESTIONS HANDOVERS HANDED_OVER }

/// The words in which a sentence says that work is handed over.
const N_HANDOVER_WORDS: usize = 4;

/// Returns whether a prompt asks for a change. Its last sentence decides: what precedes it says why.
pub(crate) fn asks_for_change(prompt: &str) -> bool {
    let mut words = Vec::new();
    for word in last_sentence(prompt).split_whitespace() {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let word = word.to_lowercase();
        if !words.is_empty() || !FILLERS.contains(word.as_str()) {
            words.push(word);
        }
    }
    words.truncate(N_HANDOVER_WORDS);
    let Some(first) = words.first() else {
        return true;
    };
    let mut hands_over = HANDOVERS.contains(first.as_str());
    for pair in words.windows(2) {
        hands_over |= HANDED_OVER.contains(pair.join(" ").as_str());
    }
    !hands_over && !QUESTIONS.contains(first.as_str())
}

/// Returns the last sentence outside of quotes.
fn last_sentence(text: &str) -> &str {
    let text = text.trim_end_matches(|c: char| !c.is_alphanumeric());
    let mut start = 0;
    let mut n_quotes = 0;
    let mut previous = ' ';
    for (at, c) in text.char_indices() {
        let is_end = matches!(previous, '.' | '!' | '?') && c.is_whitespace();
        if (is_end || c == '\n') && n_quotes % 2 == 0 {
            start = at;
        }
        n_quotes += usize::from(c == '"');
        previous = c;
    }
    text[start..].trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_sentence_decides_whether_a_change_is_asked_for() {
        for prompt in [
            "Why is the cache cold? Warm it at the start.",
            "Could we have a retry in the client",
            "the lease expires too early",
            "Add push notifications",
            "Pull the lease out of the request",
            "Count how often a lease expires",
        ] {
            assert!(asks_for_change(prompt), "{prompt}");
        }
        for prompt in [
            "Good evening! Where is the lease renewed?",
            "In which folder are the leases",
            "Translate \"Renew it. Then close it.\" to Polish, politely.",
            "fine. now commit it",
            "ok, open the pull request",
        ] {
            assert!(!asks_for_change(prompt), "{prompt}");
        }
    }
}
