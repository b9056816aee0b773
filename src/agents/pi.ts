// Written by `cerberus setup pi`.
// Adds the rules of a session and of each prompt as a message, and the rules of an edit to its result.
// A command that a rule forbids is blocked.
import { spawn } from "node:child_process"

const EDITS = ["edit", "write"]

const run = (moment, ctx, event) =>
  new Promise((resolve) => {
    const hook = spawn("cerberus", ["hooks", "run", "pi", moment], {
      stdio: ["pipe", "pipe", "ignore"],
      timeout: 30000,
    })
    let text = ""
    hook.on("error", () => resolve(""))
    hook.on("close", () => resolve(text))
    hook.stdout.on("data", (part) => (text += part))
    hook.stdin.on("error", () => {})
    hook.stdin.end(JSON.stringify({ sessionId: ctx.sessionManager.getSessionId(), cwd: ctx.cwd, ...event }))
  })

export default (pi) => {
  // Why the next prompt gets the start of the session, if it does.
  let source = "startup"
  pi.on("session_start", () => {
    source = "startup"
  })
  pi.on("session_compact", () => {
    source = "compact"
  })
  pi.on("before_agent_start", async ({ prompt }, ctx) => {
    const start = source && (await run("session-start", ctx, { source }))
    source = ""
    const content = [start, await run("prompt", ctx, { prompt })].filter(Boolean).join("\n")
    if (content) return { message: { customType: "cerberus", content, display: false } }
  })
  pi.on("tool_call", async ({ toolName, input }, ctx) => {
    const reason = toolName === "bash" ? await run("command", ctx, { args: input }) : ""
    if (reason) return { block: true, reason: reason.trim() }
  })
  pi.on("tool_result", async ({ toolName, input, content }, ctx) => {
    const moment = EDITS.includes(toolName) ? "edit" : toolName === "bash" ? "after-command" : ""
    const output = content.map((part) => part.text ?? "").join("\n")
    const text = moment && (await run(moment, ctx, { args: input, output }))
    if (text) return { content: [...content, { type: "text", text }] }
  })
}
