#!/bin/sh
# Run by the Phoronix Test Suite in the folder it installs the test to. NQUEENS_SOURCE names a clone of nqueens, which is
# built; without it, the nqueens on the path is taken.
here=$(pwd)
if [ -n "$NQUEENS_SOURCE" ]; then
    cargo build --release --manifest-path "$NQUEENS_SOURCE/Cargo.toml" --target-dir "$here/target"
    status=$?
    program=$here/target/release/nqueens
else
    program=$(command -v nqueens)
    status=$?
    [ $status = 0 ] || echo "there is no nqueens on the path: set NQUEENS_SOURCE to a clone of it" >&2
fi
echo $status > ~/install-exit-status
[ $status = 0 ] || exit $status
cat > nqueens <<EOF
#!/bin/sh
"$program" bench "\$@" --format plain > "\$LOG_FILE"
echo \$? > ~/test-exit-status
EOF
chmod +x nqueens
