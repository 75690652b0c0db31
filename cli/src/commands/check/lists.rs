//! Lists: four or more whole numbers, the column of each row, all from 0 or all from 1.

use std::collections::BTreeSet;

use anyhow::{Context, Result, bail, ensure};

use super::judge::{Form, Verdict, judge_columns};
use super::tokens::Group;
use super::words::number;
use crate::terminal::escape::shortened;

/// Judges a list, which is a group of numbers. Also returns its form. Rejects a wrong list that may be something else.
pub(super) fn judge_list(group: &Group) -> Result<(Form, Verdict)> {
    let column = |word| {
        const FORMS: &str = "a column of a list such as '2 4 1 3', nor a row of a grid such as '.Q..', nor FEN";
        number(word).with_context(|| format!("'{}' is neither {FORMS}", shortened(word, 40)))
    };
    let list: Vec<u32> = group.words().map(column).collect::<Result<_>>()?;
    ensure!(group.is_even(), "its numbers are not all separated in the same way");
    let verdict = judge_numbers(&list)?;
    if matches!(verdict, Verdict::Wrong(_)) {
        let kinds = list.iter().collect::<BTreeSet<_>>().len();
        ensure!(2 * kinds > list.len(), "its numbers repeat: they may be rows of a matrix, or several boards");
        ensure!(
            group.depth > 0 || !is_board_beside_a_number(&list),
            "its first or last number may not belong to the board; put brackets around the board, as in [2, 4, 1, 3]"
        );
    }
    // A single number may be that of a board, and numbers that count up or down by one may be a heading.
    let counts = list.is_sorted_by(|one, next| *next == one + 1) || list.is_sorted_by(|one, next| *one == next + 1);
    let may_be_heading = list.len() == 1 || group.label.is_empty() && counts;
    let form = if may_be_heading { Form::Alone } else { Form::List(group.label.clone()) };
    Ok((form, verdict))
}

/// Returns whether a list without its first or without its last number is a solution.
fn is_board_beside_a_number(list: &[u32]) -> bool {
    let is_solution = |list: &[u32]| matches!(judge_numbers(list), Ok(Verdict::Solution(_)));
    let (last, before) = list.split_last().expect("an empty list is a solution");
    // In `1 3 5 2 4 6`, the 6 belongs to the board, because it is the column that is missing.
    let is_next = before.iter().all(|column| column < last);
    is_solution(&list[1..]) || is_solution(before) && !is_next
}

/// Judges the numbers of a list.
pub(super) fn judge_numbers(list: &[u32]) -> Result<Verdict> {
    ensure!(
        !matches!(list.len(), 2 | 3),
        "no board of two or three numbers can be right, and pairs of row and column are not read: \
         give the column of each row, as in 2 4 1 3"
    );
    let base = u32::from(!list.contains(&0));
    let columns: Vec<u32> = list.iter().map(|number| number - base).collect();
    let is_beyond = |number: &&u32| (**number - base) as usize >= list.len();
    match (list.iter().find(is_beyond), list.len()) {
        (None, _) => judge_columns(columns, base),
        (Some(number), 1) => {
            bail!(
                "the number {number} alone is not a board: remove it if it is the size, or write all columns on one \
                   line, as in 2 4 1 3"
            )
        }
        (Some(number), n) => {
            let range =
                if base == 1 { format!("from 1 to {n}") } else { format!("from 0 to {}, because one is 0", n - 1) };
            bail!("{number} is not one of its columns: {n} numbers are columns {range}")
        }
    }
}

/// Returns the numbers in a row of a grid if all of them are the same digit.
pub(super) fn numbers_of_row(row: &str) -> Option<Vec<u32>> {
    row.chars().map(|c| c.to_digit(10).filter(|_| row.starts_with(c))).collect()
}
