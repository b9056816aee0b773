//! The request handlers of the protocol.
//!
//! Each operation runs on a thread of its own; a panic in one becomes an error of its call.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::thread::{Builder, Result as Ended};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow};
use cerberus_model::error::UserError;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ErrorData, GetPromptRequestParams, GetPromptResponse,
    GetPromptResult, Implementation, InitializeResult, ListPromptsResult, ListToolsResult,
    PaginatedRequestParams, ProgressNotificationParam, Prompt, PromptMessage, Role,
    ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use tokio::sync::mpsc::unbounded_channel;
use tokio::sync::oneshot;

use super::ToolSet;
use super::tool_result::error_result;
use super::tools::{self, Call, Tool};
use crate::commands::setup;
use crate::config::{GlobalArgs, Settings};

/// The introduction for the agent, after its first lines: whether hooks give the rules without being asked or not.
const INSTRUCTIONS: &str = include_str!("instructions.txt");
const WITH_HOOKS: &str = include_str!("with_hooks.txt");
const WITHOUT_HOOKS: &str = include_str!("without_hooks.txt");

/// The minimum time between two progress notifications.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

/// The server of one client.
#[derive(Clone)]
pub(super) struct Server(Arc<Shared>);

struct Shared {
    global: GlobalArgs,
    session: String,
    /// Whether the session has its pins.
    has_pins: AtomicBool,
    tools: Vec<Tool>,
    /// Whether the client left, so that running calls have no receiver.
    is_left: Arc<AtomicBool>,
    /// Dropped with the last call.
    _is_running: Sender<()>,
}

/// Panic payload: the client cancelled the call.
struct Cancelled;

impl Server {
    /// Starts no thread. `is_running` is dropped with the server and the last call.
    pub(super) fn new(
        global: GlobalArgs,
        session: String,
        set: ToolSet,
        is_running: Sender<()>,
    ) -> Self {
        let tools = tools::all(set);
        let is_left = Arc::default();
        let has_pins = AtomicBool::default();
        let shared = Shared {
            global,
            session,
            has_pins,
            tools,
            is_left,
            _is_running: is_running,
        };
        Self(Arc::new(shared))
    }

    /// Returns the flag that cancels the running calls, because the client left.
    pub(super) fn is_left(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0.is_left)
    }

    /// Returns the introduction for the agent.
    fn instructions(&self) -> String {
        let has_hooks = Settings::resolve(&self.0.global)
            .is_ok_and(|settings| setup::has_hooks(&settings.project.root));
        let first = if has_hooks { WITH_HOOKS } else { WITHOUT_HOOKS };
        format!("{first}{}", INSTRUCTIONS.trim_end())
    }

    /// Returns the prompt that leads through the rules without an example, if the server has the tool for it.
    fn prompt(&self) -> Option<Prompt> {
        let description = "Choose the examples of the rules whose example is not sure";
        let prompt = Prompt::new("anchor_rules", Some(description), None);
        let has_tool = self
            .0
            .tools
            .iter()
            .any(|tool| tool.name() == "settle_rules");
        has_tool.then(|| prompt.with_title("Anchor rules"))
    }
}

/// What a person sends to the agent by the name `anchor_rules`.
const ANCHOR_RULES: &str = include_str!("anchor_rules.txt");

type Page = Option<PaginatedRequestParams>;
type Context = RequestContext<RoleServer>;
type Reply<T> = Result<T, ErrorData>;

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .build();
        let server = Implementation::new("cerberus", env!("CARGO_PKG_VERSION"));
        InitializeResult::new(capabilities)
            .with_server_info(server.with_title("Cerberus memory"))
            .with_instructions(self.instructions())
    }

    async fn list_tools(&self, _: Page, _: Context) -> Reply<ListToolsResult> {
        let tools = self.0.tools.iter().map(|tool| tool.listed.clone());
        Ok(ListToolsResult::with_all_items(tools.collect()))
    }

    async fn list_prompts(&self, _: Page, _: Context) -> Reply<ListPromptsResult> {
        Ok(ListPromptsResult::with_all_items(
            self.prompt().into_iter().collect(),
        ))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: Context,
    ) -> Reply<GetPromptResponse> {
        if self
            .prompt()
            .is_none_or(|prompt| prompt.name != request.name)
        {
            let message = format!("unknown prompt `{}`", request.name);
            return Err(ErrorData::invalid_params(message, None));
        }
        Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, ANCHOR_RULES)]).into())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> Reply<CallToolResponse> {
        let named = self
            .0
            .tools
            .iter()
            .position(|tool| tool.name() == request.name);
        let Some(tool_idx) = named else {
            let names: Vec<&str> = self.0.tools.iter().map(Tool::name).collect();
            let message = format!(
                "unknown tool `{}`; available: {}",
                request.name,
                names.join(", ")
            );
            return Err(ErrorData::invalid_params(message, None));
        };
        let (sender, mut steps) = unbounded_channel();
        let token = context.meta.get_progress_token();
        let cancelled = context.ct.clone();
        let arguments = request.arguments.unwrap_or_default();
        // Since 2026-07-28 a client introduces itself with each request.
        let introduced = context.meta.client_info().or_else(|| {
            let peer = context.peer.peer_info();
            peer.map(|info| info.client_info.clone())
        });
        let client = introduced.map(|client| client.name);
        let server = Arc::clone(&self.0);
        let work = move || -> Result<_> {
            let Shared {
                global,
                session,
                has_pins,
                tools,
                is_left,
                ..
            } = &*server;
            let progress = |done: usize, total: usize| {
                if cancelled.is_cancelled() || is_left.load(Ordering::Relaxed) {
                    // Safe: an operation writes only after its last progress step.
                    resume_unwind(Box::new(Cancelled));
                }
                // The receiver is dropped when the call is cancelled.
                let _ = sender.send((done, total));
            };
            let client = client.unwrap_or_default();
            let mut settings = Settings::resolve(global)?;
            settings.project = settings.project.for_agent(&client);
            settings.check_enabled()?;
            let call = Call {
                settings,
                session,
                has_pins,
                client: &client,
                progress: &progress,
            };
            let run = |_| tools[tool_idx].call(&call, arguments.clone());
            Ok(call.settings.project.with_repair(run)?.into_result())
        };
        let (ended, mut call) = oneshot::channel();
        // The receiver is dropped when the call is cancelled.
        let run = move || drop(ended.send(catch_unwind(AssertUnwindSafe(work))));
        // A thread of the runtime could wait for the end of another call.
        if let Err(error) = Builder::new().spawn(run) {
            let message = format!("failed to start a thread for the call: {error}");
            return Ok(error_result(&UserError::environment(message).into()).into());
        }
        let mut last_notified = LastNotified::default();
        let done = loop {
            tokio::select! {
                biased;
                () = context.ct.cancelled() => break Err(anyhow!("the call was cancelled")),
                Some((done, total)) = steps.recv() => {
                    if let Some(token) = &token && last_notified.should_notify(done, total) {
                        let notification = ProgressNotificationParam::new(token.clone(), done as f64);
                        let _ = context.peer.notify_progress(notification.with_total(total as f64)).await;
                    }
                }
                ended = &mut call => break ended.context("the call was aborted").and_then(result),
            }
        };
        Ok(done.unwrap_or_else(|error| error_result(&error)).into())
    }
}

/// The last progress notification of a call.
#[derive(Default)]
struct LastNotified(Option<(usize, Instant)>);

impl LastNotified {
    /// Whether to notify: the progress is further, and the last notification is old enough.
    fn should_notify(&mut self, done: usize, total: usize) -> bool {
        let should_notify = match self.0 {
            Some((last, at)) => done > last && (at.elapsed() >= PROGRESS_INTERVAL || done == total),
            None => true,
        };
        if should_notify {
            self.0 = Some((done, Instant::now()));
        }
        should_notify
    }
}

/// Converts the panic of a call to an error.
fn result<T>(ended: Ended<Result<T>>) -> Result<T> {
    ended.unwrap_or_else(|panic| {
        if panic.is::<Cancelled>() {
            return Err(anyhow!("the call was cancelled"));
        }
        let message = format!("internal error: {}", panic_message(panic.as_ref()));
        let hint =
            "the server is still running; try other arguments, and report this as a bug of cerberus";
        Err(UserError::environment(message).hint(hint).into())
    })
}

/// Returns the message of a panic.
fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a panic")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_of_its_call() {
        let run = |work: fn() -> Result<&'static str>| {
            result(catch_unwind(work)).map_err(|error| error.to_string())
        };
        assert_eq!(
            run(|| panic!("lost at {}", 3)),
            Err("internal error: lost at 3".to_owned())
        );
        assert_eq!(
            run(|| resume_unwind(Box::new(Cancelled))),
            Err("the call was cancelled".to_owned())
        );
        assert_eq!(run(|| Ok("well")), Ok("well"));
    }

    #[test]
    fn progress_is_monotonic() {
        let mut last_notified = LastNotified::default();
        assert!(last_notified.should_notify(0, 9), "the start");
        assert!(!last_notified.should_notify(2, 9), "too soon");
        assert!(last_notified.should_notify(9, 9), "the end is always sent");
        assert!(
            !last_notified.should_notify(8, 9),
            "late from another thread"
        );
    }
}
