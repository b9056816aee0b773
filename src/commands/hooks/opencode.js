// Written by `cerberus setup opencode`, for opencode 1 (`server`) and 2 (`setup`).
// Adds the rules of a session and of each prompt to the system prompt, and the rules of an edit to its result.
// A command that a rule forbids fails.
import { spawn } from "node:child_process"

const EDITS = ["edit", "write", "multiedit", "patch", "apply_patch"]

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

const server = async ({ directory: cwd }) => {
  // The texts of each session. The system prompt is made anew for each request.
  const sessions = new Map()
  const texts = (sessionID, source) => {
    if (!sessions.has(sessionID)) sessions.set(sessionID, run("session-start", { sessionID, cwd, source }).then((text) => [text]))
    return sessions.get(sessionID)
  }
  return {
    "chat.message": async ({ sessionID }, { parts }) => {
      const given = await texts(sessionID, "startup")
      const prompt = parts.map((part) => (part.type === "text" ? part.text : "")).join("\n")
      given.push(await run("prompt", { sessionID, cwd, prompt }))
    },
    "experimental.chat.system.transform": async ({ sessionID }, output) => {
      if (sessionID) output.system.push(...(await texts(sessionID, "startup")).filter(Boolean))
    },
    "tool.execute.before": async ({ tool, sessionID }, { args }) => {
      const reason = tool === "bash" ? await run("command", { sessionID, cwd, args }) : ""
      if (reason) throw new Error(reason.trim())
    },
    "tool.execute.after": async ({ tool, sessionID, args }, output) => {
      const moment = EDITS.includes(tool) ? "edit" : tool === "bash" ? "after-command" : ""
      if (!output || !moment) return
      const text = await run(moment, { sessionID, cwd, args })
      if (text) output.output = `${output.output ?? ""}\n\n${text}`
    },
    event: async ({ event }) => {
      if (event.type !== "session.compacted") return
      sessions.delete(event.properties.sessionID)
      await texts(event.properties.sessionID, "compact")
    },
  }
}

export default { id: "cerberus", server, setup: async () => {} }
