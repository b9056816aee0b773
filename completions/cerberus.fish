# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_cerberus_global_optspecs
    string join \n project= json color= timings h/help V/version
end

function __fish_cerberus_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_cerberus_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_cerberus_using_subcommand
    set -l cmd (__fish_cerberus_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c cerberus -n "__fish_cerberus_needs_command" -l project -d 'Work on the project in this folder instead of the one around the current folder' -r -F
complete -c cerberus -n "__fish_cerberus_needs_command" -l color -d 'Colour the output' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c cerberus -n "__fish_cerberus_needs_command" -l json -d 'Print one JSON document (JSON Lines where a command says so)'
complete -c cerberus -n "__fish_cerberus_needs_command" -l timings -d 'Print on stderr where the time went'
complete -c cerberus -n "__fish_cerberus_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c cerberus -n "__fish_cerberus_needs_command" -s V -l version -d 'Print version'
complete -c cerberus -n "__fish_cerberus_needs_command" -f -a "memory" -d 'Keep, find and follow rules and their examples'
complete -c cerberus -n "__fish_cerberus_needs_command" -f -a "index" -d 'Bring the code index up to date and say what it holds'
complete -c cerberus -n "__fish_cerberus_needs_command" -f -a "hooks" -d 'Have agents and git call cerberus at the right moments'
complete -c cerberus -n "__fish_cerberus_needs_command" -f -a "mcp" -d 'Serve the memory to an agent, by the Model Context Protocol on stdin and stdout'
complete -c cerberus -n "__fish_cerberus_needs_command" -f -a "completions" -d 'Print the completion script of a shell'
complete -c cerberus -n "__fish_cerberus_needs_command" -f -a "demo" -d 'Show the whole life cycle on a throw-away repository, each step checked'
complete -c cerberus -n "__fish_cerberus_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and not __fish_seen_subcommand_from init add anchor anchor-test show reanchor search linked links sections create append read update merge export import inject pin feedback stats report delete restore help" -l project -d 'Work on the project in this folder instead of the one around the current folder' -r -F
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and not __fish_seen_subcommand_from init add anchor anchor-test show reanchor search linked links sections create append read update merge export import inject pin feedback stats report delete restore help" -l color -d 'Colour the output' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and not __fish_seen_subcommand_from init add anchor anchor-test show reanchor search linked links sections create append read update merge export import inject pin feedback stats report delete restore help" -l json -d 'Print one JSON document (JSON Lines where a command says so)'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and not __fish_seen_subcommand_from init add anchor anchor-test show reanchor search linked links sections create append read update merge export import inject pin feedback stats report delete restore help" -l timings -d 'Print on stderr where the time went'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and not __fish_seen_subcommand_from init add anchor anchor-test show reanchor search linked links sections create append read update merge export import inject pin feedback stats report delete restore help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and not __fish_seen_subcommand_from init add anchor anchor-test show reanchor search linked links sections create append read update merge export import inject pin feedback stats report delete restore help" -s V -l version -d 'Print version'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and not __fish_seen_subcommand_from init add anchor anchor-test show reanchor search linked links sections create append read update merge export import inject pin feedback stats report delete restore help" -f -a "init" -d 'Make a bank in this project'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and not __fish_seen_subcommand_from init add anchor anchor-test show reanchor search linked links sections create append read update merge export import inject pin feedback stats report delete restore help" -f -a "add" -d 'Add a short memory and anchor it to the code that shows it'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and not __fish_seen_subcommand_from init add anchor anchor-test show reanchor search linked links sections create append read update merge export import inject pin feedback stats report delete restore help" -f -a "anchor" -d 'Find and keep the anchor of a memory'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and not __fish_seen_subcommand_from init add anchor anchor-test show reanchor search linked links sections create append read update merge export import inject pin feedback stats report delete restore help" -f -a "anchor-test" -d 'Rank the examples of a rule and store nothing'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and not __fish_seen_subcommand_from init add anchor anchor-test show reanchor search linked links sections create append read update merge export import inject pin feedback stats report delete restore help" -f -a "show" -d 'Show memories, newest first'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and not __fish_seen_subcommand_from init add anchor anchor-test show reanchor search linked links sections create append read update merge export import inject pin feedback stats report delete restore help" -f -a "reanchor" -d 'Follow every anchor through what changed in the code'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and not __fish_seen_subcommand_from init add anchor anchor-test show reanchor search linked links sections create append read update merge export import inject pin feedback stats report delete restore help" -f -a "search" -d 'Search the memories, or just the wanted sections of them'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and not __fish_seen_subcommand_from init add anchor anchor-test show reanchor search linked links sections create append read update merge export import inject pin feedback stats report delete restore help" -f -a "linked" -d 'List the memories that speak of a file, a symbol or a memory, or are anchored there'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and not __fish_seen_subcommand_from init add anchor anchor-test show reanchor search linked links sections create append read update merge export import inject pin feedback stats report delete restore help" -f -a "links" -d 'List the links between memories and what they speak of'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and not __fish_seen_subcommand_from init add anchor anchor-test show reanchor search linked links sections create append read update merge export import inject pin feedback stats report delete restore help" -f -a "sections" -d 'List the sections of a memory with their tokens, and close those that are not closed'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and not __fish_seen_subcommand_from init add anchor anchor-test show reanchor search linked links sections create append read update merge export import inject pin feedback stats report delete restore help" -f -a "create" -d 'Write a document of any length into the bank'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and not __fish_seen_subcommand_from init add anchor anchor-test show reanchor search linked links sections create append read update merge export import inject pin feedback stats report delete restore help" -f -a "append" -d 'Append a text to a memory or to one of its sections'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and not __fish_seen_subcommand_from init add anchor anchor-test show reanchor search linked links sections create append read update merge export import inject pin feedback stats report delete restore help" -f -a "read" -d 'Print a memory, or just the wanted sections of it'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and not __fish_seen_subcommand_from init add anchor anchor-test show reanchor search linked links sections create append read update merge export import inject pin feedback stats report delete restore help" -f -a "update" -d 'Replace the text of a memory or of one section, and set its frontmatter'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and not __fish_seen_subcommand_from init add anchor anchor-test show reanchor search linked links sections create append read update merge export import inject pin feedback stats report delete restore help" -f -a "merge" -d 'Merge memories into one'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and not __fish_seen_subcommand_from init add anchor anchor-test show reanchor search linked links sections create append read update merge export import inject pin feedback stats report delete restore help" -f -a "export" -d 'Print the whole bank as JSON Lines, without loss'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and not __fish_seen_subcommand_from init add anchor anchor-test show reanchor search linked links sections create append read update merge export import inject pin feedback stats report delete restore help" -f -a "import" -d 'Take rules out of AGENTS.md and the like, or a whole bank out of an export'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and not __fish_seen_subcommand_from init add anchor anchor-test show reanchor search linked links sections create append read update merge export import inject pin feedback stats report delete restore help" -f -a "inject" -d 'Print pins, memories and their examples within a token budget'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and not __fish_seen_subcommand_from init add anchor anchor-test show reanchor search linked links sections create append read update merge export import inject pin feedback stats report delete restore help" -f -a "pin" -d 'Pin short notes that are given every time'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and not __fish_seen_subcommand_from init add anchor anchor-test show reanchor search linked links sections create append read update merge export import inject pin feedback stats report delete restore help" -f -a "feedback" -d 'Say whether a memory that was given has helped'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and not __fish_seen_subcommand_from init add anchor anchor-test show reanchor search linked links sections create append read update merge export import inject pin feedback stats report delete restore help" -f -a "stats" -d 'Count the memories and their anchors'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and not __fish_seen_subcommand_from init add anchor anchor-test show reanchor search linked links sections create append read update merge export import inject pin feedback stats report delete restore help" -f -a "report" -d 'Write a page that shows the rules, their examples, what changed and the links'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and not __fish_seen_subcommand_from init add anchor anchor-test show reanchor search linked links sections create append read update merge export import inject pin feedback stats report delete restore help" -f -a "delete" -d 'Move memories to the trash'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and not __fish_seen_subcommand_from init add anchor anchor-test show reanchor search linked links sections create append read update merge export import inject pin feedback stats report delete restore help" -f -a "restore" -d 'Take a memory back from the trash'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and not __fish_seen_subcommand_from init add anchor anchor-test show reanchor search linked links sections create append read update merge export import inject pin feedback stats report delete restore help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from init" -l project -d 'Work on the project in this folder instead of the one around the current folder' -r -F
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from init" -l color -d 'Colour the output' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from init" -l json -d 'Print one JSON document (JSON Lines where a command says so)'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from init" -l timings -d 'Print on stderr where the time went'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from init" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from init" -s V -l version -d 'Print version'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from add" -l id -d 'Name the memory instead of making a name from its text' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from add" -l type -d 'What the memory is' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from add" -l category -d 'Put it into a category' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from add" -l scope -d 'Say where it holds: universal, language:NAME or project:NAME' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from add" -l tag -d 'Tag it (may be repeated)' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from add" -l hint -d 'Give a word that its example should hold (may be repeated, or several in one)' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from add" -l anchor-to -d 'Anchor it by hand to FILE or FILE::SYMBOL' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from add" -l min-quality -d 'Keep an example from this quality on' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from add" -l project -d 'Work on the project in this folder instead of the one around the current folder' -r -F
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from add" -l color -d 'Colour the output' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from add" -l no-anchor -d 'Do not look for its example'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from add" -l allow-secret -d 'Write it even if it looks like a private key or the token of a service'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from add" -l json -d 'Print one JSON document (JSON Lines where a command says so)'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from add" -l timings -d 'Print on stderr where the time went'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from add" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from add" -s V -l version -d 'Print version'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from anchor" -l candidates -d 'List this many candidates with reasons and store nothing' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from anchor" -l pick -d 'Keep the candidate of this rank' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from anchor" -l to -d 'Keep FILE or FILE::SYMBOL' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from anchor" -l hint -d 'Give a word that the example should hold (may be repeated, or several in one)' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from anchor" -l min-quality -d 'Keep an example from this quality on' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from anchor" -l project -d 'Work on the project in this folder instead of the one around the current folder' -r -F
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from anchor" -l color -d 'Colour the output' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from anchor" -l clear -d 'Take the anchor away'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from anchor" -l dry-run -d 'Say what would be kept and store nothing'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from anchor" -l json -d 'Print one JSON document (JSON Lines where a command says so)'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from anchor" -l timings -d 'Print on stderr where the time went'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from anchor" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from anchor" -s V -l version -d 'Print version'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from anchor-test" -l hint -d 'Give a word that the example should hold (may be repeated, or several in one)' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from anchor-test" -l rules -d 'Read many rules from a file (`-` for standard input), a rule or a JSON object {"rule", "hints"} a line; with --json print a document a line' -r -F
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from anchor-test" -l expect -d 'Fail unless FILE or FILE::SYMBOL is found' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from anchor-test" -l within -d 'Accept what is expected among the first N candidates' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from anchor-test" -l scope -d 'Look only at code of a scope, as in language:go' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from anchor-test" -l limit -d 'Show so many candidates' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from anchor-test" -l min-quality -d 'Call an example from this quality on an anchor' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from anchor-test" -l project -d 'Work on the project in this folder instead of the one around the current folder' -r -F
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from anchor-test" -l color -d 'Colour the output' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from anchor-test" -l explain -d 'Show which words decided, and which the code does not know'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from anchor-test" -l json -d 'Print one JSON document (JSON Lines where a command says so)'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from anchor-test" -l timings -d 'Print on stderr where the time went'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from anchor-test" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from anchor-test" -s V -l version -d 'Print version'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from show" -l scope -d 'Only memories of this scope; `project` and `language` take all of their kind' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from show" -l type -d 'Only memories of this type' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from show" -l category -d 'Only memories of this category' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from show" -l tag -d 'Only memories with this tag (repeated: with all of them)' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from show" -l status -d 'Only memories of this status' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from show" -l file -d 'Only memories anchored to this file' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from show" -l project -d 'Work on the project in this folder instead of the one around the current folder' -r -F
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from show" -l color -d 'Colour the output' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from show" -l anchored -d 'Only memories with an anchor, with the code at its current lines'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from show" -l unanchored -d 'Only memories without an anchor'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from show" -l json -d 'Print one JSON document (JSON Lines where a command says so)'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from show" -l timings -d 'Print on stderr where the time went'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from show" -s V -l version -d 'Print version'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from reanchor" -l accept -d 'Record the changed code of one memory, or of all, as approved' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from reanchor" -l since -d 'Look only at what changed since this revision; fail where git cannot tell' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from reanchor" -l explain -d 'Show what was compared and what decided for this memory' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from reanchor" -l format -d 'Print the findings in this form (--json is the same as json)' -r -f -a "table\t'For people'
json\t'One document'
github\t'GitHub workflow commands, shown beside the code'
sarif\t'SARIF 2.1.0'"
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from reanchor" -l scope -d 'Only memories of this scope; `all` takes every one' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from reanchor" -l min-quality -d 'Replace an example that is gone from this quality on' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from reanchor" -l project -d 'Work on the project in this folder instead of the one around the current folder' -r -F
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from reanchor" -l color -d 'Colour the output' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from reanchor" -l check -d 'Write nothing and fail if anything has to be done'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from reanchor" -l dry-run -d 'Say what would be recorded and write nothing'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from reanchor" -l undo -d 'Take the last reanchor back'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from reanchor" -l strict -d 'Let any edit fail the check'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from reanchor" -l json -d 'Print one JSON document (JSON Lines where a command says so)'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from reanchor" -l timings -d 'Print on stderr where the time went'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from reanchor" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from reanchor" -s V -l version -d 'Print version'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from search" -l anchors -d 'Return just these sections, with what that saves' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from search" -l since -d 'Only memories written or changed from this date or time on' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from search" -l until -d 'Only memories written or changed until this date or time' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from search" -l limit -d 'Show so many memories' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from search" -l scope -d 'Only memories of this scope; `project` and `language` take all of their kind' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from search" -l type -d 'Only memories of this type' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from search" -l category -d 'Only memories of this category' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from search" -l tag -d 'Only memories with this tag (repeated: with all of them)' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from search" -l status -d 'Only memories of this status' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from search" -l file -d 'Only memories anchored to this file' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from search" -l project -d 'Work on the project in this folder instead of the one around the current folder' -r -F
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from search" -l color -d 'Colour the output' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from search" -l content -d 'Print the text too'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from search" -l why -d 'Show the place of each memory in each lane, and what it adds to the score'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from search" -l superseded -d 'Also memories that another one supersedes'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from search" -l json -d 'Print one JSON document (JSON Lines where a command says so)'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from search" -l timings -d 'Print on stderr where the time went'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from search" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from search" -s V -l version -d 'Print version'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from linked" -l for -d 'Say it to a host\'s hook before a commit, and nothing where there is nothing to say' -r -f -a "claude-hook\t'Claude Code, before it runs a command: JSON'
codex-hook\t'Codex, before it runs a command: JSON'
git-hook\t'git'"
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from linked" -l project -d 'Work on the project in this folder instead of the one around the current folder' -r -F
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from linked" -l color -d 'Colour the output' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from linked" -l diff -d 'Take the files that are staged in git for the target'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from linked" -l superseded -d 'Also memories that another one supersedes'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from linked" -l json -d 'Print one JSON document (JSON Lines where a command says so)'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from linked" -l timings -d 'Print on stderr where the time went'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from linked" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from linked" -s V -l version -d 'Print version'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from links" -l format -d 'Print the links in this form (--json is the same as json)' -r -f -a "table\t'For people'
json\t'One document'
dot\t'A graph for Graphviz'
mermaid\t'A graph for Mermaid, which GitHub shows'"
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from links" -l project -d 'Work on the project in this folder instead of the one around the current folder' -r -F
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from links" -l color -d 'Colour the output' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from links" -l broken -d 'Only links that do not lead where they say; fail if there is any'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from links" -l json -d 'Print one JSON document (JSON Lines where a command says so)'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from links" -l timings -d 'Print on stderr where the time went'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from links" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from links" -s V -l version -d 'Print version'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from sections" -l project -d 'Work on the project in this folder instead of the one around the current folder' -r -F
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from sections" -l color -d 'Colour the output' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from sections" -l validate -d 'Fail if any section tag is wrong'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from sections" -l fix -d 'Close the sections that are never closed and show the change'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from sections" -l dry-run -d 'Show the change and write nothing'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from sections" -l json -d 'Print one JSON document (JSON Lines where a command says so)'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from sections" -l timings -d 'Print on stderr where the time went'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from sections" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from sections" -s V -l version -d 'Print version'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from create" -l content -d 'Take this text (without it and --file: what comes through a pipe)' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from create" -l file -d 'Take the text of this file, or of the standard input with -' -r -F
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from create" -l id -d 'Give it an id other than its name' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from create" -l type -d 'What the memory is (journal unless told otherwise)' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from create" -l category -d 'Put it into a category' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from create" -l scope -d 'Say where it holds: universal, language:NAME or project:NAME' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from create" -l tag -d 'Tag it (may be repeated)' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from create" -l hint -d 'Give a word that its example should hold (may be repeated, or several in one)' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from create" -l project -d 'Work on the project in this folder instead of the one around the current folder' -r -F
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from create" -l color -d 'Colour the output' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from create" -l allow-secret -d 'Write it even if it looks like a private key or the token of a service'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from create" -l json -d 'Print one JSON document (JSON Lines where a command says so)'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from create" -l timings -d 'Print on stderr where the time went'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from create" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from create" -s V -l version -d 'Print version'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from append" -l content -d 'Take this text (without it and --file: what comes through a pipe)' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from append" -l file -d 'Take the text of this file, or of the standard input with -' -r -F
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from append" -l section -d 'Append to this section: one between tags, or one below a heading' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from append" -l project -d 'Work on the project in this folder instead of the one around the current folder' -r -F
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from append" -l color -d 'Colour the output' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from append" -l allow-secret -d 'Write it even if it looks like a private key or the token of a service'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from append" -l json -d 'Print one JSON document (JSON Lines where a command says so)'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from append" -l timings -d 'Print on stderr where the time went'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from append" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from append" -s V -l version -d 'Print version'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from read" -l section -d 'Only this section (may be repeated, or several with commas between)' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from read" -l project -d 'Work on the project in this folder instead of the one around the current folder' -r -F
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from read" -l color -d 'Colour the output' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from read" -l raw -d 'Keep the tags in sections; without a section, print the file to the byte'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from read" -l json -d 'Print one JSON document (JSON Lines where a command says so)'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from read" -l timings -d 'Print on stderr where the time went'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from read" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from read" -s V -l version -d 'Print version'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from update" -l content -d 'Take this text (without it and --file: what comes through a pipe)' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from update" -l file -d 'Take the text of this file, or of the standard input with -' -r -F
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from update" -l section -d 'Replace the text of this section alone' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from update" -l type -d 'Set what the memory is' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from update" -l category -d 'Set its category' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from update" -l scope -d 'Set where it holds: universal, language:NAME or project:NAME' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from update" -l status -d 'Set whether it is in use: active or archived' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from update" -l tag -d 'Set its tags (repeated: all of them; an empty one takes them away)' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from update" -l hint -d 'Set its hints (repeated, or several in one: all of them)' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from update" -l project -d 'Work on the project in this folder instead of the one around the current folder' -r -F
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from update" -l color -d 'Colour the output' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from update" -l replace-frontmatter -d 'Take the content\'s own frontmatter instead of keeping the memory\'s'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from update" -l allow-secret -d 'Write it even if it looks like a private key or the token of a service'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from update" -l json -d 'Print one JSON document (JSON Lines where a command says so)'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from update" -l timings -d 'Print on stderr where the time went'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from update" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from update" -s V -l version -d 'Print version'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from merge" -l into -d 'Merge them into this memory, which is made if it is not there' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from merge" -l content -d 'Let the target say this instead of the sources\' own texts' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from merge" -l file -d 'Let the target say what is in this file, or in the standard input with -' -r -F
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from merge" -l project -d 'Work on the project in this folder instead of the one around the current folder' -r -F
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from merge" -l color -d 'Colour the output' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from merge" -l allow-secret -d 'Write it even if it looks like a private key or the token of a service'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from merge" -l json -d 'Print one JSON document (JSON Lines where a command says so)'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from merge" -l timings -d 'Print on stderr where the time went'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from merge" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from merge" -s V -l version -d 'Print version'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from export" -s o -l output -d 'Write to this file instead of the standard output' -r -F
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from export" -l project -d 'Work on the project in this folder instead of the one around the current folder' -r -F
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from export" -l color -d 'Colour the output' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from export" -l json -d 'Print one JSON document (JSON Lines where a command says so)'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from export" -l timings -d 'Print on stderr where the time went'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from export" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from export" -s V -l version -d 'Print version'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from import" -l scope -d 'Say where they hold: universal, language:NAME or project:NAME' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from import" -l from-export -d 'Take what `cerberus memory export` wrote, or the standard input with -' -r -F
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from import" -l project -d 'Work on the project in this folder instead of the one around the current folder' -r -F
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from import" -l color -d 'Colour the output' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from import" -l dry-run -d 'Say what would be taken and what left, and write nothing'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from import" -l no-anchor -d 'Do not look for the rules\' examples'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from import" -l overwrite -d 'Write over memories that differ; the bank\'s own go to the trash'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from import" -l allow-secret -d 'Write it even if it looks like a private key or the token of a service'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from import" -l json -d 'Print one JSON document (JSON Lines where a command says so)'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from import" -l timings -d 'Print on stderr where the time went'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from import" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from import" -s V -l version -d 'Print version'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from inject" -l budget -d 'Print at most so many tokens [default: 1500]' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from inject" -l query -d 'Put first what speaks of this' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from inject" -l file -d 'Put first what is about this file (may be repeated)' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from inject" -l for -d 'Keep under what this host takes, and end with what was left out' -r -f -a "claude-hook\t'A hook of Claude Code: 10,000 characters'
codex-hook\t'A hook of Codex: 2,500 tokens'
gemini-hook\t'A hook of Gemini CLI: JSON'
cursor-hook\t'A hook of Cursor: JSON'
agents-md\t'AGENTS.md: 32 KiB'
cursor\t'A rule of Cursor: 500 lines'
copilot\t'The instructions of Copilot: 4,000 characters'"
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from inject" -l format -d 'Print it in this form (--json is the same as json)' -r -f -a "md\t'Markdown'
json\t'One document'"
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from inject" -l into -d 'Keep it in a marked block of this file instead, and leave all else there alone' -r -F
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from inject" -l session -d 'The session whose pins count (CERBERUS_SESSION otherwise)' -r
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from inject" -l project -d 'Work on the project in this folder instead of the one around the current folder' -r -F
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from inject" -l color -d 'Colour the output' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from inject" -l diff -d 'Put first what is about the files of the staged change'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from inject" -l no-examples -d 'Print the texts alone'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from inject" -l explain -d 'Say on standard error what was left out and why'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from inject" -l check -d 'Write nothing and fail if the block is stale'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from inject" -l json -d 'Print one JSON document (JSON Lines where a command says so)'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from inject" -l timings -d 'Print on stderr where the time went'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from inject" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from inject" -s V -l version -d 'Print version'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from pin" -l project -d 'Work on the project in this folder instead of the one around the current folder' -r -F
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from pin" -l color -d 'Colour the output' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from pin" -l json -d 'Print one JSON document (JSON Lines where a command says so)'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from pin" -l timings -d 'Print on stderr where the time went'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from pin" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from pin" -s V -l version -d 'Print version'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from pin" -f -a "add" -d 'Pin a note'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from pin" -f -a "list" -d 'List the pins with what they cost'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from pin" -f -a "remove" -d 'Remove pins'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from pin" -f -a "clear" -d 'Remove all pins that pass a filter'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from pin" -f -a "render" -d 'Print the pins as they are given to an agent, built-in ones with them'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from pin" -f -a "events" -d 'Print what happened to pins, a JSON document a line'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from pin" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from feedback" -l project -d 'Work on the project in this folder instead of the one around the current folder' -r -F
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from feedback" -l color -d 'Colour the output' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from feedback" -l good -d 'It has helped'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from feedback" -l bad -d 'It has not'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from feedback" -l json -d 'Print one JSON document (JSON Lines where a command says so)'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from feedback" -l timings -d 'Print on stderr where the time went'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from feedback" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from feedback" -s V -l version -d 'Print version'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from stats" -l project -d 'Work on the project in this folder instead of the one around the current folder' -r -F
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from stats" -l color -d 'Colour the output' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from stats" -l show-anchors -d 'List each anchor with its state'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from stats" -l json -d 'Print one JSON document (JSON Lines where a command says so)'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from stats" -l timings -d 'Print on stderr where the time went'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from stats" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from stats" -s V -l version -d 'Print version'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from report" -l html -d 'Write the page to this file, over an older page (`-` for standard output)' -r -F
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from report" -l project -d 'Work on the project in this folder instead of the one around the current folder' -r -F
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from report" -l color -d 'Colour the output' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from report" -l json -d 'Print one JSON document (JSON Lines where a command says so)'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from report" -l timings -d 'Print on stderr where the time went'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from report" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from report" -s V -l version -d 'Print version'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from delete" -l project -d 'Work on the project in this folder instead of the one around the current folder' -r -F
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from delete" -l color -d 'Colour the output' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from delete" -l json -d 'Print one JSON document (JSON Lines where a command says so)'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from delete" -l timings -d 'Print on stderr where the time went'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from delete" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from delete" -s V -l version -d 'Print version'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from restore" -l project -d 'Work on the project in this folder instead of the one around the current folder' -r -F
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from restore" -l color -d 'Colour the output' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from restore" -l json -d 'Print one JSON document (JSON Lines where a command says so)'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from restore" -l timings -d 'Print on stderr where the time went'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from restore" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from restore" -s V -l version -d 'Print version'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from help" -f -a "init" -d 'Make a bank in this project'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from help" -f -a "add" -d 'Add a short memory and anchor it to the code that shows it'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from help" -f -a "anchor" -d 'Find and keep the anchor of a memory'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from help" -f -a "anchor-test" -d 'Rank the examples of a rule and store nothing'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from help" -f -a "show" -d 'Show memories, newest first'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from help" -f -a "reanchor" -d 'Follow every anchor through what changed in the code'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from help" -f -a "search" -d 'Search the memories, or just the wanted sections of them'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from help" -f -a "linked" -d 'List the memories that speak of a file, a symbol or a memory, or are anchored there'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from help" -f -a "links" -d 'List the links between memories and what they speak of'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from help" -f -a "sections" -d 'List the sections of a memory with their tokens, and close those that are not closed'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from help" -f -a "create" -d 'Write a document of any length into the bank'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from help" -f -a "append" -d 'Append a text to a memory or to one of its sections'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from help" -f -a "read" -d 'Print a memory, or just the wanted sections of it'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from help" -f -a "update" -d 'Replace the text of a memory or of one section, and set its frontmatter'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from help" -f -a "merge" -d 'Merge memories into one'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from help" -f -a "export" -d 'Print the whole bank as JSON Lines, without loss'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from help" -f -a "import" -d 'Take rules out of AGENTS.md and the like, or a whole bank out of an export'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from help" -f -a "inject" -d 'Print pins, memories and their examples within a token budget'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from help" -f -a "pin" -d 'Pin short notes that are given every time'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from help" -f -a "feedback" -d 'Say whether a memory that was given has helped'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from help" -f -a "stats" -d 'Count the memories and their anchors'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from help" -f -a "report" -d 'Write a page that shows the rules, their examples, what changed and the links'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from help" -f -a "delete" -d 'Move memories to the trash'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from help" -f -a "restore" -d 'Take a memory back from the trash'
complete -c cerberus -n "__fish_cerberus_using_subcommand memory; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c cerberus -n "__fish_cerberus_using_subcommand index" -l project -d 'Work on the project in this folder instead of the one around the current folder' -r -F
complete -c cerberus -n "__fish_cerberus_using_subcommand index" -l color -d 'Colour the output' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c cerberus -n "__fish_cerberus_using_subcommand index" -l full -d 'Parse every file, not only those that a rule needs'
complete -c cerberus -n "__fish_cerberus_using_subcommand index" -l json -d 'Print one JSON document (JSON Lines where a command says so)'
complete -c cerberus -n "__fish_cerberus_using_subcommand index" -l timings -d 'Print on stderr where the time went'
complete -c cerberus -n "__fish_cerberus_using_subcommand index" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c cerberus -n "__fish_cerberus_using_subcommand index" -s V -l version -d 'Print version'
complete -c cerberus -n "__fish_cerberus_using_subcommand hooks; and not __fish_seen_subcommand_from print help" -l project -d 'Work on the project in this folder instead of the one around the current folder' -r -F
complete -c cerberus -n "__fish_cerberus_using_subcommand hooks; and not __fish_seen_subcommand_from print help" -l color -d 'Colour the output' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c cerberus -n "__fish_cerberus_using_subcommand hooks; and not __fish_seen_subcommand_from print help" -l json -d 'Print one JSON document (JSON Lines where a command says so)'
complete -c cerberus -n "__fish_cerberus_using_subcommand hooks; and not __fish_seen_subcommand_from print help" -l timings -d 'Print on stderr where the time went'
complete -c cerberus -n "__fish_cerberus_using_subcommand hooks; and not __fish_seen_subcommand_from print help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c cerberus -n "__fish_cerberus_using_subcommand hooks; and not __fish_seen_subcommand_from print help" -s V -l version -d 'Print version'
complete -c cerberus -n "__fish_cerberus_using_subcommand hooks; and not __fish_seen_subcommand_from print help" -f -a "print" -d 'Print the settings that call cerberus, or merge them into a file'
complete -c cerberus -n "__fish_cerberus_using_subcommand hooks; and not __fish_seen_subcommand_from print help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c cerberus -n "__fish_cerberus_using_subcommand hooks; and __fish_seen_subcommand_from print" -l write -d 'Merge them into this file instead' -r -F
complete -c cerberus -n "__fish_cerberus_using_subcommand hooks; and __fish_seen_subcommand_from print" -l project -d 'Work on the project in this folder instead of the one around the current folder' -r -F
complete -c cerberus -n "__fish_cerberus_using_subcommand hooks; and __fish_seen_subcommand_from print" -l color -d 'Colour the output' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c cerberus -n "__fish_cerberus_using_subcommand hooks; and __fish_seen_subcommand_from print" -l json -d 'Print one JSON document (JSON Lines where a command says so)'
complete -c cerberus -n "__fish_cerberus_using_subcommand hooks; and __fish_seen_subcommand_from print" -l timings -d 'Print on stderr where the time went'
complete -c cerberus -n "__fish_cerberus_using_subcommand hooks; and __fish_seen_subcommand_from print" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c cerberus -n "__fish_cerberus_using_subcommand hooks; and __fish_seen_subcommand_from print" -s V -l version -d 'Print version'
complete -c cerberus -n "__fish_cerberus_using_subcommand hooks; and __fish_seen_subcommand_from help" -f -a "print" -d 'Print the settings that call cerberus, or merge them into a file'
complete -c cerberus -n "__fish_cerberus_using_subcommand hooks; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c cerberus -n "__fish_cerberus_using_subcommand mcp" -l tools -d 'Offer all tools, or the few that an agent gets by with' -r -f -a "all\t'Every tool, for at most 3,000 tokens'
core\t'Searching, finding, injecting, creating and following, for at most 1,200'"
complete -c cerberus -n "__fish_cerberus_using_subcommand mcp" -l print-config -d 'Print the settings with which a client starts the server' -r -f -a "claude\t'Claude Code'
codex\t'Codex'
cursor\t'Cursor'
vscode\t'VS Code'
gemini\t'Gemini CLI'
opencode\t'opencode'"
complete -c cerberus -n "__fish_cerberus_using_subcommand mcp" -l project -d 'Work on the project in this folder instead of the one around the current folder' -r -F
complete -c cerberus -n "__fish_cerberus_using_subcommand mcp" -l color -d 'Colour the output' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c cerberus -n "__fish_cerberus_using_subcommand mcp" -l json -d 'Print one JSON document (JSON Lines where a command says so)'
complete -c cerberus -n "__fish_cerberus_using_subcommand mcp" -l timings -d 'Print on stderr where the time went'
complete -c cerberus -n "__fish_cerberus_using_subcommand mcp" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c cerberus -n "__fish_cerberus_using_subcommand mcp" -s V -l version -d 'Print version'
complete -c cerberus -n "__fish_cerberus_using_subcommand completions" -l project -d 'Work on the project in this folder instead of the one around the current folder' -r -F
complete -c cerberus -n "__fish_cerberus_using_subcommand completions" -l color -d 'Colour the output' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c cerberus -n "__fish_cerberus_using_subcommand completions" -l json -d 'Print one JSON document (JSON Lines where a command says so)'
complete -c cerberus -n "__fish_cerberus_using_subcommand completions" -l timings -d 'Print on stderr where the time went'
complete -c cerberus -n "__fish_cerberus_using_subcommand completions" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c cerberus -n "__fish_cerberus_using_subcommand completions" -s V -l version -d 'Print version'
complete -c cerberus -n "__fish_cerberus_using_subcommand demo" -l project -d 'Work on the project in this folder instead of the one around the current folder' -r -F
complete -c cerberus -n "__fish_cerberus_using_subcommand demo" -l color -d 'Colour the output' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c cerberus -n "__fish_cerberus_using_subcommand demo" -l json -d 'Print one JSON document (JSON Lines where a command says so)'
complete -c cerberus -n "__fish_cerberus_using_subcommand demo" -l timings -d 'Print on stderr where the time went'
complete -c cerberus -n "__fish_cerberus_using_subcommand demo" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c cerberus -n "__fish_cerberus_using_subcommand demo" -s V -l version -d 'Print version'
complete -c cerberus -n "__fish_cerberus_using_subcommand help; and not __fish_seen_subcommand_from memory index hooks mcp completions demo help" -f -a "memory" -d 'Keep, find and follow rules and their examples'
complete -c cerberus -n "__fish_cerberus_using_subcommand help; and not __fish_seen_subcommand_from memory index hooks mcp completions demo help" -f -a "index" -d 'Bring the code index up to date and say what it holds'
complete -c cerberus -n "__fish_cerberus_using_subcommand help; and not __fish_seen_subcommand_from memory index hooks mcp completions demo help" -f -a "hooks" -d 'Have agents and git call cerberus at the right moments'
complete -c cerberus -n "__fish_cerberus_using_subcommand help; and not __fish_seen_subcommand_from memory index hooks mcp completions demo help" -f -a "mcp" -d 'Serve the memory to an agent, by the Model Context Protocol on stdin and stdout'
complete -c cerberus -n "__fish_cerberus_using_subcommand help; and not __fish_seen_subcommand_from memory index hooks mcp completions demo help" -f -a "completions" -d 'Print the completion script of a shell'
complete -c cerberus -n "__fish_cerberus_using_subcommand help; and not __fish_seen_subcommand_from memory index hooks mcp completions demo help" -f -a "demo" -d 'Show the whole life cycle on a throw-away repository, each step checked'
complete -c cerberus -n "__fish_cerberus_using_subcommand help; and not __fish_seen_subcommand_from memory index hooks mcp completions demo help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c cerberus -n "__fish_cerberus_using_subcommand help; and __fish_seen_subcommand_from memory" -f -a "init" -d 'Make a bank in this project'
complete -c cerberus -n "__fish_cerberus_using_subcommand help; and __fish_seen_subcommand_from memory" -f -a "add" -d 'Add a short memory and anchor it to the code that shows it'
complete -c cerberus -n "__fish_cerberus_using_subcommand help; and __fish_seen_subcommand_from memory" -f -a "anchor" -d 'Find and keep the anchor of a memory'
complete -c cerberus -n "__fish_cerberus_using_subcommand help; and __fish_seen_subcommand_from memory" -f -a "anchor-test" -d 'Rank the examples of a rule and store nothing'
complete -c cerberus -n "__fish_cerberus_using_subcommand help; and __fish_seen_subcommand_from memory" -f -a "show" -d 'Show memories, newest first'
complete -c cerberus -n "__fish_cerberus_using_subcommand help; and __fish_seen_subcommand_from memory" -f -a "reanchor" -d 'Follow every anchor through what changed in the code'
complete -c cerberus -n "__fish_cerberus_using_subcommand help; and __fish_seen_subcommand_from memory" -f -a "search" -d 'Search the memories, or just the wanted sections of them'
complete -c cerberus -n "__fish_cerberus_using_subcommand help; and __fish_seen_subcommand_from memory" -f -a "linked" -d 'List the memories that speak of a file, a symbol or a memory, or are anchored there'
complete -c cerberus -n "__fish_cerberus_using_subcommand help; and __fish_seen_subcommand_from memory" -f -a "links" -d 'List the links between memories and what they speak of'
complete -c cerberus -n "__fish_cerberus_using_subcommand help; and __fish_seen_subcommand_from memory" -f -a "sections" -d 'List the sections of a memory with their tokens, and close those that are not closed'
complete -c cerberus -n "__fish_cerberus_using_subcommand help; and __fish_seen_subcommand_from memory" -f -a "create" -d 'Write a document of any length into the bank'
complete -c cerberus -n "__fish_cerberus_using_subcommand help; and __fish_seen_subcommand_from memory" -f -a "append" -d 'Append a text to a memory or to one of its sections'
complete -c cerberus -n "__fish_cerberus_using_subcommand help; and __fish_seen_subcommand_from memory" -f -a "read" -d 'Print a memory, or just the wanted sections of it'
complete -c cerberus -n "__fish_cerberus_using_subcommand help; and __fish_seen_subcommand_from memory" -f -a "update" -d 'Replace the text of a memory or of one section, and set its frontmatter'
complete -c cerberus -n "__fish_cerberus_using_subcommand help; and __fish_seen_subcommand_from memory" -f -a "merge" -d 'Merge memories into one'
complete -c cerberus -n "__fish_cerberus_using_subcommand help; and __fish_seen_subcommand_from memory" -f -a "export" -d 'Print the whole bank as JSON Lines, without loss'
complete -c cerberus -n "__fish_cerberus_using_subcommand help; and __fish_seen_subcommand_from memory" -f -a "import" -d 'Take rules out of AGENTS.md and the like, or a whole bank out of an export'
complete -c cerberus -n "__fish_cerberus_using_subcommand help; and __fish_seen_subcommand_from memory" -f -a "inject" -d 'Print pins, memories and their examples within a token budget'
complete -c cerberus -n "__fish_cerberus_using_subcommand help; and __fish_seen_subcommand_from memory" -f -a "pin" -d 'Pin short notes that are given every time'
complete -c cerberus -n "__fish_cerberus_using_subcommand help; and __fish_seen_subcommand_from memory" -f -a "feedback" -d 'Say whether a memory that was given has helped'
complete -c cerberus -n "__fish_cerberus_using_subcommand help; and __fish_seen_subcommand_from memory" -f -a "stats" -d 'Count the memories and their anchors'
complete -c cerberus -n "__fish_cerberus_using_subcommand help; and __fish_seen_subcommand_from memory" -f -a "report" -d 'Write a page that shows the rules, their examples, what changed and the links'
complete -c cerberus -n "__fish_cerberus_using_subcommand help; and __fish_seen_subcommand_from memory" -f -a "delete" -d 'Move memories to the trash'
complete -c cerberus -n "__fish_cerberus_using_subcommand help; and __fish_seen_subcommand_from memory" -f -a "restore" -d 'Take a memory back from the trash'
complete -c cerberus -n "__fish_cerberus_using_subcommand help; and __fish_seen_subcommand_from hooks" -f -a "print" -d 'Print the settings that call cerberus, or merge them into a file'
