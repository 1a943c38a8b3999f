//! A recording played once more, its lines said in another manner: what was counted, and whether it looks the same.

use super::dialect::Dialect;
use super::house::House;
use super::judge::judge;
use super::lists::Lists;
use super::manner::Manner;
use super::recording::Recording;
use super::report::shown;
use super::seen::{Problem, Sitting};
use anyhow::Result;
use std::path::Path;

/// What does not hold when the lines are said in this manner. `picture` is what a person must see.
pub async fn again(house: &House, lists: &Lists, file: &Path, manner: Manner, picture: &str) -> Result<Vec<Problem>> {
    let play = house.play(file, &Recording::read(file)?, manner).await?;
    let mut lists = lists.clone();
    if manner == Manner::Noise {
        lists.noise.insert("*".into(), "said on purpose".into());
    }
    let mut problems = judge(&play, house.dialect(), &lists);
    for sitting in play.conversations.iter().flat_map(|conversation| &conversation.sittings) {
        problems.extend(counted(sitting, manner, house.dialect(), &lists));
    }
    let seen = shown(&play);
    if seen != picture {
        problems.push(Problem::new("picture", format!("it looks otherwise: {}", first_difference(picture, &seen))));
    }
    Ok(problems)
}

/// What was said beyond the recording came in, each as what it is.
fn counted(sitting: &Sitting, manner: Manner, dialect: &dyn Dialect, lists: &Lists) -> Option<Problem> {
    let said: Vec<String> = sitting.said.iter().map(|(line, _)| line.clone()).collect();
    let wanted = match manner {
        Manner::Noise => "noise",
        Manner::Doubled => "duplicate",
        Manner::Plain | Manner::Bytes | Manner::Crlf => return None,
    };
    // A session that we end is not told any more what is said then.
    let said = &said[..sitting.taken().len().min(said.len())];
    let due = manner.beyond(said, dialect, lists);
    let beyond = sitting.frames.iter().filter(|frame| !frame.main);
    let came = beyond.filter(|frame| frame.fate.split(' ').next() == Some(wanted)).count();
    let text = format!("{due} lines were said beyond the recording, and {came} of them were counted as {wanted}");
    (came != due).then(|| Problem::new("conservation", text).of(sitting.incarnation.proc))
}

/// The first line that differs, as wanted and as seen.
pub fn first_difference(wanted: &str, seen: &str) -> String {
    let (mut wanted, mut seen) = (wanted.lines(), seen.lines());
    let mut number = 0;
    loop {
        number += 1;
        match (wanted.next(), seen.next()) {
            (None, None) => return "not at all".into(),
            (one, other) if one != other => {
                let told = |line: Option<&str>| line.map_or("its end".into(), |line| format!("{line:?}"));
                return format!("line {number} is {} and must be {}", told(other), told(one));
            }
            _ => {}
        }
    }
}
