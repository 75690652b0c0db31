//! Lists: four or more whole numbers, the column of each row, from 0 or from 1.

use std::collections::BTreeSet;

use anyhow::{Result, ensure};

use super::judge::{Verdict, judge};
use super::tokens::Group;

/// The whole numbers of a group that has nothing else.
pub(super) fn numbers(group: &Group) -> Option<Vec<u32>> {
    let is_whole = |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit());
    group.words().into_iter().map(|word| Some(word).filter(is_whole)?.parse().ok()).collect()
}

/// Whether the numbers count up or down by one, as in a heading.
pub(super) fn are_in_order(list: &[u32]) -> bool {
    list.is_sorted_by(|one, next| *next == one + 1) || list.is_sorted_by(|one, next| *one == next + 1)
}

/// Judges numbers that are a list.
pub(super) fn judge_list(list: &[u32]) -> Result<Verdict> {
    ensure!(list.len() > 3, "no board of fewer than four numbers can be right; write spaces or commas between numbers");
    let base = u32::from(!list.contains(&0));
    let columns: Vec<u32> = list.iter().map(|number| number - base).collect();
    let are_columns = columns.iter().all(|&column| (column as usize) < list.len());
    ensure!(are_columns, "its numbers are not columns, neither from 0 nor from 1");
    judge(columns, base)
}

/// Rejects a wrong list that may be something else. Brackets say where a list begins and ends.
pub(super) fn ensure_list(list: &[u32], is_in_brackets: bool) -> Result<()> {
    ensure!(2 * kinds(list) > list.len(), "its numbers repeat: they may be rows of a matrix, or several boards");
    let (first, last, end) = (list[0], list[list.len() - 1], list.len() - 1);
    ensure!(
        is_in_brackets || !may_be_beside(first, &list[1..]) && !may_be_beside(last, &list[..end]),
        "its first or last number may not belong to the board; put brackets around the board, as in [1, 1, 2, 3]"
    );
    Ok(())
}

/// Whether a number may be a label or a result beside `rest`, which is a heading, a row of a grid, or a solution that
/// the number does not continue.
fn may_be_beside(number: u32, rest: &[u32]) -> bool {
    let is_next = rest.iter().max().is_some_and(|last| number == last + 1);
    let is_solution = || !is_next && matches!(judge_list(rest), Ok(Ok(_)));
    rest.len() > 3 && (are_in_order(rest) || kinds(rest) < 3 || is_solution())
}

/// How many different numbers there are.
fn kinds(list: &[u32]) -> usize {
    list.iter().collect::<BTreeSet<_>>().len()
}
