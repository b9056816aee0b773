//! Patterns of code that break a rule: derived from the rule, tested against its examples.
//!
//! A pattern is derived from what the rule's text says about names, or from what the code that
//! breaks the rule has and the code that follows it lacks. A derived pattern hits no example and, if
//! there are counter-examples, at least one of them. Most rules have none, and nothing is invented
//! for them. The same rule and examples give the same pattern.

mod contrast;
mod documents;
mod forms;
mod shapes;
#[cfg(test)]
mod tests;
mod wording;

use serde::Serialize;

pub(crate) use documents::{ast_grep, language_name, parse, render};

use crate::markdown::code_examples::{CodeExample, Label};
use crate::model::Language;
use crate::syntax::language;
use crate::syntax::pattern::{self, CodePattern, Compiled, Match, MatchedFile, Rule};
use crate::text::PathGlobs;
use wording::Statement;

/// How a rule is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Enforcement {
    /// A person accepted its pattern.
    Enforced,
    /// Its pattern is derived, and its hits are hints.
    Detected,
    /// It has no pattern.
    Advisory,
}

impl Enforcement {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Enforced => "enforced",
            Self::Detected => "detected",
            Self::Advisory => "advisory",
        }
    }
}

/// Code that follows or breaks a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sample {
    pub(crate) label: Label,
    pub(crate) language: Language,
    pub(crate) code: String,
}

/// A rule whose pattern is derived.
#[derive(Debug, Clone, Default)]
pub(crate) struct Source<'a> {
    /// The words of the rule without code blocks.
    pub(crate) text: &'a str,
    /// The headings above it.
    pub(crate) heading: &'a str,
    pub(crate) samples: &'a [Sample],
    /// The languages of the code that it may be about, if it has no samples.
    pub(crate) languages: &'a [Language],
}

/// A derived pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Derived {
    pub(crate) patterns: Vec<CodePattern>,
    /// The names that it is about.
    pub(crate) names: Vec<String>,
    /// Where it comes from, as a phrase.
    pub(crate) origin: &'static str,
}

/// Globs of tests.
const TESTS: &[&str] = &[
    "**/test/**",
    "**/tests/**",
    "**/__tests__/**",
    "**/testing/**",
    "**/testdata/**",
    "**/e2e/**",
    "**/spec/**",
    "**/*.test.*",
    "**/*.spec.*",
    "**/test_*.py",
    "**/*_test.*",
    "**/*_tests.*",
    "**/tests.rs",
    "**/test_*.rs",
    "**/*Test.java",
    "**/conftest.py",
];

/// Globs of files that a tool writes, of those that only build or measure the code, and of others' code.
const GENERATED: &[&str] = &[
    "**/vendor/**",
    "**/third_party/**",
    "**/node_modules/**",
    "**/build.rs",
    "**/benches/**",
    "**/generated/**",
    "**/__generated__/**",
    "**/*.generated.*",
    "**/*_generated.*",
    "**/*.gen.*",
    "**/*.pb.*",
    "**/*_pb2*.py",
    "**/*.d.ts",
];

/// Globs of programs that print what they do.
const SCRIPTS: &[&str] = &[
    "**/script/**",
    "**/scripts/**",
    "**/fixtures/**",
    "**/__fixtures__/**",
    "**/examples/**",
    "**/build.*",
    "**/esbuild.*",
    "**/gulpfile.*",
    "**/*.config.*",
    "**/cmd/**",
    "**/cli/**",
    "**/bin/**",
];

/// Returns the pattern of a rule, or why it has none.
pub(crate) fn derive(source: &Source<'_>) -> Result<Derived, &'static str> {
    let derived = from_text(source).or_else(|| from_samples(source));
    let mut derived =
        derived.ok_or("neither its text nor its examples say what code must not have")?;
    derived.patterns.retain_mut(|pattern| {
        let Ok(all) = languages(&pattern.language) else { return false };
        // The pattern does not search files of other languages anyway.
        let is_searched =
            |glob: &String| language::from_path(glob).is_none_or(|it| all.contains(&it));
        pattern.ignores.retain(is_searched);
        all.iter().all(|language| pattern::compile(pattern, *language).is_ok())
    });
    if derived.patterns.is_empty() {
        return Err("its names have no form in a supported language");
    }
    let report = test(&derived.patterns, source.samples);
    if !report.false_hits.is_empty() {
        return Err("what its text forbids is in its examples");
    }
    let has_bad = source.samples.iter().any(|sample| sample.label == Label::Bad);
    if has_bad && report.misses.len() == report.n_bad {
        return Err("what its text forbids is not in its counter-examples");
    }
    Ok(derived)
}

/// Returns the pattern that the text of a rule states.
fn from_text(source: &Source<'_>) -> Option<Derived> {
    let mut statements = wording::statements(source.text);
    if statements.is_empty() {
        statements = wording::statements(last_heading(source.heading));
    }
    let [first, ..] = &statements[..] else { return None };
    // What a rule only says to avoid has exceptions, unless a counter-example confirms it.
    let has_bad = source.samples.iter().any(|sample| sample.label == Label::Bad);
    let mut names = Vec::new();
    let mut patterns = Vec::new();
    let by_language = |rule: &dyn Fn(Language) -> Option<Rule>| {
        let mut found: Vec<(Vec<Language>, Rule)> = Vec::new();
        for &language in &sample_languages(source) {
            let Some(rule) = rule(language) else { continue };
            let rule =
                if is_about_tests(source) { rule } else { shapes::outside_tests(rule, language) };
            match found.iter_mut().find(|(_, known)| *known == rule) {
                Some((languages, _)) => languages.push(language),
                None => found.push((vec![language], rule)),
            }
        }
        found
    };
    let rules = match first {
        Statement::Argument { call, argument } => {
            names.push(call.clone());
            by_language(&|language| shapes::without_argument(call, argument, language))
        }
        Statement::Ban { .. } => {
            let bans = || {
                statements.iter().filter_map(|it| match it {
                    Statement::Ban { is_soft: true, .. } if !has_bad => None,
                    Statement::Ban { names, usage, inside, outside, .. } => {
                        Some((names, *usage, inside, outside))
                    }
                    Statement::Argument { .. } => None,
                })
            };
            // Statements about different files cannot be one pattern.
            let (_, _, inside, outside) = bans().next()?;
            let is_same =
                |it: &(_, _, &Vec<String>, &Vec<String>)| it.2 == inside && it.3 == outside;
            names.extend(bans().filter(is_same).flat_map(|(names, ..)| names.clone()));
            by_language(&|language| {
                let rules: Vec<Rule> = bans()
                    .filter(is_same)
                    .flat_map(|(names, usage, ..)| names.iter().map(move |name| (name, usage)))
                    .filter(|(name, _)| !is_of_typescript(source, name, language))
                    .filter_map(|(name, usage)| shapes::of_name(name, usage, language))
                    .collect();
                (!rules.is_empty()).then(|| shapes::any(rules))
            })
        }
    };
    for (languages, rule) in rules {
        let mut pattern = with_files(source, languages, rule);
        if names.iter().any(|name| shapes::prints(name)) {
            pattern.ignores.extend(SCRIPTS.iter().map(|glob| (*glob).to_owned()));
        }
        if let Statement::Ban { inside, outside, .. } = first {
            let globs =
                |paths: &[String]| paths.iter().map(|path| path_glob(path)).collect::<Vec<_>>();
            if !inside.is_empty() {
                pattern.files = globs(inside);
            }
            pattern.ignores.extend(globs(outside));
            // The file that a rule names is the one that may do it.
            let named = wording::names(source.text);
            let files: Vec<String> =
                named.into_iter().filter(|it| it.contains('/') && shapes::is_file(it)).collect();
            pattern.ignores.extend(globs(&files));
            pattern.ignores.dedup();
        }
        patterns.push(pattern);
    }
    (!patterns.is_empty()).then_some(Derived { patterns, names, origin: "the text of the rule" })
}

/// Returns the pattern of what distinguishes the counter-examples of a rule from its examples.
fn from_samples(source: &Source<'_>) -> Option<Derived> {
    let text = format!("{}\n\n{}", last_heading(source.heading), source.text);
    if wording::has_condition(&text) {
        return None;
    }
    let languages = sample_languages(source);
    let mut patterns = Vec::new();
    let mut names = Vec::new();
    for language in languages {
        let mut differences = contrast::differences(&text, source.samples, language);
        if differences.iter().any(|it| it.is_refused) {
            differences.retain(|it| it.is_refused);
            if differences.iter().any(|it| contrast::is_limited(&it.name, &text)) {
                return None;
            }
        } else {
            // If the text refuses something else, the syntax is only part of its counter-example.
            let refused: Vec<String> = wording::names(&text)
                .into_iter()
                .filter(|name| contrast::is_refused(name, &text))
                .collect();
            differences
                .retain(|it| it.is_syntax && refused.iter().all(|name| name.contains(&it.name)));
        }
        // The most specific name, as `console.log()`, of those that name the same code.
        differences.sort_by_key(|it| std::cmp::Reverse(it.name.len()));
        let Some(best) = differences.first() else { continue };
        let is_part = |name: &str| {
            let bare = name.trim_end_matches("()").trim_start_matches('.');
            best.name.contains(bare)
        };
        let is_only = differences.iter().all(|it| is_part(&it.name));
        if !is_only {
            continue;
        }
        names.push(best.name.clone());
        let mut rule = best.rule.clone();
        if !is_about_tests(source) {
            rule = shapes::outside_tests(rule, language);
        }
        patterns.push(with_files(source, vec![language], rule));
    }
    names.dedup();
    // Languages with different answers are a coincidence.
    let is_clear = names.len() == 1;
    is_clear.then_some(Derived { patterns, names, origin: "its examples and counter-examples" })
}

/// Returns whether a name is the type of TypeScript, because nothing says that Go's is meant.
fn is_of_typescript(source: &Source<'_>, name: &str, language: Language) -> bool {
    let is_named = |words: &&str| wording::languages(words).contains(&Language::Go);
    name == "any"
        && language == Language::Go
        && source.languages.contains(&Language::TypeScript)
        && ![source.text, source.heading].iter().any(is_named)
}

/// Returns the heading directly above a rule.
fn last_heading(heading: &str) -> &str {
    heading.rsplit('›').next().unwrap_or(heading).trim()
}

/// Returns the languages that a rule's pattern is for.
fn sample_languages(source: &Source<'_>) -> Vec<Language> {
    let mut found: Vec<Language> = source.samples.iter().map(|it| it.language).collect();
    if found.is_empty() {
        found = source.languages.to_vec();
        for words in [source.text, source.heading] {
            let named = wording::languages(words);
            if found.iter().any(|language| named.contains(language)) {
                found.retain(|language| named.contains(language));
                break;
            }
        }
    }
    let web = [Language::TypeScript, Language::Tsx, Language::JavaScript];
    if found.iter().any(|language| web.contains(language)) {
        found.extend(web);
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Returns a pattern for the files that a rule is about: tests only if it is below such a heading,
/// the folder that a heading names, and no generated files.
fn with_files(source: &Source<'_>, languages: Vec<Language>, rule: Rule) -> CodePattern {
    let tests: Vec<String> = TESTS.iter().map(|glob| (*glob).to_owned()).collect();
    let (files, mut ignores) = if is_about_tests(source) {
        (tests, Vec::new())
    } else {
        let folders = wording::folders(source.heading);
        (folders.iter().map(|folder| path_glob(folder)).collect(), tests)
    };
    ignores.extend(GENERATED.iter().map(|glob| (*glob).to_owned()));
    let names: Vec<&str> = languages.into_iter().map(language_name).collect();
    CodePattern { language: names.join(", "), rule, files, ignores, ..CodePattern::default() }
}

/// Returns whether the headings of a rule name tests.
fn is_about_tests(source: &Source<'_>) -> bool {
    let words = source.heading.to_lowercase();
    words.split(|c: char| !c.is_alphanumeric()).any(|word| {
        matches!(word, "test" | "tests" | "testing" | "mock" | "mocks" | "fixture" | "fixtures")
    })
}

fn path_glob(path: &str) -> String {
    let path = path.trim_start_matches("./").trim_start_matches('/');
    match path.strip_suffix('/') {
        Some(folder) => format!("**/{folder}/**"),
        None if path.contains('*') => path.to_owned(),
        None if path.rsplit('/').next().is_some_and(|name| name.contains('.')) => {
            format!("**/{path}")
        }
        None => format!("**/{path}/**"),
    }
}

/// Returns the languages that a text names.
pub(crate) fn named_languages(text: &str) -> Vec<Language> {
    wording::languages(text)
}

/// Returns the languages of a pattern's field `language`.
pub(crate) fn languages(names: &str) -> Result<Vec<Language>, String> {
    documents::languages(names)
}

/// Returns whether a pattern hits a sample, or `None` if it is not for its language.
fn is_hit(pattern: &CodePattern, sample: &Sample) -> Option<bool> {
    let languages = languages(&pattern.language).ok()?;
    let is_known = languages.iter().any(|language| language.is_kin(sample.language));
    let tried = languages.iter().filter(|language| is_known && language.is_kin(sample.language));
    let mut found = None;
    for &language in tried {
        let compiled = pattern::compile(pattern, language).ok()?;
        let file = MatchedFile::parse(language, &sample.code)?;
        found = Some(found == Some(true) || !file.matches(&compiled).is_empty());
    }
    found
}

/// The hits of patterns in the examples of their rule.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TestReport {
    /// Number of examples and of counter-examples in languages of the patterns.
    pub(crate) n_good: usize,
    pub(crate) n_bad: usize,
    /// Indices of the examples that are hit.
    pub(crate) false_hits: Vec<usize>,
    /// Indices of the counter-examples that are not hit.
    pub(crate) misses: Vec<usize>,
}

/// Tests patterns with the examples of their rule.
pub(crate) fn test(patterns: &[CodePattern], samples: &[Sample]) -> TestReport {
    let mut report = TestReport::default();
    for (idx, sample) in samples.iter().enumerate() {
        let hits: Vec<bool> = patterns.iter().filter_map(|it| is_hit(it, sample)).collect();
        if hits.is_empty() {
            continue;
        }
        let is_hit = hits.contains(&true);
        match sample.label {
            Label::Good => {
                report.n_good += 1;
                report.false_hits.extend(is_hit.then_some(idx));
            }
            Label::Bad => {
                report.n_bad += 1;
                report.misses.extend((!is_hit).then_some(idx));
            }
        }
    }
    report
}

/// Returns the samples in the code blocks of a rule. Blocks in other languages are skipped.
pub(crate) fn samples(examples: &[CodeExample], fallback: &[Language]) -> Vec<Sample> {
    let sample = |example: &CodeExample| {
        let language = match documents::fence_language(&example.language) {
            Some(language) => language,
            None if example.language.is_empty() => *fallback.first()?,
            None => return None,
        };
        Some(Sample { label: example.label, language, code: example.code.clone() })
    };
    examples.iter().filter_map(sample).collect()
}

/// Compiled patterns of several rules.
pub(crate) struct Checker {
    entries: Vec<CheckerEntry>,
}

struct CheckerEntry {
    rule_idx: usize,
    language: Language,
    compiled: Compiled,
    files: PathGlobs,
    ignores: PathGlobs,
}

impl Checker {
    /// Compiles the patterns of rules, which are known by their index. An invalid pattern has no
    /// hits.
    pub(crate) fn new<'p>(rules: impl Iterator<Item = (usize, &'p [CodePattern])>) -> Self {
        let mut entries = Vec::new();
        for (rule_idx, patterns) in rules {
            for pattern in patterns {
                for language in documents::languages(&pattern.language).unwrap_or_default() {
                    let Ok(compiled) = pattern::compile(pattern, language) else { continue };
                    let files = PathGlobs::new(&pattern.files);
                    let ignores = PathGlobs::new(&pattern.ignores);
                    entries.push(CheckerEntry { rule_idx, language, compiled, files, ignores });
                }
            }
        }
        Self { entries }
    }

    /// Returns the hits in a file with the indices of their rules, in the order of the text.
    pub(crate) fn hits(&self, path: &str, text: &str) -> Vec<(usize, Match)> {
        let Some(language) = language::from_path(path) else { return Vec::new() };
        let applies = |it: &&CheckerEntry| {
            it.language == language
                && (it.files.is_empty() || it.files.matches(path))
                && !it.ignores.matches(path)
        };
        let mut applying = self.entries.iter().filter(applies).peekable();
        if applying.peek().is_none() {
            return Vec::new();
        }
        let Some(file) = MatchedFile::parse(language, text) else { return Vec::new() };
        let mut hits: Vec<(usize, Match)> = applying
            .flat_map(|it| file.matches(&it.compiled).into_iter().map(|hit| (it.rule_idx, hit)))
            .collect();
        hits.sort_by_key(|(rule_idx, hit)| (hit.span, *rule_idx));
        hits
    }
}
