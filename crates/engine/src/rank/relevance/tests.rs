//! Tests of the scores and their table.

use super::Feature::{
    Checking, Emphatic, FromGuide, HasNoExample, InTest, MarkedParts, OtherLanguage, OtherPaths,
    Process, QueryCosine, QueryWords, SameMoment, TestInSource,
};
use super::*;

/// Returns features with these values.
fn with(base: Features, values: &[(Feature, f64)]) -> Features {
    let mut features = base;
    values
        .iter()
        .for_each(|(feature, value)| features[*feature] = *value);
    features
}

fn features(values: &[(Feature, f64)]) -> Features {
    with(Features::default(), values)
}

#[test]
fn every_feature_has_a_weight_on_some_occasion() {
    let n_weighed = MODEL
        .weights
        .values()
        .filter(|row| row.values().any(|it| *it != 0.0))
        .count();
    // `Bias` and those before it are counted too: no feature is without a row.
    assert_eq!(n_weighed, N_FEATURES);
    for occasion in WEIGHTS.iter() {
        assert!(occasion.iter().any(|weight| *weight != 0.0));
    }
}

#[test]
fn nearness_is_the_share_of_common_folders() {
    for (a, b, expected) in [
        ("a.py", "b.py", 1.0),
        ("x/a.py", "x/b.py", 1.0),
        ("x/a.py", "y/b.py", 1.0 / 3.0),
        ("x/y/a.py", "x/a.py", 0.75),
        ("x/y/a.py", "b.py", 1.0 / 3.0),
        ("x/a.py", "x", 0.5),
        ("", "", 1.0),
    ] {
        assert!(
            (nearness(a, b) - expected).abs() < 1e-9,
            "{a} {b}: {}",
            nearness(a, b)
        );
        assert!((nearness(b, a) - expected).abs() < 1e-9, "{b} {a}");
    }
}

#[test]
fn file_names_are_compared_by_their_words() {
    for (a, b, expected) in [
        ("x/user_view.py", "y/OrderView.ts", 1.0 / 3.0),
        ("x/views.py", "y/views.test.ts", 1.0),
        ("x/a", "", 0.0),
    ] {
        assert!(
            (file_name_similarity(a, b) - expected).abs() < 1e-9,
            "{a} {b}"
        );
    }
}

#[test]
fn each_feature_raises_the_score_in_a_file() {
    let base = features(&[
        (Words, 0.2),
        (Prominence, 0.5),
        (Names, 0.3),
        (Terms, 0.2),
        (Imports, 0.1),
        (Nearness, 0.5),
        (FileName, 0.2),
    ]);
    for feature in [
        Words, Prominence, NamedCode, Names, Terms, Imports, Nearness, FileName, SameClass,
    ] {
        let raised = with(base, &[(feature, 0.9)]);
        assert!(raised.score_in_file() > base.score_in_file(), "{feature:?}");
    }
    let hints = |share| with(base, &[(HasHints, 1.0), (Hints, share)]).score_in_file();
    assert!(hints(0.5) > base.score_in_file() && hints(0.0) < base.score_in_file());
    let [mut usual, mut unusual] = [base; 2];
    usual.set_prominence(5.0);
    unusual.set_prominence(1e9);
    assert_eq!(unusual, usual);
}

#[test]
fn a_rule_without_an_example_is_between_similar_and_different_ones() {
    let words = [(Words, 0.5), (Prominence, 1.0)];
    let none = with(features(&words), &[(HasNoExample, 1.0)]).score_in_file();
    let example = |names, terms, nearness| {
        with(
            features(&words),
            &[(Names, names), (Terms, terms), (Nearness, nearness)],
        )
        .score_in_file()
    };
    assert!(example(0.0, 0.0, 0.3) < none);
    assert!(none < example(0.6, 0.3, 0.8));
}

#[test]
fn changed_lines_weigh_more_than_their_file() {
    let file = features(&[(Words, 0.4), (Prominence, 1.0), (HasNoExample, 1.0)]);
    let changed = |words, named_code, names: Option<f64>| {
        let no_example = f64::from(u8::from(names.is_none()));
        with(
            file,
            &[
                (HasLines, 1.0),
                (LineWords, words),
                (LineNamedCode, named_code),
                (LineNames, names.unwrap_or_default()),
                (LineNoExample, no_example),
            ],
        )
    };
    let base = changed(0.1, 0.0, Some(0.1));
    for raised in [
        changed(0.2, 0.0, Some(0.1)),
        changed(0.1, 0.5, Some(0.1)),
        changed(0.1, 0.0, Some(0.2)),
        with(base, &[(Words, 0.9)]),
    ] {
        assert!(raised.score_in_file() > base.score_in_file(), "{raised:?}");
    }
    let other_file = with(changed(0.1, 0.0, None), &[(Words, 0.9)]);
    let mut rules = [changed(0.5, 0.0, None), changed(0.0, 0.0, None), file];
    assert!(rules[0].score_in_file() > other_file.score_in_file());
    set_excess(&mut rules);
    assert_eq!(rules[0].reason(), "the changed lines are about it");
    assert_eq!(rules[1].reason(), rules[2].reason());
    let nothing = features(&[(HasLines, 1.0), (LineNoExample, 1.0)]);
    assert!(nothing.score_in_file() < MODEL.thresholds.file);
}

#[test]
fn the_reason_is_the_largest_contribution() {
    let example = features(&[(Words, 0.1), (Names, 1.0), (Terms, 0.1)]);
    assert_eq!(example.reason(), "it uses the identifiers of the example");
    let words = features(&[(Words, 1.0), (Prominence, 3.0)]);
    assert_eq!(words.reason(), "it has the words of the rule");
}

#[test]
fn the_floor_of_a_small_bank_is_near_the_usual_mean() {
    let Thresholds {
        file, prior_mean, ..
    } = MODEL.thresholds;
    assert!((floor(&[]) - prior_mean).abs() < 1e-9);
    assert!(floor(&[9.0]) < 9.0 && floor(&[0.0]) > 0.0);
    assert!((floor(&[5.0; 1000]) - 5.0).abs() < 0.05);
    assert_eq!(floor(&[0.0; 1000]), file, "no rule of a bank is relevant");
    assert!(Features::default().score_in_file() < file);
}

#[test]
fn a_share_without_weights_is_zero() {
    assert_eq!(share(std::iter::empty()), 0.0);
    assert_eq!(share([(1.0, 1.0), (3.0, 0.0)].into_iter()), 0.25);
}

/// Returns a rule whose code is in the added lines, with its score over the floor.
fn of_edit(named_code: f64, n_code_words: usize, n_rules: usize) -> Features {
    let mut rule = features(&[
        (Words, 0.3),
        (HasNoExample, 1.0),
        (HasLines, 1.0),
        (LineWords, 0.2),
        (LineNamedCode, named_code),
        (LineNoExample, 1.0),
        (LineCodeWords, (n_code_words as f64).ln_1p()),
    ]);
    rule.set_n_rules(n_rules);
    rule[Code] = rule.score_in_file();
    rule[Excess] = rule[Code] - 4.0;
    rule
}

#[test]
fn code_of_the_rule_in_the_added_lines_raises_the_score() {
    let score = |named_code, n_code_words| of_edit(named_code, n_code_words, 100).score_of_edit();
    assert!(!of_edit(0.0, 0, 100).is_for_edit());
    assert!(score(0.0, 2) > score(0.0, 0));
    assert!(score(1.0, 2) > score(0.0, 2));
    assert!(of_edit(1.0, 3, 100).is_for_edit());
    assert!(with(of_edit(0.0, 1, 100), &[(Mentioned, 1.0)]).is_for_edit());
}

#[test]
fn working_advice_and_rules_about_tests_need_more() {
    let rule = of_edit(1.0, 2, 100);
    for feature in [FromGuide, Process, InTest, TestInSource] {
        let lower = with(rule, &[(feature, 1.0)]);
        assert!(lower.score_of_edit() < rule.score_of_edit(), "{feature:?}");
    }
}

#[test]
fn a_similar_example_suffices() {
    let mut rule = features(&[
        (Words, 0.5),
        (Prominence, 1.0),
        (Names, 0.8),
        (Terms, 0.5),
        (Imports, 0.5),
        (Nearness, 1.0),
        (FileName, 0.5),
        (SameClass, 1.0),
        (HasExample, 1.0),
        (HasLines, 1.0),
        (LineWords, 0.5),
        (LineNames, 0.8),
    ]);
    rule.set_n_rules(20);
    let scored = |values: &[(Feature, f64)], floor: f64| {
        let mut rule = with(rule, values);
        rule[Code] = rule.score_in_file();
        rule[Excess] = rule[Code] - floor;
        rule
    };
    let base = scored(&[], 5.0);
    assert!(base.is_for_edit());
    assert!(scored(&[(HasExample, 0.0)], 5.0).score_of_edit() < base.score_of_edit());
    assert!(base.shows_example_in_edit());
    let elsewhere = scored(&[(LineWords, 0.1)], 5.0);
    assert!(!elsewhere.shows_example_in_edit());
    let code = [
        (LineNamedCode, 0.5),
        (LineCodeWords, 1f64.ln_1p()),
        (LineNames, 0.0),
    ];
    assert!(scored(&code, 5.0).shows_example_in_edit());
    assert!(!scored(&[(LineWords, 0.0), (LineNames, 0.0)], 0.0).is_for_edit());
    let in_file = with(elsewhere, &[(Anchored, 1.0)]);
    assert!(!in_file.is_for_edit(), "the file alone is similar");
    assert!(with(base, &[(Anchored, 1.0)]).is_for_edit());
    let advice = with(base, &[(Process, 1.0)]);
    // Code that shows a rule is better evidence.
    assert_eq!(advice.score_of_edit(), base.score_of_edit());
}

#[test]
fn a_rule_of_few_needs_less() {
    let of = |n_rules| of_edit(0.0, 1, n_rules).score_of_edit();
    assert!(of(3) > of(30) && of(30) > of(300));
}

#[test]
fn each_feature_changes_the_score_of_a_task() {
    let score = |values: &[(Feature, f64)]| features(values).score(Occasion::Task);
    for raised in [
        QueryWords,
        QueryCosine,
        FileWords,
        FileCode,
        MarkedParts,
        SameMoment,
        Emphatic,
        Anchored,
    ] {
        assert!(score(&[(raised, 0.5)]) > score(&[]), "{raised:?}");
    }
    for lowered in [FromGuide, OtherPaths, OtherLanguage, Checking] {
        assert!(score(&[(lowered, 1.0)]) < score(&[]), "{lowered:?}");
    }
    let best = score(&[(QueryCosine, 0.5)]);
    assert!(!features(&[(FromGuide, 1.0)]).concerns_task(best));
    assert!(features(&[(QueryCosine, 0.3)]).concerns_task(best));
}

#[test]
fn only_the_words_of_a_rule_answer_a_question() {
    assert!(!features(&[]).answers());
    assert!(!features(&[(FileWords, 3.0), (Emphatic, 1.0)]).answers());
    assert!(features(&[(QueryCosine, 0.3)]).answers());
}
