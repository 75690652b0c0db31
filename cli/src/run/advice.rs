//! Advice on the results of a run, with commands that a user may copy into a shell.

use std::path::Path;

use super::{Results, RunFolder, sanity};
use crate::exit;
use crate::terminal::escape::escaped;
use crate::terminal::units::plural;
use crate::terminal::{Streams, complain};

/// The maximum number of entries in a printed list. JSON contains all entries.
const LISTED_AT_MOST: usize = 16;

impl Results<'_> {
    /// Reports damaged lines, disputed shards and a sum that cannot be right before missing shards are counted.
    pub(crate) fn report_damage(&self, streams: &Streams<'_>) {
        if let Some(problem) = self.damage().next() {
            let damaged = plural(self.damage().count(), "damaged line");
            streams.note(format_args!("{damaged}, and missing shards are counted again: {problem}"));
        }
        if !self.disputed.is_empty() {
            let shards = plural(self.disputed.len(), "shard");
            let folders = self.folders_in_shell();
            complain(format_args!(
                "{shards} cannot be right, so there will be no count: see 'nqueens status {folders}'"
            ));
        }
        if let Err(error) = self.check_sanity() {
            complain(format_args!("there will be no count: {error:#}"));
        }
    }

    /// Returns the first of these lines, followed by the number of the others.
    pub(crate) fn shortened_list(&self, mut lines: Vec<String>) -> Vec<String> {
        let note = self.shorten(&mut lines);
        lines.extend(note);
        lines
    }

    /// Removes all but the first entries of a list, and returns a note on the number of the others.
    pub(crate) fn shorten(&self, list: &mut Vec<String>) -> Option<String> {
        let more = list.len().saturating_sub(LISTED_AT_MOST);
        list.truncate(LISTED_AT_MOST);
        (more > 0).then(|| format!("and {more} more: 'nqueens status {} --json' lists all", self.folders_in_shell()))
    }

    /// Returns the folders of the run as words of a command, which a user may copy into a shell.
    pub(crate) fn folders_in_shell(&self) -> String {
        self.folders.iter().map(|folder| shell_word(&folder.path)).collect::<Vec<_>>().join(" ")
    }

    /// Returns the command that counts the missing shards. If there are several folders, it counts in the first one,
    /// which alone may lack shards that others contain.
    pub(crate) fn count_command(&self) -> String {
        let (first, others) = self.folders.split_first().expect("a run has a folder");
        let command = format!("'nqueens count {} --dir {}'", self.run_plan().size, shell_word(&first.path));
        // In folders of their own, old copies of logs replace none. The name of such a folder must not be hidden.
        let copy = |other: &RunFolder| {
            let name = other.path.file_name().unwrap_or_default().to_string_lossy().trim_start_matches('.').to_owned();
            let copy = first.logs().join(if name.is_empty() { "copy" } else { &name });
            format!("; cp -RL {} {}", shell_word(&other.logs()), shell_word(&copy))
        };
        let copies: String = others.iter().filter(|other| other.logs().exists()).map(copy).collect();
        if copies.is_empty() {
            return command;
        }
        format!("{command} (after 'mkdir -p {}{copies}')", shell_word(&first.logs()))
    }

    /// Recommends an audit once a quarter of the shards of an unpublished count are saved, early enough to find a
    /// machine that is wrong.
    pub(crate) fn audit_advice(&self) -> Option<String> {
        let (shards, missing) = (self.run_plan().shards(), self.missing().len());
        let is_time = sanity::unpublished(self.run_plan().size).is_some() && 4 * missing <= 3 * shards;
        let audit = self.audit_command();
        is_time.then(|| format!("nobody has published this count: on another machine, {audit} may find wrong units"))
    }

    /// Returns the command that counts a large sample of units again, in all ways that the solver offers.
    pub(crate) fn audit_command(&self) -> String {
        // Only units of color have images.
        let thorough = if self.run_plan().solver == "color" { " --thorough" } else { "" };
        format!("'nqueens audit {}{thorough} --sample 1000'", self.folders_in_shell())
    }

    /// Adds advice to the error of a wrong sum, which does not show which unit is wrong.
    pub(super) fn with_audit(&self, error: &anyhow::Error) -> anyhow::Error {
        let run = self.folders_in_shell();
        exit::Kind::Wrong.error(format!(
            "{error:#}; to find the wrong units and the machine that counted them, run 'nqueens audit {run} --sample 1000'"
        ))
    }

    /// Returns how to count wrong shards again once `verify` has shown which machine is right, with a command for one
    /// shard.
    pub(crate) fn remedy(&self, shard: usize) -> String {
        // With the slash, `find` follows a link.
        let logs: Vec<String> = self.folders.iter().map(|folder| shell_word(&folder.logs()) + "/").collect();
        format!(
            "end all processes of the run, remove all lines of each wrong shard, as with find {} -name '*.jsonl' -exec sed \
             -i.bak '/\"shard\":{shard},/d' {{}} +, and count it again on a machine that passes",
            logs.join(" ")
        )
    }

    /// Returns advice on the problems of the run, or `None` if there are no problems.
    pub(crate) fn advice(&self) -> Option<String> {
        let damaged = plural(self.damage().count(), "damaged line");
        let damage =
            self.damage().next().map(|_| format!("{damaged}: {} counts the missing shards", self.count_command()));
        let dispute = self.disputed.keys().next().map(|&first| {
            format!(
                "{} cannot be right: run 'nqueens verify' on the machines, {}",
                plural(self.disputed.len(), "shard"),
                self.remedy(first)
            )
        });
        damage.into_iter().chain(dispute).reduce(|one, other| format!("{one}; {other}"))
    }
}

/// Returns a path as a word of a command, which a user may copy into a shell.
fn shell_word(path: &Path) -> String {
    // A name that begins with '-' would be read as an option.
    let bytes = path.as_os_str().as_encoded_bytes();
    let dot = if bytes.starts_with(b"-") { "./" } else { "" };
    let text = format!("{dot}{}", path.display());
    // A message shows these bytes differently.
    if cfg!(unix) && (path.to_str().is_none() || escaped(&text) != text) {
        let is_plain = |byte: &u8| matches!(byte, b' '..=b'~') && !matches!(byte, b'\'' | b'\\');
        let letter = |byte| if is_plain(byte) { char::from(*byte).to_string() } else { format!("\\{byte:03o}") };
        return format!("$'{dot}{}'", bytes.iter().map(letter).collect::<String>());
    }
    match shlex::try_quote(&text) {
        Ok(word) if cfg!(unix) => word.into_owned(),
        // The shells of Windows have only double quotes.
        _ => format!("\"{text}\""),
    }
}
