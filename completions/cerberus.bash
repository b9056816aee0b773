_cerberus() {
    local line="${COMP_LINE:0:COMP_POINT}" word gap head breaks i
    local -a words=()
    # Bash cuts words at `:` and `=`; what has no gap between is one word.
    for ((i = 0; i < COMP_CWORD; i++)); do
        word="${COMP_WORDS[i]}"
        gap="${line%%"$word"*}"
        line="${line#"$gap$word"}"
        if [[ $i -gt 0 && -z "$gap" ]]; then
            words[${#words[@]} - 1]+="$word"
        else
            words+=("$word")
        fi
    done
    word="${line#"${line%%[![:blank:]]*}"}"
    if [[ "$word" == "$line" ]]; then
        words[${#words[@]} - 1]+="$word"
    else
        words+=("$word")
    fi
    # Bash puts a candidate behind the last cut, so what is before that is left off.
    word="${words[${#words[@]} - 1]}"
    breaks="${COMP_WORDBREAKS//[^:=]/}"
    head=""
    if [[ -n "$breaks" ]]; then
        head="${word%"${word##*[$breaks]}"}"
    fi
    COMPREPLY=()
    while IFS= read -r word; do
        COMPREPLY+=("${word#"$head"}")
    done < <(
        CERBERUS_COMPLETE=bash _CLAP_COMPLETE_INDEX=$((${#words[@]} - 1)) \
            cerberus -- "${words[@]}" 2> /dev/null
    )
    if [[ ${#COMPREPLY[@]} -eq 1 && "${COMPREPLY[0]}" == *[/=:] ]]; then
        compopt -o nospace 2> /dev/null
    fi
}
if [[ "${BASH_VERSINFO[0]}" -eq 4 && "${BASH_VERSINFO[1]}" -ge 4 || "${BASH_VERSINFO[0]}" -gt 4 ]]; then
    complete -o nosort -F _cerberus cerberus
else
    complete -F _cerberus cerberus
fi
