//! Wishes about files, as lines of a table: `read ROOT PATH OFFSET LENGTH`, `list ROOT [PATH]`, `query ROOT PATH SQL`. A `%20` in a
//! path is a space, `%` alone is the root itself.

use jackfield_sdk::prelude::*;

/// The wish of a line, if it is one.
pub fn wish(line: &str) -> Option<EffectBody> {
    let mut words = line.splitn(4, ' ');
    let kind = words.next()?;
    if !["read", "list", "query"].contains(&kind) {
        return None;
    }
    let root = words.next()?.to_owned();
    let path = words.next().unwrap_or_default().replace("%20", " ");
    let file = FilePath { root, path: if path == "%" { String::new() } else { path } };
    let rest = words.next().unwrap_or_default();
    Some(match kind {
        "read" => {
            let (offset, length) = rest.split_once(' ').unwrap_or((rest, "100"));
            EffectBody::ReadFile(ReadFile {
                file,
                offset: offset.parse().unwrap_or_default(),
                length: length.parse().unwrap_or(100),
            })
        }
        "list" => EffectBody::ListFolder(file),
        _ => EffectBody::QuerySqlite(SqliteQuery { file, sql: rest.to_owned(), params: vec![] }),
    })
}

/// What came of it, in a line.
pub fn told(outcome: &Result<EffectValue, Fault>) -> String {
    match outcome {
        Ok(EffectValue::Bytes(part)) => format!("`{}` of {}", String::from_utf8_lossy(&part.data), part.size),
        Ok(EffectValue::Entries(entries)) => {
            let named = |entry: &Entry| format!("{}{}", entry.name, if entry.folder { "/" } else { "" });
            format!("entries {}", entries.iter().map(named).collect::<Vec<_>>().join(" "))
        }
        Ok(EffectValue::Rows(rows)) => format!("rows {}", rows.join(" ")),
        Ok(_) => "something else".into(),
        Err(fault) => {
            format!("{:?} {}: {}", fault.kind, fault.code.as_deref().unwrap_or_default(), fault.message)
        }
    }
}
