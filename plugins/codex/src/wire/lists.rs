//! What is asked of the program beside its threads: the account, models, pages of them.

use super::*;

/// The answer to `account/read`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct AccountRead {
    #[serde(deserialize_with = "lossy")]
    pub account: Option<Account>,
    #[serde(deserialize_with = "lossy")]
    pub requires_openai_auth: bool,
}

/// The account.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Account {
    #[serde(rename = "type", deserialize_with = "lossy")]
    pub kind: String,
    #[serde(deserialize_with = "lossy")]
    pub email: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub plan_type: Option<String>,
}

/// The answer to `account/login/start`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct LoginStarted {
    #[serde(deserialize_with = "lossy")]
    pub login_id: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub auth_url: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub verification_url: Option<String>,
    #[serde(deserialize_with = "lossy")]
    pub user_code: Option<String>,
}

/// A page of something.
#[derive(Debug, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Page<T: serde::de::DeserializeOwned> {
    #[serde(deserialize_with = "lossy_list")]
    pub data: Vec<T>,
    #[serde(deserialize_with = "lossy")]
    pub next_cursor: Option<String>,
}

impl<T: serde::de::DeserializeOwned> Default for Page<T> {
    fn default() -> Self {
        Page { data: vec![], next_cursor: None }
    }
}

/// A model on offer.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Model {
    #[serde(deserialize_with = "lossy")]
    pub model: String,
    #[serde(deserialize_with = "lossy")]
    pub display_name: String,
    #[serde(deserialize_with = "lossy")]
    pub description: String,
    #[serde(deserialize_with = "lossy")]
    pub hidden: bool,
    #[serde(deserialize_with = "lossy")]
    pub is_default: bool,
    #[serde(deserialize_with = "lossy_list")]
    pub supported_reasoning_efforts: Vec<Effort>,
}

/// How hard a model may think.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Effort {
    #[serde(deserialize_with = "lossy")]
    pub reasoning_effort: String,
    #[serde(deserialize_with = "lossy")]
    pub description: String,
}
