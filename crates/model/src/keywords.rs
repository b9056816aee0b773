//! Enums of the domain. Each value has one spelling, used in files, flags, the store and output.
//!
//! Parsing ignores case; the error lists the valid values.

use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, IntoStaticStr, VariantArray};

/// Defines enums, each with the noun of its parse error and the case of its spellings, and adds `ALL`
/// and `as_str`.
macro_rules! keywords {
    ($($(#[$meta:meta])* $name:ident($noun:tt, $case:tt) { $($values:tt)* })+) => {$(
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[derive(Display, EnumString, IntoStaticStr, VariantArray)]
        #[serde(rename_all = $case)]
        #[strum(serialize_all = $case, ascii_case_insensitive)]
        #[strum(parse_err_ty = String, parse_err_fn = Self::unknown)]
        pub enum $name { $($values)* }

        impl $name {
            /// All values, in the order of the documentation.
            pub const ALL: &[Self] = Self::VARIANTS;

            /// Returns the spelling.
            pub fn as_str(self) -> &'static str {
                self.into()
            }

            fn unknown(text: &str) -> String {
                let known: Vec<&str> = Self::ALL.iter().map(|value| value.as_str()).collect();
                let expected = match known[..] {
                    [only] => format!("`{only}`"),
                    _ => format!("one of {}", known.join(", ")),
                };
                format!(concat!("unknown ", $noun, " `{}`: expected {}"), text, expected)
            }
        }
    )+};
}

keywords! {
    /// Kind of knowledge that a memory holds.
    #[derive(Default)]
    MemoryType("type", "snake_case") {
        #[default] Rule, Decision, Plan, Journal, Fact, Observation, Reflection,
    }

    /// Whether a memory is in use.
    MemoryStatus("status", "snake_case") {
        Active,
        /// Perhaps a rule: nobody gets it until a person or an agent makes it active.
        Proposed,
        Archived,
    }

    /// Programming language whose definitions are indexed.
    Language("language", "lowercase") {
        Python, Go, JavaScript, TypeScript, Tsx, Rust, Java, Vue, Svelte, Astro, CSharp, C, Cpp, Php,
        Kotlin, Ruby, Swift, Scala, Shell,
    }

    /// Kind of definition.
    #[derive(Default)]
    SymbolKind("symbol kind", "snake_case") {
        Class, Struct, Interface, Trait, Enum, Type, Module, Function, Method, Constant, Variable,
        Macro,
        /// Whole file, for an anchor without a symbol.
        #[default] File,
    }

    /// Whether code can show a rule.
    RuleKind("kind", "snake_case") {
        /// About code.
        Code,
        /// About the work on the project: commits, reviews, commands, documents.
        Process,
    }

    /// How reliable the best candidate of a rule is.
    Confidence("confidence", "snake_case") {
        /// It becomes the anchor.
        Sure,
        /// It is offered to a person or an agent, who decides.
        Likely,
        /// No candidate is worth a decision.
        None,
    }

    /// What a person decided about the example of a memory.
    ExampleChoice("value", "snake_case") {
        /// The code has none, so no command searches for one.
        None,
    }

    /// Role of an example beside the main one of a memory.
    ExampleRole("role", "snake_case") {
        /// Another example of the rule.
        Also,
        /// Code that breaks the rule.
        Not,
    }

    /// How an anchor was selected: by ranking, by a person, by an agent, or by the document that its rule was
    /// imported from, in which a person named the code.
    #[derive(Default)]
    Origin("origin", "snake_case") { #[default] Auto, Manual, Agent, Document }

    /// What an answer of an agent about a rule led to.
    Outcome("outcome", "snake_case") {
        Anchored,
        /// No code shows the rule, because it is about the work on the project.
        Process,
        /// The agent found no example.
        None,
        /// It has a kind or hints, with which an example can be searched for.
        Described,
        /// The answer is not valid, or a person decided already.
        Refused,
        /// There is no answer.
        Left,
    }

    /// Result of following an anchor.
    #[derive(Default)]
    State("state", "snake_case") { #[default] Fresh, Reformatted, Edited, Moved, Renamed, Ambiguous, Gone }

    /// Relation of a link's source to its target.
    EdgeType("relation", "snake_case") {
        Refactors, Plans, Debugs, Mentions, Supersedes, Extends, Contradicts, DependsOn,
        RelatedTo,
    }

    /// Result of resolving the target of a link.
    LinkState("state", "snake_case") {
        Live,
        Moved,
        Missing,
        /// Outside the project, so not checked.
        Outside,
        /// URL, so not checked.
        External,
    }

    /// Priority of a pin. Critical pins are injected first and never omitted.
    #[derive(Default)]
    Priority("priority", "snake_case") {
        Critical,
        Safety,
        #[default]
        Info,
    }

    /// Lifetime of a pin.
    #[derive(Default)]
    PinScope("scope", "snake_case") {
        /// Until the session ends.
        Session,
        /// Until it is removed; stored in `pins.toml`.
        #[default]
        Persistent,
        /// Until it expires.
        Temporary,
    }

    /// The severity of a finding, the worst first.
    #[derive(Default)]
    Severity("severity", "snake_case") {
        /// The check itself could not run.
        Unchecked,
        #[default] Error,
        /// It is likely, and fails no check by itself.
        Warning,
        Hint,
        Note,
        Info,
    }

    /// How a rule is checked.
    Enforcement("enforcement", "snake_case") {
        /// A person accepted its pattern.
        Enforced,
        /// It has no pattern.
        Advisory,
    }

    /// The markup that defines a section.
    SectionOrigin("origin", "snake_case") { Tag, Heading }

    /// What became of an item of an imported document.
    #[derive(Default)]
    ImportOutcome("outcome", "snake_case") {
        /// In a dry run: would be added.
        Added,
        /// Its memory was changed.
        Changed,
        /// No longer in the document; its memory is proposed for the trash.
        Removed,
        /// Changed in the document and in the bank: a person has to decide.
        Conflict,
        /// Imported before, or its text is already in the bank.
        Duplicate,
        /// Not a rule, or cannot be imported.
        #[default]
        Skipped,
        /// The document cannot be read; nothing is known about its items.
        Unreadable,
    }

    /// Entry type in the pin history.
    PinEvent("event", "snake_case") { Added, Removed, Expired, BudgetExceeded, Persisted, Loaded }
}

impl Language {
    /// Returns whether code of `self` can become code of `other` in a refactor. TypeScript
    /// projects mix `.ts`, `.tsx` and `.js` files, and components; headers are C++.
    pub fn is_kin(self, other: Self) -> bool {
        let family = |it| match it {
            Self::TypeScript | Self::Tsx | Self::Vue | Self::Svelte | Self::Astro => {
                Self::JavaScript
            }
            Self::C => Self::Cpp,
            other => other,
        };
        family(self) == family(other)
    }

    /// Returns whether a file is markup with code in its `<script>` elements.
    pub fn is_component(self) -> bool {
        matches!(self, Self::Vue | Self::Svelte | Self::Astro)
    }
}

impl Origin {
    /// Returns whether a person selected the code, so that no search replaces it.
    pub fn is_of_person(self) -> bool {
        matches!(self, Self::Manual | Self::Document)
    }
}

impl SymbolKind {
    /// Returns whether definitions of this kind contain other definitions.
    pub fn is_container(self) -> bool {
        matches!(
            self,
            Self::Class | Self::Struct | Self::Interface | Self::Trait | Self::Enum | Self::Module
        )
    }
}

impl ImportOutcome {
    /// Whether the bank differs from the document.
    pub fn is_difference(self) -> bool {
        !matches!(self, Self::Duplicate | Self::Skipped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_parsed_without_regard_to_case() {
        assert_eq!("TypeScript".parse(), Ok(Language::TypeScript));
        assert_eq!("budget_exceeded".parse(), Ok(PinEvent::BudgetExceeded));
        assert_eq!(EdgeType::DependsOn.to_string(), "depends_on");
    }

    #[test]
    fn parse_errors_list_the_valid_values() {
        let error = "rulez".parse::<MemoryType>().expect_err("not a type");
        assert!(
            error.starts_with("unknown type `rulez`: expected one of rule, decision"),
            "{error}"
        );
    }
}
