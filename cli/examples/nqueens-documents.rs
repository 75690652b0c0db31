//! Writes the man pages and the completions of `nqueens`, which the archives of a release contain, into a folder:
//! `cargo run --package n-queens-cli --example nqueens-documents -- FOLDER`.

use std::path::PathBuf;

use clap::ValueEnum;
use clap_complete::Shell;

fn main() -> std::io::Result<()> {
    let folder = PathBuf::from(std::env::args_os().nth(1).expect("give the folder to write into"));
    let [man, completions] = ["man/man1", "completions"].map(|name| folder.join(name));
    std::fs::create_dir_all(&man)?;
    std::fs::create_dir_all(&completions)?;
    let mut command = nqueens_cli::command();
    clap_mangen::generate_to(command.clone(), man)?;
    for &shell in Shell::value_variants() {
        clap_complete::generate_to(shell, &mut command, "nqueens", &completions)?;
    }
    Ok(())
}
