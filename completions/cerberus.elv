
use builtin;
use str;

set edit:completion:arg-completer[cerberus] = {|@words|
    fn spaces {|n|
        builtin:repeat $n ' ' | str:join ''
    }
    fn cand {|text desc|
        edit:complex-candidate $text &display=$text' '(spaces (- 14 (wcswidth $text)))$desc
    }
    var command = 'cerberus'
    for word $words[1..-1] {
        if (str:has-prefix $word '-') {
            break
        }
        set command = $command';'$word
    }
    var completions = [
        &'cerberus'= {
            cand --project 'Work on the project in this folder instead of the one around the current folder'
            cand --color 'Colour the output'
            cand --json 'Print one JSON document (JSON Lines where a command says so)'
            cand --timings 'Print on stderr where the time went'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand memory 'Keep, find and follow rules and their examples'
            cand index 'Bring the code index up to date and say what it holds'
            cand hooks 'Have agents and git call cerberus at the right moments'
            cand mcp 'Serve the memory to an agent, by the Model Context Protocol on stdin and stdout'
            cand completions 'Print the completion script of a shell'
            cand demo 'Show the whole life cycle on a throw-away repository, each step checked'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'cerberus;memory'= {
            cand --project 'Work on the project in this folder instead of the one around the current folder'
            cand --color 'Colour the output'
            cand --json 'Print one JSON document (JSON Lines where a command says so)'
            cand --timings 'Print on stderr where the time went'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand init 'Make a bank in this project'
            cand add 'Add a short memory and anchor it to the code that shows it'
            cand anchor 'Find and keep the anchor of a memory'
            cand anchor-test 'Rank the examples of a rule and store nothing'
            cand show 'Show memories, newest first'
            cand reanchor 'Follow every anchor through what changed in the code'
            cand search 'Search the memories, or just the wanted sections of them'
            cand linked 'List the memories that speak of a file, a symbol or a memory, or are anchored there'
            cand links 'List the links between memories and what they speak of'
            cand sections 'List the sections of a memory with their tokens, and close those that are not closed'
            cand create 'Write a document of any length into the bank'
            cand append 'Append a text to a memory or to one of its sections'
            cand read 'Print a memory, or just the wanted sections of it'
            cand update 'Replace the text of a memory or of one section, and set its frontmatter'
            cand merge 'Merge memories into one'
            cand export 'Print the whole bank as JSON Lines, without loss'
            cand import 'Take rules out of AGENTS.md and the like, or a whole bank out of an export'
            cand inject 'Print pins, memories and their examples within a token budget'
            cand pin 'Pin short notes that are given every time'
            cand feedback 'Say whether a memory that was given has helped'
            cand stats 'Count the memories and their anchors'
            cand report 'Write a page that shows the rules, their examples, what changed and the links'
            cand delete 'Move memories to the trash'
            cand restore 'Take a memory back from the trash'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'cerberus;memory;init'= {
            cand --project 'Work on the project in this folder instead of the one around the current folder'
            cand --color 'Colour the output'
            cand --json 'Print one JSON document (JSON Lines where a command says so)'
            cand --timings 'Print on stderr where the time went'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'cerberus;memory;add'= {
            cand --id 'Name the memory instead of making a name from its text'
            cand --type 'What the memory is'
            cand --category 'Put it into a category'
            cand --scope 'Say where it holds: universal, language:NAME or project:NAME'
            cand --tag 'Tag it (may be repeated)'
            cand --hint 'Give a word that its example should hold (may be repeated, or several in one)'
            cand --anchor-to 'Anchor it by hand to FILE or FILE::SYMBOL'
            cand --min-quality 'Keep an example from this quality on'
            cand --project 'Work on the project in this folder instead of the one around the current folder'
            cand --color 'Colour the output'
            cand --no-anchor 'Do not look for its example'
            cand --allow-secret 'Write it even if it looks like a private key or the token of a service'
            cand --json 'Print one JSON document (JSON Lines where a command says so)'
            cand --timings 'Print on stderr where the time went'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'cerberus;memory;anchor'= {
            cand --candidates 'List this many candidates with reasons and store nothing'
            cand --pick 'Keep the candidate of this rank'
            cand --to 'Keep FILE or FILE::SYMBOL'
            cand --hint 'Give a word that the example should hold (may be repeated, or several in one)'
            cand --min-quality 'Keep an example from this quality on'
            cand --project 'Work on the project in this folder instead of the one around the current folder'
            cand --color 'Colour the output'
            cand --clear 'Take the anchor away'
            cand --dry-run 'Say what would be kept and store nothing'
            cand --json 'Print one JSON document (JSON Lines where a command says so)'
            cand --timings 'Print on stderr where the time went'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'cerberus;memory;anchor-test'= {
            cand --hint 'Give a word that the example should hold (may be repeated, or several in one)'
            cand --rules 'Read many rules from a file (`-` for standard input), a rule or a JSON object {"rule", "hints"} a line; with --json print a document a line'
            cand --expect 'Fail unless FILE or FILE::SYMBOL is found'
            cand --within 'Accept what is expected among the first N candidates'
            cand --scope 'Look only at code of a scope, as in language:go'
            cand --limit 'Show so many candidates'
            cand --min-quality 'Call an example from this quality on an anchor'
            cand --project 'Work on the project in this folder instead of the one around the current folder'
            cand --color 'Colour the output'
            cand --explain 'Show which words decided, and which the code does not know'
            cand --json 'Print one JSON document (JSON Lines where a command says so)'
            cand --timings 'Print on stderr where the time went'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'cerberus;memory;show'= {
            cand --scope 'Only memories of this scope; `project` and `language` take all of their kind'
            cand --type 'Only memories of this type'
            cand --category 'Only memories of this category'
            cand --tag 'Only memories with this tag (repeated: with all of them)'
            cand --status 'Only memories of this status'
            cand --file 'Only memories anchored to this file'
            cand --project 'Work on the project in this folder instead of the one around the current folder'
            cand --color 'Colour the output'
            cand --anchored 'Only memories with an anchor, with the code at its current lines'
            cand --unanchored 'Only memories without an anchor'
            cand --json 'Print one JSON document (JSON Lines where a command says so)'
            cand --timings 'Print on stderr where the time went'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'cerberus;memory;reanchor'= {
            cand --accept 'Record the changed code of one memory, or of all, as approved'
            cand --since 'Look only at what changed since this revision; fail where git cannot tell'
            cand --explain 'Show what was compared and what decided for this memory'
            cand --format 'Print the findings in this form (--json is the same as json)'
            cand --scope 'Only memories of this scope; `all` takes every one'
            cand --min-quality 'Replace an example that is gone from this quality on'
            cand --project 'Work on the project in this folder instead of the one around the current folder'
            cand --color 'Colour the output'
            cand --check 'Write nothing and fail if anything has to be done'
            cand --dry-run 'Say what would be recorded and write nothing'
            cand --undo 'Take the last reanchor back'
            cand --strict 'Let any edit fail the check'
            cand --json 'Print one JSON document (JSON Lines where a command says so)'
            cand --timings 'Print on stderr where the time went'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'cerberus;memory;search'= {
            cand --anchors 'Return just these sections, with what that saves'
            cand --since 'Only memories written or changed from this date or time on'
            cand --until 'Only memories written or changed until this date or time'
            cand --limit 'Show so many memories'
            cand --scope 'Only memories of this scope; `project` and `language` take all of their kind'
            cand --type 'Only memories of this type'
            cand --category 'Only memories of this category'
            cand --tag 'Only memories with this tag (repeated: with all of them)'
            cand --status 'Only memories of this status'
            cand --file 'Only memories anchored to this file'
            cand --project 'Work on the project in this folder instead of the one around the current folder'
            cand --color 'Colour the output'
            cand --content 'Print the text too'
            cand --why 'Show the place of each memory in each lane, and what it adds to the score'
            cand --superseded 'Also memories that another one supersedes'
            cand --json 'Print one JSON document (JSON Lines where a command says so)'
            cand --timings 'Print on stderr where the time went'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'cerberus;memory;linked'= {
            cand --for 'Say it to a host''s hook before a commit, and nothing where there is nothing to say'
            cand --project 'Work on the project in this folder instead of the one around the current folder'
            cand --color 'Colour the output'
            cand --diff 'Take the files that are staged in git for the target'
            cand --superseded 'Also memories that another one supersedes'
            cand --json 'Print one JSON document (JSON Lines where a command says so)'
            cand --timings 'Print on stderr where the time went'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'cerberus;memory;links'= {
            cand --format 'Print the links in this form (--json is the same as json)'
            cand --project 'Work on the project in this folder instead of the one around the current folder'
            cand --color 'Colour the output'
            cand --broken 'Only links that do not lead where they say; fail if there is any'
            cand --json 'Print one JSON document (JSON Lines where a command says so)'
            cand --timings 'Print on stderr where the time went'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'cerberus;memory;sections'= {
            cand --project 'Work on the project in this folder instead of the one around the current folder'
            cand --color 'Colour the output'
            cand --validate 'Fail if any section tag is wrong'
            cand --fix 'Close the sections that are never closed and show the change'
            cand --dry-run 'Show the change and write nothing'
            cand --json 'Print one JSON document (JSON Lines where a command says so)'
            cand --timings 'Print on stderr where the time went'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'cerberus;memory;create'= {
            cand --content 'Take this text (without it and --file: what comes through a pipe)'
            cand --file 'Take the text of this file, or of the standard input with -'
            cand --id 'Give it an id other than its name'
            cand --type 'What the memory is (journal unless told otherwise)'
            cand --category 'Put it into a category'
            cand --scope 'Say where it holds: universal, language:NAME or project:NAME'
            cand --tag 'Tag it (may be repeated)'
            cand --hint 'Give a word that its example should hold (may be repeated, or several in one)'
            cand --project 'Work on the project in this folder instead of the one around the current folder'
            cand --color 'Colour the output'
            cand --allow-secret 'Write it even if it looks like a private key or the token of a service'
            cand --json 'Print one JSON document (JSON Lines where a command says so)'
            cand --timings 'Print on stderr where the time went'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'cerberus;memory;append'= {
            cand --content 'Take this text (without it and --file: what comes through a pipe)'
            cand --file 'Take the text of this file, or of the standard input with -'
            cand --section 'Append to this section: one between tags, or one below a heading'
            cand --project 'Work on the project in this folder instead of the one around the current folder'
            cand --color 'Colour the output'
            cand --allow-secret 'Write it even if it looks like a private key or the token of a service'
            cand --json 'Print one JSON document (JSON Lines where a command says so)'
            cand --timings 'Print on stderr where the time went'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'cerberus;memory;read'= {
            cand --section 'Only this section (may be repeated, or several with commas between)'
            cand --project 'Work on the project in this folder instead of the one around the current folder'
            cand --color 'Colour the output'
            cand --raw 'Keep the tags in sections; without a section, print the file to the byte'
            cand --json 'Print one JSON document (JSON Lines where a command says so)'
            cand --timings 'Print on stderr where the time went'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'cerberus;memory;update'= {
            cand --content 'Take this text (without it and --file: what comes through a pipe)'
            cand --file 'Take the text of this file, or of the standard input with -'
            cand --section 'Replace the text of this section alone'
            cand --type 'Set what the memory is'
            cand --category 'Set its category'
            cand --scope 'Set where it holds: universal, language:NAME or project:NAME'
            cand --status 'Set whether it is in use: active or archived'
            cand --tag 'Set its tags (repeated: all of them; an empty one takes them away)'
            cand --hint 'Set its hints (repeated, or several in one: all of them)'
            cand --project 'Work on the project in this folder instead of the one around the current folder'
            cand --color 'Colour the output'
            cand --replace-frontmatter 'Take the content''s own frontmatter instead of keeping the memory''s'
            cand --allow-secret 'Write it even if it looks like a private key or the token of a service'
            cand --json 'Print one JSON document (JSON Lines where a command says so)'
            cand --timings 'Print on stderr where the time went'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'cerberus;memory;merge'= {
            cand --into 'Merge them into this memory, which is made if it is not there'
            cand --content 'Let the target say this instead of the sources'' own texts'
            cand --file 'Let the target say what is in this file, or in the standard input with -'
            cand --project 'Work on the project in this folder instead of the one around the current folder'
            cand --color 'Colour the output'
            cand --allow-secret 'Write it even if it looks like a private key or the token of a service'
            cand --json 'Print one JSON document (JSON Lines where a command says so)'
            cand --timings 'Print on stderr where the time went'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'cerberus;memory;export'= {
            cand -o 'Write to this file instead of the standard output'
            cand --output 'Write to this file instead of the standard output'
            cand --project 'Work on the project in this folder instead of the one around the current folder'
            cand --color 'Colour the output'
            cand --json 'Print one JSON document (JSON Lines where a command says so)'
            cand --timings 'Print on stderr where the time went'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'cerberus;memory;import'= {
            cand --scope 'Say where they hold: universal, language:NAME or project:NAME'
            cand --from-export 'Take what `cerberus memory export` wrote, or the standard input with -'
            cand --project 'Work on the project in this folder instead of the one around the current folder'
            cand --color 'Colour the output'
            cand --dry-run 'Say what would be taken and what left, and write nothing'
            cand --no-anchor 'Do not look for the rules'' examples'
            cand --overwrite 'Write over memories that differ; the bank''s own go to the trash'
            cand --allow-secret 'Write it even if it looks like a private key or the token of a service'
            cand --json 'Print one JSON document (JSON Lines where a command says so)'
            cand --timings 'Print on stderr where the time went'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'cerberus;memory;inject'= {
            cand --budget 'Print at most so many tokens [default: 1500]'
            cand --query 'Put first what speaks of this'
            cand --file 'Put first what is about this file (may be repeated)'
            cand --for 'Keep under what this host takes, and end with what was left out'
            cand --format 'Print it in this form (--json is the same as json)'
            cand --into 'Keep it in a marked block of this file instead, and leave all else there alone'
            cand --session 'The session whose pins count (CERBERUS_SESSION otherwise)'
            cand --project 'Work on the project in this folder instead of the one around the current folder'
            cand --color 'Colour the output'
            cand --diff 'Put first what is about the files of the staged change'
            cand --no-examples 'Print the texts alone'
            cand --explain 'Say on standard error what was left out and why'
            cand --check 'Write nothing and fail if the block is stale'
            cand --json 'Print one JSON document (JSON Lines where a command says so)'
            cand --timings 'Print on stderr where the time went'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'cerberus;memory;pin'= {
            cand --project 'Work on the project in this folder instead of the one around the current folder'
            cand --color 'Colour the output'
            cand --json 'Print one JSON document (JSON Lines where a command says so)'
            cand --timings 'Print on stderr where the time went'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand add 'Pin a note'
            cand list 'List the pins with what they cost'
            cand remove 'Remove pins'
            cand clear 'Remove all pins that pass a filter'
            cand render 'Print the pins as they are given to an agent, built-in ones with them'
            cand events 'Print what happened to pins, a JSON document a line'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'cerberus;memory;pin;add'= {
            cand --id 'Name the pin instead of making a name from its text'
            cand --priority 'How much it matters: critical, safety or info'
            cand --scope 'How long it lasts: session, persistent or temporary; persistent unless it expires'
            cand --expires 'Let it expire after a duration (2h, 3d) or at a date or time'
            cand --tag 'Tag it (may be repeated)'
            cand --meta 'Keep something with it (may be repeated)'
            cand --project-id 'Say which project it is about; without one it is about every project'
            cand --session 'The session whose pins count (CERBERUS_SESSION otherwise)'
            cand --project 'Work on the project in this folder instead of the one around the current folder'
            cand --color 'Colour the output'
            cand --allow-secret 'Write it even if it looks like a private key or the token of a service'
            cand --json 'Print one JSON document (JSON Lines where a command says so)'
            cand --timings 'Print on stderr where the time went'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'cerberus;memory;pin;list'= {
            cand --priority 'Only pins of this priority'
            cand --scope 'Only pins of this scope'
            cand --tag 'Only pins with this tag (repeated: with all of them)'
            cand --project-id 'Only pins about this project'
            cand --session 'The session whose pins count (CERBERUS_SESSION otherwise)'
            cand --project 'Work on the project in this folder instead of the one around the current folder'
            cand --color 'Colour the output'
            cand --include-expired 'Also pins that have expired'
            cand --global-only 'Only pins about every project'
            cand --expired-only 'Only pins that have expired'
            cand --json 'Print one JSON document (JSON Lines where a command says so)'
            cand --timings 'Print on stderr where the time went'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'cerberus;memory;pin;remove'= {
            cand --session 'The session whose pins count (CERBERUS_SESSION otherwise)'
            cand --project 'Work on the project in this folder instead of the one around the current folder'
            cand --color 'Colour the output'
            cand --json 'Print one JSON document (JSON Lines where a command says so)'
            cand --timings 'Print on stderr where the time went'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'cerberus;memory;pin;clear'= {
            cand --priority 'Only pins of this priority'
            cand --scope 'Only pins of this scope'
            cand --tag 'Only pins with this tag (repeated: with all of them)'
            cand --project-id 'Only pins about this project'
            cand --session 'The session whose pins count (CERBERUS_SESSION otherwise)'
            cand --project 'Work on the project in this folder instead of the one around the current folder'
            cand --color 'Colour the output'
            cand --all 'Remove every pin'
            cand --global-only 'Only pins about every project'
            cand --expired-only 'Only pins that have expired'
            cand --json 'Print one JSON document (JSON Lines where a command says so)'
            cand --timings 'Print on stderr where the time went'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'cerberus;memory;pin;render'= {
            cand --session 'The session whose pins count (CERBERUS_SESSION otherwise)'
            cand --project 'Work on the project in this folder instead of the one around the current folder'
            cand --color 'Colour the output'
            cand --json 'Print one JSON document (JSON Lines where a command says so)'
            cand --timings 'Print on stderr where the time went'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'cerberus;memory;pin;events'= {
            cand --session 'The session whose pins count (CERBERUS_SESSION otherwise)'
            cand --project 'Work on the project in this folder instead of the one around the current folder'
            cand --color 'Colour the output'
            cand --json 'Print one JSON document (JSON Lines where a command says so)'
            cand --timings 'Print on stderr where the time went'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'cerberus;memory;pin;help'= {
            cand add 'Pin a note'
            cand list 'List the pins with what they cost'
            cand remove 'Remove pins'
            cand clear 'Remove all pins that pass a filter'
            cand render 'Print the pins as they are given to an agent, built-in ones with them'
            cand events 'Print what happened to pins, a JSON document a line'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'cerberus;memory;pin;help;add'= {
        }
        &'cerberus;memory;pin;help;list'= {
        }
        &'cerberus;memory;pin;help;remove'= {
        }
        &'cerberus;memory;pin;help;clear'= {
        }
        &'cerberus;memory;pin;help;render'= {
        }
        &'cerberus;memory;pin;help;events'= {
        }
        &'cerberus;memory;pin;help;help'= {
        }
        &'cerberus;memory;feedback'= {
            cand --project 'Work on the project in this folder instead of the one around the current folder'
            cand --color 'Colour the output'
            cand --good 'It has helped'
            cand --bad 'It has not'
            cand --json 'Print one JSON document (JSON Lines where a command says so)'
            cand --timings 'Print on stderr where the time went'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'cerberus;memory;stats'= {
            cand --project 'Work on the project in this folder instead of the one around the current folder'
            cand --color 'Colour the output'
            cand --show-anchors 'List each anchor with its state'
            cand --json 'Print one JSON document (JSON Lines where a command says so)'
            cand --timings 'Print on stderr where the time went'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'cerberus;memory;report'= {
            cand --html 'Write the page to this file, over an older page (`-` for standard output)'
            cand --project 'Work on the project in this folder instead of the one around the current folder'
            cand --color 'Colour the output'
            cand --json 'Print one JSON document (JSON Lines where a command says so)'
            cand --timings 'Print on stderr where the time went'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'cerberus;memory;delete'= {
            cand --project 'Work on the project in this folder instead of the one around the current folder'
            cand --color 'Colour the output'
            cand --json 'Print one JSON document (JSON Lines where a command says so)'
            cand --timings 'Print on stderr where the time went'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'cerberus;memory;restore'= {
            cand --project 'Work on the project in this folder instead of the one around the current folder'
            cand --color 'Colour the output'
            cand --json 'Print one JSON document (JSON Lines where a command says so)'
            cand --timings 'Print on stderr where the time went'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'cerberus;memory;help'= {
            cand init 'Make a bank in this project'
            cand add 'Add a short memory and anchor it to the code that shows it'
            cand anchor 'Find and keep the anchor of a memory'
            cand anchor-test 'Rank the examples of a rule and store nothing'
            cand show 'Show memories, newest first'
            cand reanchor 'Follow every anchor through what changed in the code'
            cand search 'Search the memories, or just the wanted sections of them'
            cand linked 'List the memories that speak of a file, a symbol or a memory, or are anchored there'
            cand links 'List the links between memories and what they speak of'
            cand sections 'List the sections of a memory with their tokens, and close those that are not closed'
            cand create 'Write a document of any length into the bank'
            cand append 'Append a text to a memory or to one of its sections'
            cand read 'Print a memory, or just the wanted sections of it'
            cand update 'Replace the text of a memory or of one section, and set its frontmatter'
            cand merge 'Merge memories into one'
            cand export 'Print the whole bank as JSON Lines, without loss'
            cand import 'Take rules out of AGENTS.md and the like, or a whole bank out of an export'
            cand inject 'Print pins, memories and their examples within a token budget'
            cand pin 'Pin short notes that are given every time'
            cand feedback 'Say whether a memory that was given has helped'
            cand stats 'Count the memories and their anchors'
            cand report 'Write a page that shows the rules, their examples, what changed and the links'
            cand delete 'Move memories to the trash'
            cand restore 'Take a memory back from the trash'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'cerberus;memory;help;init'= {
        }
        &'cerberus;memory;help;add'= {
        }
        &'cerberus;memory;help;anchor'= {
        }
        &'cerberus;memory;help;anchor-test'= {
        }
        &'cerberus;memory;help;show'= {
        }
        &'cerberus;memory;help;reanchor'= {
        }
        &'cerberus;memory;help;search'= {
        }
        &'cerberus;memory;help;linked'= {
        }
        &'cerberus;memory;help;links'= {
        }
        &'cerberus;memory;help;sections'= {
        }
        &'cerberus;memory;help;create'= {
        }
        &'cerberus;memory;help;append'= {
        }
        &'cerberus;memory;help;read'= {
        }
        &'cerberus;memory;help;update'= {
        }
        &'cerberus;memory;help;merge'= {
        }
        &'cerberus;memory;help;export'= {
        }
        &'cerberus;memory;help;import'= {
        }
        &'cerberus;memory;help;inject'= {
        }
        &'cerberus;memory;help;pin'= {
            cand add 'Pin a note'
            cand list 'List the pins with what they cost'
            cand remove 'Remove pins'
            cand clear 'Remove all pins that pass a filter'
            cand render 'Print the pins as they are given to an agent, built-in ones with them'
            cand events 'Print what happened to pins, a JSON document a line'
        }
        &'cerberus;memory;help;pin;add'= {
        }
        &'cerberus;memory;help;pin;list'= {
        }
        &'cerberus;memory;help;pin;remove'= {
        }
        &'cerberus;memory;help;pin;clear'= {
        }
        &'cerberus;memory;help;pin;render'= {
        }
        &'cerberus;memory;help;pin;events'= {
        }
        &'cerberus;memory;help;feedback'= {
        }
        &'cerberus;memory;help;stats'= {
        }
        &'cerberus;memory;help;report'= {
        }
        &'cerberus;memory;help;delete'= {
        }
        &'cerberus;memory;help;restore'= {
        }
        &'cerberus;memory;help;help'= {
        }
        &'cerberus;index'= {
            cand --project 'Work on the project in this folder instead of the one around the current folder'
            cand --color 'Colour the output'
            cand --full 'Parse every file, not only those that a rule needs'
            cand --json 'Print one JSON document (JSON Lines where a command says so)'
            cand --timings 'Print on stderr where the time went'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'cerberus;hooks'= {
            cand --project 'Work on the project in this folder instead of the one around the current folder'
            cand --color 'Colour the output'
            cand --json 'Print one JSON document (JSON Lines where a command says so)'
            cand --timings 'Print on stderr where the time went'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand print 'Print the settings that call cerberus, or merge them into a file'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'cerberus;hooks;print'= {
            cand --write 'Merge them into this file instead'
            cand --project 'Work on the project in this folder instead of the one around the current folder'
            cand --color 'Colour the output'
            cand --json 'Print one JSON document (JSON Lines where a command says so)'
            cand --timings 'Print on stderr where the time went'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'cerberus;hooks;help'= {
            cand print 'Print the settings that call cerberus, or merge them into a file'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'cerberus;hooks;help;print'= {
        }
        &'cerberus;hooks;help;help'= {
        }
        &'cerberus;mcp'= {
            cand --tools 'Offer all tools, or the few that an agent gets by with'
            cand --print-config 'Print the settings with which a client starts the server'
            cand --project 'Work on the project in this folder instead of the one around the current folder'
            cand --color 'Colour the output'
            cand --json 'Print one JSON document (JSON Lines where a command says so)'
            cand --timings 'Print on stderr where the time went'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'cerberus;completions'= {
            cand --project 'Work on the project in this folder instead of the one around the current folder'
            cand --color 'Colour the output'
            cand --json 'Print one JSON document (JSON Lines where a command says so)'
            cand --timings 'Print on stderr where the time went'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'cerberus;demo'= {
            cand --project 'Work on the project in this folder instead of the one around the current folder'
            cand --color 'Colour the output'
            cand --json 'Print one JSON document (JSON Lines where a command says so)'
            cand --timings 'Print on stderr where the time went'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'cerberus;help'= {
            cand memory 'Keep, find and follow rules and their examples'
            cand index 'Bring the code index up to date and say what it holds'
            cand hooks 'Have agents and git call cerberus at the right moments'
            cand mcp 'Serve the memory to an agent, by the Model Context Protocol on stdin and stdout'
            cand completions 'Print the completion script of a shell'
            cand demo 'Show the whole life cycle on a throw-away repository, each step checked'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'cerberus;help;memory'= {
            cand init 'Make a bank in this project'
            cand add 'Add a short memory and anchor it to the code that shows it'
            cand anchor 'Find and keep the anchor of a memory'
            cand anchor-test 'Rank the examples of a rule and store nothing'
            cand show 'Show memories, newest first'
            cand reanchor 'Follow every anchor through what changed in the code'
            cand search 'Search the memories, or just the wanted sections of them'
            cand linked 'List the memories that speak of a file, a symbol or a memory, or are anchored there'
            cand links 'List the links between memories and what they speak of'
            cand sections 'List the sections of a memory with their tokens, and close those that are not closed'
            cand create 'Write a document of any length into the bank'
            cand append 'Append a text to a memory or to one of its sections'
            cand read 'Print a memory, or just the wanted sections of it'
            cand update 'Replace the text of a memory or of one section, and set its frontmatter'
            cand merge 'Merge memories into one'
            cand export 'Print the whole bank as JSON Lines, without loss'
            cand import 'Take rules out of AGENTS.md and the like, or a whole bank out of an export'
            cand inject 'Print pins, memories and their examples within a token budget'
            cand pin 'Pin short notes that are given every time'
            cand feedback 'Say whether a memory that was given has helped'
            cand stats 'Count the memories and their anchors'
            cand report 'Write a page that shows the rules, their examples, what changed and the links'
            cand delete 'Move memories to the trash'
            cand restore 'Take a memory back from the trash'
        }
        &'cerberus;help;memory;init'= {
        }
        &'cerberus;help;memory;add'= {
        }
        &'cerberus;help;memory;anchor'= {
        }
        &'cerberus;help;memory;anchor-test'= {
        }
        &'cerberus;help;memory;show'= {
        }
        &'cerberus;help;memory;reanchor'= {
        }
        &'cerberus;help;memory;search'= {
        }
        &'cerberus;help;memory;linked'= {
        }
        &'cerberus;help;memory;links'= {
        }
        &'cerberus;help;memory;sections'= {
        }
        &'cerberus;help;memory;create'= {
        }
        &'cerberus;help;memory;append'= {
        }
        &'cerberus;help;memory;read'= {
        }
        &'cerberus;help;memory;update'= {
        }
        &'cerberus;help;memory;merge'= {
        }
        &'cerberus;help;memory;export'= {
        }
        &'cerberus;help;memory;import'= {
        }
        &'cerberus;help;memory;inject'= {
        }
        &'cerberus;help;memory;pin'= {
            cand add 'Pin a note'
            cand list 'List the pins with what they cost'
            cand remove 'Remove pins'
            cand clear 'Remove all pins that pass a filter'
            cand render 'Print the pins as they are given to an agent, built-in ones with them'
            cand events 'Print what happened to pins, a JSON document a line'
        }
        &'cerberus;help;memory;pin;add'= {
        }
        &'cerberus;help;memory;pin;list'= {
        }
        &'cerberus;help;memory;pin;remove'= {
        }
        &'cerberus;help;memory;pin;clear'= {
        }
        &'cerberus;help;memory;pin;render'= {
        }
        &'cerberus;help;memory;pin;events'= {
        }
        &'cerberus;help;memory;feedback'= {
        }
        &'cerberus;help;memory;stats'= {
        }
        &'cerberus;help;memory;report'= {
        }
        &'cerberus;help;memory;delete'= {
        }
        &'cerberus;help;memory;restore'= {
        }
        &'cerberus;help;index'= {
        }
        &'cerberus;help;hooks'= {
            cand print 'Print the settings that call cerberus, or merge them into a file'
        }
        &'cerberus;help;hooks;print'= {
        }
        &'cerberus;help;mcp'= {
        }
        &'cerberus;help;completions'= {
        }
        &'cerberus;help;demo'= {
        }
        &'cerberus;help;help'= {
        }
    ]
    $completions[$command]
}
