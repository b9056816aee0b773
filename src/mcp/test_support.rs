//! A server of messages without pipes.

use super::*;

/// Runs the fuzz input as a session.
pub(crate) fn run_messages(global: &GlobalArgs, set: ToolSet, messages: &[u8]) {
    const HANDSHAKE: &[u8] = br#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
"#;
    let (is_running, ended) = channel();
    let server = Server::new(global.clone(), "fuzz".to_owned(), set, is_running);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = runtime.expect("a runtime");
    runtime
        .block_on(async {
            let input = std::io::Cursor::new([HANDSHAKE, messages].concat());
            let transport = LineTransport::new((input, Vec::new()), server.is_left());
            let running = rmcp::serve_server(server, transport).await;
            running.expect("a valid handshake").waiting().await
        })
        .expect("a server that ends");
    drop(runtime);
    let _ = ended.recv_timeout(SHUTDOWN_TIMEOUT);
}
