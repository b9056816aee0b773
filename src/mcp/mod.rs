//! The same operations as tools of the Model Context Protocol, on stdin and stdout.
//!
//! A tool is parse, operation, report: it decides nothing that its command does not. A
//! call needs nothing of the calls before it; settings are read anew for each, so that
//! what changes on disk is seen. stdout carries protocol only. The runtime is started
//! here and by no other command.

use std::time::Duration;

use anyhow::{Context, Result};
use rmcp::service::ServerInitializeError;
use rmcp::transport::stdio_pipes;

use crate::config::GlobalArgs;

mod args;
use crate::config::Settings;
use crate::model::PinScope;
use crate::ops::pins;
use crate::tokens;
pub(crate) use args::{McpArgs, McpClient, ToolSet};

mod answer;
mod clients;
mod resources;
mod schema;
mod server;
mod tools;

use server::Server;

/// How long what is under way when the client leaves may take to end.
const PATIENCE: Duration = Duration::from_secs(5);

/// Returns the settings with which a client starts this server.
pub(crate) fn settings(client: McpClient, global: &GlobalArgs, set: ToolSet) -> Result<String> {
    clients::settings(client, global, set)
}

/// Serves one client until it leaves.
pub(crate) fn serve(global: &GlobalArgs, set: ToolSet) -> Result<()> {
    let settings = Settings::resolve(global)?;
    let own = settings
        .session
        .is_none()
        .then(|| format!("mcp-{}-{}", std::process::id(), settings.project.now.as_nanosecond()));
    let session = own.clone().or(settings.session).unwrap_or_default();
    let server = Server::new(global.clone(), session, set);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("failed to start the server")?;
    let served = runtime.block_on(async {
        // The first count loads the vocabulary, which no answer should wait for.
        tokio::task::spawn_blocking(|| tokens::count("warm"));
        let running = match rmcp::serve_server(server, stdio_pipes()).await {
            Ok(running) => running,
            // The client left before it said a word.
            Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
            Err(error) => return Err(error).context("failed to agree on a protocol"),
        };
        running.waiting().await.map(drop).context("the server broke off")
    });
    runtime.shutdown_timeout(PATIENCE);
    if let Some(session) = own {
        // A session that nobody can name again; what cannot be cleared is never shown either.
        let filter = pins::Filter { scope: Some(PinScope::Session), ..Default::default() };
        let _ = pins::clear(&settings.project, &filter, false, Some(&session));
    }
    served
}

/// Answers what a client sends after it has begun as it should, and then each call in it
/// once more, without the protocol around it, to its end.
#[cfg(any(fuzzing, test))]
pub(crate) fn answer_all(global: &GlobalArgs, set: ToolSet, messages: &[u8]) {
    const BEGIN: &[u8] = br#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
"#;
    let server = Server::new(global.clone(), "fuzz".to_owned(), set);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("a runtime");
    runtime
        .block_on(async {
            let said = std::io::Cursor::new([BEGIN, messages].concat());
            let running = rmcp::serve_server(server.clone(), (said, Vec::new())).await;
            running.expect("it began as it should").waiting().await
        })
        .expect("a server that ends");
    runtime.shutdown_timeout(PATIENCE);
    for message in messages.split(|byte| *byte == b'\n') {
        if let Ok(message) = serde_json::from_slice::<serde_json::Value>(message) {
            server.answer(&message["params"]);
        }
    }
}
