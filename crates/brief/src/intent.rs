//! What a prompt asks for. Questions, translations and commits need no rule about code.

use cerberus_model::word_lists;

word_lists! {
    "words/openings.txt":
    FILLERS QUESTIONS READINGS POLITE NORMS HANDOVERS HANDED_OVER
}

/// The words in which a sentence says that work is handed over.
const N_HANDOVER_WORDS: usize = 4;

/// What a prompt asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Intent {
    /// A change of the project.
    Change,
    /// An answer that a rule may give, or a commit.
    Answer,
    /// A text about something: a translation, or what code does. No rule concerns it.
    Reading,
}

impl Intent {
    /// Reads a prompt. Its last sentence decides: what precedes it says why.
    pub(crate) fn of(prompt: &str) -> Self {
        let sentence = last_sentence(prompt);
        let mut words = Vec::new();
        for word in sentence.split_whitespace() {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric());
            let word = word.to_lowercase();
            if !words.is_empty() || !FILLERS.contains(word.as_str()) {
                words.push(word);
            }
        }
        let Some(first) = words.first() else {
            return Self::Change;
        };
        let mut after_polite = words
            .iter()
            .skip_while(|word| POLITE.contains(word.as_str()));
        if let Some(word) = after_polite.next()
            && READINGS.contains(word.as_str())
        {
            return Self::Reading;
        }
        if QUESTIONS.contains(first.as_str()) {
            let is_about_norms = words.iter().any(|word| NORMS.contains(word.as_str()));
            let is_about_code = sentence.split_whitespace().any(is_code);
            if is_about_code && !is_about_norms {
                return Self::Reading;
            }
            return Self::Answer;
        }
        let mut hands_over = HANDOVERS.contains(first.as_str());
        for pair in words[..words.len().min(N_HANDOVER_WORDS)].windows(2) {
            hands_over |= HANDED_OVER.contains(pair.join(" ").as_str());
        }
        if hands_over {
            return Self::Answer;
        }
        Self::Change
    }
}

/// Returns whether a word is a path, a call or a qualified name.
fn is_code(word: &str) -> bool {
    let word = word.trim_end_matches(['.', ',', '?', '!', ':', ';']);
    let has_part = |mark: char| {
        let mut parts = word
            .split(mark)
            .map(|part| part.ends_with(char::is_alphanumeric));
        word.contains(mark) && parts.next() == Some(true)
    };
    word.contains("()") || has_part('/') || has_part('.') || has_part('_')
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
    fn the_last_sentence_decides_what_is_asked_for() {
        for prompt in [
            "Why is the cache cold? Warm it at the start.",
            "Could we have a retry in the client",
            "the lease expires too early",
            "Add push notifications",
            "Pull the lease out of the request",
            "Count how often a lease expires",
        ] {
            assert_eq!(Intent::of(prompt), Intent::Change, "{prompt}");
        }
        for prompt in [
            "Good evening! Where is the lease renewed?",
            "In which folder are the leases",
            "fine. now commit it",
            "ok, open the pull request",
        ] {
            assert_eq!(Intent::of(prompt), Intent::Answer, "{prompt}");
        }
        for prompt in [
            "Translate \"Renew it. Then close it.\" to Polish, politely.",
            "Could you give me a short summary of the lease?",
            "Where is the lease renewed in src/lease.rs?",
        ] {
            assert_eq!(Intent::of(prompt), Intent::Reading, "{prompt}");
        }
        let norm = "Which folder do I use for src/lease.rs?";
        assert_eq!(Intent::of(norm), Intent::Answer);
    }
}
