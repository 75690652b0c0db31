//! `nqueens completions`: what shells are told about the command line.

use crate::version;
use clap::{Arg, Command, CommandFactory, ValueHint};
use clap_complete::Shell;

use super::Cli;
use crate::exit::Exit;
use crate::terminal::Streams;

/// Prints the script that completes commands and options in your shell
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens completions bash > ~/.local/share/bash-completion/completions/nqueens
  nqueens completions fish > ~/.config/fish/completions/nqueens.fish
  source <(nqueens completions bash)             for this shell only")]
pub(crate) struct Args {
    /// Shell that reads the completions
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

pub(crate) fn run(args: &Args, streams: &mut Streams<'_>) -> anyhow::Result<Exit> {
    let mut command = for_shells();
    // The generator panics where it cannot write, so it writes to memory.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "nqueens", &mut script);
    streams.out.write_all(&script)?;
    if args.shell == Shell::Bash {
        streams.out.write_all(bash_words(&command).as_bytes())?;
    }
    Ok(Exit::Fine)
}

/// The command line without what is hidden, and with what kind of value each option wants.
fn for_shells() -> Command {
    without_hidden(&Cli::command()).version(version::LONG)
}

fn shown(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|command| !command.is_hide_set())
}

/// A command with its options and subcommands. The generators know nothing hidden, so there must be nothing.
fn without_hidden(command: &Command) -> Command {
    let about = command.get_about().cloned().unwrap_or_default();
    let options = command.get_arguments().filter(|option| !option.is_hide_set());
    let is_shown = |id: &clap::Id| command.get_arguments().any(|option| option.get_id() == id && !option.is_hide_set());
    // Options may need one of a group.
    let groups = command.get_groups().filter(|group| group.get_args().all(is_shown));
    Command::new(command.get_name().to_owned())
        .about(about)
        .args(options.cloned().map(with_hint))
        .groups(groups.cloned())
        .subcommands(shown(command).map(without_hidden))
}

/// What a shell offers for the value of an option: folders, files, or nothing where it cannot know.
fn with_hint(option: Arg) -> Arg {
    if !option.get_action().takes_values() || !option.get_possible_values().is_empty() {
        return option;
    }
    let is_folder =
        option.get_value_names().is_some_and(|names| names.iter().any(|name| name == "RUN" || name == "FOLDER"));
    let hint = match option.get_value_hint() {
        _ if is_folder => ValueHint::DirPath,
        ValueHint::AnyPath => ValueHint::FilePath,
        ValueHint::Unknown => ValueHint::Other,
        hint => hint,
    };
    option.value_hint(hint)
}

/// What the generator leaves out for bash. To it `--option=value` is three words; and where a command takes files, those
/// are offered, and options only to who has typed a dash.
fn bash_words(command: &Command) -> String {
    let takes_files = |command: &Command| {
        command.get_positionals().any(|file| matches!(file.get_value_hint(), ValueHint::FilePath | ValueHint::DirPath))
    };
    let both = shown(command).flat_map(|group| {
        let of_group =
            shown(group).map(move |command| (format!("{} {}", group.get_name(), command.get_name()), command));
        std::iter::once((group.get_name().to_owned(), group)).chain(of_group)
    });
    let with_files: Vec<String> =
        both.filter(|(_, command)| takes_files(command)).map(|(name, _)| format!("\"{name}\"")).collect();
    let groups: Vec<&str> = shown(command).filter(|group| group.has_subcommands()).map(Command::get_name).collect();
    r#"
_nqueens_words() {
    local cur="$2" prev="$3" word command="" has_files=""
    if [[ "${COMP_WORDS[COMP_CWORD]}" == "=" ]]; then
        cur="" prev="${COMP_WORDS[COMP_CWORD-1]}"
    elif [[ COMP_CWORD -ge 2 && "${COMP_WORDS[COMP_CWORD-1]}" == "=" ]]; then
        cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-2]}"
    fi
    _nqueens "$1" "$cur" "$prev"
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        [[ "$word" == -* ]] && continue
        command="${command:+$command }$word"
        case "$command" in
            @GROUPS@) ;;
            *) break ;;
        esac
    done
    case "$command" in
        @FILES@) has_files=1 ;;
    esac
    if [[ -n "$has_files" && "$cur" != -* ]]; then
        local offered=("${COMPREPLY[@]}")
        COMPREPLY=()
        for word in "${offered[@]}"; do
            [[ "$word" == -* ]] || COMPREPLY+=("$word")
        done
    fi
}

complete -F _nqueens_words -o bashdefault -o default nqueens
"#
    .replace("@FILES@", &with_files.join("|"))
    .replace("@GROUPS@", &groups.join("|"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::ValueEnum;

    #[test]
    fn every_shell_has_its_text_and_none_tells_what_is_hidden() {
        for &shell in Shell::value_variants() {
            let mut out = Vec::new();
            run(&Args { shell }, &mut Streams { out: &mut out, quiet: true }).unwrap();
            let script = String::from_utf8(out).unwrap();
            assert!(script.contains("nqueens") && script.contains("checkpoint"), "{shell}");
            for hidden in ["fill-depth", "dot-depth", "fill-packs"] {
                assert!(!script.contains(hidden), "{shell}: {hidden}");
            }
        }
    }
}
