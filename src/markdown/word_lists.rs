//! The English word lists that rules and links are recognised by.

use crate::model::EdgeType;
use crate::text::WordList;

/// Words that make any sentence an instruction.
pub(super) static MODALS: WordList = WordList::new(
    "must mustn't should shouldn't shall never always avoid prefer preferred forbidden prohibited
    disallowed mandatory required",
);

/// Words that may precede a verb in the imperative.
pub(super) static OPENERS: WordList = WordList::new(
    "please also then first finally next just instead otherwise so and but only explicitly strictly
    simply generally usually whenever",
);

/// Words that start a condition, which ends at a comma.
pub(super) static CONDITIONS: WordList = WordList::new(
    "when if for in before after once unless while to on at with under whenever during as where
    from by until without inside outside within given via anytime wherever otherwise",
);

/// Words at the start of a text that is itself a condition.
pub(super) static CONDITION_STARTS: WordList =
    WordList::new("if when whenever unless before after once while for anytime");

/// Verbs that start a rule and are rarely nouns there.
pub(super) static VERBS: WordList = WordList::new(
    "
    accept acknowledge adapt add adhere adopt advise aim align allocate allow analyse analyze
    annotate answer anticipate apologize append apply arrange ask assemble assert assess assign
    assume attach avoid await be become begin bind bootstrap borrow break bring bump bypass
    calculate call cancel capitalize capture carry catch centralize certify choose chunk cite
    clarify clear close co-locate collapse combine communicate compare compile compose compress
    compute concatenate confirm conform connect conserve consider consolidate construct consult
    contribute convert convey coordinate create cross-check curate customise customize deal
    debounce debug decide declare decouple deduplicate defer define delegate delete deliver
    demonstrate denote deny depend deploy deprecate derive describe designate destroy
    destructure detect determine devise diagnose differentiate disable discard disclose
    discourage discover discuss dispose distinguish distribute divide do drop edit eliminate
    emit employ enable encapsulate encode encourage encrypt enforce engage ensure enter
    enumerate escalate escape establish evaluate exclude execute exit expect explain explore
    expose express extend externalize extract fail fall favor favour fetch fill finalize find
    finish fix flush follow forbid force fork gather generate get give go grant guard halt
    handle harden hash hide highlight hoist hold honor identify ignore implement improve
    include incorporate increase indent inform inherit initialise initialize initiate inject
    insert inspect install instantiate instruct integrate interact intercept interpolate
    introduce investigate invoke isolate iterate join justify keep know learn leave let
    leverage localize locate look lower maintain make memoise memoize mention merge migrate
    mimic minimise minimize mirror mitigate modify modularize mount move mutate narrow neglect
    negotiate nest never normalise normalize notify observe obtain offload omit optimise
    optimize organise organize override pad paginate parameterize parametrize parse pass
    perform permit persist phrase pick pin populate postpone practise precede precompute
    predict prefer preload prepare prepend preserve prevent prioritize proceed prohibit promote
    propagate propose protect prove provide provision publish pull purge push put raise
    re-export reach react read rebase rebuild recheck recognise recognize recommend recompute
    reconcile recover recreate recurse redact redirect reduce refactor refer refine reflect
    refrain regenerate register reject relax reload relocate rely remember remove rename render
    reopen reorder reorganize repair repeat rephrase replace reply represent reproduce require
    rerun reserve resist resolve respect respond restate restore restrict restructure resubmit
    resume retain rethrow retry return reuse revalidate revert revise revisit reword rewrite
    roll rotate run sanitise sanitize save scan seal seek select send separate serialize serve
    shorten show simplify simulate skip solicit solve sort spawn speak specify spell split
    squash standardize stay stick stop store stringify strip strive subclass submit subscribe
    substitute suggest summarise summarize supply suppress surround suspend sync synchronize
    synthesize tackle take tell terminate think throw tidy toggle tolerate transform translate
    transmit traverse treat trim truncate trust try tune turn type-check uncomment understand
    undo unify uninstall unit-test unset unsubscribe unwrap upload use utilise utilize validate
    vary verify vet visit wait walk warn wipe withhold wrap write yield
",
);

/// Verbs that are often nouns or adjectives; only an object after them makes a command.
pub(super) static AMBIGUOUS_VERBS: WordList = WordList::new(
    "
    access address archive audit balance base batch benchmark block bound buffer build bundle
    cache cap cast chain change check clean clone comment commit complete configure contact
    control copy correct count cover credit default design detail document draft duplicate
    estimate exercise export figure file filter flag focus format free group guarantee
    hook host import index inline instrument issue label land launch limit link lint list load
    lock log map mark match measure mind mock model monitor name note number offer open order
    outline own package pair partition patch pause ping place plan point poll post preface
    prefix present print process profile prompt query question queue quote rank record release
    report request reset restart review round route sample scale schedule scope script search
    secure seed set share ship sign signal sleep slice snapshot span stage start stash state
    stream structure stub support swap switch tag target template test throttle trace track
    triage trigger type update upgrade vendor version view watch wire work
",
);

/// Words that an object starts with.
pub(super) static OBJECT_STARTS: WordList = WordList::new(
    "the a an all any every each your our its their this that these those only new existing no both
    one it them for with in to by up out off on at as into before after if whether what how why not
    onto explicit public private related unused proper clear descriptive meaningful consistent
    small",
);

/// Words that follow a verb, but not a noun, without a preposition.
pub(super) static DETERMINERS: WordList =
    WordList::new("the a an all any every each your our its their this these those");

/// Words before a determiner that are not verbs.
pub(super) static FUNCTION_WORDS: WordList = WordList::new(
    "about above across against along although among and are around because behind below beside
    besides between beyond both but can could despite does down due each even everything except
    few had has have he here how i into is it like many may might more most much near no none nor
    not now nothing of off one onto or out over part per plus quite rather she since some something
    such than that there they though through throughout till today together too toward towards two
    under underneath unlike up upon was we were what whatever whereas whether which who whose why
    will would yes yet you",
);

/// Words after a verb that is a noun or an adjective there.
pub(super) static NOT_OBJECTS: WordList = WordList::new(
    "is are was were of and or has have had can may will would must should does do that which",
);

/// Words of a heading or an introduction above prohibitions.
pub(super) static PROHIBITIONS: WordList = WordList::new(
    "never avoid don't dont don'ts donts forbidden prohibited banned disallowed anti-pattern
    anti-patterns antipatterns mistakes pitfalls mustn't shouldn't cannot",
);

/// Words that negate a rule.
pub(super) static NEGATIONS: WordList = WordList::new("never avoid not no cannot");

/// Labels of examples and of reasons, before a colon.
pub(super) static EXAMPLE_LABELS: WordList = WordList::new(
    "example examples good bad right wrong correct incorrect desired better worse before after",
);
pub(super) static REASON_LABELS: WordList = WordList::new("rationale reason why because");

/// Labels of a tool or a version, whose value is a fact: "Framework: x".
pub(super) static TOOL_LABELS: WordList = WordList::new(
    "framework frameworks language languages library libraries database databases runtime tool
    tools tooling formatter linter bundler runner compiler interpreter config configuration command
    commands repository version versions stack ide license platform platforms target environment
    server client manager engine transpiler hosting",
);

/// Labels of a paragraph that is a rule, and of one that may be one.
pub(super) static RULE_LABELS: WordList =
    WordList::new("rule must required requirement mandatory never always do don't");
pub(super) static IMPORTANT_LABELS: WordList =
    WordList::new("note important warning caution critical tip attention remember");

/// Words of an introduction to rules, and to steps.
pub(super) static RULE_INTROS: WordList =
    WordList::new("rules principles conventions guidelines standards");
pub(super) static STEP_INTROS: WordList =
    WordList::new("steps commands sequence procedure workflow checklist");

/// Words that emphasise the instruction after them.
pub(super) static EMPHASES: WordList = WordList::new("important critical mandatory");

/// Last words of an introduction whose items are listed: "The checks include:".
pub(super) static LIST_ENDS: WordList =
    WordList::new("include includes contain contains provide provides support supports");

/// Last words of an introduction that each item continues.
pub(super) static OPEN_ENDS: WordList =
    WordList::new("to must should shall be not never always please ensure");

/// Last words of an introduction whose items are conditions.
pub(super) static CONDITION_ENDS: WordList = WordList::new("if when unless");

/// Verbs of a pointer to other documents.
pub(super) static POINTER_VERBS: WordList = WordList::new("see check refer read consult visit");

/// Words before and after "never" and "always" in an instruction and in a statement.
pub(super) static ADVERB_SUBJECTS: WordList =
    WordList::new("and but or please also then you we should must to is are be so");
pub(super) static STATEMENT_VERBS: WordList =
    WordList::new("has is are was were does did will had can could may might");

/// Participles of descriptions: "is located in".
pub(super) static PLACED: WordList = WordList::new(
    "located organized organised available registered generated handled configured found provided
    stored defined built published",
);

/// Verbs of instructions to set something up, which are steps.
pub(super) static SETUP_VERBS: WordList = WordList::new(
    "install clone fork download navigate open visit launch start setup move see refer",
);

/// Verbs of instructions to get software, which are never rules.
pub(super) static INSTALL_VERBS: WordList = WordList::new("install clone fork download");

/// Words of the condition of an instruction that holds for all changes of a kind: "after editing".
pub(super) static CHANGE_CONDITIONS: WordList =
    WordList::new("before after when whenever if each every any");
pub(super) static CHANGES: WordList = WordList::new(
    "change changes changed changing modify modifying modified edit edits edited editing add adding
    added remove removing rename renaming touch touching commit commits committing push pushing
    submit submitting merge merging refactor refactoring release releasing update updating",
);

/// What a contribution consists of: "Opening a pull request" is followed by rules.
pub(super) static CONTRIBUTIONS: WordList = WordList::new(
    "pr prs mr pull merge request issue issues bug commit commits patch contribution",
);

/// Words of headings above rules, steps and descriptions.
pub(super) static RULE_TITLES: WordList = WordList::new(
    "rule rules convention conventions guideline guidelines style standard standards principle
    principles practice practices requirement requirements constraint constraints policy policies
    naming idioms heuristics invariants formatting boundaries restrictions quality do dos do's
    don'ts always must gotchas learnings indentation directives testing tests commits
    expectations mandates",
);
pub(super) static SETUP_TITLES: WordList =
    WordList::new("prerequisites setup install installation quickstart");
pub(super) static STEP_TITLES: WordList = WordList::new(
    "commands command installing quickstart running deployment deploying steps releasing publishing debugging",
);
pub(super) static DESCRIPTION_TITLES: WordList = WordList::new(
    "overview structure layout architecture stack technology technologies dependencies resources
    references reference links features about contents directory directories folders files
    background glossary terminology introduction acknowledgements license licensing contributors
    roadmap skills components concepts environment summary organization organisation",
);

/// Titles of the columns of a table of rules.
pub(super) static DO_COLUMNS: WordList =
    WordList::new("do use prefer good right correct preferred instead yes recommended");
pub(super) static DONT_COLUMNS: WordList = WordList::new(
    "don't dont avoid never bad wrong incorrect not forbidden no deprecated antipattern
    anti-pattern",
);
pub(super) static RULE_COLUMNS: WordList =
    WordList::new("rule rules convention guideline guidelines must requirement constraint");

/// Words that imply a relation to a link's target, anywhere in the sentence.
pub(super) static RELATION_WORDS: [(EdgeType, WordList); 4] = [
    (
        EdgeType::Refactors,
        WordList::new(
            "refactor refactors refactored refactoring rewrite rewrites rewrote rewriting rewritten
            restructure restructures restructured restructuring",
        ),
    ),
    (EdgeType::Plans, WordList::new("plan plans planned planning todo todos will should")),
    (EdgeType::Debugs, WordList::new("bug bugs fix fixes fixed fixing issue issues error errors")),
    (
        EdgeType::Mentions,
        WordList::new("note notes noted remember remembers mention mentions mentioned mentioning"),
    ),
];

/// Verbs that relate two memories if the target follows as the object; as the subject, or with
/// the verb in the passive, it has the reverse relation.
pub(super) static MEMORY_VERBS: [(EdgeType, WordList); 4] = [
    (EdgeType::Supersedes, WordList::new("supersede supersedes superseding")),
    (EdgeType::Extends, WordList::new("extend extends extending")),
    (EdgeType::Contradicts, WordList::new("contradict contradicts contradicting")),
    (EdgeType::DependsOn, WordList::new("depend depends depending")),
];
