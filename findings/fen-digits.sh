#!/usr/bin/env bash
# Guess: readers of FEN refuse a row "44", as FEN has one digit for neighbouring empty squares.
# What happens: python-chess refuses it, shakmaty and cozy-chess read 8 squares, pyffish reads 44 squares.
# Version: chess 1.11.2, pyffish 0.0.90 (PyPI), shakmaty 0.30.1, cozy-chess 0.3.4 (Rust crates)
set -euo pipefail
cd "$(dirname "$0")/.."
. findings/common.bash

seen=$(python_with chess==1.11.2 pyffish==0.0.90 2>&1 <<'PYTHON'
import chess
import pyffish

board = "44/8/8/8/8/8/K7/7k w - - 0 1"
try:
    print(chess.Board(board).fen())
except ValueError as error:
    print(error)
print(pyffish.validate_fen(board, "chess") == pyffish.FEN_OK)
PYTHON
)
same "two subsequent digits in position part of fen: '44/8/8/8/8/8/K7/7k'
curRankWidth != nbFiles: 44 != 8
False" "$seen"

seen=$(rust_with 'shakmaty = "=0.30.1"' 'cozy-chess = "=0.3.4"' <<'RUST'
fn main() {
    let board = "44/8/8/8/8/8/K7/7k w - - 0 1";
    println!("{}", board.parse::<shakmaty::fen::Fen>().unwrap());
    println!("{}", board.parse::<cozy_chess::Board>().unwrap());
}
RUST
)
same "8/8/8/8/8/8/K7/7k w - - 0 1
8/8/8/8/8/8/K7/7k w - - 0 1" "$seen"
