//! The kinds of claims, one file each: how a kind is read in a document, whether it holds, whether it held in
//! an old tree, and what is said about it if it no longer does.
//!
//! A new kind is a file with a type that implements [`Read`] and [`Kind`], and its line in `kinds!`.

use cerberus_engine::tree::git::past::TreeEntry;
use cerberus_model::text::Span;

use crate::level::Evidence;
use crate::manifests::{self, Facts};
use crate::now::{Holds, Now};
use crate::parse::Claim;
use crate::report::Document;
use crate::then::{Needs, OldTree, Past, Truth, Writer};
use crate::words;

/// Declares the modules of the kinds, the targets of claims, and the readers of all kinds in the order in which
/// they are asked.
macro_rules! kinds {
    ($($module:ident::$Kind:ident as $Variant:ident,)+) => {
        $(pub(crate) mod $module;)+

        /// The subject of a claim.
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Target {
            $($Variant($module::$Kind),)+
        }

        impl Target {
            pub(crate) fn kind(&self) -> &dyn Kind {
                match self {
                    $(Self::$Variant(kind) => kind,)+
                }
            }
        }

        $(impl From<$module::$Kind> for Target {
            fn from(kind: $module::$Kind) -> Self {
                Self::$Variant(kind)
            }
        })+

        /// Returns the claims of a piece of inline code.
        pub(crate) fn in_code(code: &Code<'_>) -> Vec<(Span, Target)> {
            let mut found: Vec<(Span, Target)> = Vec::new();
            $(
                for (span, claim) in $module::$Kind::in_code(code) {
                    found.push((span, claim.into()));
                }
                if $module::$Kind::IS_ONLY_READING && !found.is_empty() {
                    return found;
                }
            )+
            found
        }

        /// Returns the claims of a piece of code of several words, without command lines.
        pub(crate) fn in_phrase(text: &str) -> Vec<(Span, Target)> {
            let mut found: Vec<(Span, Target)> = Vec::new();
            $(
                for (span, claim) in $module::$Kind::in_phrase(text) {
                    found.push((span, claim.into()));
                }
            )+
            found
        }

        /// Returns the claims of the words of a command, with the positions of these words.
        pub(crate) fn in_command(words: &[&str]) -> Vec<(usize, Target)> {
            let mut found: Vec<(usize, Target)> = Vec::new();
            $(
                for (position, claim) in $module::$Kind::in_command(words) {
                    found.push((position, claim.into()));
                }
            )+
            found
        }

        /// Returns whether a kind reads a file of the project as a manifest.
        pub(crate) fn is_manifest(path: &str) -> bool {
            $($module::$Kind::is_manifest(path))||+
        }

        /// Adds the names that the kinds read in a manifest of their own.
        pub(crate) fn read_manifest(path: &str, text: &str, facts: &mut Facts) {
            $(
                if $module::$Kind::is_manifest(path) {
                    $module::$Kind::read_manifest(path, text, facts);
                }
            )+
        }
    };
}

// The first readings of a piece of code come first.
kinds! {
    path::FilePath as Path,
    variable::Variable as Variable,
    module::Module as Module,
    symbol::Symbol as Symbol,
    task::Task as Task,
    package::Package as Package,
    rule::EnforcedRule as Rule,
    version::RequiredVersion as Version,
}

/// A piece of inline code.
pub(crate) struct Code<'t> {
    pub(crate) text: &'t str,
    /// The start of the text after it.
    pub(crate) after: &'t str,
}

/// How a kind of claim is recognised.
pub(crate) trait Read: Sized {
    /// Whether a piece of code that it recognises is nothing else.
    const IS_ONLY_READING: bool = false;

    /// Returns what a piece of inline code claims, with the bytes that name the target.
    fn in_code(_code: &Code<'_>) -> Vec<(Span, Self)> {
        Vec::new()
    }

    /// Returns what a piece of inline code of several words claims, apart from a command line.
    fn in_phrase(_text: &str) -> Vec<(Span, Self)> {
        Vec::new()
    }

    /// Returns what the words of one command claim, with the positions of the words that name the targets.
    fn in_command(_words: &[&str]) -> Vec<(usize, Self)> {
        Vec::new()
    }

    /// Returns whether a file defines names of this kind that the other manifests do not have.
    fn is_manifest(_path: &str) -> bool {
        false
    }

    /// Adds the names of such a file, with `facts.define`.
    fn read_manifest(_path: &str, _text: &str, _facts: &mut Facts) {}
}

/// The questions about a claim of any kind. The defaults are for a kind whose names manifests define.
pub(crate) trait Kind {
    /// The name of the kind in reports.
    fn name(&self) -> &'static str;

    /// What of an old tree is compared.
    fn needs(&self) -> Needs {
        Needs::MANIFESTS
    }

    /// Returns the words of code with which it is compared.
    fn words(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns whether a file of the tree may make the claim true.
    fn is_read_in(&self, entry: &TreeEntry) -> bool {
        let needs = self.needs();
        needs.code && words::is_code(entry)
            || needs.manifests && manifests::is_manifest(&entry.path)
    }

    /// Returns whether a manifest makes the claim true.
    fn is_made_by(&self, _path: &str, _facts: &Facts) -> bool {
        false
    }

    /// Returns whether the claim is true in the tree as it is.
    fn holds(&self, now: &Now, place: Place<'_>) -> Holds;

    /// Returns what made the claim true in an old tree, if it was true in a way that ended.
    fn held(&self, past: &mut Past<'_, '_>, old: &mut OldTree, writer: Writer<'_>)
    -> Option<Truth>;

    /// Returns whether the claim, which holds perhaps, never meant what is gone.
    fn meant_another(
        &self,
        _past: &mut Past<'_, '_>,
        _old: &mut OldTree,
        _writer: Writer<'_>,
    ) -> bool {
        false
    }

    /// Returns what is wrong with a claim that was true.
    fn reason(&self, now: &Now, truth: &Truth) -> String;

    /// Returns whether a claim that was true is certainly one about the project as it is.
    fn is_sure(&self, evidence: &Evidence<'_>) -> bool;

    /// Returns whether it is one in a block of code, too, which may be a sample.
    fn is_sure_in_block(&self, _evidence: &Evidence<'_>) -> bool {
        false
    }

    /// Returns what is wrong with a claim that was never true, if it is a mistake of its writer. `is_added` is
    /// whether the change that is checked adds its line.
    fn never_held(&self, _now: &Now, _place: Place<'_>, _is_added: bool) -> Option<String> {
        None
    }
}

/// A claim in its document.
#[derive(Clone, Copy)]
pub(crate) struct Place<'d> {
    pub(crate) document: &'d Document,
    pub(crate) claim: &'d Claim,
}

/// Returns the manifests that differ in an old tree and made a claim true there, of those that `is_meant`.
fn made_by(
    kind: &dyn Kind,
    past: &mut Past<'_, '_>,
    old: &mut OldTree,
    is_meant: impl Fn(&str) -> bool,
) -> Option<Truth> {
    let made_now = past.now.manifests.making(kind);
    let mut found = Vec::new();
    for path in past.manifests(old).making(kind) {
        // A manifest that still has it made no claim false.
        if !made_now.contains(&path) && is_meant(path) {
            found.push(path.to_owned());
        }
    }
    (!found.is_empty()).then_some(Truth::Manifests(found))
}

impl Target {
    /// The name of the kind in reports.
    pub fn name(&self) -> &'static str {
        self.kind().name()
    }

    /// Returns the path that a claim names, with patterns, if it is about a file or a folder.
    pub fn path(&self) -> Option<&str> {
        match self {
            Self::Path(path) => Some(&path.path),
            _ => None,
        }
    }

    /// Returns whether the claim is a link.
    pub(crate) fn is_link(&self) -> bool {
        matches!(self, Self::Path(path) if path.is_link)
    }

    /// Returns whether it is a word that may be a package, of which nothing else is claimed.
    pub fn is_package(&self) -> bool {
        matches!(self, Self::Package(_))
    }
}

impl Code<'_> {
    /// Returns whether the text may be a name: no address, no markup.
    pub(crate) fn is_plain(&self) -> bool {
        let has_other = self.text.contains(['\n', '<', '\\']) && !self.text.contains("::<");
        !self.text.contains("://") && !has_other
    }
}
