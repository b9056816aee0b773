set edit:completion:arg-completer[cerberus] = { |@words|
    var index = (count $words)
    set index = (- $index 1)

    put (env _CLAP_IFS="\n" _CLAP_COMPLETE_INDEX=(to-string $index) CERBERUS_COMPLETE="elvish" cerberus -- $@words) | to-lines
}
