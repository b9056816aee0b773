//! The code that a document names as the sample of a rule, which becomes the anchor of its memory.

use anyhow::Result;
use cerberus_engine::syntax::language;
use cerberus_engine::track::Version;
use cerberus_engine::tree::read;
use cerberus_markdown::rules::path_of_sample;
use cerberus_model::{Anchor, CodeLocation, ExampleRole, Origin, OtherExample};

use crate::ops::{Project, anchors};

/// Returns the anchor to the code at places in a document, the first one as the main example. Places without code
/// of the project are omitted; `path_of` returns the path of a file from the root.
pub(super) fn anchor(
    project: &Project,
    places: &[String],
    path_of: impl Fn(&str) -> String,
) -> Option<Anchor> {
    let mut main: Option<Anchor> = None;
    for place in places {
        let path = path_of(path_of_sample(place));
        let Ok(Some(found)) = at(project, place, path) else {
            continue;
        };
        match &mut main {
            None => main = Some(found),
            Some(main) => main.others.push(OtherExample {
                role: ExampleRole::Also,
                anchor: found,
                code: None,
            }),
        }
    }
    let mut main = main?;
    main.others.sort_by(|a, b| a.key().cmp(&b.key()));
    main.others.dedup_by(|a, b| a.key() == b.key());
    Some(main)
}

/// Returns the anchor to the code at a place, or `None` for a file without code.
fn at(project: &Project, place: &str, file: String) -> Result<Option<Anchor>> {
    if language::from_path(&file).is_none() || !read::is_file(&project.root, &file) {
        return Ok(None);
    }
    let suffix = &place[path_of_sample(place).len()..];
    let symbol = match (suffix.strip_prefix("::"), line(suffix)) {
        (Some(name), _) => Some(name.trim_end_matches("()").replace("::", ".")),
        (None, Some(line)) => {
            let bytes = read::bytes(&project.root, &file)?;
            let version = Version::parse(&file, &bytes);
            version.symbol_at(line.saturating_sub(1)).map(str::to_owned)
        }
        (None, None) => None,
    };
    let location = CodeLocation { file, symbol };
    Ok(Some(Anchor {
        origin: Origin::Document,
        ..anchors::named(project, &location)?
    }))
}

/// Returns the line that `:12`, `:12-30` or `#L12` names.
fn line(suffix: &str) -> Option<u32> {
    let number = suffix.strip_prefix("#L").or(suffix.strip_prefix(':'))?;
    let end = number.find(|c: char| !c.is_ascii_digit());
    number[..end.unwrap_or(number.len())].parse().ok()
}
