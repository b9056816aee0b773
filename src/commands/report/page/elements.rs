//! The parts of which the page of `memory report` consists.

use maud::{Markup, Render, html};

/// Returns the list of the sections: HTML id, name and number of entries of each.
pub(super) fn contents(sections: &[(&str, &str, Option<usize>)]) -> Markup {
    html! {
        nav aria-label="Contents" {
            ul {
                @for (id, name, n) in sections {
                    li {
                        a href={ "#" (id) } { (name) }
                        @if let Some(n) = n { " " span.tally { (n) } }
                    }
                }
            }
        }
    }
}

/// Returns a section with its heading.
pub(super) fn section(id: &str, title: &str, body: &Markup) -> Markup {
    html! {
        section id=(id) aria-labelledby={ (id) "-title" } {
            h2 id={ (id) "-title" } { (title) }
            (body)
        }
    }
}

/// Returns counts with their names.
pub(super) fn counts<N: Render, V: Render>(counts: impl IntoIterator<Item = (N, V)>) -> Markup {
    html! {
        dl.counts { @for (name, value) in counts { div { dt { (name) } dd { (value) } } } }
    }
}

/// Returns a table of rows, each with its cells. A column whose name starts with `#` has numbers.
pub(super) fn table(
    caption: &str,
    columns: &[&str],
    rows: impl IntoIterator<Item = Markup>,
) -> Markup {
    labelled((None, caption), columns, rows)
}

/// Returns a table that is scrolled if it is wider than the page. Its caption has an id.
pub(super) fn wide_table(
    (id, caption): (&str, &str),
    columns: &[&str],
    rows: impl IntoIterator<Item = Markup>,
) -> Markup {
    html! {
        section.wide tabindex="0" aria-labelledby=(id) {
            (labelled((Some(id), caption), columns, rows))
        }
    }
}

fn labelled(
    (id, caption): (Option<&str>, &str),
    columns: &[&str],
    rows: impl IntoIterator<Item = Markup>,
) -> Markup {
    html! {
        table {
            caption id=[id] { (caption) }
            thead {
                tr {
                    @for column in columns {
                        @let name = column.strip_prefix('#');
                        th class=[name.map(|_| "number")] scope="col" { (name.unwrap_or(column)) }
                    }
                }
            }
            tbody { @for row in rows { tr { (row) } } }
        }
    }
}
