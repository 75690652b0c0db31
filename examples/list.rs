//! Prints the first solution of each size from 1 to 8.

fn main() -> nqueens::Result<()> {
    for n in 1..=8 {
        match nqueens::solutions(n)?.next() {
            Some(board) => println!("n = {n}:\n{board}\n"),
            None => println!("n = {n}: there is no solution\n"),
        }
    }
    Ok(())
}
