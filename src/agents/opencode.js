// Written by `cerberus setup opencode`, for opencode 1 (`server`) and 2 (`setup`).
// Adds the rules of a session and of each prompt to the system prompt, and the rules of an edit to its result.
// A command that a rule forbids fails.
import { spawn } from "node:child_process"

const EDITS = ["edit", "write", "multiedit", "patch", "apply_patch"]
const SHELLS = ["bash", "shell"]

const run = (moment, event) =>
  new Promise((resolve) => {
    const hook = spawn("cerberus", ["hooks", "run", "opencode", moment], {
      stdio: ["pipe", "pipe", "ignore"],
      timeout: 30000,
    })
    let text = ""
    hook.on("error", () => resolve(""))
    hook.on("close", () => resolve(text))
    hook.stdout.on("data", (part) => (text += part))
    hook.stdin.on("error", () => {})
    hook.stdin.end(JSON.stringify(event))
  })

const hooks = (cwd) => {
  // The texts of each session. The system prompt is made anew for each request.
  const sessions = new Map()
  const start = (sessionID, source) => {
    const texts = run("session-start", { sessionID, cwd, source }).then((text) => [text])
    sessions.set(sessionID, texts)
    return texts
  }
  const given = (sessionID) => sessions.get(sessionID) ?? start(sessionID, "startup")
  return {
    system: async (sessionID) => (await given(sessionID)).filter(Boolean),
    prompt: async (sessionID, prompt) => {
      const texts = await given(sessionID)
      texts.push(await run("prompt", { sessionID, cwd, prompt }))
    },
    before: async (sessionID, tool, args) => {
      const reason = SHELLS.includes(tool) ? await run("command", { sessionID, cwd, args }) : ""
      if (reason) throw new Error(reason.trim())
    },
    after: async (sessionID, tool, args, output) => {
      if (EDITS.includes(tool)) return run("edit", { sessionID, cwd, args })
      return SHELLS.includes(tool) ? run("after-command", { sessionID, cwd, args, output }) : ""
    },
    compacted: (sessionID) => start(sessionID, "compact"),
  }
}

const server = async ({ directory }) => {
  const { system, prompt, before, after, compacted } = hooks(directory)
  return {
    "chat.message": ({ sessionID }, { parts }) =>
      prompt(sessionID, parts.map((part) => (part.type === "text" ? part.text : "")).join("\n")),
    "experimental.chat.system.transform": async ({ sessionID }, output) => {
      if (sessionID) output.system.push(...(await system(sessionID)))
    },
    "tool.execute.before": ({ tool, sessionID }, { args }) => before(sessionID, tool, args),
    "tool.execute.after": async ({ tool, sessionID, args }, output) => {
      const text = output && (await after(sessionID, tool, args, output.output))
      if (text) output.output = `${output.output ?? ""}\n\n${text}`
    },
    event: async ({ event }) => {
      if (event.type === "session.compacted") await compacted(event.properties.sessionID)
    },
  }
}

const setup = async (opencode) => {
  const { system, prompt, before, after, compacted } = hooks(opencode.location.directory)
  await opencode.session.hook("prompt", (event) => prompt(event.sessionID, event.prompt.text))
  await opencode.session.hook("context", async (event) => {
    for (const text of await system(event.sessionID)) event.system.push({ type: "text", text })
  })
  await opencode.tool.hook("execute.before", (event) => before(event.sessionID, event.tool, event.input))
  await opencode.tool.hook("execute.after", async (event) => {
    if (event.status !== "completed") return
    const { content = [] } = event.result
    const parts = typeof content === "string" ? [{ type: "text", text: content }] : content
    const output = parts.map((part) => part.text ?? "").join("\n")
    const text = await after(event.sessionID, event.tool, event.input, output)
    if (!text) return
    event.result = { ...event.result, content: [...parts, { type: "text", text }] }
  })
  const stop = new AbortController()
  const watch = async () => {
    for await (const { type, data } of opencode.event.subscribe({ signal: stop.signal }))
      if (type === "session.compaction.ended") await compacted(data.sessionID)
  }
  watch().catch(() => {})
  return () => stop.abort()
}

export default { id: "cerberus", server, setup }
