//! The server of the Model Context Protocol on stdin and stdout.
//!
//! A tool parses its arguments and calls the operation of the corresponding command. Calls are
//! independent: each reads the configuration again, so that changes on disk take effect. Only
//! protocol messages are written to stdout. No other command starts the async runtime.

use std::sync::atomic::Ordering;
use std::sync::mpsc::channel;
use std::thread::Builder;
use std::time::Duration;

use anyhow::{Context, Result};
use cerberus_bank::ops::pins;
use cerberus_bank::tokens;
use cerberus_model::{PinScope, UserError};
use clap::{Args, ValueEnum};
use rmcp::service::ServerInitializeError;

use crate::config::{GlobalArgs, Settings};

mod schema;
mod server;
#[cfg(any(fuzzing, test))]
mod test_support;
mod tool_result;
mod tools;
mod transport;

use server::Server;
#[cfg(any(fuzzing, test))]
pub(crate) use test_support::run_messages;
use transport::LineTransport;

#[derive(Debug, Args)]
pub(crate) struct McpArgs {
    /// Offer all tools, or a minimal set
    #[arg(long, value_name = "SET", default_value = "all")]
    pub(crate) tools: ToolSet,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ToolSet {
    /// All tools, at most 3,000 tokens
    All,
    /// Search, anchor, inject, create and re-anchor, at most 1,200 tokens
    Core,
}

/// How long running calls may continue after the client disconnects.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// Serves one client until it disconnects.
pub(crate) fn serve(global: &GlobalArgs, set: ToolSet) -> Result<()> {
    let settings = Settings::resolve(global)?;
    let generated = settings.session.is_none().then(|| {
        format!(
            "mcp-{}-{}",
            std::process::id(),
            settings.project.now.as_nanosecond()
        )
    });
    let session = generated.clone().or(settings.session).unwrap_or_default();
    let (is_running, ended) = channel();
    let server = Server::new(global.clone(), session, set, is_running.clone());
    let is_left = server.is_left();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = runtime.context("failed to start the server")?;
    let pipes = transport::pipes(runtime.handle(), is_running)
        .map_err(|error| UserError::environment(format!("failed to start a thread: {error}")))?;
    // The first count loads the vocabulary: do it before the first call.
    let _ = Builder::new().spawn(|| tokens::count("warm"));
    let served = runtime.block_on(async {
        let transport = LineTransport::new(pipes, server.is_left());
        let running = match rmcp::serve_server(server, transport).await {
            Ok(running) => running,
            // The client disconnected before it sent a message.
            Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
            Err(error) => return Err(error).context("failed to negotiate the protocol"),
        };
        running
            .waiting()
            .await
            .map(drop)
            .context("the server stopped")
    });
    // Also if the output failed, not the input.
    is_left.store(true, Ordering::Relaxed);
    drop(runtime);
    // The end of the calls and of the output.
    let _ = ended.recv_timeout(SHUTDOWN_TIMEOUT);
    if let Some(session) = generated {
        let filter = pins::Filter {
            scope: Some(PinScope::Session),
            ..Default::default()
        };
        let listed = pins::list(&settings.project, &filter, true, Some(&session));
        // Without pins, leaving must not wait for another process that writes to the bank.
        if listed.is_ok_and(|list| !list.pins.is_empty()) {
            // The generated session is never used again, so a failure here has no effect.
            let _ = pins::clear(&settings.project, &filter, false, Some(&session));
        }
    }
    served
}
