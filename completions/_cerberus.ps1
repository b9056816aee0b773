
using namespace System.Management.Automation
using namespace System.Management.Automation.Language

Register-ArgumentCompleter -Native -CommandName 'cerberus' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commandElements = $commandAst.CommandElements
    $command = @(
        'cerberus'
        for ($i = 1; $i -lt $commandElements.Count; $i++) {
            $element = $commandElements[$i]
            if ($element -isnot [StringConstantExpressionAst] -or
                $element.StringConstantType -ne [StringConstantType]::BareWord -or
                $element.Value.StartsWith('-') -or
                $element.Value -eq $wordToComplete) {
                break
        }
        $element.Value
    }) -join ';'

    $completions = @(switch ($command) {
        'cerberus' {
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in this folder instead of the one around the current folder')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the output')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document (JSON Lines where a command says so)')
            [CompletionResult]::new('--timings', '--timings', [CompletionResultType]::ParameterName, 'Print on stderr where the time went')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('memory', 'memory', [CompletionResultType]::ParameterValue, 'Keep, find and follow rules and their examples')
            [CompletionResult]::new('index', 'index', [CompletionResultType]::ParameterValue, 'Bring the code index up to date and say what it holds')
            [CompletionResult]::new('hooks', 'hooks', [CompletionResultType]::ParameterValue, 'Have agents and git call cerberus at the right moments')
            [CompletionResult]::new('mcp', 'mcp', [CompletionResultType]::ParameterValue, 'Serve the memory to an agent, by the Model Context Protocol on stdin and stdout')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print the completion script of a shell')
            [CompletionResult]::new('demo', 'demo', [CompletionResultType]::ParameterValue, 'Show the whole life cycle on a throw-away repository, each step checked')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'cerberus;memory' {
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in this folder instead of the one around the current folder')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the output')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document (JSON Lines where a command says so)')
            [CompletionResult]::new('--timings', '--timings', [CompletionResultType]::ParameterName, 'Print on stderr where the time went')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('init', 'init', [CompletionResultType]::ParameterValue, 'Make a bank in this project')
            [CompletionResult]::new('add', 'add', [CompletionResultType]::ParameterValue, 'Add a short memory and anchor it to the code that shows it')
            [CompletionResult]::new('anchor', 'anchor', [CompletionResultType]::ParameterValue, 'Find and keep the anchor of a memory')
            [CompletionResult]::new('anchor-test', 'anchor-test', [CompletionResultType]::ParameterValue, 'Rank the examples of a rule and store nothing')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Show memories, newest first')
            [CompletionResult]::new('reanchor', 'reanchor', [CompletionResultType]::ParameterValue, 'Follow every anchor through what changed in the code')
            [CompletionResult]::new('search', 'search', [CompletionResultType]::ParameterValue, 'Search the memories, or just the wanted sections of them')
            [CompletionResult]::new('linked', 'linked', [CompletionResultType]::ParameterValue, 'List the memories that speak of a file, a symbol or a memory, or are anchored there')
            [CompletionResult]::new('links', 'links', [CompletionResultType]::ParameterValue, 'List the links between memories and what they speak of')
            [CompletionResult]::new('sections', 'sections', [CompletionResultType]::ParameterValue, 'List the sections of a memory with their tokens, and close those that are not closed')
            [CompletionResult]::new('create', 'create', [CompletionResultType]::ParameterValue, 'Write a document of any length into the bank')
            [CompletionResult]::new('append', 'append', [CompletionResultType]::ParameterValue, 'Append a text to a memory or to one of its sections')
            [CompletionResult]::new('read', 'read', [CompletionResultType]::ParameterValue, 'Print a memory, or just the wanted sections of it')
            [CompletionResult]::new('update', 'update', [CompletionResultType]::ParameterValue, 'Replace the text of a memory or of one section, and set its frontmatter')
            [CompletionResult]::new('merge', 'merge', [CompletionResultType]::ParameterValue, 'Merge memories into one')
            [CompletionResult]::new('export', 'export', [CompletionResultType]::ParameterValue, 'Print the whole bank as JSON Lines, without loss')
            [CompletionResult]::new('import', 'import', [CompletionResultType]::ParameterValue, 'Take rules out of AGENTS.md and the like, or a whole bank out of an export')
            [CompletionResult]::new('inject', 'inject', [CompletionResultType]::ParameterValue, 'Print pins, memories and their examples within a token budget')
            [CompletionResult]::new('pin', 'pin', [CompletionResultType]::ParameterValue, 'Pin short notes that are given every time')
            [CompletionResult]::new('feedback', 'feedback', [CompletionResultType]::ParameterValue, 'Say whether a memory that was given has helped')
            [CompletionResult]::new('stats', 'stats', [CompletionResultType]::ParameterValue, 'Count the memories and their anchors')
            [CompletionResult]::new('report', 'report', [CompletionResultType]::ParameterValue, 'Write a page that shows the rules, their examples, what changed and the links')
            [CompletionResult]::new('delete', 'delete', [CompletionResultType]::ParameterValue, 'Move memories to the trash')
            [CompletionResult]::new('restore', 'restore', [CompletionResultType]::ParameterValue, 'Take a memory back from the trash')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'cerberus;memory;init' {
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in this folder instead of the one around the current folder')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the output')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document (JSON Lines where a command says so)')
            [CompletionResult]::new('--timings', '--timings', [CompletionResultType]::ParameterName, 'Print on stderr where the time went')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'cerberus;memory;add' {
            [CompletionResult]::new('--id', '--id', [CompletionResultType]::ParameterName, 'Name the memory instead of making a name from its text')
            [CompletionResult]::new('--type', '--type', [CompletionResultType]::ParameterName, 'What the memory is')
            [CompletionResult]::new('--category', '--category', [CompletionResultType]::ParameterName, 'Put it into a category')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Say where it holds: universal, language:NAME or project:NAME')
            [CompletionResult]::new('--tag', '--tag', [CompletionResultType]::ParameterName, 'Tag it (may be repeated)')
            [CompletionResult]::new('--hint', '--hint', [CompletionResultType]::ParameterName, 'Give a word that its example should hold (may be repeated, or several in one)')
            [CompletionResult]::new('--anchor-to', '--anchor-to', [CompletionResultType]::ParameterName, 'Anchor it by hand to FILE or FILE::SYMBOL')
            [CompletionResult]::new('--min-quality', '--min-quality', [CompletionResultType]::ParameterName, 'Keep an example from this quality on')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in this folder instead of the one around the current folder')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the output')
            [CompletionResult]::new('--no-anchor', '--no-anchor', [CompletionResultType]::ParameterName, 'Do not look for its example')
            [CompletionResult]::new('--allow-secret', '--allow-secret', [CompletionResultType]::ParameterName, 'Write it even if it looks like a private key or the token of a service')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document (JSON Lines where a command says so)')
            [CompletionResult]::new('--timings', '--timings', [CompletionResultType]::ParameterName, 'Print on stderr where the time went')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'cerberus;memory;anchor' {
            [CompletionResult]::new('--candidates', '--candidates', [CompletionResultType]::ParameterName, 'List this many candidates with reasons and store nothing')
            [CompletionResult]::new('--pick', '--pick', [CompletionResultType]::ParameterName, 'Keep the candidate of this rank')
            [CompletionResult]::new('--to', '--to', [CompletionResultType]::ParameterName, 'Keep FILE or FILE::SYMBOL')
            [CompletionResult]::new('--hint', '--hint', [CompletionResultType]::ParameterName, 'Give a word that the example should hold (may be repeated, or several in one)')
            [CompletionResult]::new('--min-quality', '--min-quality', [CompletionResultType]::ParameterName, 'Keep an example from this quality on')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in this folder instead of the one around the current folder')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the output')
            [CompletionResult]::new('--clear', '--clear', [CompletionResultType]::ParameterName, 'Take the anchor away')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Say what would be kept and store nothing')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document (JSON Lines where a command says so)')
            [CompletionResult]::new('--timings', '--timings', [CompletionResultType]::ParameterName, 'Print on stderr where the time went')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'cerberus;memory;anchor-test' {
            [CompletionResult]::new('--hint', '--hint', [CompletionResultType]::ParameterName, 'Give a word that the example should hold (may be repeated, or several in one)')
            [CompletionResult]::new('--rules', '--rules', [CompletionResultType]::ParameterName, 'Read many rules from a file (`-` for standard input), a rule or a JSON object {"rule", "hints"} a line; with --json print a document a line')
            [CompletionResult]::new('--expect', '--expect', [CompletionResultType]::ParameterName, 'Fail unless FILE or FILE::SYMBOL is found')
            [CompletionResult]::new('--within', '--within', [CompletionResultType]::ParameterName, 'Accept what is expected among the first N candidates')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Look only at code of a scope, as in language:go')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'Show so many candidates')
            [CompletionResult]::new('--min-quality', '--min-quality', [CompletionResultType]::ParameterName, 'Call an example from this quality on an anchor')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in this folder instead of the one around the current folder')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the output')
            [CompletionResult]::new('--explain', '--explain', [CompletionResultType]::ParameterName, 'Show which words decided, and which the code does not know')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document (JSON Lines where a command says so)')
            [CompletionResult]::new('--timings', '--timings', [CompletionResultType]::ParameterName, 'Print on stderr where the time went')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'cerberus;memory;show' {
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Only memories of this scope; `project` and `language` take all of their kind')
            [CompletionResult]::new('--type', '--type', [CompletionResultType]::ParameterName, 'Only memories of this type')
            [CompletionResult]::new('--category', '--category', [CompletionResultType]::ParameterName, 'Only memories of this category')
            [CompletionResult]::new('--tag', '--tag', [CompletionResultType]::ParameterName, 'Only memories with this tag (repeated: with all of them)')
            [CompletionResult]::new('--status', '--status', [CompletionResultType]::ParameterName, 'Only memories of this status')
            [CompletionResult]::new('--file', '--file', [CompletionResultType]::ParameterName, 'Only memories anchored to this file')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in this folder instead of the one around the current folder')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the output')
            [CompletionResult]::new('--anchored', '--anchored', [CompletionResultType]::ParameterName, 'Only memories with an anchor, with the code at its current lines')
            [CompletionResult]::new('--unanchored', '--unanchored', [CompletionResultType]::ParameterName, 'Only memories without an anchor')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document (JSON Lines where a command says so)')
            [CompletionResult]::new('--timings', '--timings', [CompletionResultType]::ParameterName, 'Print on stderr where the time went')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'cerberus;memory;reanchor' {
            [CompletionResult]::new('--accept', '--accept', [CompletionResultType]::ParameterName, 'Record the changed code of one memory, or of all, as approved')
            [CompletionResult]::new('--since', '--since', [CompletionResultType]::ParameterName, 'Look only at what changed since this revision; fail where git cannot tell')
            [CompletionResult]::new('--explain', '--explain', [CompletionResultType]::ParameterName, 'Show what was compared and what decided for this memory')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print the findings in this form (--json is the same as json)')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Only memories of this scope; `all` takes every one')
            [CompletionResult]::new('--min-quality', '--min-quality', [CompletionResultType]::ParameterName, 'Replace an example that is gone from this quality on')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in this folder instead of the one around the current folder')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the output')
            [CompletionResult]::new('--check', '--check', [CompletionResultType]::ParameterName, 'Write nothing and fail if anything has to be done')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Say what would be recorded and write nothing')
            [CompletionResult]::new('--undo', '--undo', [CompletionResultType]::ParameterName, 'Take the last reanchor back')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Let any edit fail the check')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document (JSON Lines where a command says so)')
            [CompletionResult]::new('--timings', '--timings', [CompletionResultType]::ParameterName, 'Print on stderr where the time went')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'cerberus;memory;search' {
            [CompletionResult]::new('--anchors', '--anchors', [CompletionResultType]::ParameterName, 'Return just these sections, with what that saves')
            [CompletionResult]::new('--since', '--since', [CompletionResultType]::ParameterName, 'Only memories written or changed from this date or time on')
            [CompletionResult]::new('--until', '--until', [CompletionResultType]::ParameterName, 'Only memories written or changed until this date or time')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'Show so many memories')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Only memories of this scope; `project` and `language` take all of their kind')
            [CompletionResult]::new('--type', '--type', [CompletionResultType]::ParameterName, 'Only memories of this type')
            [CompletionResult]::new('--category', '--category', [CompletionResultType]::ParameterName, 'Only memories of this category')
            [CompletionResult]::new('--tag', '--tag', [CompletionResultType]::ParameterName, 'Only memories with this tag (repeated: with all of them)')
            [CompletionResult]::new('--status', '--status', [CompletionResultType]::ParameterName, 'Only memories of this status')
            [CompletionResult]::new('--file', '--file', [CompletionResultType]::ParameterName, 'Only memories anchored to this file')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in this folder instead of the one around the current folder')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the output')
            [CompletionResult]::new('--content', '--content', [CompletionResultType]::ParameterName, 'Print the text too')
            [CompletionResult]::new('--why', '--why', [CompletionResultType]::ParameterName, 'Show the place of each memory in each lane, and what it adds to the score')
            [CompletionResult]::new('--superseded', '--superseded', [CompletionResultType]::ParameterName, 'Also memories that another one supersedes')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document (JSON Lines where a command says so)')
            [CompletionResult]::new('--timings', '--timings', [CompletionResultType]::ParameterName, 'Print on stderr where the time went')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'cerberus;memory;linked' {
            [CompletionResult]::new('--for', '--for', [CompletionResultType]::ParameterName, 'Say it to a host''s hook before a commit, and nothing where there is nothing to say')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in this folder instead of the one around the current folder')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the output')
            [CompletionResult]::new('--diff', '--diff', [CompletionResultType]::ParameterName, 'Take the files that are staged in git for the target')
            [CompletionResult]::new('--superseded', '--superseded', [CompletionResultType]::ParameterName, 'Also memories that another one supersedes')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document (JSON Lines where a command says so)')
            [CompletionResult]::new('--timings', '--timings', [CompletionResultType]::ParameterName, 'Print on stderr where the time went')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'cerberus;memory;links' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print the links in this form (--json is the same as json)')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in this folder instead of the one around the current folder')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the output')
            [CompletionResult]::new('--broken', '--broken', [CompletionResultType]::ParameterName, 'Only links that do not lead where they say; fail if there is any')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document (JSON Lines where a command says so)')
            [CompletionResult]::new('--timings', '--timings', [CompletionResultType]::ParameterName, 'Print on stderr where the time went')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'cerberus;memory;sections' {
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in this folder instead of the one around the current folder')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the output')
            [CompletionResult]::new('--validate', '--validate', [CompletionResultType]::ParameterName, 'Fail if any section tag is wrong')
            [CompletionResult]::new('--fix', '--fix', [CompletionResultType]::ParameterName, 'Close the sections that are never closed and show the change')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Show the change and write nothing')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document (JSON Lines where a command says so)')
            [CompletionResult]::new('--timings', '--timings', [CompletionResultType]::ParameterName, 'Print on stderr where the time went')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'cerberus;memory;create' {
            [CompletionResult]::new('--content', '--content', [CompletionResultType]::ParameterName, 'Take this text (without it and --file: what comes through a pipe)')
            [CompletionResult]::new('--file', '--file', [CompletionResultType]::ParameterName, 'Take the text of this file, or of the standard input with -')
            [CompletionResult]::new('--id', '--id', [CompletionResultType]::ParameterName, 'Give it an id other than its name')
            [CompletionResult]::new('--type', '--type', [CompletionResultType]::ParameterName, 'What the memory is (journal unless told otherwise)')
            [CompletionResult]::new('--category', '--category', [CompletionResultType]::ParameterName, 'Put it into a category')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Say where it holds: universal, language:NAME or project:NAME')
            [CompletionResult]::new('--tag', '--tag', [CompletionResultType]::ParameterName, 'Tag it (may be repeated)')
            [CompletionResult]::new('--hint', '--hint', [CompletionResultType]::ParameterName, 'Give a word that its example should hold (may be repeated, or several in one)')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in this folder instead of the one around the current folder')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the output')
            [CompletionResult]::new('--allow-secret', '--allow-secret', [CompletionResultType]::ParameterName, 'Write it even if it looks like a private key or the token of a service')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document (JSON Lines where a command says so)')
            [CompletionResult]::new('--timings', '--timings', [CompletionResultType]::ParameterName, 'Print on stderr where the time went')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'cerberus;memory;append' {
            [CompletionResult]::new('--content', '--content', [CompletionResultType]::ParameterName, 'Take this text (without it and --file: what comes through a pipe)')
            [CompletionResult]::new('--file', '--file', [CompletionResultType]::ParameterName, 'Take the text of this file, or of the standard input with -')
            [CompletionResult]::new('--section', '--section', [CompletionResultType]::ParameterName, 'Append to this section: one between tags, or one below a heading')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in this folder instead of the one around the current folder')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the output')
            [CompletionResult]::new('--allow-secret', '--allow-secret', [CompletionResultType]::ParameterName, 'Write it even if it looks like a private key or the token of a service')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document (JSON Lines where a command says so)')
            [CompletionResult]::new('--timings', '--timings', [CompletionResultType]::ParameterName, 'Print on stderr where the time went')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'cerberus;memory;read' {
            [CompletionResult]::new('--section', '--section', [CompletionResultType]::ParameterName, 'Only this section (may be repeated, or several with commas between)')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in this folder instead of the one around the current folder')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the output')
            [CompletionResult]::new('--raw', '--raw', [CompletionResultType]::ParameterName, 'Keep the tags in sections; without a section, print the file to the byte')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document (JSON Lines where a command says so)')
            [CompletionResult]::new('--timings', '--timings', [CompletionResultType]::ParameterName, 'Print on stderr where the time went')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'cerberus;memory;update' {
            [CompletionResult]::new('--content', '--content', [CompletionResultType]::ParameterName, 'Take this text (without it and --file: what comes through a pipe)')
            [CompletionResult]::new('--file', '--file', [CompletionResultType]::ParameterName, 'Take the text of this file, or of the standard input with -')
            [CompletionResult]::new('--section', '--section', [CompletionResultType]::ParameterName, 'Replace the text of this section alone')
            [CompletionResult]::new('--type', '--type', [CompletionResultType]::ParameterName, 'Set what the memory is')
            [CompletionResult]::new('--category', '--category', [CompletionResultType]::ParameterName, 'Set its category')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Set where it holds: universal, language:NAME or project:NAME')
            [CompletionResult]::new('--status', '--status', [CompletionResultType]::ParameterName, 'Set whether it is in use: active or archived')
            [CompletionResult]::new('--tag', '--tag', [CompletionResultType]::ParameterName, 'Set its tags (repeated: all of them; an empty one takes them away)')
            [CompletionResult]::new('--hint', '--hint', [CompletionResultType]::ParameterName, 'Set its hints (repeated, or several in one: all of them)')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in this folder instead of the one around the current folder')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the output')
            [CompletionResult]::new('--replace-frontmatter', '--replace-frontmatter', [CompletionResultType]::ParameterName, 'Take the content''s own frontmatter instead of keeping the memory''s')
            [CompletionResult]::new('--allow-secret', '--allow-secret', [CompletionResultType]::ParameterName, 'Write it even if it looks like a private key or the token of a service')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document (JSON Lines where a command says so)')
            [CompletionResult]::new('--timings', '--timings', [CompletionResultType]::ParameterName, 'Print on stderr where the time went')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'cerberus;memory;merge' {
            [CompletionResult]::new('--into', '--into', [CompletionResultType]::ParameterName, 'Merge them into this memory, which is made if it is not there')
            [CompletionResult]::new('--content', '--content', [CompletionResultType]::ParameterName, 'Let the target say this instead of the sources'' own texts')
            [CompletionResult]::new('--file', '--file', [CompletionResultType]::ParameterName, 'Let the target say what is in this file, or in the standard input with -')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in this folder instead of the one around the current folder')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the output')
            [CompletionResult]::new('--allow-secret', '--allow-secret', [CompletionResultType]::ParameterName, 'Write it even if it looks like a private key or the token of a service')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document (JSON Lines where a command says so)')
            [CompletionResult]::new('--timings', '--timings', [CompletionResultType]::ParameterName, 'Print on stderr where the time went')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'cerberus;memory;export' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to this file instead of the standard output')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to this file instead of the standard output')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in this folder instead of the one around the current folder')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the output')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document (JSON Lines where a command says so)')
            [CompletionResult]::new('--timings', '--timings', [CompletionResultType]::ParameterName, 'Print on stderr where the time went')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'cerberus;memory;import' {
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Say where they hold: universal, language:NAME or project:NAME')
            [CompletionResult]::new('--from-export', '--from-export', [CompletionResultType]::ParameterName, 'Take what `cerberus memory export` wrote, or the standard input with -')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in this folder instead of the one around the current folder')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the output')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Say what would be taken and what left, and write nothing')
            [CompletionResult]::new('--no-anchor', '--no-anchor', [CompletionResultType]::ParameterName, 'Do not look for the rules'' examples')
            [CompletionResult]::new('--overwrite', '--overwrite', [CompletionResultType]::ParameterName, 'Write over memories that differ; the bank''s own go to the trash')
            [CompletionResult]::new('--allow-secret', '--allow-secret', [CompletionResultType]::ParameterName, 'Write it even if it looks like a private key or the token of a service')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document (JSON Lines where a command says so)')
            [CompletionResult]::new('--timings', '--timings', [CompletionResultType]::ParameterName, 'Print on stderr where the time went')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'cerberus;memory;inject' {
            [CompletionResult]::new('--budget', '--budget', [CompletionResultType]::ParameterName, 'Print at most so many tokens [default: 1500]')
            [CompletionResult]::new('--query', '--query', [CompletionResultType]::ParameterName, 'Put first what speaks of this')
            [CompletionResult]::new('--file', '--file', [CompletionResultType]::ParameterName, 'Put first what is about this file (may be repeated)')
            [CompletionResult]::new('--for', '--for', [CompletionResultType]::ParameterName, 'Keep under what this host takes, and end with what was left out')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Print it in this form (--json is the same as json)')
            [CompletionResult]::new('--into', '--into', [CompletionResultType]::ParameterName, 'Keep it in a marked block of this file instead, and leave all else there alone')
            [CompletionResult]::new('--session', '--session', [CompletionResultType]::ParameterName, 'The session whose pins count (CERBERUS_SESSION otherwise)')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in this folder instead of the one around the current folder')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the output')
            [CompletionResult]::new('--diff', '--diff', [CompletionResultType]::ParameterName, 'Put first what is about the files of the staged change')
            [CompletionResult]::new('--no-examples', '--no-examples', [CompletionResultType]::ParameterName, 'Print the texts alone')
            [CompletionResult]::new('--explain', '--explain', [CompletionResultType]::ParameterName, 'Say on standard error what was left out and why')
            [CompletionResult]::new('--check', '--check', [CompletionResultType]::ParameterName, 'Write nothing and fail if the block is stale')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document (JSON Lines where a command says so)')
            [CompletionResult]::new('--timings', '--timings', [CompletionResultType]::ParameterName, 'Print on stderr where the time went')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'cerberus;memory;pin' {
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in this folder instead of the one around the current folder')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the output')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document (JSON Lines where a command says so)')
            [CompletionResult]::new('--timings', '--timings', [CompletionResultType]::ParameterName, 'Print on stderr where the time went')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('add', 'add', [CompletionResultType]::ParameterValue, 'Pin a note')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List the pins with what they cost')
            [CompletionResult]::new('remove', 'remove', [CompletionResultType]::ParameterValue, 'Remove pins')
            [CompletionResult]::new('clear', 'clear', [CompletionResultType]::ParameterValue, 'Remove all pins that pass a filter')
            [CompletionResult]::new('render', 'render', [CompletionResultType]::ParameterValue, 'Print the pins as they are given to an agent, built-in ones with them')
            [CompletionResult]::new('events', 'events', [CompletionResultType]::ParameterValue, 'Print what happened to pins, a JSON document a line')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'cerberus;memory;pin;add' {
            [CompletionResult]::new('--id', '--id', [CompletionResultType]::ParameterName, 'Name the pin instead of making a name from its text')
            [CompletionResult]::new('--priority', '--priority', [CompletionResultType]::ParameterName, 'How much it matters: critical, safety or info')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'How long it lasts: session, persistent or temporary; persistent unless it expires')
            [CompletionResult]::new('--expires', '--expires', [CompletionResultType]::ParameterName, 'Let it expire after a duration (2h, 3d) or at a date or time')
            [CompletionResult]::new('--tag', '--tag', [CompletionResultType]::ParameterName, 'Tag it (may be repeated)')
            [CompletionResult]::new('--meta', '--meta', [CompletionResultType]::ParameterName, 'Keep something with it (may be repeated)')
            [CompletionResult]::new('--project-id', '--project-id', [CompletionResultType]::ParameterName, 'Say which project it is about; without one it is about every project')
            [CompletionResult]::new('--session', '--session', [CompletionResultType]::ParameterName, 'The session whose pins count (CERBERUS_SESSION otherwise)')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in this folder instead of the one around the current folder')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the output')
            [CompletionResult]::new('--allow-secret', '--allow-secret', [CompletionResultType]::ParameterName, 'Write it even if it looks like a private key or the token of a service')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document (JSON Lines where a command says so)')
            [CompletionResult]::new('--timings', '--timings', [CompletionResultType]::ParameterName, 'Print on stderr where the time went')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'cerberus;memory;pin;list' {
            [CompletionResult]::new('--priority', '--priority', [CompletionResultType]::ParameterName, 'Only pins of this priority')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Only pins of this scope')
            [CompletionResult]::new('--tag', '--tag', [CompletionResultType]::ParameterName, 'Only pins with this tag (repeated: with all of them)')
            [CompletionResult]::new('--project-id', '--project-id', [CompletionResultType]::ParameterName, 'Only pins about this project')
            [CompletionResult]::new('--session', '--session', [CompletionResultType]::ParameterName, 'The session whose pins count (CERBERUS_SESSION otherwise)')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in this folder instead of the one around the current folder')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the output')
            [CompletionResult]::new('--include-expired', '--include-expired', [CompletionResultType]::ParameterName, 'Also pins that have expired')
            [CompletionResult]::new('--global-only', '--global-only', [CompletionResultType]::ParameterName, 'Only pins about every project')
            [CompletionResult]::new('--expired-only', '--expired-only', [CompletionResultType]::ParameterName, 'Only pins that have expired')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document (JSON Lines where a command says so)')
            [CompletionResult]::new('--timings', '--timings', [CompletionResultType]::ParameterName, 'Print on stderr where the time went')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'cerberus;memory;pin;remove' {
            [CompletionResult]::new('--session', '--session', [CompletionResultType]::ParameterName, 'The session whose pins count (CERBERUS_SESSION otherwise)')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in this folder instead of the one around the current folder')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the output')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document (JSON Lines where a command says so)')
            [CompletionResult]::new('--timings', '--timings', [CompletionResultType]::ParameterName, 'Print on stderr where the time went')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'cerberus;memory;pin;clear' {
            [CompletionResult]::new('--priority', '--priority', [CompletionResultType]::ParameterName, 'Only pins of this priority')
            [CompletionResult]::new('--scope', '--scope', [CompletionResultType]::ParameterName, 'Only pins of this scope')
            [CompletionResult]::new('--tag', '--tag', [CompletionResultType]::ParameterName, 'Only pins with this tag (repeated: with all of them)')
            [CompletionResult]::new('--project-id', '--project-id', [CompletionResultType]::ParameterName, 'Only pins about this project')
            [CompletionResult]::new('--session', '--session', [CompletionResultType]::ParameterName, 'The session whose pins count (CERBERUS_SESSION otherwise)')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in this folder instead of the one around the current folder')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the output')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'Remove every pin')
            [CompletionResult]::new('--global-only', '--global-only', [CompletionResultType]::ParameterName, 'Only pins about every project')
            [CompletionResult]::new('--expired-only', '--expired-only', [CompletionResultType]::ParameterName, 'Only pins that have expired')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document (JSON Lines where a command says so)')
            [CompletionResult]::new('--timings', '--timings', [CompletionResultType]::ParameterName, 'Print on stderr where the time went')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'cerberus;memory;pin;render' {
            [CompletionResult]::new('--session', '--session', [CompletionResultType]::ParameterName, 'The session whose pins count (CERBERUS_SESSION otherwise)')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in this folder instead of the one around the current folder')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the output')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document (JSON Lines where a command says so)')
            [CompletionResult]::new('--timings', '--timings', [CompletionResultType]::ParameterName, 'Print on stderr where the time went')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'cerberus;memory;pin;events' {
            [CompletionResult]::new('--session', '--session', [CompletionResultType]::ParameterName, 'The session whose pins count (CERBERUS_SESSION otherwise)')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in this folder instead of the one around the current folder')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the output')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document (JSON Lines where a command says so)')
            [CompletionResult]::new('--timings', '--timings', [CompletionResultType]::ParameterName, 'Print on stderr where the time went')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'cerberus;memory;pin;help' {
            [CompletionResult]::new('add', 'add', [CompletionResultType]::ParameterValue, 'Pin a note')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List the pins with what they cost')
            [CompletionResult]::new('remove', 'remove', [CompletionResultType]::ParameterValue, 'Remove pins')
            [CompletionResult]::new('clear', 'clear', [CompletionResultType]::ParameterValue, 'Remove all pins that pass a filter')
            [CompletionResult]::new('render', 'render', [CompletionResultType]::ParameterValue, 'Print the pins as they are given to an agent, built-in ones with them')
            [CompletionResult]::new('events', 'events', [CompletionResultType]::ParameterValue, 'Print what happened to pins, a JSON document a line')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'cerberus;memory;pin;help;add' {
            break
        }
        'cerberus;memory;pin;help;list' {
            break
        }
        'cerberus;memory;pin;help;remove' {
            break
        }
        'cerberus;memory;pin;help;clear' {
            break
        }
        'cerberus;memory;pin;help;render' {
            break
        }
        'cerberus;memory;pin;help;events' {
            break
        }
        'cerberus;memory;pin;help;help' {
            break
        }
        'cerberus;memory;feedback' {
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in this folder instead of the one around the current folder')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the output')
            [CompletionResult]::new('--good', '--good', [CompletionResultType]::ParameterName, 'It has helped')
            [CompletionResult]::new('--bad', '--bad', [CompletionResultType]::ParameterName, 'It has not')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document (JSON Lines where a command says so)')
            [CompletionResult]::new('--timings', '--timings', [CompletionResultType]::ParameterName, 'Print on stderr where the time went')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'cerberus;memory;stats' {
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in this folder instead of the one around the current folder')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the output')
            [CompletionResult]::new('--show-anchors', '--show-anchors', [CompletionResultType]::ParameterName, 'List each anchor with its state')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document (JSON Lines where a command says so)')
            [CompletionResult]::new('--timings', '--timings', [CompletionResultType]::ParameterName, 'Print on stderr where the time went')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'cerberus;memory;report' {
            [CompletionResult]::new('--html', '--html', [CompletionResultType]::ParameterName, 'Write the page to this file, over an older page (`-` for standard output)')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in this folder instead of the one around the current folder')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the output')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document (JSON Lines where a command says so)')
            [CompletionResult]::new('--timings', '--timings', [CompletionResultType]::ParameterName, 'Print on stderr where the time went')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'cerberus;memory;delete' {
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in this folder instead of the one around the current folder')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the output')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document (JSON Lines where a command says so)')
            [CompletionResult]::new('--timings', '--timings', [CompletionResultType]::ParameterName, 'Print on stderr where the time went')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'cerberus;memory;restore' {
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in this folder instead of the one around the current folder')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the output')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document (JSON Lines where a command says so)')
            [CompletionResult]::new('--timings', '--timings', [CompletionResultType]::ParameterName, 'Print on stderr where the time went')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'cerberus;memory;help' {
            [CompletionResult]::new('init', 'init', [CompletionResultType]::ParameterValue, 'Make a bank in this project')
            [CompletionResult]::new('add', 'add', [CompletionResultType]::ParameterValue, 'Add a short memory and anchor it to the code that shows it')
            [CompletionResult]::new('anchor', 'anchor', [CompletionResultType]::ParameterValue, 'Find and keep the anchor of a memory')
            [CompletionResult]::new('anchor-test', 'anchor-test', [CompletionResultType]::ParameterValue, 'Rank the examples of a rule and store nothing')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Show memories, newest first')
            [CompletionResult]::new('reanchor', 'reanchor', [CompletionResultType]::ParameterValue, 'Follow every anchor through what changed in the code')
            [CompletionResult]::new('search', 'search', [CompletionResultType]::ParameterValue, 'Search the memories, or just the wanted sections of them')
            [CompletionResult]::new('linked', 'linked', [CompletionResultType]::ParameterValue, 'List the memories that speak of a file, a symbol or a memory, or are anchored there')
            [CompletionResult]::new('links', 'links', [CompletionResultType]::ParameterValue, 'List the links between memories and what they speak of')
            [CompletionResult]::new('sections', 'sections', [CompletionResultType]::ParameterValue, 'List the sections of a memory with their tokens, and close those that are not closed')
            [CompletionResult]::new('create', 'create', [CompletionResultType]::ParameterValue, 'Write a document of any length into the bank')
            [CompletionResult]::new('append', 'append', [CompletionResultType]::ParameterValue, 'Append a text to a memory or to one of its sections')
            [CompletionResult]::new('read', 'read', [CompletionResultType]::ParameterValue, 'Print a memory, or just the wanted sections of it')
            [CompletionResult]::new('update', 'update', [CompletionResultType]::ParameterValue, 'Replace the text of a memory or of one section, and set its frontmatter')
            [CompletionResult]::new('merge', 'merge', [CompletionResultType]::ParameterValue, 'Merge memories into one')
            [CompletionResult]::new('export', 'export', [CompletionResultType]::ParameterValue, 'Print the whole bank as JSON Lines, without loss')
            [CompletionResult]::new('import', 'import', [CompletionResultType]::ParameterValue, 'Take rules out of AGENTS.md and the like, or a whole bank out of an export')
            [CompletionResult]::new('inject', 'inject', [CompletionResultType]::ParameterValue, 'Print pins, memories and their examples within a token budget')
            [CompletionResult]::new('pin', 'pin', [CompletionResultType]::ParameterValue, 'Pin short notes that are given every time')
            [CompletionResult]::new('feedback', 'feedback', [CompletionResultType]::ParameterValue, 'Say whether a memory that was given has helped')
            [CompletionResult]::new('stats', 'stats', [CompletionResultType]::ParameterValue, 'Count the memories and their anchors')
            [CompletionResult]::new('report', 'report', [CompletionResultType]::ParameterValue, 'Write a page that shows the rules, their examples, what changed and the links')
            [CompletionResult]::new('delete', 'delete', [CompletionResultType]::ParameterValue, 'Move memories to the trash')
            [CompletionResult]::new('restore', 'restore', [CompletionResultType]::ParameterValue, 'Take a memory back from the trash')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'cerberus;memory;help;init' {
            break
        }
        'cerberus;memory;help;add' {
            break
        }
        'cerberus;memory;help;anchor' {
            break
        }
        'cerberus;memory;help;anchor-test' {
            break
        }
        'cerberus;memory;help;show' {
            break
        }
        'cerberus;memory;help;reanchor' {
            break
        }
        'cerberus;memory;help;search' {
            break
        }
        'cerberus;memory;help;linked' {
            break
        }
        'cerberus;memory;help;links' {
            break
        }
        'cerberus;memory;help;sections' {
            break
        }
        'cerberus;memory;help;create' {
            break
        }
        'cerberus;memory;help;append' {
            break
        }
        'cerberus;memory;help;read' {
            break
        }
        'cerberus;memory;help;update' {
            break
        }
        'cerberus;memory;help;merge' {
            break
        }
        'cerberus;memory;help;export' {
            break
        }
        'cerberus;memory;help;import' {
            break
        }
        'cerberus;memory;help;inject' {
            break
        }
        'cerberus;memory;help;pin' {
            [CompletionResult]::new('add', 'add', [CompletionResultType]::ParameterValue, 'Pin a note')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List the pins with what they cost')
            [CompletionResult]::new('remove', 'remove', [CompletionResultType]::ParameterValue, 'Remove pins')
            [CompletionResult]::new('clear', 'clear', [CompletionResultType]::ParameterValue, 'Remove all pins that pass a filter')
            [CompletionResult]::new('render', 'render', [CompletionResultType]::ParameterValue, 'Print the pins as they are given to an agent, built-in ones with them')
            [CompletionResult]::new('events', 'events', [CompletionResultType]::ParameterValue, 'Print what happened to pins, a JSON document a line')
            break
        }
        'cerberus;memory;help;pin;add' {
            break
        }
        'cerberus;memory;help;pin;list' {
            break
        }
        'cerberus;memory;help;pin;remove' {
            break
        }
        'cerberus;memory;help;pin;clear' {
            break
        }
        'cerberus;memory;help;pin;render' {
            break
        }
        'cerberus;memory;help;pin;events' {
            break
        }
        'cerberus;memory;help;feedback' {
            break
        }
        'cerberus;memory;help;stats' {
            break
        }
        'cerberus;memory;help;report' {
            break
        }
        'cerberus;memory;help;delete' {
            break
        }
        'cerberus;memory;help;restore' {
            break
        }
        'cerberus;memory;help;help' {
            break
        }
        'cerberus;index' {
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in this folder instead of the one around the current folder')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the output')
            [CompletionResult]::new('--full', '--full', [CompletionResultType]::ParameterName, 'Parse every file, not only those that a rule needs')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document (JSON Lines where a command says so)')
            [CompletionResult]::new('--timings', '--timings', [CompletionResultType]::ParameterName, 'Print on stderr where the time went')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'cerberus;hooks' {
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in this folder instead of the one around the current folder')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the output')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document (JSON Lines where a command says so)')
            [CompletionResult]::new('--timings', '--timings', [CompletionResultType]::ParameterName, 'Print on stderr where the time went')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('print', 'print', [CompletionResultType]::ParameterValue, 'Print the settings that call cerberus, or merge them into a file')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'cerberus;hooks;print' {
            [CompletionResult]::new('--write', '--write', [CompletionResultType]::ParameterName, 'Merge them into this file instead')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in this folder instead of the one around the current folder')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the output')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document (JSON Lines where a command says so)')
            [CompletionResult]::new('--timings', '--timings', [CompletionResultType]::ParameterName, 'Print on stderr where the time went')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'cerberus;hooks;help' {
            [CompletionResult]::new('print', 'print', [CompletionResultType]::ParameterValue, 'Print the settings that call cerberus, or merge them into a file')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'cerberus;hooks;help;print' {
            break
        }
        'cerberus;hooks;help;help' {
            break
        }
        'cerberus;mcp' {
            [CompletionResult]::new('--tools', '--tools', [CompletionResultType]::ParameterName, 'Offer all tools, or the few that an agent gets by with')
            [CompletionResult]::new('--print-config', '--print-config', [CompletionResultType]::ParameterName, 'Print the settings with which a client starts the server')
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in this folder instead of the one around the current folder')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the output')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document (JSON Lines where a command says so)')
            [CompletionResult]::new('--timings', '--timings', [CompletionResultType]::ParameterName, 'Print on stderr where the time went')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'cerberus;completions' {
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in this folder instead of the one around the current folder')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the output')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document (JSON Lines where a command says so)')
            [CompletionResult]::new('--timings', '--timings', [CompletionResultType]::ParameterName, 'Print on stderr where the time went')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'cerberus;demo' {
            [CompletionResult]::new('--project', '--project', [CompletionResultType]::ParameterName, 'Work on the project in this folder instead of the one around the current folder')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the output')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document (JSON Lines where a command says so)')
            [CompletionResult]::new('--timings', '--timings', [CompletionResultType]::ParameterName, 'Print on stderr where the time went')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'cerberus;help' {
            [CompletionResult]::new('memory', 'memory', [CompletionResultType]::ParameterValue, 'Keep, find and follow rules and their examples')
            [CompletionResult]::new('index', 'index', [CompletionResultType]::ParameterValue, 'Bring the code index up to date and say what it holds')
            [CompletionResult]::new('hooks', 'hooks', [CompletionResultType]::ParameterValue, 'Have agents and git call cerberus at the right moments')
            [CompletionResult]::new('mcp', 'mcp', [CompletionResultType]::ParameterValue, 'Serve the memory to an agent, by the Model Context Protocol on stdin and stdout')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print the completion script of a shell')
            [CompletionResult]::new('demo', 'demo', [CompletionResultType]::ParameterValue, 'Show the whole life cycle on a throw-away repository, each step checked')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'cerberus;help;memory' {
            [CompletionResult]::new('init', 'init', [CompletionResultType]::ParameterValue, 'Make a bank in this project')
            [CompletionResult]::new('add', 'add', [CompletionResultType]::ParameterValue, 'Add a short memory and anchor it to the code that shows it')
            [CompletionResult]::new('anchor', 'anchor', [CompletionResultType]::ParameterValue, 'Find and keep the anchor of a memory')
            [CompletionResult]::new('anchor-test', 'anchor-test', [CompletionResultType]::ParameterValue, 'Rank the examples of a rule and store nothing')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Show memories, newest first')
            [CompletionResult]::new('reanchor', 'reanchor', [CompletionResultType]::ParameterValue, 'Follow every anchor through what changed in the code')
            [CompletionResult]::new('search', 'search', [CompletionResultType]::ParameterValue, 'Search the memories, or just the wanted sections of them')
            [CompletionResult]::new('linked', 'linked', [CompletionResultType]::ParameterValue, 'List the memories that speak of a file, a symbol or a memory, or are anchored there')
            [CompletionResult]::new('links', 'links', [CompletionResultType]::ParameterValue, 'List the links between memories and what they speak of')
            [CompletionResult]::new('sections', 'sections', [CompletionResultType]::ParameterValue, 'List the sections of a memory with their tokens, and close those that are not closed')
            [CompletionResult]::new('create', 'create', [CompletionResultType]::ParameterValue, 'Write a document of any length into the bank')
            [CompletionResult]::new('append', 'append', [CompletionResultType]::ParameterValue, 'Append a text to a memory or to one of its sections')
            [CompletionResult]::new('read', 'read', [CompletionResultType]::ParameterValue, 'Print a memory, or just the wanted sections of it')
            [CompletionResult]::new('update', 'update', [CompletionResultType]::ParameterValue, 'Replace the text of a memory or of one section, and set its frontmatter')
            [CompletionResult]::new('merge', 'merge', [CompletionResultType]::ParameterValue, 'Merge memories into one')
            [CompletionResult]::new('export', 'export', [CompletionResultType]::ParameterValue, 'Print the whole bank as JSON Lines, without loss')
            [CompletionResult]::new('import', 'import', [CompletionResultType]::ParameterValue, 'Take rules out of AGENTS.md and the like, or a whole bank out of an export')
            [CompletionResult]::new('inject', 'inject', [CompletionResultType]::ParameterValue, 'Print pins, memories and their examples within a token budget')
            [CompletionResult]::new('pin', 'pin', [CompletionResultType]::ParameterValue, 'Pin short notes that are given every time')
            [CompletionResult]::new('feedback', 'feedback', [CompletionResultType]::ParameterValue, 'Say whether a memory that was given has helped')
            [CompletionResult]::new('stats', 'stats', [CompletionResultType]::ParameterValue, 'Count the memories and their anchors')
            [CompletionResult]::new('report', 'report', [CompletionResultType]::ParameterValue, 'Write a page that shows the rules, their examples, what changed and the links')
            [CompletionResult]::new('delete', 'delete', [CompletionResultType]::ParameterValue, 'Move memories to the trash')
            [CompletionResult]::new('restore', 'restore', [CompletionResultType]::ParameterValue, 'Take a memory back from the trash')
            break
        }
        'cerberus;help;memory;init' {
            break
        }
        'cerberus;help;memory;add' {
            break
        }
        'cerberus;help;memory;anchor' {
            break
        }
        'cerberus;help;memory;anchor-test' {
            break
        }
        'cerberus;help;memory;show' {
            break
        }
        'cerberus;help;memory;reanchor' {
            break
        }
        'cerberus;help;memory;search' {
            break
        }
        'cerberus;help;memory;linked' {
            break
        }
        'cerberus;help;memory;links' {
            break
        }
        'cerberus;help;memory;sections' {
            break
        }
        'cerberus;help;memory;create' {
            break
        }
        'cerberus;help;memory;append' {
            break
        }
        'cerberus;help;memory;read' {
            break
        }
        'cerberus;help;memory;update' {
            break
        }
        'cerberus;help;memory;merge' {
            break
        }
        'cerberus;help;memory;export' {
            break
        }
        'cerberus;help;memory;import' {
            break
        }
        'cerberus;help;memory;inject' {
            break
        }
        'cerberus;help;memory;pin' {
            [CompletionResult]::new('add', 'add', [CompletionResultType]::ParameterValue, 'Pin a note')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List the pins with what they cost')
            [CompletionResult]::new('remove', 'remove', [CompletionResultType]::ParameterValue, 'Remove pins')
            [CompletionResult]::new('clear', 'clear', [CompletionResultType]::ParameterValue, 'Remove all pins that pass a filter')
            [CompletionResult]::new('render', 'render', [CompletionResultType]::ParameterValue, 'Print the pins as they are given to an agent, built-in ones with them')
            [CompletionResult]::new('events', 'events', [CompletionResultType]::ParameterValue, 'Print what happened to pins, a JSON document a line')
            break
        }
        'cerberus;help;memory;pin;add' {
            break
        }
        'cerberus;help;memory;pin;list' {
            break
        }
        'cerberus;help;memory;pin;remove' {
            break
        }
        'cerberus;help;memory;pin;clear' {
            break
        }
        'cerberus;help;memory;pin;render' {
            break
        }
        'cerberus;help;memory;pin;events' {
            break
        }
        'cerberus;help;memory;feedback' {
            break
        }
        'cerberus;help;memory;stats' {
            break
        }
        'cerberus;help;memory;report' {
            break
        }
        'cerberus;help;memory;delete' {
            break
        }
        'cerberus;help;memory;restore' {
            break
        }
        'cerberus;help;index' {
            break
        }
        'cerberus;help;hooks' {
            [CompletionResult]::new('print', 'print', [CompletionResultType]::ParameterValue, 'Print the settings that call cerberus, or merge them into a file')
            break
        }
        'cerberus;help;hooks;print' {
            break
        }
        'cerberus;help;mcp' {
            break
        }
        'cerberus;help;completions' {
            break
        }
        'cerberus;help;demo' {
            break
        }
        'cerberus;help;help' {
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
