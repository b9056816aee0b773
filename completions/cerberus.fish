complete --keep-order --exclusive --command cerberus --arguments "(CERBERUS_COMPLETE=fish cerberus -- (commandline --current-process --tokenize --cut-at-cursor) (commandline --current-token))"
