//! What the server answers to each request of the protocol.
//!
//! Operations run on threads that may block; a panic in one is an error of its call.

use std::any::Any;
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ErrorData, GetPromptRequestParams,
    GetPromptResponse, GetPromptResult, Implementation, InitializeResult, JsonObject,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ProgressNotificationParam, Prompt, PromptArgument, PromptMessage,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ResourceTemplate,
    ResourceUpdatedNotificationParam, Role, ServerCapabilities, ServerConfig,
    SubscribeRequestParams, SubscriptionFilter, UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{Peer, RoleServer, ServerHandler};
use serde_json::json;
use tokio::sync::mpsc::unbounded_channel;
use tokio::task::{JoinError, spawn_blocking};

use super::args::ToolSet;
use crate::config::GlobalArgs;
use crate::config::Settings;
use crate::error::UserError;
use crate::ops::{Project, inject};

use super::answer::failed;
use super::resources::{self, Watch};
use super::tools::{self, Call, Tool};

/// What an agent reads before it has called anything.
const INSTRUCTIONS: &str = "\
cerberus keeps this project's rules, decisions and notes, each rule tied to the code that shows it.
- At the start of a task, and after your context was compacted: inject_context with the task and \
the files. Follow what it says; its code examples are live.
- Before you change a file: search_linked_memories with its path, where that tool is there.
- Unsure how something is done here: search_memories; to see code for a rule: find_anchor.
- The user states a rule, or you learn a decision or pitfall worth keeping: create_memory. Give \
hints, words that you expect in the code. If it was not anchored, choose with find_anchor.
- After you moved, renamed or rewrote code: reanchor_memories; settle what it reports.
Memories are files in .memories/; say so to the user when you write one.";

/// The least time between two notes of progress.
const PROGRESS_EVERY: Duration = Duration::from_millis(100);

/// How often files that somebody watches are looked at.
const POLL_EVERY: Duration = Duration::from_millis(500);

const PROMPT: &str = "context";

/// The server of one client.
#[derive(Clone)]
pub(super) struct Server(Arc<Shared>);

struct Shared {
    global: GlobalArgs,
    session: String,
    tools: Vec<Tool>,
    watch: Mutex<Watch>,
    /// Watches that were begun before their clients were told that they are heard.
    begun: Mutex<Vec<(SubscriptionFilter, Watch)>>,
}

/// The client does not want the answer any more.
struct Cancelled;

impl Server {
    pub(super) fn new(global: GlobalArgs, session: String, set: ToolSet) -> Self {
        let (watch, begun) = (Mutex::default(), Mutex::default());
        Self(Arc::new(Shared { global, session, tools: tools::all(set), watch, begun }))
    }

    /// Does work that may block with the settings as they are now.
    async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Self, Settings) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let server = self.clone();
        let done = spawn_blocking(move || {
            let settings = Settings::resolve(&server.0.global)?;
            work(&server, settings)
        });
        done.await.unwrap_or_else(|error| Err(broken(error)))
    }

    /// Runs a tool.
    fn run(
        &self,
        at: usize,
        arguments: JsonObject,
        settings: Settings,
        progress: &(dyn Fn(usize, usize) + Sync),
    ) -> Result<CallToolResult> {
        if !settings.memory_enabled {
            return Err(UserError::usage("memory is switched off for this project")
                .hint("set `enabled = true` under `[memory]` in `cerberus.toml`")
                .into());
        }
        let call = Call { settings, session: &self.0.session, progress };
        Ok(self.0.tools[at].call(&call, arguments)?.into_result())
    }

    /// Answers a call of a tool, or a reading of a resource, by its parameters alone.
    #[cfg(any(fuzzing, test))]
    pub(super) fn answer(&self, params: &serde_json::Value) {
        let Ok(settings) = Settings::resolve(&self.0.global) else { return };
        if let Some(uri) = params["uri"].as_str() {
            // What is refused is answered as well.
            let _ = resources::read(&settings.project, uri);
        }
        let name = params["name"].as_str().unwrap_or_default();
        if let Some(at) = self.0.tools.iter().position(|tool| tool.has_name(name)) {
            let arguments = params["arguments"].as_object().cloned().unwrap_or_default();
            let _ = self.run(at, arguments, settings, &|_, _| {});
        }
    }

    fn change_watch<T>(&self, change: impl FnOnce(&mut Watch) -> T) -> T {
        let mut watch = self.0.watch.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        change(&mut watch)
    }

    /// Tells a client of the older protocol what changes in what it watches.
    async fn tell_changes(self, peer: Peer<RoleServer>) {
        while !peer.is_transport_closed() {
            tokio::time::sleep(POLL_EVERY).await;
            let server = self.clone();
            let looked = spawn_blocking(move || server.change_watch(Watch::changes)).await;
            let Ok(changes) = looked else { return };
            if changes.list && peer.notify_resource_list_changed().await.is_err() {
                return;
            }
            for uri in changes.updated {
                let param = ResourceUpdatedNotificationParam::new(uri);
                if peer.notify_resource_updated(param).await.is_err() {
                    return;
                }
            }
        }
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_resources_list_changed()
            .build();
        let own = Implementation::new("cerberus", env!("CARGO_PKG_VERSION"));
        InitializeResult::new(capabilities)
            .with_server_info(own.with_title("Cerberus memory"))
            .with_instructions(INSTRUCTIONS)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        tokio::spawn(self.clone().tell_changes(context.peer));
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.0.tools.iter().map(|tool| tool.listed.clone());
        Ok(ListToolsResult::with_all_items(tools.collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let named = self.0.tools.iter().position(|tool| tool.has_name(&request.name));
        let Some(at) = named else {
            let names: Vec<&str> = self.0.tools.iter().map(Tool::name).collect();
            let message =
                format!("there is no tool `{}`; there are: {}", request.name, names.join(", "));
            return Err(ErrorData::invalid_params(message, None));
        };
        let (sender, mut steps) = unbounded_channel();
        let (token, cancelled) = (context.meta.get_progress_token(), context.ct.clone());
        let arguments = request.arguments.unwrap_or_default();
        let call = self.work(move |server, settings| {
            let progress = |done: usize, total: usize| {
                if cancelled.is_cancelled() {
                    // Nothing is written before all is done: the way out is short.
                    resume_unwind(Box::new(Cancelled));
                }
                // Where nobody listens any more there is nobody to tell.
                let _ = sender.send((done, total));
            };
            server.run(at, arguments, settings, &progress)
        });
        let mut call = std::pin::pin!(call);
        let mut told = Told::default();
        let done = loop {
            tokio::select! {
                biased;
                () = context.ct.cancelled() => break Err(anyhow!("the call was cancelled")),
                Some((done, total)) = steps.recv() => {
                    if let Some(token) = &token && told.is_news(done, total) {
                        let note = ProgressNotificationParam::new(token.clone(), done as f64);
                        let _ = context.peer.notify_progress(note.with_total(total as f64)).await;
                    }
                }
                done = &mut call => break done,
            }
        };
        Ok(done.unwrap_or_else(|error| failed(&error)).into())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        let page = self.work(move |server, settings| {
            let page = resources::page(&settings.project, cursor.as_deref())?;
            server.change_watch(|watch| watch.list(&settings.project));
            Ok(page)
        });
        page.await.map_err(refused)
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let template = ResourceTemplate::new("memory://{id}", "memory")
            .with_description("A memory by its id, as the markdown file it is")
            .with_mime_type(resources::MARKDOWN);
        Ok(ListResourceTemplatesResult::with_all_items(vec![template]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri.clone();
        let read = self.work(move |_, settings| resources::read(&settings.project, &request.uri));
        let contents = read.await.map_err(|error| missing(&error, &uri))?;
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let uri = request.uri.clone();
        let subscribed = self.work(move |server, settings| {
            server.change_watch(|watch| watch.subscribe(&settings.project, &request.uri))
        });
        subscribed.await.map_err(|error| missing(&error, &uri))
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.change_watch(|watch| watch.unsubscribe(&request.uri));
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        let mut accepted = SubscriptionFilter::new();
        accepted.resources_list_changed = requested.resources_list_changed;
        accepted.resource_subscriptions = requested.resource_subscriptions.clone();
        // The client may write as soon as it is told: what is there now is what it knows.
        let settings = Settings::resolve(&self.0.global);
        if let Ok(watch) = settings.and_then(|settings| begin(&settings.project, &accepted))
            && let Ok(mut begun) = self.0.begun.lock()
        {
            begun.push((requested.clone(), watch));
        }
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let begun = self.0.begun.lock().ok().and_then(|mut begun| {
            let at = begun.iter().position(|(requested, _)| requested == context.requested())?;
            Some(begun.swap_remove(at).1)
        });
        let mut watch = match begun {
            Some(watch) => watch,
            None => {
                let accepted = context.accepted().clone();
                let begun = self.work(move |_, settings| begin(&settings.project, &accepted));
                begun.await.map_err(refused)?
            }
        };
        loop {
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                () = tokio::time::sleep(POLL_EVERY) => {}
            }
            let looked = spawn_blocking(move || {
                let changes = watch.changes();
                (watch, changes)
            });
            let Ok((looked, changes)) = looked.await else { return Ok(()) };
            watch = looked;
            let sink = context.sink();
            if changes.list && sink.notify_resource_list_changed().await.is_err() {
                return Ok(());
            }
            for uri in changes.updated {
                if sink.notify_resource_updated(uri).await.is_err() {
                    return Ok(());
                }
            }
        }
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let task = PromptArgument::new("task").with_description("What you are about to do");
        let file = PromptArgument::new("file").with_description("The file it is about");
        let description = "The project's pins, rules and examples for a task";
        let prompt = Prompt::new(PROMPT, Some(description), Some(vec![task, file]));
        Ok(ListPromptsResult::with_all_items(vec![prompt.with_title("Project context")]))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        if request.name != PROMPT {
            let message = format!("there is no prompt `{}`; there is `{PROMPT}`", request.name);
            return Err(ErrorData::invalid_params(message, None));
        }
        let arguments = request.arguments.unwrap_or_default();
        let given = |key: &str| {
            let text = arguments.get(key).and_then(|value| value.as_str());
            text.filter(|text| !text.trim().is_empty()).map(str::to_owned)
        };
        let request = inject::Request {
            query: given("task"),
            files: given("file").into_iter().collect(),
            ..inject::Request::default()
        };
        let report = self.work(move |server, settings| {
            inject::inject(&settings.project, &request, Some(&server.0.session))
        });
        let mut text = report.await.map_err(refused)?.text;
        if text.is_empty() {
            text.push_str("The project's memory has nothing to say of it.");
        }
        Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]).into())
    }
}

/// What the client was told of a call's progress.
#[derive(Default)]
struct Told(Option<(usize, Instant)>);

impl Told {
    /// Returns whether this is further than what was told, and worth telling now.
    fn is_news(&mut self, done: usize, total: usize) -> bool {
        let is_news = match self.0 {
            Some((told, at)) => done > told && (at.elapsed() >= PROGRESS_EVERY || done == total),
            None => true,
        };
        if is_news {
            self.0 = Some((done, Instant::now()));
        }
        is_news
    }
}

/// Returns a watch over what a client of the newer protocol listens to.
fn begin(project: &Project, accepted: &SubscriptionFilter) -> Result<Watch> {
    let mut watch = Watch::default();
    if accepted.resources_list_changed == Some(true) {
        watch.list(project);
    }
    for uri in accepted.resource_subscriptions.iter().flatten() {
        watch.subscribe(project, uri)?;
    }
    Ok(watch)
}

/// Returns the error of work that did not come to its end.
fn broken(error: JoinError) -> anyhow::Error {
    let Ok(panic) = error.try_into_panic() else { return anyhow!("the call was broken off") };
    if panic.is::<Cancelled>() {
        return anyhow!("the call was cancelled");
    }
    UserError::environment(format!("cerberus failed on this call: {}", said(panic.as_ref())))
        .hint("the server goes on; try other arguments, and report this as a bug of cerberus")
        .into()
}

/// Returns what a panic says.
fn said(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic")
}

fn refused(error: anyhow::Error) -> ErrorData {
    ErrorData::internal_error(text_of(&error), None)
}

fn missing(error: &anyhow::Error, uri: &str) -> ErrorData {
    ErrorData::resource_not_found(text_of(error), Some(json!({ "uri": uri })))
}

/// Returns a failure with its next steps in one line.
fn text_of(error: &anyhow::Error) -> String {
    let result = failed(error);
    let text = result.content.first().and_then(|content| content.as_text());
    text.map(|text| text.text.replace('\n', "; ")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_the_error_of_its_call_alone() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let answer = |work: fn() -> Result<&'static str>| {
            runtime
                .block_on(async { spawn_blocking(work).await })
                .unwrap_or_else(|error| Err(broken(error)))
                .map_err(|error| text_of(&error))
        };
        assert_eq!(
            answer(|| panic!("lost at {}", 3)),
            Err("cerberus failed on this call: lost at 3; hint: the server goes on; try other \
                 arguments, and report this as a bug of cerberus"
                .to_owned())
        );
        assert_eq!(
            answer(|| resume_unwind(Box::new(Cancelled))),
            Err("the call was cancelled".to_owned())
        );
        assert_eq!(answer(|| Ok("well")), Ok("well"));
    }

    #[test]
    fn progress_only_goes_forward() {
        let mut told = Told::default();
        assert!(told.is_news(0, 9), "the start");
        assert!(!told.is_news(2, 9), "too soon");
        assert!(told.is_news(9, 9), "the end is always told");
        assert!(!told.is_news(8, 9), "late from another thread");
    }
}
