// Runs the plugin of opencode as opencode 1 or 2 does: node opencode_host.mjs PLUGIN 1|2 FILE
// The calls and events are those of `@opencode-ai/plugin` 1.18 and of `@opencode/plugin` 2.0. Prints a line for each moment.
const [plugin, generation, file] = process.argv.slice(2)
const { default: definition } = await import(plugin)
const sessionID = "s"
const print = (moment, text) => console.log(`${moment}: ${text.replaceAll("\n", " ")}`)
const edit = { filePath: file, newString: "    hash(password, salt(16))  # bytes\n" }
const command = { command: "pip install x" }
const task = "Render the name of an account as markup on its page"
const refusal = (call) => call.then(() => "", (error) => error.message)

if (generation === "1") {
  const hooks = await definition.server({ directory: process.cwd() })
  const system = async () => {
    const output = { system: [] }
    await hooks["experimental.chat.system.transform"]({ sessionID }, output)
    return output.system.join("\n")
  }
  print("started", await system())
  print("denied", await refusal(hooks["tool.execute.before"]({ tool: "bash", sessionID }, { args: command })))
  const output = { output: "done" }
  await hooks["tool.execute.after"]({ tool: "edit", sessionID, args: edit }, output)
  print("edited", output.output)
  await hooks["chat.message"]({ sessionID }, { parts: [{ type: "text", text: task }] })
  print("asked", await system())
  await hooks.event({ event: { type: "session.compacted", properties: { sessionID } } })
  print("compacted", await system())
} else {
  const hooks = {}
  const hook = async (name, call) => (hooks[name] = call)
  const compacted = { type: "session.compaction.ended", data: { sessionID } }
  let compact
  const ended = new Promise((resolve) => (compact = resolve))
  const subscribe = async function* () {
    await ended
    yield compacted
    compact.done()
  }
  const stop = await definition.setup({
    location: { directory: process.cwd() },
    session: { hook },
    tool: { hook },
    event: { subscribe },
  })
  const system = async () => {
    const event = { sessionID, system: [] }
    await hooks.context(event)
    return event.system.map((part) => part.text).join("\n")
  }
  print("started", await system())
  print("denied", await refusal(hooks["execute.before"]({ tool: "shell", sessionID, input: command })))
  const event = { tool: "edit", sessionID, input: edit, status: "completed", result: { content: "done" } }
  await hooks["execute.after"](event)
  print("edited", [event.result.content].flat().map((part) => part.text ?? part).join("\n\n"))
  await hooks.prompt({ sessionID, prompt: { text: task } })
  print("asked", await system())
  const resumed = new Promise((resolve) => (compact.done = resolve))
  compact()
  await resumed
  print("compacted", await system())
  stop()
}
