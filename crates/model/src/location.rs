//! Location of code: a file, or a symbol in it.

use std::fmt;
use std::str::FromStr;

/// File with an optional symbol, written `FILE` or `FILE::SYMBOL`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CodeLocation {
    /// Path below the project root, with `/`.
    pub file: String,
    /// Qualified name, with `.` between its parts. Of several definitions of that name, a number or
    /// the parameters select one: `send#2`, `send(String,int)`.
    pub symbol: Option<String>,
}

impl FromStr for CodeLocation {
    type Err = String;

    /// Parses `FILE` or `FILE::SYMBOL`. The parts of the symbol may also be separated by `::`.
    fn from_str(text: &str) -> Result<Self, String> {
        let (file, symbol) = match text.split_once("::") {
            Some((file, symbol)) => {
                let (name, parameters) = symbol.split_at(symbol.find('(').unwrap_or(symbol.len()));
                (file, Some(name.replace("::", ".") + parameters))
            }
            None => (text, None),
        };
        if file.is_empty() || symbol.as_deref() == Some("") {
            return Err(format!(
                "`{text}` is not a valid location: expected FILE or FILE::SYMBOL, as in `src/db.py::close_session`"
            ));
        }
        Ok(Self {
            file: file.trim_start_matches("./").to_owned(),
            symbol,
        })
    }
}

/// Returns a location as `FILE` or `FILE::SYMBOL`.
pub fn format_location(file: &str, symbol: Option<&str>) -> String {
    match symbol {
        Some(symbol) => format!("{file}::{symbol}"),
        None => file.to_owned(),
    }
}

/// Splits a symbol into its qualified name and its number among the definitions of that name in its
/// file, if there are several: `Mailer.send#2`.
pub fn split_number(symbol: &str) -> (&str, Option<usize>) {
    let numbered = symbol.rsplit_once('#').and_then(|(name, number)| {
        let number = number.parse().ok().filter(|number| *number > 0)?;
        (!name.is_empty()).then_some((name, Some(number)))
    });
    numbered.unwrap_or((symbol, None))
}

impl fmt::Display for CodeLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format_location(&self.file, self.symbol.as_deref()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let location = text.parse::<CodeLocation>().expect(text);
        assert_eq!(location.to_string(), expected);
    }

    #[test]
    fn locations_are_parsed_and_displayed() {
        check("src/db.py", "src/db.py");
        check("./src/db.py::close", "src/db.py::close");
        check("src/db.py::Session.close", "src/db.py::Session.close");
        check("src/db.rs::Session::close", "src/db.rs::Session.close");
        check("src/db.rs::Session::fmt#2", "src/db.rs::Session.fmt#2");
        check("src/db.rs::A::f(b::C, int)", "src/db.rs::A.f(b::C, int)");
    }

    #[test]
    fn locations_without_file_or_symbol_are_rejected() {
        for text in ["", "::close", "src/db.py::"] {
            assert!(text.parse::<CodeLocation>().is_err(), "{text}");
        }
    }
}
