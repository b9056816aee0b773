if command -v cerberus >/dev/null 2>&1; then
    cerberus hooks run git commit || true
fi
