//! Grants: what an operator allowed a plugin. Kept as the JSON of the grant itself, found by plugin, digest and subject.
//! What a grant means is decided elsewhere; a grant that cannot be read is an error, never a yes.

use super::Store;
use super::error::StoreError;
use super::words::{Columns, all, json};
use rusqlite::params;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A grant and what it is found by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrantRow<G> {
    /// The plugin, `publisher/name`.
    pub plugin: String,
    /// sha256 of the plugin's bytes, hexadecimal.
    pub digest: String,
    /// What it is about: `spawn main`, `root projects`. One grant for each plugin, digest and subject.
    pub what: String,
    /// The grant.
    pub grant: G,
    /// When it was given, milliseconds since 1970.
    pub granted_ms: u64,
}

impl Store {
    /// Adds a grant; replaces the one for the same plugin, digest and subject.
    pub async fn add_grant<G: Serialize>(&self, row: &GrantRow<G>) -> Result<(), StoreError> {
        let (place, grant) = (self.place.clone(), json("grant", &row.grant)?);
        let (plugin, digest, what, at_ms) = (row.plugin.clone(), row.digest.clone(), row.what.clone(), row.granted_ms);
        let change = move |db: &rusqlite::Connection| {
            let sql = "INSERT INTO grants (plugin, digest, what, json, granted_ms) VALUES (?1, ?2, ?3, ?4, ?5) \
                ON CONFLICT (plugin, digest, what) DO UPDATE SET json = excluded.json, granted_ms = excluded.granted_ms";
            let added = db.execute(sql, params![plugin, digest, what, grant, at_ms as i64]);
            added.map(drop).map_err(|error| place.error(error))
        };
        self.write(change).await
    }

    /// Grants of programs, of a plugin or of all; in the order they were first given.
    pub async fn grants<G: DeserializeOwned + Send + 'static>(
        &self,
        plugin: Option<&str>,
    ) -> Result<Vec<GrantRow<G>>, StoreError> {
        self.grants_about("spawn", plugin).await
    }

    /// Grants about one kind of thing, the first word of their subject; of a plugin or of all; in the order they were first given.
    pub async fn grants_about<G: DeserializeOwned + Send + 'static>(
        &self,
        kind: &'static str,
        plugin: Option<&str>,
    ) -> Result<Vec<GrantRow<G>>, StoreError> {
        let (place, plugin) = (self.place.clone(), plugin.map(str::to_owned));
        let sql = "SELECT plugin, digest, what, json, granted_ms FROM grants \
            WHERE (?1 IS NULL OR plugin = ?1) AND substr(what, 1, length(?2) + 1) = ?2 || ' ' ORDER BY id";
        self.read(move |db| all(db, &place, sql, params![plugin, kind], record)).await
    }

    /// Takes grants of a plugin back: one subject of all its digests, or all. Returns how many there were.
    pub async fn revoke_grants(&self, plugin: &str, what: Option<&str>) -> Result<usize, StoreError> {
        let (place, plugin, what) = (self.place.clone(), plugin.to_owned(), what.map(str::to_owned));
        let change = move |db: &rusqlite::Connection| {
            let sql = "DELETE FROM grants WHERE plugin = ?1 AND (?2 IS NULL OR what = ?2)";
            db.execute(sql, params![plugin, what]).map_err(|error| place.error(error))
        };
        self.write(change).await
    }
}

fn record<G: DeserializeOwned>(row: &Columns<'_>) -> Result<GrantRow<G>, StoreError> {
    Ok(GrantRow {
        plugin: row.get("plugin")?,
        digest: row.get("digest")?,
        what: row.get("what")?,
        grant: row.json("json")?,
        granted_ms: row.number("granted_ms")?,
    })
}
