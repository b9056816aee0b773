//! How likely code is what an anchor was on: evidence to odds.
//!
//! A linear score over a few shares, fitted as the choice between all candidates
//! and "none of them" (a multinomial logit) to 185 symbols that left their place in
//! refactors of six repositories, then rounded; what is set by hand says so. Fitted
//! without one of the six the small weights move by half and the large ones by less;
//! .96 of the symbols of the one left out are then followed rightly, .01 wrongly, where
//! the weights below have .99 and none. Knows no file and no syntax tree.

use super::tokenize;

/// What was compared between an anchor and a candidate; shares are from 0 to 1.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Features {
    /// The code is equal but for its own name.
    pub(crate) masked: bool,
    /// The Jaccard likeness of the token trigrams.
    pub(crate) likeness: f64,
    /// The share of the smaller code's trigrams that is in the larger.
    pub(crate) containment: f64,
    /// The share of the kept identifiers that the candidate has.
    pub(crate) identifiers: f64,
    /// The signature is equal but for the name.
    pub(crate) signature: bool,
    /// How many tokens the anchored code had.
    pub(crate) n_tokens: u32,
    pub(crate) name: f64,
    /// Whether the anchor or the candidate has a container.
    pub(crate) has_container: bool,
    pub(crate) container: f64,
    pub(crate) path: f64,
    /// The share of the words of its documentation that the candidate's has.
    pub(crate) docs: f64,
    /// The share of the names beside the one that are beside the other.
    pub(crate) beside: f64,
    /// The share of what stood right before and after that still does.
    pub(crate) between: f64,
    /// The candidate's name is another's, which already stood beside the anchored code.
    pub(crate) was_beside: bool,
}

/// The odds are in logarithms; below this a candidate is less likely than none.
const BIAS: f64 = -8.0;
/// Body and identifiers, which decide together.
const BODY: f64 = 4.0;
const IDENTIFIERS: f64 = 3.5;
const MASKED: f64 = 1.0;
const SIGNATURE: f64 = 0.75;
/// The name, with something on top where it is the very same.
const NAME: f64 = 3.75;
const SAME_NAME: f64 = 1.0;
const CONTAINER: f64 = 0.75;
const SAME_CONTAINER: f64 = 1.0;
const PATH: f64 = 1.0;
const DOCS: f64 = 2.5;
const BESIDE: f64 = 0.5;
const BETWEEN: f64 = 2.0;
/// What stood beside it under that name was something else, so that its name tells
/// nothing for it and it is hardly what became of it: that takes a merger of the two.
/// The fit has −1 because of one such merger among 185; without it a twin left behind
/// by a deleted function would be taken for it.
const WAS_BESIDE: f64 = -3.0;
/// A method of another class in another file among other methods. The fit has −0.6,
/// on few cases; a project with more classes has more methods of one name.
const STRAY: f64 = -2.0;

/// From 128 tokens on (2 to the power of this) likeness of code weighs in full;
/// short bodies are alike by chance.
const FULL_WEIGHT_LOG2: f64 = 7.0;

impl Features {
    /// Returns the logarithm of the odds that the candidate is what the anchor was on.
    pub(crate) fn odds(&self) -> f64 {
        let flag = |is: bool| f64::from(u8::from(is));
        let told = (f64::from(self.n_tokens.max(2)).log2() / FULL_WEIGHT_LOG2).min(1.0);
        let code = BODY * self.body()
            + MASKED * flag(self.masked)
            + SIGNATURE * flag(self.signature)
            + IDENTIFIERS * if self.masked { 1.0 } else { self.identifiers };
        let name = if self.was_beside {
            WAS_BESIDE
        } else {
            NAME * self.name + SAME_NAME * flag(self.name >= 1.0)
        };
        // To have no container says half as much as to have the same one.
        let container = if self.has_container {
            CONTAINER * self.container + SAME_CONTAINER * flag(self.container >= 1.0)
        } else {
            CONTAINER / 2.0
        };
        let place = PATH * self.path + BESIDE * self.beside + BETWEEN * self.between;
        BIAS + told * code + name + container + place + DOCS * self.docs + STRAY * self.strayed()
    }

    /// Returns how alike the code is. The geometric mean of the two shares: a few
    /// lines are in any long body, which says little while the likeness is small.
    fn body(&self) -> f64 {
        if self.masked { 1.0 } else { (self.likeness * self.containment).sqrt() }
    }

    /// Returns how little a method's surroundings have in common with the former ones.
    fn strayed(&self) -> f64 {
        if !self.has_container || self.path >= 1.0 {
            return 0.0;
        }
        (1.0 - 2.0 * self.container.max(self.beside).max(self.between)).max(0.0)
    }
}

/// Returns how alike two names are: 1 for equal ones, at most 0.95 for others.
/// By letters without case and underscores, or by words, whichever finds more.
pub(crate) fn name_similarity(a: &str, b: &str) -> f64 {
    if a == b {
        return 1.0;
    }
    let plain = |name: &str| -> String {
        let letters = name.chars().filter(|c| *c != '_');
        letters.flat_map(char::to_lowercase).collect()
    };
    let by_letters = strsim::sorensen_dice(&plain(a), &plain(b));
    ALMOST * by_letters.max(dice(&parts(a), &parts(b)))
}

/// Returns how alike two names are, each given with what is around it: a word that one
/// name lost may be said by its container or its module now, as in `request_to_dict`
/// and `Request.to_dict`, `WeightedError` and `weighted::Error`.
pub(crate) fn qualified_name_similarity(a: (&str, &[&str]), b: (&str, &[&str])) -> f64 {
    let plain = name_similarity(a.0, b.0);
    let (gone, come) = (without(&parts(a.0), &parts(b.0)), without(&parts(b.0), &parts(a.0)));
    let n_a = parts(a.0).len();
    let n_shared = n_a - gone.len();
    if plain >= ALMOST || n_shared == 0 {
        return plain;
    }
    let said = |words: &[String], around: &[&str]| {
        let around: Vec<String> = around.iter().flat_map(|text| parts(text)).collect();
        words.len() - without(words, &around).len()
    };
    let n_borrowed = said(&gone, b.1) + said(&come, a.1);
    let n_all = n_a + n_shared + come.len() + n_borrowed;
    plain.max(ALMOST * (2 * (n_shared + n_borrowed)) as f64 / n_all as f64)
}

/// Returns how alike two containers are, each given with the name of what is in it:
/// a function that became a method may have had the container in its name.
pub(crate) fn container_similarity(a: (&str, &str), b: (&str, &str)) -> f64 {
    let (container, name) = match (a.0.is_empty(), b.0.is_empty()) {
        (true, false) => (b.0, a.1),
        (false, true) => (a.0, b.1),
        _ => return name_similarity(a.0, b.0),
    };
    if without(&parts(container), &parts(name)).is_empty() { ALMOST } else { 0.0 }
}

/// Returns the words that are only in the one and only in the other of two names that
/// share some and differ in some.
pub(crate) fn changed_words(a: &str, b: &str) -> Option<(Vec<String>, Vec<String>)> {
    let (a, b) = (parts(a), parts(b));
    let (gone, come) = (without(&a, &b), without(&b, &a));
    let is_changed = gone.len() + come.len() > 0 && gone.len() < a.len();
    is_changed.then_some((gone, come))
}

/// Returns how alike two paths are: 1 for equal ones, at most 0.95 for others. Half by
/// all the words in them and half by those of the file's name, which whole trees keep
/// when they move, and which tells twins in neighbouring files apart.
pub(crate) fn path_similarity(a: &str, b: &str) -> f64 {
    if a == b {
        return 1.0;
    }
    let name = |path: &str| parts(path.rsplit('/').next().unwrap_or(path));
    ALMOST * (dice(&parts(a), &parts(b)) + dice(&name(a), &name(b))) / 2.0
}

/// What names and paths are worth that differ in no word.
const ALMOST: f64 = 0.95;

fn parts(name: &str) -> Vec<String> {
    let mut found = Vec::new();
    tokenize::words(name, |word| tokenize::parts(word, |part| found.push(part.to_owned())));
    found
}

/// Returns the Dice coefficient of two bags of words.
fn dice(a: &[String], b: &[String]) -> f64 {
    let n_both = a.len() - without(a, b).len();
    (2 * n_both) as f64 / (a.len() + b.len()).max(1) as f64
}

/// Returns the words of the bag `a` that are not in the bag `b`.
fn without(a: &[String], b: &[String]) -> Vec<String> {
    let mut rest: Vec<&String> = b.iter().collect();
    let mut found = Vec::new();
    for part in a {
        match rest.iter().position(|other| *other == part) {
            Some(at) => drop(rest.swap_remove(at)),
            None => found.push(part.clone()),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(a: &str, b: &str, least: f64, most: f64) {
        let found = name_similarity(a, b);
        assert!((least..=most).contains(&found), "{a} {b}: {found}");
        assert!((found - name_similarity(b, a)).abs() < 1e-9, "{a} {b} the other way round");
    }

    #[test]
    fn names_are_alike_by_letters_or_by_words() {
        check("load", "load", 1.0, 1.0);
        check("getlist", "get_list", 0.95, 0.95);
        check("prepare", "_prepare", 0.95, 0.95);
        check("parse_user_line", "line_of_user", 0.4, 0.8);
        check("open", "shutdown", 0.0, 0.2);
        check("", "Server", 0.0, 0.0);
    }

    #[test]
    fn a_word_may_move_to_what_is_around_the_name() {
        let plain = name_similarity("request_to_dict", "to_dict");
        let placed =
            qualified_name_similarity(("request_to_dict", &["reqser"]), ("to_dict", &["Request"]));
        assert!(placed > plain && placed > 0.9, "{plain} {placed}");
        let strange =
            qualified_name_similarity(("request_to_dict", &["reqser"]), ("to_dict", &["Item"]));
        assert!((strange - plain).abs() < 1e-9, "{plain} {strange}");
    }

    #[test]
    fn a_function_may_become_a_method_of_what_its_name_says() {
        assert_eq!(container_similarity(("", "request_to_dict"), ("Request", "to_dict")), ALMOST);
        assert_eq!(container_similarity(("", "item_to_dict"), ("Request", "to_dict")), 0.0);
        assert_eq!(container_similarity(("Shop", "open"), ("Shop", "open")), 1.0);
    }

    #[test]
    fn a_change_of_a_name_is_what_went_and_what_came() {
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let change = changed_words("IteratorStream", "IteratorByteStream");
        assert_eq!(change, Some((words(""), words("byte"))));
        assert_eq!(changed_words("Stream", "Stream"), None);
        assert_eq!(changed_words("open", "shut"), None, "nothing is left of it");
    }

    fn unlike() -> Features {
        Features {
            n_tokens: 100,
            likeness: 0.05,
            containment: 0.2,
            identifiers: 0.2,
            ..Features::default()
        }
    }

    fn alike() -> Features {
        Features { likeness: 0.7, containment: 0.8, identifiers: 0.8, path: 0.5, ..unlike() }
    }

    #[test]
    fn no_single_likeness_will_do() {
        assert!(unlike().odds() < 0.0);
        assert!(alike().odds() < 0.0);
        assert!(Features { name: 1.0, path: 1.0, ..unlike() }.odds() < 0.0);
        assert!(Features { name: 1.0, ..alike() }.odds() > 0.0);
        assert!(Features { name: 0.95, ..alike() }.odds() > 0.0);
    }

    #[test]
    fn what_was_beside_it_is_not_what_it_became() {
        let renamed = Features { name: 0.8, between: 0.5, ..alike() };
        assert!(renamed.odds() > 0.0);
        assert!(Features { was_beside: true, ..renamed }.odds() < 0.0);
    }

    #[test]
    fn a_method_that_strayed_needs_more_likeness() {
        let stray = Features { name: 1.0, has_container: true, ..alike() };
        let at_home = Features { container: 1.0, beside: 0.6, ..stray };
        assert!(stray.odds() < 1.0 && at_home.odds() > 2.0, "{} {}", stray.odds(), at_home.odds());
    }
}
