//! The transport of messages as lines over two pipes.
//!
//! Two cases differ from the transport of the library. It drops a line over its limit silently, and
//! the client waits forever; here the client gets an error. And it ends the server if the client
//! sends a notification or a reply before its first request; here these are ignored.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorData, GetMeta, ProtocolVersion, ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Maximum length of a message.
const MAX_LINE_BYTES: usize = 16 * 1024 * 1024;

/// A transport that answers lines over the limit and waits for the first request.
pub(super) struct LineTransport<R: AsyncRead + Unpin, W: AsyncWrite> {
    inner: AsyncRwTransport<RoleServer, LimitedLines<R>, W>,
    /// Receives one item for each line over the limit.
    too_long: UnboundedReceiver<()>,
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
        let (sender, too_long) = unbounded_channel();
        let read = LimitedLines { read, n_bytes: 0, is_dropping: false, too_long: sender };
        let inner = AsyncRwTransport::new_server(read, write).with_max_line_length(usize::MAX);
        Self { inner, too_long, is_open: false, is_left }
    }

    /// Answers a line over the limit. Its id is unknown.
    fn refuse_line(&mut self) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let message = format!("the message is longer than {} MiB", MAX_LINE_BYTES / 1024 / 1024);
        let error = ErrorData::invalid_request(message, None);
        self.inner.send(ServerJsonRpcMessage::error(error, None))
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
        self.inner.send(message)
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            let message = tokio::select! {
                biased;
                Some(()) = self.too_long.recv() => {
                    // A task of its own: this future may be dropped before the answer is sent.
                    tokio::spawn(self.refuse_line());
                    continue;
                }
                message = self.inner.receive() => message,
            };
            let Some(message) = message else {
                self.is_left.store(true, Ordering::Relaxed);
                while self.too_long.try_recv().is_ok() {
                    let _ = self.refuse_line().await;
                }
                return None;
            };
            self.is_open |= opens_session(&message);
            if self.is_open || matches!(message, ClientJsonRpcMessage::Request(_)) {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.inner.close().await
    }
}

/// Whether the library opens a session with this message: `initialize`, or a request that states
/// the version and the capabilities of the client.
fn opens_session(message: &ClientJsonRpcMessage) -> bool {
    let ClientJsonRpcMessage::Request(message) = message else { return false };
    match &message.request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        request => {
            let meta = request.get_meta();
            meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
                && meta
                    .protocol_version()
                    .is_some_and(|version| ProtocolVersion::KNOWN_VERSIONS.contains(&version))
        }
    }
}

/// A reader that cuts lines over the limit. The rest of a cut line is dropped, and its end is a NUL,
/// which makes the remaining bytes an invalid message.
struct LimitedLines<R> {
    read: R,
    /// The length of the current line.
    n_bytes: usize,
    is_dropping: bool,
    too_long: UnboundedSender<()>,
}

impl<R> LimitedLines<R> {
    /// Removes the bytes over the limit from the next bytes, and returns the number of remaining
    /// ones.
    fn cut(&mut self, bytes: &mut [u8]) -> usize {
        let (mut from, mut to) = (0, 0);
        while from < bytes.len() {
            let newline = bytes[from..].iter().position(|byte| *byte == b'\n');
            let end = newline.map_or(bytes.len(), |at| from + at);
            let n_text = end - from;
            if !self.is_dropping && n_text > MAX_LINE_BYTES - self.n_bytes {
                bytes[to] = 0;
                to += 1;
                self.is_dropping = true;
                // The receiver lives as long as the reader.
                let _ = self.too_long.send(());
            } else if !self.is_dropping {
                bytes.copy_within(from..end, to);
                to += n_text;
                self.n_bytes += n_text;
            }
            from = end;
            if newline.is_some() {
                bytes[to] = b'\n';
                to += 1;
                from += 1;
                (self.n_bytes, self.is_dropping) = (0, false);
            }
        }
        to
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for LimitedLines<R> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let start = buffer.filled().len();
        loop {
            ready!(Pin::new(&mut this.read).poll_read(context, buffer))?;
            if buffer.filled().len() == start {
                return Poll::Ready(Ok(()));
            }
            let n_kept = this.cut(&mut buffer.filled_mut()[start..]);
            buffer.set_filled(start + n_kept);
            // An empty read would mean the end of the stream.
            if n_kept > 0 {
                return Poll::Ready(Ok(()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cuts `text` in pieces of `size` bytes; returns the rest and the number of lines over the
    /// limit.
    fn cut(text: &[u8], size: usize) -> (Vec<u8>, usize) {
        let (sender, mut too_long) = unbounded_channel();
        let mut lines = LimitedLines { read: (), n_bytes: 0, is_dropping: false, too_long: sender };
        let mut kept = Vec::new();
        for piece in text.chunks(size) {
            let mut piece = piece.to_vec();
            let n_kept = lines.cut(&mut piece);
            kept.extend_from_slice(&piece[..n_kept]);
        }
        let n_cut = std::iter::from_fn(|| too_long.try_recv().ok()).count();
        (kept, n_cut)
    }

    #[test]
    fn only_lines_over_the_limit_are_cut() {
        let fits = [b"x".repeat(MAX_LINE_BYTES), b"\ny\n".to_vec()].concat();
        let long = [b"x".repeat(MAX_LINE_BYTES + 1), b"\ny\n".to_vec()].concat();
        for size in [8 * 1024, 1_000_003, long.len()] {
            assert_eq!(cut(&fits, size), (fits.clone(), 0));
            let (kept, n_cut) = cut(&long, size);
            assert_eq!(n_cut, 1, "{size}");
            assert!(kept.len() <= fits.len() + 1 && kept.ends_with(b"\0\ny\n"), "{size}");
        }
    }
}
