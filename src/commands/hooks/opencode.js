// Written by `cerberus setup opencode`.
// Appends the rules for an edited file to the result of the edit.
import { spawn } from "node:child_process"

const EDITS = ["edit", "write", "multiedit", "patch", "apply_patch"]

const rules = (event) =>
  new Promise((resolve) => {
    const hook = spawn("cerberus", ["hooks", "run", "opencode", "edit"], {
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

export const CerberusPlugin = async ({ directory }) => ({
  "tool.execute.after": async (input, output) => {
    if (!output || !EDITS.includes(input.tool)) return
    const { sessionID, args } = input
    const text = await rules({ sessionID, cwd: directory, args })
    if (text) output.output = `${output.output ?? ""}\n\n${text}`
  },
})
