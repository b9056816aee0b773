//! The English word lists of ranking, and the abbreviations of programmers.

use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet};

type WordSet = LazyLock<FxHashSet<&'static str>>;

fn set(words: &'static str) -> FxHashSet<&'static str> {
    words.split_whitespace().collect()
}

/// Words without information about the code: function words and verbs that occur in every rule.
pub(super) static STOP_WORDS: WordSet = LazyLock::new(|| {
    set("
        a an the this that these those it its itself they them their there here he she his her who whom
        whose which what when where why how and or but nor so if then else than as at by for from in into
        of off on onto out over per to toward under until up upon via with within about above across after
        against along among around before behind below beneath beside between beyond during down except
        near since through throughout toward unless while is are was were be been being am do does did
        done doing have has had having can could may might must shall should will would ought need needs
        not no never none always only just also even still yet again too very more most less least much
        many few some any all each every both either neither one two first last other others another
        same such own rather quite ever often once already instead avoid prefer use uses used using make
        makes made making ensure ensures keep keeps sure please remember let lets via etc eg ie like
        whenever wherever whatever whether because due however therefore thus hence we you your our us i
        my me mine yours ours theirs somebody someone anybody anyone everybody everyone something anything
        everything nothing thing things way ways case cases kind kinds get gets got put puts give gives
        take takes go goes come comes want wants new good better best right well code rule rules example
    ")
});

/// Common English words that code seldom uses in that sense: words of degree, manner, time and
/// opinion, and verbs that describe any code.
pub(super) static COMMON_WORDS: WordSet = LazyLock::new(|| {
    set("
        able almost alone apart aside away back bad based bring brings brought certain clean clear common
        correct cost different early easy enough entire exact expected explicit extra fact far fast final
        find finds found fine free fresh full further general good graceful hand happen happens hard help
        helps hold holds important inside intended kept know known knows large late later latest lead leads
        leave leaves leaving left light little live lives long longer look looks lose loses low mean means
        meant move moves necessary next normal obvious offer offers old open opened outside particular plain
        point possible private proper provide provides public pure quick quiet reach reached reaches ready
        real reason relevant rely run runs running safe say says see seen separate serious set several shape
        share short show shows silent simple single slow small soon special specific stand start state stay
        stays stop strict tell tells think time times together touch true try turn turned turns unusual
        usual various wait whole wide work works wrong
    ")
});

/// Phrases that start a contrast anywhere in a clause.
pub(super) const CONTRASTS: &[&str] = &["instead of", "rather than", "never"];

/// Words that start a contrast only at the start of a clause; elsewhere they belong to the
/// statement ("a reader without a lock", "if there is no owner").
pub(super) const OPENING_CONTRASTS: &[&str] = &["not", "without", "no"];

/// Phrases that start a purpose.
pub(super) const PURPOSES: &[&str] = &["so", "in order to"];

/// Terms (stems) of rules about tests.
pub(super) const TEST_TERMS: &[&str] = &["test", "fixtur", "mock"];

/// Words that are ignored when two statements are compared: function words, and verbs that state
/// a demand but not its subject. Words of place and time (before, outside, first) are not in the
/// list, because they are often the only difference between two compatible rules.
pub(super) static DEMAND_WORDS: WordSet = LazyLock::new(|| {
    set("
        a an the this that these those it its they them their there we our us you your i my is are be been
        being was were do does did done doing has have had having will would shall should must may might can
        could need needs to of and or but please also then just always prefer preferably favor favour use
        uses used using make makes making made ensure sure instead rather only ever really simply strictly
        every all any each both by choose pick let lets if when whenever
    ")
});

/// Words that negate the rest of their clause.
pub(super) static NEGATIONS: WordSet = LazyLock::new(|| {
    set("never avoid not no cannot forbid forbidden prohibited disallow disallowed ban banned")
});

/// Words whose negation is a permission, not a prohibition: "need not", "not necessarily".
pub(super) static PERMISSIONS: WordSet =
    LazyLock::new(|| set("need needs needed necessarily necessary required yet have worry"));

/// Words whose negation is a demand: "do not forget to".
pub(super) static OMISSIONS: WordSet = LazyLock::new(|| set("forget hesitate fail"));

/// Words that restrict a clause or reverse a negation in it.
pub(super) static EXCEPTIONS: WordSet =
    LazyLock::new(|| set("without unless until except besides than lest"));

/// Words that start a condition at the start of a sentence.
pub(super) static CONDITIONS: WordSet = LazyLock::new(|| {
    set("
        when whenever if for before after while once unless in on during with without as where at
        under until inside outside within to from by
    ")
});

/// Words that start the reason of a rule.
pub(super) static REASONS: WordSet = LazyLock::new(|| set("because since so"));

/// Verbs after which "x over y" is a preference.
pub(super) static PREFERENCE_VERBS: WordSet =
    LazyLock::new(|| set("prefer favor favour use choose pick preferred write"));

/// Words that may join a negated clause to the clause before: "x and do not y".
pub(super) static CONJUNCTIONS: WordSet = LazyLock::new(|| set("and but so or then"));

/// The full words by their abbreviations.
pub(super) static ABBREVIATIONS: LazyLock<FxHashMap<&'static str, &'static str>> =
    LazyLock::new(|| {
        let mut table = FxHashMap::default();
        for line in include_str!("abbreviations.txt").lines() {
            let mut fields = line.split_whitespace();
            if let Some(word) = fields.next().filter(|word| !word.starts_with('#')) {
                table.extend(fields.map(|short| (short, word)));
            }
        }
        table
    });

#[cfg(test)]
mod tests {
    #[test]
    fn each_abbreviation_is_listed_once() {
        let mut seen = std::collections::BTreeSet::new();
        let lines = include_str!("abbreviations.txt").lines();
        for line in lines.filter(|line| !line.starts_with('#')) {
            for short in line.split_whitespace().skip(1) {
                assert!(seen.insert(short), "duplicate abbreviation `{short}`");
            }
        }
    }
}
