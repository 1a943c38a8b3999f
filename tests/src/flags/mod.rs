//! The flip of a capability: the same operation on the same plugin with the same table, with the flag and without it.
//!
//! A case is a file `tests/flags/<group>.<flag>.toml` (`case.rs`); it is played through the real host and the real
//! `scripted` plugin (`play.rs`), once for each value, and what differs in what was seen is what the case says. **What only
//! tells of capabilities and hints is left out before; two refusals are no difference.** Tests: `tests/tests/flags.rs`.

pub mod case;
pub mod play;
pub mod show;
pub mod table;

use std::collections::BTreeSet;

/// What is only in one of two runs, in order: the lines without which both are the same.
pub fn difference(on: &[String], off: &[String]) -> (Vec<String>, Vec<String>) {
    let common = common(on, off);
    let rest = |lines: &[String], kept: &BTreeSet<usize>| {
        let rest = lines.iter().enumerate().filter(|(at, _)| !kept.contains(at));
        rest.map(|(_, line)| line.clone()).collect()
    };
    let (in_on, in_off) = common.into_iter().unzip();
    (rest(on, &in_on), rest(off, &in_off))
}

/// The longest common subsequence, as pairs of places.
fn common(on: &[String], off: &[String]) -> Vec<(usize, usize)> {
    let mut length = vec![vec![0u32; off.len() + 1]; on.len() + 1];
    for (a, one) in on.iter().enumerate().rev() {
        for (b, other) in off.iter().enumerate().rev() {
            length[a][b] = match one == other {
                true => length[a + 1][b + 1] + 1,
                false => length[a + 1][b].max(length[a][b + 1]),
            };
        }
    }
    let (mut a, mut b, mut pairs) = (0, 0, Vec::new());
    while a < on.len() && b < off.len() {
        if on[a] == off[b] {
            pairs.push((a, b));
            (a, b) = (a + 1, b + 1);
        } else if length[a + 1][b] >= length[a][b + 1] {
            a += 1;
        } else {
            b += 1;
        }
    }
    pairs
}

/// True for a line that says no more than that something was refused.
pub fn is_refusal(line: &str) -> bool {
    line.starts_with("refused ") || (line.starts_with("policy.decided") && line.contains("decision=unsupported"))
}
