//! The scores of small documents, and their invariants.

use super::super::document::{FieldTerm, SymbolDoc};
use super::*;

/// Parses a file from text, one symbol a line: `kind name parent | field: words | …`. The id of a
/// word is its position in [`WORDS`].
fn doc(text: &str, class: PathClass) -> ScorableFile {
    let (mut symbols, mut terms) = (Vec::<SymbolDoc>::new(), Vec::new());
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let mut parts = line.split('|').map(str::trim);
        let head: Vec<&str> = parts
            .next()
            .unwrap_or_default()
            .split_whitespace()
            .collect();
        for part in parts {
            let (field, words) = part.split_once(':').expect("field: words");
            let field = OWN_FIELDS
                .iter()
                .find(|it| WEIGHTS.fields[**it as usize].name == field);
            let field = *field.expect("a field");
            terms.extend(
                words
                    .split_whitespace()
                    .map(|word| FieldTerm::new(id(word), symbols.len(), field)),
            );
        }
        let parent = head
            .get(2)
            .and_then(|name| symbols.iter().position(|symbol| symbol.name == *name));
        symbols.push(SymbolDoc {
            kind: head[0].parse().expect("a kind"),
            name: head[1].into(),
            parent: parent.and_then(|idx| u32::try_from(idx).ok()),
            first_line: 0,
            last_line: 20,
        });
    }
    ScorableFile::new(Document::new(21, Vec::new(), symbols, terms), class)
}

const OWN_FIELDS: [Field; N_OWN_FIELDS] = [
    Field::Name,
    Field::Signature,
    Field::Doc,
    Field::Body,
    Field::Text,
    Field::Comment,
];

const WORDS: [&str; 5] = ["hash", "password", "salt", "log", "secret"];

fn id(word: &str) -> u32 {
    let known = WORDS.iter().position(|known| *known == word);
    // Other words only fill the fields.
    known.map_or(99, |idx| u32::try_from(idx).unwrap_or(99))
}

fn query(rule: &str) -> (ParsedQuery, WeightedQuery) {
    let rule = ParsedQuery::rule(rule, &[]);
    let words: Vec<WordInCode> = rule
        .terms
        .iter()
        .map(|term| (10, Some(id(&term.word))))
        .collect();
    let query = WeightedQuery::new(&rule, &words, &vec![10; rule.names.len()], 100);
    (rule, query)
}

/// Returns the scores of the symbols of a file whose own score is 0.
fn scores(query: &WeightedQuery, file: &ScorableFile) -> Vec<(usize, f64)> {
    let mut hits = HitCounter::new(file);
    let words: Vec<(usize, TermHits)> = (query.ids.iter().enumerate())
        .map(|(term_idx, id)| {
            hits.count(*id, |_| false);
            (term_idx, hits.term_hits())
        })
        .collect();
    let words = words.iter().map(|(term_idx, word)| (*term_idx, word));
    let mut sums = Vec::new();
    let scores = query.scores(file, words, 0.0, &mut sums);
    scores
        .map(|(symbol_idx, score, _)| (symbol_idx, score))
        .collect()
}

/// Checks the order of the symbols by score, and that all scores are between 0 and 1.
fn check(rule: &str, text: &str, expected: &str) {
    let filler = "body: a b c d e f g h i j k l";
    let text: Vec<String> = text
        .lines()
        .map(|line| format!("{line} | {filler}"))
        .collect();
    let doc = doc(&text.join("\n"), PathClass::Source);
    let (_, query) = query(rule);
    let mut scores = scores(&query, &doc);
    scores.sort_by(|a, b| b.1.total_cmp(&a.1));
    assert!(
        scores.iter().all(|(_, score)| (0.0..=1.0).contains(score)),
        "{scores:?}"
    );
    let names: Vec<&str> = scores
        .iter()
        .map(|&(idx, _)| doc.document.symbols[idx].name.as_str())
        .collect();
    assert_eq!(names.join(" "), expected, "{rule}");
}

#[test]
fn rare_terms_weigh_more_and_saturate() {
    assert!(idf(1, 100) > idf(50, 100));
    assert!(idf(100, 100) > 0.0);
    let share = |count| WEIGHTS.file.term_score(count, false, 100.0, 100.0);
    assert!(share(1.0) < share(5.0) && share(5.0) < 1.0);
    assert!(WEIGHTS.file.term_score(0.0, true, 100.0, 100.0) > share(1.0));
    assert!(WEIGHTS.file.term_score(1.0, false, 1_000.0, 100.0) < share(1.0));
}

#[test]
fn names_outweigh_bodies_and_two_words_outweigh_one_repeated_word() {
    check(
        "Hash a password",
        "function a | body: hash\nfunction hash | name: hash",
        "hash a",
    );
    check(
        "Hash a password",
        "function a | body: hash hash\nfunction b | body: hash password",
        "b a",
    );
}

#[test]
fn a_method_with_all_words_ranks_before_its_class() {
    check(
        "Hash a password",
        "class C\nmethod C.m C | name: hash | body: password",
        "C.m C",
    );
    check(
        "Hash a password with a salt",
        "class C | doc: salt\nmethod C.m C | body: hash\nmethod C.n C | body: password",
        "C C.m C.n",
    );
}

#[test]
fn data_and_test_modules_rank_lower() {
    check(
        "Hash it",
        "constant K | body: hash\nfunction f | body: hash\nfunction tests.g | body: hash",
        "f K tests.g",
    );
}

#[test]
fn symbols_without_a_word_of_the_rule_are_skipped() {
    check("Log it", "function a | body: hash", "");
}

#[test]
fn tests_count_more_than_other_code_for_rules_about_tests_only() {
    let score = |rule: &str, class| {
        let (_, query) = query(rule);
        scores(&query, &doc("function f | body: hash", class))[0].1
    };
    assert!(score("Hash it", PathClass::Test) < score("Hash it", PathClass::Source));
    assert!(score("Hash it", PathClass::Vendored) < score("Hash it", PathClass::Source));
    let about_tests = "Hash it in tests";
    assert!(score(about_tests, PathClass::Test) > score(about_tests, PathClass::Source));
}

#[test]
fn found_hints_raise_a_score() {
    let factors: Vec<f64> = [(0, 0), (0, 4), (2, 4), (4, 4)]
        .map(|(n, of)| hint_factor(n, of))
        .into();
    assert_eq!(factors[0], 1.0);
    assert!(factors.is_sorted(), "{factors:?}");
    assert!(factors[3] > factors[2] && factors[2] > factors[1]);
}

#[test]
fn contributions_are_explained_by_field() {
    let doc = doc(
        "function f | name: hash | doc: hash password",
        PathClass::Source,
    );
    let (_, query) = query("Hash a password");
    let contributions = query.explain(&doc, TermSet::all(), |term_id| term_id == id("password"), 0);
    let actual: Vec<(usize, Vec<&str>)> = contributions
        .into_iter()
        .map(|it| (it.term_idx, it.fields))
        .collect();
    assert_eq!(actual, [(0, vec!["name", "doc"]), (1, vec!["doc", "path"])]);
}

#[test]
fn adjacent_words_add_to_the_score() {
    let (rule, query) = query("Call hash password");
    let check = |is_adjacent: [bool; 2], expected: f64| {
        let bonus = phrase_bonus(&query, &rule, &is_adjacent);
        assert!((bonus - expected).abs() < 1e-9, "{bonus}");
    };
    check([false, false], 0.0);
    check([false, true], WEIGHTS.symbol.pair / 3.0);
    check([true, true], 2.0 * WEIGHTS.symbol.pair / 3.0);
}

#[test]
fn named_code_counts_as_far_as_its_text_is_found() {
    let (_, query) = query("Hash with `hash_password()`");
    let parts: NameSet = [0].into_iter().collect();
    let bonus = |found| name_bonus(&query, &[found], parts, 1);
    assert!(bonus(NameMatch::Absent) < 0.0);
    assert!(bonus(NameMatch::LastPart) > 0.0);
    assert!(bonus(NameMatch::Verbatim) > bonus(NameMatch::LastPart));
    assert!(bonus(NameMatch::Definition) > bonus(NameMatch::Verbatim));
    // A symbol that was not counted for its parts loses nothing.
    assert_eq!(
        name_bonus(&query, &[NameMatch::Absent], NameSet::default(), 1),
        0.0
    );
}

#[test]
fn a_symbol_with_all_parts_of_a_name_scores_more() {
    let (_, query) = query("Hash with `hash_password()`");
    let both = doc("function f | body: hash password", PathClass::Source);
    let one = doc("function f | body: hash hash", PathClass::Source);
    let score = |file| scores(&query, file)[0].1;
    assert!(score(&both) > score(&one) + 0.1);
}

#[test]
fn further_symbols_of_a_file_add_to_the_score() {
    let coherence = |scores: &[f64]| {
        let mut best = TopScores::default();
        scores.iter().for_each(|&score| best.add(score));
        best.coherence()
    };
    assert_eq!(coherence(&[0.5]), 0.0);
    assert_eq!(coherence(&[0.1, 0.5, 0.3]), coherence(&[0.5, 0.3, 0.1]));
    assert!(coherence(&[0.5, 0.4, 0.4]) > coherence(&[0.5, 0.4]));
    assert_eq!(
        coherence(&[0.5, 0.4, 0.4, 0.4, 0.4]),
        coherence(&[0.5, 0.4, 0.4, 0.4])
    );
}
