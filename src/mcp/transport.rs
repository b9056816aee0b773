//! The transport of messages as lines over two pipes.
//!
//! Three cases differ from the transport of the library. It ignores a line over its limit or without JSON, and a
//! request that it cannot read, and the client waits forever; here the client gets an error, with the id of the
//! request if it has one. And it ends the server if the client sends a notification or a reply before its first
//! request; here these are ignored.

use std::io::{self, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::thread::Builder;

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorData, GetMeta, ProtocolVersion, RequestId,
    ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::error::Category;
use tokio::io::{
    AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader, DuplexStream,
    Empty, duplex, empty,
};
use tokio::runtime::Handle;
use tokio::task::JoinSet;

/// Maximum length of a message.
const MAX_LINE_BYTES: usize = 16 * 1024 * 1024;

/// Bytes between a thread that copies a pipe and the runtime.
const BUFFER_BYTES: usize = 64 * 1024;

/// Returns stdin and stdout, which two threads copy. The runtime would start them when it needs them,
/// and if one does not start, the client waits forever. `is_running` is dropped after the last output.
pub(super) fn pipes(
    runtime: &Handle,
    is_running: Sender<()>,
) -> io::Result<(DuplexStream, DuplexStream)> {
    let ((read, mut input), (write, mut output)) = (duplex(BUFFER_BYTES), duplex(BUFFER_BYTES));
    let handle = runtime.clone();
    let mut bytes = vec![0; BUFFER_BYTES];
    // An error on one side drops the other, which the server sees.
    Builder::new().spawn(move || {
        loop {
            match io::stdin().read(&mut bytes) {
                Ok(n @ 1..) if handle.block_on(input.write_all(&bytes[..n])).is_ok() => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                _ => break,
            }
        }
    })?;
    let handle = runtime.clone();
    let mut bytes = vec![0; BUFFER_BYTES];
    Builder::new().spawn(move || {
        while let Ok(n @ 1..) = handle.block_on(output.read(&mut bytes)) {
            if io::stdout().write_all(&bytes[..n]).is_err() {
                break;
            }
        }
        drop(is_running);
    })?;
    Ok((read, write))
}

/// A transport that answers lines that it cannot read, and waits for the first request.
pub(super) struct LineTransport<R, W: AsyncWrite> {
    read: BufReader<R>,
    /// The start of the next line.
    line: Vec<u8>,
    /// Whether the next line is over the limit.
    is_too_long: bool,
    write: AsyncRwTransport<RoleServer, Empty, W>,
    /// The errors that are being sent: `receive` may be dropped before they are.
    errors: JoinSet<io::Result<()>>,
    /// Whether the client opened the session.
    is_open: bool,
    /// Set when the client closes the connection.
    is_left: Arc<AtomicBool>,
}

impl<R, W> LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(super) fn new((read, write): (R, W), is_left: Arc<AtomicBool>) -> Self {
        Self {
            read: BufReader::new(read),
            line: Vec::new(),
            is_too_long: false,
            write: AsyncRwTransport::new_server(empty(), write),
            errors: JoinSet::new(),
            is_open: false,
            is_left,
        }
    }

    /// Reads a line into `self.line`. Returns whether there is one; a longer one than the limit has an
    /// error. It continues a call that was dropped.
    async fn read_line(&mut self) -> Result<bool, Refusal> {
        loop {
            let Ok(bytes) = self.read.fill_buf().await else {
                return Ok(false);
            };
            if bytes.is_empty() {
                return Ok(false);
            }
            let newline = bytes.iter().position(|byte| *byte == b'\n');
            let text = &bytes[..newline.unwrap_or(bytes.len())];
            let was_too_long = self.is_too_long;
            self.is_too_long |= self.line.len() + text.len() > MAX_LINE_BYTES;
            if !self.is_too_long {
                self.line.extend_from_slice(text);
            }
            let n_read = text.len() + usize::from(newline.is_some());
            self.read.consume(n_read);
            match (self.is_too_long, was_too_long) {
                (true, false) => {
                    self.line.clear();
                    self.is_too_long = newline.is_none();
                    let n_mib = MAX_LINE_BYTES / 1024 / 1024;
                    let message = format!("the message is longer than {n_mib} MiB");
                    return Err(Refusal {
                        id: None,
                        error: ErrorData::invalid_request(message, None),
                    });
                }
                (false, _) if newline.is_some() => return Ok(true),
                _ => self.is_too_long &= newline.is_none(),
            }
        }
    }

    fn refuse(&mut self, Refusal { id, error }: Refusal) {
        self.errors
            .spawn(self.write.send(ServerJsonRpcMessage::error(error, id)));
    }
}

impl<R, W> Transport<RoleServer> for LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        self.write.send(message)
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            let message = match self.read_line().await {
                Ok(true) => message(&std::mem::take(&mut self.line)),
                Ok(false) => {
                    self.is_left.store(true, Ordering::Relaxed);
                    while self.errors.join_next().await.is_some() {}
                    return None;
                }
                Err(refusal) => Err(refusal),
            };
            match message {
                Ok(None) => {}
                Ok(Some(message)) => {
                    self.is_open |= opens_session(&message);
                    if self.is_open || matches!(message, ClientJsonRpcMessage::Request(_)) {
                        return Some(message);
                    }
                }
                Err(refusal) => self.refuse(refusal),
            }
            while self.errors.try_join_next().is_some() {}
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.write.close().await
    }
}

/// Why a line is not a message, for the request with this id.
#[derive(Debug, PartialEq)]
struct Refusal {
    id: Option<RequestId>,
    error: ErrorData,
}

/// The methods with parameters that this server has. The library takes a request with other parameters for one of an
/// unknown method.
const METHODS: [&str; 3] = ["tools/call", "prompts/get", "initialize"];

/// Returns the message in a line. A notification that cannot be read is ignored, and so is an empty line.
fn message(line: &[u8]) -> Result<Option<ClientJsonRpcMessage>, Refusal> {
    /// What a line needs for an answer. It may have texts that are not valid.
    #[derive(Deserialize)]
    struct Head {
        id: Option<RequestId>,
        method: Option<IgnoredAny>,
    }
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
    if line.trim_ascii().is_empty() {
        return Ok(None);
    }
    let why = match serde_json::from_slice(line) {
        Ok(message) => return with_valid_parameters(message).map(Some),
        Err(error) => error,
    };
    let id = match serde_json::from_slice(line) {
        Ok(Head {
            id: None,
            method: Some(_),
        }) => return Ok(None),
        Ok(head) => head.id,
        Err(error) if error.classify() == Category::Data => None,
        Err(error) => {
            let message = format!("the line is not valid JSON: {error}");
            let error = ErrorData::parse_error(message, None);
            return Err(Refusal { id: None, error });
        }
    };
    let error = ErrorData::invalid_request(format!("the request is not valid: {why}"), None);
    Err(Refusal { id, error })
}

fn with_valid_parameters(message: ClientJsonRpcMessage) -> Result<ClientJsonRpcMessage, Refusal> {
    if let ClientJsonRpcMessage::Request(request) = &message
        && let ClientRequest::CustomRequest(unknown) = &request.request
        && METHODS.contains(&unknown.method.as_str())
    {
        let method = &unknown.method;
        let message = format!("the parameters of `{method}` are not valid: see its schema");
        return Err(Refusal {
            id: Some(request.id.clone()),
            error: ErrorData::invalid_params(message, None),
        });
    }
    Ok(message)
}

/// Whether the library opens a session with this message: `initialize`, or a request that states
/// the version and the capabilities of the client.
fn opens_session(message: &ClientJsonRpcMessage) -> bool {
    let ClientJsonRpcMessage::Request(message) = message else {
        return false;
    };
    match &message.request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        request => {
            let meta = request.get_meta();
            meta.missing_required_keys(&ProtocolVersion::V_2026_07_28)
                .is_empty()
                && meta
                    .protocol_version()
                    .is_some_and(|version| ProtocolVersion::KNOWN_VERSIONS.contains(&version))
        }
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::ErrorCode;

    use super::*;

    /// Returns the lengths of the lines that are read, with the errors in place of those over the limit.
    fn read(text: &[u8], size: usize) -> Vec<Result<usize, String>> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .expect("a runtime");
        let mut lines = LineTransport::new((text, Vec::new()), Arc::default());
        lines.read = BufReader::with_capacity(size, text);
        let mut found = Vec::new();
        loop {
            match runtime.block_on(lines.read_line()) {
                Ok(true) => found.push(Ok(std::mem::take(&mut lines.line).len())),
                Ok(false) => return found,
                Err(refusal) => found.push(Err(refusal.error.message.into_owned())),
            }
        }
    }

    #[test]
    fn only_lines_over_the_limit_are_refused() {
        let fits = [b"x".repeat(MAX_LINE_BYTES), b"\ny\nz".to_vec()].concat();
        let long = [b"x".repeat(MAX_LINE_BYTES + 1), b"\ny\n".to_vec()].concat();
        let refused = Err("the message is longer than 16 MiB".to_owned());
        for size in [8 * 1024, 1_000_003, long.len()] {
            assert_eq!(read(&fits, size), [Ok(MAX_LINE_BYTES), Ok(1)]);
            assert_eq!(read(&long, size), [refused.clone(), Ok(1)], "{size}");
        }
    }

    #[test]
    fn a_request_that_cannot_be_read_has_an_answer_with_its_id() {
        #[track_caller]
        fn check(line: &str, expected: Result<bool, Option<RequestId>>) {
            let found = message(line.as_bytes())
                .map(|found| found.is_some())
                .map_err(|error| error.id);
            assert_eq!(found, expected, "{line}");
        }
        let head = r#"{"jsonrpc":"2.0","id":7,"method":"ping""#;
        let id = RequestId::Number(7);
        check(&format!("{head}}}"), Ok(true));
        check(&format!("\u{feff}{head}}}\r"), Ok(true));
        check(&format!("{head},\"params\":5}}"), Err(Some(id.clone())));
        check(&format!("{head},\"params\":[]}}"), Err(Some(id.clone())));
        check(
            &format!("{head},\"params\":{{\"a\":\"\\ud83d\"}}}}"),
            Err(Some(id)),
        );
        check(r#"{"jsonrpc":"2.0"}"#, Err(None));
        check("[]", Err(None));
        check(
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":5}"#,
            Ok(false),
        );
        check("{", Err(None));
        check("", Ok(false));
        check(" \r", Ok(false));
    }

    #[test]
    fn an_error_has_the_code_of_its_cause() {
        for (line, code) in [
            ("{\"jsonrpc\":", ErrorCode::PARSE_ERROR),
            ("no JSON", ErrorCode::PARSE_ERROR),
            ("[]", ErrorCode::INVALID_REQUEST),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":[1]}}"#,
                ErrorCode::INVALID_PARAMS,
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":5}}"#,
                ErrorCode::INVALID_PARAMS,
            ),
        ] {
            let refusal = message(line.as_bytes()).expect_err(line);
            assert_eq!(refusal.error.code, code, "{line}");
        }
    }
}
