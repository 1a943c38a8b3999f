//! What a plugin may ask of an HTTP server: a method, a path, and the names that may stand in its query.
//!
//! `*` stands for exactly one segment. **A path is compared segment by segment, each decoded: no spelling of it slips past.** What the
//! query may hold is named, for it can change what a request is about. Tests: below.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// One thing that may be asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Route {
    method: String,
    /// `None` stands for any one.
    segments: Vec<Option<String>>,
    query: BTreeSet<String>,
}

/// What is wrong with a route.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "a route is a method and a path, `POST /session/*/abort`, with the names of its query behind it, `GET /list?limit,before`: {0:?} is none"
)]
pub struct RouteError(String);

/// Methods that may be asked with.
const METHODS: [&str; 6] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];

impl Route {
    /// True when this is what the route allows.
    pub fn allows(&self, method: &str, segments: &[String], query: &[(String, String)]) -> bool {
        let same = |(ours, theirs): (&Option<String>, &String)| match ours {
            Some(ours) => ours == theirs,
            None => !theirs.is_empty(),
        };
        self.method == method
            && self.segments.len() == segments.len()
            && self.segments.iter().zip(segments).all(same)
            && query.iter().all(|(name, _)| self.query.contains(name))
    }

    fn read(text: &str) -> Option<Route> {
        let (method, target) = text.split_once(' ')?;
        let (path, query) = target.split_once('?').map_or((target, None), |(path, query)| (path, Some(query)));
        let plain =
            |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.~:@".contains(&b));
        let segments: Vec<_> = path.strip_prefix('/')?.split('/').collect();
        let fits = |segment: &&str| *segment == "*" || (plain(segment) && !matches!(*segment, "." | ".."));
        let query: Vec<_> = query.into_iter().flat_map(|query| query.split(',')).collect();
        let ok = METHODS.contains(&method)
            && (segments.iter().all(fits) || path == "/")
            && query.iter().all(|name| plain(name));
        ok.then(|| Route {
            method: method.to_owned(),
            segments: segments.into_iter().map(|one| (one != "*").then(|| one.to_owned())).collect(),
            query: query.into_iter().map(str::to_owned).collect(),
        })
    }
}

impl TryFrom<String> for Route {
    type Error = RouteError;

    fn try_from(text: String) -> Result<Self, RouteError> {
        Route::read(&text).ok_or(RouteError(text))
    }
}

impl From<Route> for String {
    fn from(route: Route) -> String {
        route.to_string()
    }
}

impl std::fmt::Display for Route {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ", self.method)?;
        for segment in &self.segments {
            write!(f, "/{}", segment.as_deref().unwrap_or("*"))?;
        }
        let names: Vec<&str> = self.query.iter().map(String::as_str).collect();
        if names.is_empty() { Ok(()) } else { write!(f, "?{}", names.join(",")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allows(route: &str, method: &str, path: &str, query: &[&str]) -> bool {
        let segments: Vec<String> = path.trim_start_matches('/').split('/').map(str::to_owned).collect();
        let query: Vec<_> = query.iter().map(|name| ((*name).to_owned(), String::new())).collect();
        Route::read(route).unwrap().allows(method, &segments, &query)
    }

    #[test]
    fn a_star_is_one_segment_and_a_query_is_named() {
        assert!(allows("POST /session/*/abort", "POST", "/session/s1/abort", &[]));
        assert!(!allows("POST /session/*/abort", "GET", "/session/s1/abort", &[]));
        assert!(!allows("POST /session/*/abort", "POST", "/session//abort", &[]));
        assert!(!allows("POST /session/*/abort", "POST", "/session/s1/x/abort", &[]));
        assert!(!allows("POST /session/*/abort", "POST", "/session/s1/abort", &["directory"]));
        assert!(allows("GET /list?limit,before", "GET", "/list", &["limit"]));
        assert!(!allows("GET /list?limit,before", "GET", "/list", &["limit", "directory"]));
        assert!(allows("GET /", "GET", "/", &[]));
    }

    #[test]
    fn what_is_no_route_is_refused_and_a_route_is_written_as_it_was() {
        for bad in ["", "GET", "GET event", "get /event", "CONNECT /x", "GET /a//b", "GET /../x", "GET /a?", "GET /a b"]
        {
            assert!(Route::try_from(bad.to_owned()).is_err(), "{bad}");
        }
        for good in ["GET /event", "POST /session/*/abort", "GET /list?before,limit", "GET /"] {
            assert_eq!(Route::read(good).unwrap().to_string(), good);
        }
    }
}
