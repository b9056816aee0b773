//! How an agent is run without a terminal. `{folder}` in a value is the folder of the run.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Headless {
    pub(crate) arguments: Vec<String>,
    /// Variables to set.
    #[serde(default)]
    pub(crate) environment: BTreeMap<String, String>,
    /// Variables to remove.
    #[serde(default)]
    pub(crate) unset: Vec<String>,
    /// Files to write in the folder of the run, by their paths.
    #[serde(default)]
    pub(crate) files: BTreeMap<String, String>,
    pub(crate) servers: Option<UserServers>,
    pub(crate) providers: Option<Providers>,
    pub(crate) destination: Destination,
    pub(crate) answer: Text,
    /// The messages of failures.
    pub(crate) failures: Vec<Text>,
}

/// How the servers of a user are switched off.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct UserServers {
    /// Arguments that print them as JSON.
    pub(crate) list: Vec<String>,
    /// The JSON pointer of the list of objects with a `name`, or of the object with the names as keys.
    pub(crate) at: String,
    /// Arguments that switch off the server `{name}`.
    pub(crate) off: Vec<String>,
}

/// How the provider and the model are separated from the other settings of a user.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Providers {
    /// Arguments that print all settings as JSON.
    pub(crate) list: Vec<String>,
    pub(crate) environment: BTreeMap<String, String>,
    /// Variables of the user with paths.
    pub(crate) paths: Vec<String>,
    /// The keys of the provider and the model.
    pub(crate) keep: Vec<String>,
    /// The variable of the environment that has the settings of a run.
    pub(crate) variable: String,
    /// The files of a project that may have them.
    pub(crate) project: Vec<String>,
    /// The start of the name of each package that comes with the client.
    pub(crate) packages: String,
    /// A provider that is used although nobody chose it, and the list of those that are off.
    pub(crate) unchosen: String,
    pub(crate) off: String,
    /// Arguments that print the models with their providers, one a line.
    pub(crate) models: Vec<String>,
    /// How a user chooses a model.
    pub(crate) choose: String,
}

/// The JSON pointer of a text in the values of an output in which a member has a value.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Text {
    pub(crate) at: String,
    /// The JSON pointer of the member.
    pub(crate) member: String,
    pub(crate) is: Value,
}

/// How the provider of a client is found in its configuration.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Destination {
    /// A file of settings of the user.
    pub(crate) file: Option<UserFile>,
    /// The variables that choose a provider. The first that is set counts.
    pub(crate) variables: Vec<Choice>,
    /// The JSON pointer of a provider or its model.
    pub(crate) provider: Option<String>,
    /// The JSON pointer of the URL of the provider `{}`.
    pub(crate) url: Option<String>,
    /// What it uses if nothing is configured.
    pub(crate) usual: Option<String>,
    /// The files of a project in which it reads such variables, though not in the folder of a run.
    pub(crate) project: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct UserFile {
    /// The variable that names its folder.
    #[serde(default)]
    pub(crate) variable: String,
    /// The folder in the home of the user.
    pub(crate) folder: String,
    pub(crate) name: String,
    /// `json`, `toml` or `env`.
    pub(crate) form: String,
    /// The JSON pointer of the variables that it sets.
    #[serde(default)]
    pub(crate) variables: String,
}

/// A variable that chooses a provider.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Choice {
    pub(crate) name: String,
    /// The provider, or else its value is a URL.
    pub(crate) is: Option<String>,
    /// Another variable with the URL of that provider.
    pub(crate) url: Option<String>,
}
