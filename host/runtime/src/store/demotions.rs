//! Promises that were not kept: flags of a plugin's build with a version of its program that count for less than declared,
//! or that are doubted and may; and folders in which a provider was allowed something for good.

use super::Store;
use super::error::StoreError;
use super::words::{Columns, all, json};
use jackfield_core::contract::CapabilityValue;
use jackfield_core::identity::digest;
use rusqlite::params;
use std::path::Path;

/// One flag that counts for less, or is doubted.
#[derive(Debug, Clone, PartialEq)]
pub struct Demotion {
    /// The plugin, `publisher/name`.
    pub plugin: String,
    /// sha256 of the plugin's bytes, hexadecimal.
    pub digest: String,
    /// Version of the provider's program; empty when the handshake told none.
    pub version: String,
    /// The flag's open name.
    pub flag: String,
    /// What it counts as, once it does.
    pub to: CapabilityValue,
    /// What was seen.
    pub because: String,
    /// When it was first seen, milliseconds since 1970.
    pub at_ms: u64,
    /// How often it was seen in a row.
    pub seen: u64,
    /// How often it must be seen before it counts.
    pub needed: u64,
}

impl Demotion {
    /// True when the flag counts for less; else it is only doubted.
    pub fn counts(&self) -> bool {
        self.seen >= self.needed
    }
}

impl Store {
    /// Keeps what was seen once more; returns how often it was by now. One that counts stays as it is.
    pub async fn doubt(&self, demotion: Demotion) -> Result<u64, StoreError> {
        let (place, to) = (self.place.clone(), json("to", &demotion.to)?);
        let change = move |db: &rusqlite::Connection| {
            let sql = "INSERT INTO demotions (plugin, digest, version, flag, value, because, at_ms, seen, needed) \
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT (digest, version, flag) DO UPDATE SET \
                seen = CASE WHEN seen < needed THEN seen + 1 ELSE seen END, needed = MIN(needed, excluded.needed), \
                because = CASE WHEN seen < needed THEN excluded.because ELSE because END RETURNING seen";
            let values = params![
                demotion.plugin,
                demotion.digest,
                demotion.version,
                demotion.flag,
                to,
                demotion.because,
                demotion.at_ms as i64,
                demotion.seen as i64,
                demotion.needed as i64,
            ];
            let seen = db.query_row(sql, values, |row| row.get::<_, i64>(0));
            seen.map(i64::unsigned_abs).map_err(|error| place.error(error))
        };
        self.write(change).await
    }

    /// A promise was kept: what was only doubted of it is forgotten.
    pub async fn promise_kept(&self, digest: &str, version: &str, flag: &str) -> Result<(), StoreError> {
        let place = self.place.clone();
        let keys = [digest.to_owned(), version.to_owned(), flag.to_owned()];
        let change = move |db: &rusqlite::Connection| {
            let sql = "DELETE FROM demotions WHERE digest = ?1 AND version = ?2 AND flag = ?3 AND seen < needed";
            db.execute(sql, rusqlite::params_from_iter(keys)).map(drop).map_err(|error| place.error(error))
        };
        self.write(change).await
    }

    /// What is known of a build with a version of its program; without a build, of all.
    pub async fn demotions(&self, of: Option<(&str, &str)>) -> Result<Vec<Demotion>, StoreError> {
        let place = self.place.clone();
        let (digest, version) = of.map(|(digest, version)| (digest.to_owned(), version.to_owned())).unzip();
        let sql = "SELECT plugin, digest, version, flag, value, because, at_ms, seen, needed FROM demotions \
            WHERE ?1 IS NULL OR (digest = ?1 AND version = ?2) ORDER BY plugin, version, flag";
        self.read(move |db| all(db, &place, sql, params![digest, version], record)).await
    }

    /// Forgets what was seen of a plugin, or of one flag of it; returns how many flags that were.
    pub async fn forget_demotions(&self, plugin: &str, flag: Option<&str>) -> Result<usize, StoreError> {
        let (place, plugin, flag) = (self.place.clone(), plugin.to_owned(), flag.map(str::to_owned));
        let change = move |db: &rusqlite::Connection| {
            let sql = "DELETE FROM demotions WHERE plugin = ?1 AND (?2 IS NULL OR flag = ?2)";
            db.execute(sql, params![plugin, flag]).map_err(|error| place.error(error))
        };
        self.write(change).await
    }

    /// Somebody allowed a plugin's provider something for good while it worked in this folder.
    pub async fn put_allowance(&self, plugin: &str, folder: &Path) -> Result<(), StoreError> {
        let (place, plugin, folder) = (self.place.clone(), plugin.to_owned(), key_of(folder));
        let change = move |db: &rusqlite::Connection| {
            let sql = "INSERT INTO allowances (plugin, folder) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
            db.execute(sql, params![plugin, folder]).map(drop).map_err(|error| place.error(error))
        };
        self.write(change).await
    }

    /// True when somebody ever did.
    pub async fn has_allowance(&self, plugin: &str, folder: &Path) -> Result<bool, StoreError> {
        let (place, plugin, folder) = (self.place.clone(), plugin.to_owned(), key_of(folder));
        let sql = "SELECT EXISTS (SELECT 1 FROM allowances WHERE plugin = ?1 AND folder = ?2)";
        self.read(move |db| {
            db.query_row(sql, params![plugin, folder], |row| row.get(0)).map_err(|error| place.error(error))
        })
        .await
    }
}

/// A folder is only compared: its name is not kept.
fn key_of(folder: &Path) -> String {
    digest(&[&folder.to_string_lossy()])
}

fn record(row: &Columns<'_>) -> Result<Demotion, StoreError> {
    Ok(Demotion {
        plugin: row.get("plugin")?,
        digest: row.get("digest")?,
        version: row.get("version")?,
        flag: row.get("flag")?,
        to: row.json("value")?,
        because: row.get("because")?,
        at_ms: row.number("at_ms")?,
        seen: row.number("seen")?,
        needed: row.number("needed")?,
    })
}
