//! Lists: four or more whole numbers, the column of each row, all from 0 or all from 1.

use std::collections::BTreeSet;

use anyhow::{Context, Result, ensure};

use super::judge::{Form, Verdict, judge_columns};
use super::tokens::{Group, distinct_chars, number, words};
use crate::terminal::escape::shortened;

const NEITHER: &str = "neither a column of a list such as '2 4 1 3', nor a row of a grid with a character for each \
                       empty square, such as '.Q..', nor FEN";

/// Judges a list, which is a group of numbers. Also returns its form. Rejects a wrong list that may be something else.
pub(super) fn judge_list(group: &Group) -> Result<(Form, Verdict)> {
    let column = |word| number(word).with_context(|| format!("'{}' is {NEITHER}", shortened(word, 40)));
    let words = words(&group.text);
    let label = words[0].strip_suffix('.').and_then(number).filter(|_| !words[1..].concat().contains('.'));
    ensure!(label.is_none(), "'{}' may be a label: remove it", words[0]);
    let list: Vec<u32> = words.iter().copied().map(column).collect::<Result<_>>()?;
    if let [word] = words[..] {
        ensure!(!is_joined(word), "'{word}' has no separators: print spaces between the columns");
    }
    let verdict = judge_numbers(&list)?;
    if verdict.is_err() {
        let kinds = list.iter().collect::<BTreeSet<_>>().len();
        ensure!(2 * kinds > list.len(), "its numbers repeat: they may be rows of a matrix, or several boards");
        // A list of thousands of numbers has too many parts.
        let shortest = if list.len() > 40 { list.len() - 3 } else { 4 };
        let is_beside = (shortest..list.len()).any(|length| list.windows(length).any(is_solution));
        ensure!(group.depth > 0 || !is_beside, "some of its numbers may be labels: put the board in brackets");
    }
    let counts = list.is_sorted_by(|one, next| *next == one + 1) || list.is_sorted_by(|one, next| *one == next + 1);
    if counts && group.label.is_empty() {
        return Ok((Form::InOrder { in_brackets: group.depth > 0 }, verdict));
    }
    Ok((Form::List(group.label.clone()), verdict))
}

/// Returns whether n lists of n numbers, of which there may be several, are right boards if each column is a board.
pub(super) fn are_right_in_columns(lists: &[String]) -> bool {
    let numbers = |list: &String| words(list).into_iter().map(number).collect::<Option<Vec<u32>>>();
    let Some(rows) = lists.iter().map(numbers).collect::<Option<Vec<_>>>() else { return false };
    let n = rows.first().map_or(0, Vec::len);
    let column = |matrix: &[Vec<u32>], at: usize| matrix.iter().map(|row| row[at]).collect::<Vec<u32>>();
    let are_right = |matrix: &[Vec<u32>]| (0..n).all(|at| is_solution(&column(matrix, at)));
    n > 0 && rows.iter().all(|row| row.len() == n) && rows.len().is_multiple_of(n) && rows.chunks(n).all(are_right)
}

/// Returns whether a number is a list without separators: four or more different digits, all from 0 or all from 1.
fn is_joined(number: &str) -> bool {
    let digits: String = distinct_chars(number).into_iter().collect();
    let is_start_of = |all: &&str| all.starts_with(&digits);
    number.len() > 3 && number.len() == digits.len() && ["0123456789", "123456789"].iter().any(is_start_of)
}

/// Returns whether the numbers of a list, or of a part of one, are a solution.
fn is_solution(list: &[u32]) -> bool {
    matches!(judge_numbers(list), Ok(Ok(_)))
}

/// Judges the numbers of a list.
fn judge_numbers(list: &[u32]) -> Result<Verdict> {
    let n = list.len() as u32;
    ensure!(n > 3, "a list has four or more columns, as in 2 4 1 3: remove sizes and labels, and do not print pairs");
    let base = u32::from(!list.contains(&0));
    let last = n - 1 + base;
    let largest = list.iter().copied().max().unwrap_or_default();
    ensure!(largest <= last, "{largest} is not one of its columns: {n} numbers are columns from {base} to {last}");
    Ok(judge_columns(list.iter().map(|number| number - base).collect(), base))
}
