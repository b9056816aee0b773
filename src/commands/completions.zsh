
if [[ $funcstack[1] == _cerberus ]]; then
    _clap_dynamic_completer_cerberus "$@"
fi
