#!/usr/bin/env bash
# Guess: chess.js refuses more queens than a game can have, and reads every position that it writes.
# What happens: it puts 64 white queens, and loads 32 queens with two kings. Without kings it refuses its own FEN.
# Version: chess.js 1.4.0 (npm)
set -euo pipefail
cd "$(dirname "$0")/.."
. findings/common.bash

npm install --silent --no-fund --no-audit chess.js@1.4.0
seen=$(node <<'NODE'
const { Chess, SQUARES } = require('chess.js');
const board = new Chess();
board.clear();
console.log(SQUARES.filter(square => board.put({ type: 'q', color: 'w' }, square)).length, 'put');
const row = 'QQQQQQQQ/';
console.log(new Chess(row.repeat(4) + '8/8/K7/7k w - - 0 1').fen());
try {
    console.log(new Chess(board.fen()).fen());
} catch (error) {
    console.log(error.message);
}
NODE
)
same "64 put
QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/8/8/K7/7k w - - 0 1
Invalid FEN: missing white king" "$seen"
