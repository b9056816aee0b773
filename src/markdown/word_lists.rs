//! The English word lists that rules and links are recognised by.

use crate::model::EdgeType;
use crate::text::WordList;

/// Words that make any sentence an instruction.
pub(super) const MODALS: WordList = WordList(
    "must mustn't should shouldn't shall never always avoid prefer preferred forbidden prohibited
    disallowed mandatory required",
);

/// Words that may precede a verb in the imperative.
pub(super) const OPENERS: WordList = WordList(
    "please also then first finally next just instead otherwise so and but only explicitly strictly
    simply generally usually whenever",
);

/// Words that start a condition, which ends at a comma.
pub(super) const CONDITIONS: WordList = WordList(
    "when if for in before after once unless while to on at with under whenever during as where
    from by until without inside outside within given via anytime wherever otherwise",
);

/// Words at the start of a text that is itself a condition.
pub(super) const CONDITION_STARTS: WordList =
    WordList("if when whenever unless before after once while for anytime");

/// Verbs that start a rule and are rarely nouns there.
pub(super) const VERBS: WordList = WordList(
    "
    accept adapt add adhere adopt align allow annotate answer append apply ask assert assess assign
    assume attach avoid await be become begin bind borrow break bring bump call capitalize carry
    catch centralize choose clear close co-locate collapse combine compare compose confirm
    consider consolidate construct consult convert coordinate create deal debounce declare
    decouple defer define delegate delete deny depend deploy derive describe destructure detect
    disable discuss dispose do drop edit eliminate emit employ enable encapsulate encrypt
    enforce ensure enter escape establish evaluate exclude exit expect explain expose express
    extend externalize extract fail fall favor favour fetch fill find finish fix flush follow
    fork get give go guard handle harden hash hide hoist hold honor identify ignore implement
    improve include increase indent inherit initialise initialize inject insert install
    instantiate interpolate introduce investigate invoke isolate iterate join justify keep know
    learn leave let leverage localize look lower maintain make memoise memoize merge migrate
    mimic minimise minimize mirror modify modularize mount move narrow nest never normalise
    normalize obtain omit optimise optimize organise organize override pad paginate parse pass
    perform permit persist pick pin populate postpone precompute prefer preload prepare prepend
    preserve prevent prioritize promote propagate propose protect prove provide publish pull
    purge push put raise re-export reach react read rebase rebuild recheck recompute reconcile
    recover redirect reduce refactor refer regenerate register reject reload rely remember
    remove rename render repair repeat replace reply represent reproduce require rerun reserve
    resist resolve respect respond restrict retain retry return reuse revert reword rewrite
    rotate run sanitise sanitize save scan seek select send separate serialize serve shorten
    show simplify skip sort spawn specify spell split squash standardize stay stick stop store
    stringify strip strive submit subscribe substitute summarize supply suppress surround sync
    take tell terminate think throw tidy toggle transform translate treat trim truncate trust
    try tune turn type-check uncomment understand undo unify unit-test unsubscribe unwrap upload
    use utilise utilize validate verify visit wait walk warn wrap write yield
",
);

/// Verbs that are often nouns or adjectives; only an object after them makes a command.
pub(super) const AMBIGUOUS_VERBS: WordList = WordList(
    "
    access batch benchmark build bundle cache cap cast chain change check clean clone comment commit
    complete configure control copy cover design document duplicate exercise export flag focus
    format group import index inline issue label land launch limit link lint list load lock log
    map mark match mock model name note open order own pair patch place plan post prefix present
    print process profile query quote record release report reset review round route sample
    schedule scope script search secure seed set share ship sign slice snapshot stage start
    state stream structure stub support switch tag target test throttle trace track type update
    version view watch work
",
);

/// Words that an object starts with.
pub(super) const OBJECT_STARTS: WordList = WordList(
    "the a an all any every each your our its their this that these those only new existing no both
    one it them for with in to by up out off on at as into before after if whether what how why not
    onto explicit public private related unused proper clear descriptive meaningful consistent
    small",
);

/// Words after a verb that is a noun or an adjective there.
pub(super) const NOT_OBJECTS: WordList = WordList(
    "is are was were of and or has have had can may will would must should does do that which",
);

/// Words of a heading or an introduction above prohibitions.
pub(super) const PROHIBITIONS: WordList = WordList(
    "never avoid don't dont don'ts donts forbidden prohibited banned disallowed anti-pattern
    anti-patterns antipatterns mistakes pitfalls mustn't shouldn't cannot",
);

/// Words that negate a rule.
pub(super) const NEGATIONS: WordList = WordList("never avoid not no cannot");

/// Labels of examples and of reasons, before a colon.
pub(super) const EXAMPLE_LABELS: WordList = WordList(
    "example examples good bad right wrong correct incorrect desired better worse before after",
);
pub(super) const REASON_LABELS: WordList = WordList("rationale reason why because");

/// Labels of a paragraph that is a rule, and of one that may be one.
pub(super) const RULE_LABELS: WordList =
    WordList("rule must required requirement mandatory never always do don't");
pub(super) const IMPORTANT_LABELS: WordList =
    WordList("note important warning caution critical tip attention remember");

/// Words of an introduction to rules, and to steps.
pub(super) const RULE_INTROS: WordList =
    WordList("rules principles conventions guidelines standards");
pub(super) const STEP_INTROS: WordList =
    WordList("steps commands sequence procedure workflow checklist");

/// Words that emphasise the instruction after them.
pub(super) const EMPHASES: WordList = WordList("important critical mandatory");

/// Last words of an introduction that each item continues.
pub(super) const OPEN_ENDS: WordList =
    WordList("to must should shall be not never always please ensure");

/// Last words of an introduction whose items are conditions.
pub(super) const CONDITION_ENDS: WordList = WordList("if when unless");

/// Verbs of a pointer to other documents.
pub(super) const POINTER_VERBS: WordList = WordList("see check refer read consult visit");

/// Words before and after "never" and "always" in an instruction and in a statement.
pub(super) const ADVERB_SUBJECTS: WordList =
    WordList("and but or please also then you we should must to is are be so");
pub(super) const STATEMENT_VERBS: WordList = WordList("has is are was were does did will had");

/// Verbs of instructions to set something up, which are steps.
pub(super) const SETUP_VERBS: WordList =
    WordList("install clone fork download navigate open visit launch start setup move see refer");

/// Words of headings above rules, steps and descriptions.
pub(super) const RULE_TITLES: WordList = WordList(
    "rule rules convention conventions guideline guidelines style standard standards principle
    principles practice practices requirement requirements constraint constraints policy policies
    naming idioms heuristics invariants formatting boundaries restrictions quality do dos do's
    don'ts always must gotchas learnings indentation directives testing tests commits
    expectations mandates",
);
pub(super) const SETUP_TITLES: WordList =
    WordList("prerequisites setup install installation quickstart");
pub(super) const STEP_TITLES: WordList = WordList(
    "commands command installing quickstart running deployment deploying steps releasing publishing debugging",
);
pub(super) const DESCRIPTION_TITLES: WordList = WordList(
    "overview structure layout architecture stack technology technologies dependencies resources
    references reference links features about contents directory directories folders files
    background glossary terminology introduction acknowledgements license licensing contributors
    roadmap skills components concepts environment summary organization organisation",
);

/// Titles of the columns of a table of rules.
pub(super) const DO_COLUMNS: WordList =
    WordList("do use prefer good right correct preferred instead yes recommended");
pub(super) const DONT_COLUMNS: WordList = WordList(
    "don't dont avoid never bad wrong incorrect not forbidden no deprecated antipattern
    anti-pattern",
);
pub(super) const RULE_COLUMNS: WordList =
    WordList("rule rules convention guideline guidelines must requirement constraint");

/// Words that imply a relation to a link's target, anywhere in the sentence.
pub(super) const RELATION_WORDS: [(EdgeType, WordList); 4] = [
    (
        EdgeType::Refactors,
        WordList(
            "refactor refactors refactored refactoring rewrite rewrites rewrote rewriting rewritten
            restructure restructures restructured restructuring",
        ),
    ),
    (EdgeType::Plans, WordList("plan plans planned planning todo todos will should")),
    (EdgeType::Debugs, WordList("bug bugs fix fixes fixed fixing issue issues error errors")),
    (
        EdgeType::Mentions,
        WordList("note notes noted remember remembers mention mentions mentioned mentioning"),
    ),
];

/// Verbs that relate two memories if the target follows as the object; as the subject, or with
/// the verb in the passive, it has the reverse relation.
pub(super) const MEMORY_VERBS: [(EdgeType, WordList); 4] = [
    (EdgeType::Supersedes, WordList("supersede supersedes superseding")),
    (EdgeType::Extends, WordList("extend extends extending")),
    (EdgeType::Contradicts, WordList("contradict contradicts contradicting")),
    (EdgeType::DependsOn, WordList("depend depends depending")),
];
