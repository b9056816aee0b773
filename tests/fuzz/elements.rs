//! Checks of generated HTML.

/// Allowed elements, and those without an end tag.
const ELEMENTS: &str = " p h4 h5 h6 pre code blockquote ul ol li table thead tbody tr th td a em \
    strong del hr br ";
const VOID_ELEMENTS: &str = " hr br ";

/// Elements that are allowed in a paragraph, a heading or a link.
const INLINE: &str = " a code em strong del br ";

/// Elements that may contain only [`INLINE`] elements.
const LINES: &str = " p h4 h5 h6 a ";

/// Allowed prefixes of link targets.
const SCHEMES: [&str; 4] = ["#", "http://", "https://", "mailto:"];

/// Allowed entities.
const ENTITIES: [&str; 5] = ["amp;", "lt;", "gt;", "quot;", "#x27;"];

/// Panics if `html` contains an element, attribute or character that is not allowed, if elements
/// are not nested correctly, or if headings skip a level after the third.
pub(super) fn check(html: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut heading = 3;
    let mut rest = html;
    while let Some(offset) = rest.find(['<', '&', '>']) {
        let (sign, after) = (&rest[offset..=offset], &rest[offset + 1..]);
        if sign == "&" {
            assert!(
                ENTITIES.iter().any(|entity| after.starts_with(entity)),
                "&{after}"
            );
            rest = after;
            continue;
        }
        assert_eq!(sign, "<", "{rest}");
        let (tag, after) = after.split_once('>').expect("a closed tag");
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "{html}");
            continue;
        }
        let tag = tag.strip_suffix(" /").unwrap_or(tag);
        let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        assert!(has(ELEMENTS, name), "{tag}");
        check_attributes(attributes);
        let is_in_line = open.iter().any(|around| has(LINES, around));
        assert!(
            !is_in_line || has(INLINE, name),
            "{name} in {open:?}: {html}"
        );
        assert!(
            name != "a" || !open.contains(&"a"),
            "a link in a link: {html}"
        );
        if let Some(level) = name
            .strip_prefix('h')
            .and_then(|level| level.parse::<usize>().ok())
        {
            assert!(level <= heading + 1, "a heading level is skipped: {html}");
            heading = level;
        }
        if !has(VOID_ELEMENTS, name) {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?} is not closed: {html}");
}

fn check_attributes(attributes: &str) {
    let mut rest = attributes;
    while let Some((name, after)) = rest.split_once("=\"") {
        let (value, after) = after.split_once('"').expect("a closed value");
        let is_known = match name.trim_start() {
            "href" => {
                let value = value.to_ascii_lowercase();
                SCHEMES.iter().any(|scheme| value.starts_with(scheme))
            }
            "class" => value.starts_with("language-"),
            "start" => value.parse::<u64>().is_ok(),
            _ => false,
        };
        assert!(is_known, "{attributes}");
        rest = after;
    }
    assert_eq!(rest, "", "{attributes}");
}

fn has(names: &str, name: &str) -> bool {
    names.split_ascii_whitespace().any(|known| known == name)
}
