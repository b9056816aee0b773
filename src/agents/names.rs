//! Values of the command line that are named in the files of the agents.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Command, Error};

use super::{Agent, Limit};

/// Reads one of several named values. The files of the agents are read when such a value is, or help is printed, and
/// not at every start.
pub(crate) struct Names<T: 'static> {
    all: fn() -> Vec<&'static T>,
    shown: fn(&'static T) -> PossibleValue,
}

impl<T> Clone for Names<T> {
    fn clone(&self) -> Self {
        Self {
            all: self.all,
            shown: self.shown,
        }
    }
}

impl Names<Agent> {
    /// The agents that `setup` writes settings for.
    pub(crate) fn of_agents() -> Self {
        Self {
            all: || Agent::all().collect(),
            shown: |agent| PossibleValue::new(agent.name).help(agent.shown()),
        }
    }

    /// The agents with hooks of their own.
    pub(crate) fn of_hooks() -> Self {
        Self {
            all: || Agent::all().filter(|agent| agent.hooks.is_some()).collect(),
            shown: |agent| PossibleValue::new(agent.name).help(agent.shown()),
        }
    }
}

impl Names<Limit> {
    pub(crate) fn of_limits() -> Self {
        Self {
            all: || Limit::all().collect(),
            shown: |limit| PossibleValue::new(limit.name.as_str()).help(limit.about.as_str()),
        }
    }
}

impl<T: Sync> Names<T> {
    fn values(&self) -> Vec<PossibleValue> {
        let mut values = Vec::new();
        for named in (self.all)() {
            values.push((self.shown)(named));
        }
        values
    }
}

impl<T: Sync> TypedValueParser for Names<T> {
    type Value = &'static T;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Self::Value, Error> {
        let values = self.values();
        let typed = PossibleValuesParser::new(values.clone()).parse_ref(command, arg, value)?;
        let is_typed = |value: &PossibleValue| value.get_name() == typed;
        let idx = values.iter().position(is_typed).unwrap_or_default();
        Ok((self.all)()[idx])
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.values().into_iter()))
    }
}
