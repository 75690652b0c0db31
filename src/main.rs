//! The command line program.

fn main() {
    let n = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(8);
    println!("{:?}", nqueens::count(n));
}
