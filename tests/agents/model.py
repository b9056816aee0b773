"""A fake model on loopback: Anthropic messages, OpenAI responses and chat completions, Gemini contents.

It records every request and answers with the steps of a script. A step is `{"text": …}`, `{"tool": NAME, "input": {…}}`, or for
Codex `{"custom": NAME, "text": …}`; `full` pretends that the context is nearly full.
"""

import json
import re
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Model:
    """Answers the conversation whose text has `SUBTASK` and no `MAINTASK` with `sub`, all others with `main`.

    A request without tools gets the text `other`. If `failure` is a status and a body, each request of a model gets them; if it is
    "silence", it gets no answer.
    """

    def __init__(self, main, sub, other="MAINTASK goes on", failure=None):
        self.steps = {"main": list(main), "sub": list(sub)}
        self.other, self.failure = other, failure
        self.ended = threading.Event()
        self.requests = {"main": [], "sub": [], "other": []}
        self.lock = threading.Lock()
        handler = type("Handler", (Handler,), {"model": self})
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.ended.set()
        self.server.shutdown()
        self.server.server_close()

    def step(self, body):
        """Records a request, and returns its number and its step."""
        shown = {key: body[key] for key in SHOWN if key in body}
        text = json.dumps(shown, ensure_ascii=False)
        with self.lock:
            if SUMMARY.search(text[-12_000:]) or not (body.get("tools") or '"additional_tools"' in text):
                # A summary, or a title of the session.
                self.requests["other"].append(text)
                return len(self.requests["other"]), {"text": body.get("__text", self.other)}
            name = "sub" if "SUBTASK" in text and "MAINTASK" not in text else "main"
            self.requests[name].append(text)
            number = len(self.requests[name])
            step = self.steps[name][number - 1] if number <= len(self.steps[name]) else {"text": "Done."}
            return f"{name}{number}", step


# How an agent asks for a summary of the conversation, when it shortens its context.
SUMMARY = re.compile("handoff summary|create a detailed summary|summary of the conversation")

# What the model reads, besides the tools.
SHOWN = ("system", "instructions", "messages", "input", "contents", "systemInstruction")


class Handler(BaseHTTPRequestHandler):
    model: Model
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self.reply({})

    def do_GET(self):
        self.reply({"object": "list", "data": [{"id": "fake-model", "object": "model"}], "models": [], "has_more": False})

    def do_POST(self):
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.headers.get("content-encoding") == "zstd":
            raw = subprocess.run(["zstd", "-dc"], input=raw, capture_output=True, check=True).stdout
        try:
            body = json.loads(raw)
        except ValueError:
            return self.reply({})
        for part, answer in (
            ("count_tokens", lambda _: self.reply({"input_tokens": 100})),
            ("countTokens", lambda _: self.reply({"totalTokens": 100})),
            ("/messages", self.anthropic),
            ("/responses", self.openai),
            ("/completions", self.completions),
            ("enerateContent", self.gemini),
        ):
            if part in self.path:
                return self.fail(body) if self.model.failure else answer(body)
        return self.reply({})

    def fail(self, body):
        self.model.step(body)
        if self.model.failure == "silence":
            self.model.ended.wait()
            self.close_connection = True
            return None
        status, value = self.model.failure
        return self.reply(value, status)

    def reply(self, value, status=200):
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def stream(self, events):
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for event in events:
            data = event if isinstance(event, str) else json.dumps(event)
            name = f"event: {event['type']}\n" if isinstance(event, dict) and "type" in event else ""
            self.wfile.write(f"{name}data: {data}\r\n\r\n".encode())
        self.close_connection = True

    def anthropic(self, body):
        number, step = self.model.step(body)
        is_tool = "tool" in step
        block = {"type": "text", "text": step.get("text")}
        empty = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": step.get("text")}
        if is_tool:
            block = {"type": "tool_use", "id": f"toolu_{number}", "name": step["tool"], "input": step["input"]}
            empty = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(step["input"])}
        usage = {"input_tokens": 990_000 if step.get("full") else 100, "output_tokens": 10}
        message = {
            "id": f"msg_{number}", "type": "message", "role": "assistant", "model": body.get("model"), "content": [block],
            "stop_reason": "tool_use" if is_tool else "end_turn", "stop_sequence": None, "usage": usage,
        }
        if not body.get("stream"):
            return self.reply(message)
        end = {"stop_reason": message["stop_reason"], "stop_sequence": None}
        self.stream([
            {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}},
            {"type": "content_block_start", "index": 0, "content_block": empty},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": end, "usage": usage},
            {"type": "message_stop"},
        ])

    def openai(self, body):
        number, step = self.model.step(body)
        item = {"id": f"item_{number}", "status": "completed", "call_id": f"call_{number}"}
        if "tool" in step:
            item |= {"type": "function_call", "name": step["tool"], "arguments": json.dumps(step["input"])}
            item |= {key: step[key] for key in ("namespace",) if key in step}
        elif "custom" in step:
            item |= {"type": "custom_tool_call", "name": step["custom"], "input": step["text"]}
        else:
            content = [{"type": "output_text", "text": step["text"], "annotations": []}]
            item |= {"type": "message", "role": "assistant", "content": content}
        tokens = 990_000 if step.get("full") else 10
        usage = {
            "input_tokens": tokens, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 5,
            "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": tokens + 5,
        }
        response = {"id": f"resp_{number}", "object": "response", "created_at": 1, "model": body.get("model"), "output": []}
        self.stream([
            {"type": "response.created", "response": {**response, "status": "in_progress"}},
            {"type": "response.output_item.added", "output_index": 0, "item": item},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": {**response, "status": "completed", "output": [item], "usage": usage}},
        ])

    def completions(self, body):
        number, step = self.model.step(body)
        tokens = 990_000 if step.get("full") else 10
        usage = {"prompt_tokens": tokens, "completion_tokens": 5, "total_tokens": tokens + 5}
        delta, end = {"role": "assistant", "content": step.get("text")}, "stop"
        if "tool" in step:
            function = {"name": step["tool"], "arguments": json.dumps(step["input"])}
            call = {"index": 0, "id": f"call_{number}", "type": "function", "function": function}
            delta, end = {"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls"

        def chunk(choices, **more):
            return {"id": f"c{number}", "object": "chat.completion.chunk", "created": 1, "model": body.get("model"), "choices": choices, **more}

        self.stream([
            chunk([{"index": 0, "delta": delta, "finish_reason": None}]),
            chunk([{"index": 0, "delta": {}, "finish_reason": end}]),
            chunk([], usage=usage),
            "[DONE]",
        ])

    def gemini(self, body):
        # The router asks for a model by a schema.
        choice = {"reasoning": "x", "model_choice": "flash", "complexity_score": 10, "complexity_reasoning": "x"}
        number, step = self.model.step({**body, "__text": json.dumps(choice)})
        part = {"text": step.get("text")}
        if "tool" in step:
            part = {"functionCall": {"name": step["tool"], "args": step["input"], "id": f"call_{number}"}}
        tokens = 990_000 if step.get("full") else 10
        response = {
            "candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
            "usageMetadata": {"promptTokenCount": tokens, "candidatesTokenCount": 5, "totalTokenCount": tokens + 5},
            "modelVersion": "fake",
        }
        return self.stream([response]) if "stream" in self.path else self.reply(response)
