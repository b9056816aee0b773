//! Sections that start with a heading.

use super::*;

#[test]
fn a_section_ends_at_the_next_heading_of_its_level_or_above() {
    check(
        "intro\n# One\n1\n## Two\n2\n### Three\n3\n## Four\n4\n# Five\n5\n",
        expect![[r####"
            # one 2-9 "# One\n1\n## Two\n2\n### Three\n3\n## Four\n4"
            # two 4-7 "## Two\n2\n### Three\n3"
            # three 6-7 "### Three\n3"
            # four 8-9 "## Four\n4"
            # five 10-11 "# Five\n5""####]],
    );
}

#[test]
fn underlined_headings_start_sections() {
    check(
        "One\n===\n1\n\nTwo\nlines\n---\n2\n\n---\nno heading above\n- item\n---\n",
        expect![[r##"
            # one 1-13 "One\n===\n1\n\nTwo\nlines\n---\n2\n\n---\nno heading above\n- item\n---"
            # two-lines 5-13 "Two\nlines\n---\n2\n\n---\nno heading above\n- item\n---""##]],
    );
}

#[test]
fn slugs_match_github() {
    check(
        "# Hello, World!\n# `code_span` & more\n# A  B\n# Über größe\n# [Link](http://x.y/z) text\n# **Bold** _em_ snake_case\n# `__init__`\n# __init__ method\n# Trailing ##\n# C# ##\n# 日本語\n# v1.2.3\n# <b>Tag</b> <!-- note --> end\n#\n# !!!\n#NoSpace\n####### seven\n# 🎉 Party\n# e\u{301}\n# a < b [c] (d\n",
        expect![[r##"
            # hello-world 1-1 "# Hello, World!"
            # code_span--more 2-2 "# `code_span` & more"
            # a--b 3-3 "# A  B"
            # über-größe 4-4 "# Über größe"
            # link-text 5-5 "# [Link](http://x.y/z) text"
            # bold-em-snake_case 6-6 "# **Bold** _em_ snake_case"
            # __init__ 7-7 "# `__init__`"
            # init-method 8-8 "# __init__ method"
            # trailing 9-9 "# Trailing ##"
            # c 10-10 "# C# ##"
            # 日本語 11-11 "# 日本語"
            # v123 12-12 "# v1.2.3"
            # tag--end 13-13 "# <b>Tag</b> <!-- note --> end"
            # -party 18-18 "# 🎉 Party"
            # é 19-19 "# e\u{301}"
            # a--b-c-d 20-20 "# a < b [c] (d""##]],
    );
}

#[test]
fn repeated_slugs_are_numbered() {
    check(
        "# A\n# A\n# a-1\n# A\n# B\n",
        expect![[r##"
        # a 1-1 "# A"
        # a-1 2-2 "# A"
        # a-1-1 3-3 "# a-1"
        # a-2 4-4 "# A"
        # b 5-5 "# B""##]],
    );
}

#[test]
fn a_tagged_section_hides_the_heading_with_the_same_id() {
    check(
        "# Summary\n1\n<!-- ANCHOR:SUMMARY -->\n2\n<!-- /ANCHOR:SUMMARY -->\n",
        expect![[r#"SUMMARY 3-5 "2""#]],
    );
    check(
        "<!-- ANCHOR:summary -->\n## Summary\ntext\n<!-- /ANCHOR:summary -->\n## Next\n",
        expect![[r###"
            summary 1-4 "## Summary\ntext"
            # next 5-5 "## Next""###]],
    );
    check(
        "<!-- ANCHOR:summary -->\n## Summary\ntext\n",
        expect![[r###"
        # summary 2-3 "## Summary\ntext"
        ! 1:1 unclosed: section `summary`, opened on line 1, is never closed
            add `<!-- /ANCHOR:summary -->` where it ends"###]],
    );
}

#[test]
fn headings_in_containers_code_and_comments_are_ignored() {
    check(
        "> # Quoted\n- # Listed\n\n```\n# Fenced\n```\n\n    # Indented\n<!--\n# Commented\n-->\n# Real\n",
        expect![[r##"# real 12-12 "# Real""##]],
    );
}

#[test]
fn the_content_excludes_tags_around_the_heading() {
    check(
        "## A\ntext\n<!-- /ANCHOR:z -->\n\n<!-- ANCHOR:b -->\n## B <!-- ANCHOR:c -->\n",
        expect![[r###"
            # a 1-5 "## A\ntext"
            # b 6-6 "## B "
            ! 3:1 stray-close: line 3 closes section `z`, which is not open
                remove it, or write `<!-- ANCHOR:z -->` where the section begins
            ! 5:1 unclosed: section `b`, opened on line 5, is never closed
                add `<!-- /ANCHOR:b -->` where it ends
            ! 6:6 unclosed: section `c`, opened on line 6, is never closed
                add `<!-- /ANCHOR:c -->` where it ends"###]],
    );
}
