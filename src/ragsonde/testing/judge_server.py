"""A scriptable judge over real HTTP: OpenAI chat completions and embeddings, and Anthropic messages.

Run it with ``python -m ragsonde.testing.judge_server --port 0 --script FILE``; it prints its address. From Python,
``judge_process.running_judge_server()`` starts it in a process of its own, and ``create_app()`` gives the ASGI
application.

It answers as a careful judge would (see ``judge_answers``), unless its script says otherwise (see ``judge_script``).
``POST /control`` with a script replaces the script and restarts its schedules; ``GET /stats`` counts calls and tokens;
``GET /prompts`` gives the last prompts as they arrived; ``POST /reset`` sets the counts to zero.
"""

import argparse
import asyncio
import json
import socket
import time
from collections import Counter, deque
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import uvicorn
from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from ragsonde.testing.judge_answers import SeenPrompt, embed, read_prompt, right_reply
from ragsonde.testing.judge_faults import spoil
from ragsonde.testing.judge_script import Fault, FaultRule, Script, load_script

_KEPT_PROMPTS = 200


@dataclass
class _State:
    script: Script
    since: float = field(default_factory=time.monotonic)
    calls_since: Counter[str] = field(default_factory=Counter)
    counts: Counter[str] = field(default_factory=Counter)
    prompts: deque[dict[str, Any]] = field(default_factory=lambda: deque(maxlen=_KEPT_PROMPTS))

    def replace(self, script: Script) -> None:
        self.script, self.since, self.calls_since = script, time.monotonic(), Counter()

    def arrived(self, task: str) -> FaultRule | None:
        """Count a call and find the fault that strikes it."""
        self.counts.update(["calls", f"calls.{task}"])
        seconds = time.monotonic() - self.since
        self.calls_since.update([task])
        for rule in self.script.faults:
            counted = sum(self.calls_since[name] for name in rule.tasks) if rule.tasks else self.calls_since.total()
            if rule.strikes(counted, seconds, task):
                self.counts.update([f"faults.{rule.fault}"])
                return rule
        return None


def create_app(script: Script | None = None) -> Starlette:
    """The server as an ASGI application, for use without a network."""
    state = _State(script or Script())

    async def chat(request: Request) -> Response:
        body = await request.json()
        messages = body["messages"]
        system = next((m["content"] for m in messages if m["role"] == "system"), "")
        users = [m["content"] for m in messages if m["role"] == "user"]
        return await _converse(state, request, system, users, _openai_payload)

    async def messages(request: Request) -> Response:
        body = await request.json()
        users = [m["content"] for m in body["messages"] if m["role"] == "user"]
        return await _converse(state, request, body.get("system", ""), users, _anthropic_payload)

    async def embeddings(request: Request) -> Response:
        body = await request.json()
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        rule = state.arrived("embeddings")
        state.prompts.append({"task": "embeddings", "body": body, "headers": dict(request.headers)})
        if (refusal := await _refusal(rule, body)) is not None:
            return refusal
        tokens = sum(map(_tokens, texts))
        state.counts.update({"input_tokens": tokens})
        data = [{"object": "embedding", "index": i, "embedding": embed(text)} for i, text in enumerate(texts)]
        return JSONResponse(
            {"object": "list", "data": data, "model": body["model"], "usage": {"prompt_tokens": tokens}}
        )

    async def control(request: Request) -> Response:
        try:
            state.replace(Script.model_validate(await request.json()))
        except ValidationError as error:
            return JSONResponse({"error": str(error)}, status_code=422)
        return JSONResponse({"ok": True})

    async def stats(_request: Request) -> Response:
        return JSONResponse(state.counts)

    async def prompts(_request: Request) -> Response:
        return JSONResponse(list(state.prompts))

    async def reset(_request: Request) -> Response:
        state.counts.clear()
        state.prompts.clear()
        return JSONResponse({"ok": True})

    return Starlette(
        routes=[
            Route("/v1/chat/completions", chat, methods=["POST"]),
            Route("/openai/deployments/{name}/chat/completions", chat, methods=["POST"]),
            Route("/v1/embeddings", embeddings, methods=["POST"]),
            Route("/v1/messages", messages, methods=["POST"]),
            Route("/control", control, methods=["POST"]),
            Route("/stats", stats),
            Route("/prompts", prompts),
            Route("/reset", reset, methods=["POST"]),
        ]
    )


async def _converse(state: _State, request: Request, system: str, users: list[str], payload: Any) -> Response:
    body = await request.json()
    prompt: SeenPrompt = read_prompt(system, users[0])
    rule = state.arrived(prompt.task)
    state.prompts.append(
        {
            "task": prompt.task,
            "system": system,
            "user": users[0],
            "turns": len(users),
            "body": body,
            "headers": dict(request.headers),
        }
    )
    if (refusal := await _refusal(rule, body)) is not None:
        return refusal
    fault = rule.fault if rule is not None else None
    text = spoil(right_reply(prompt, state.script, users[0]), fault, users[0])
    read, written = _tokens(system + "".join(users)), _tokens(text)
    state.counts.update({"input_tokens": read, "output_tokens": written})
    reply = payload(body, text, fault is Fault.LENGTH, None if fault is Fault.NO_USAGE else (read, written))
    content = json.dumps(reply).encode()
    if rule is not None and fault is Fault.DRIP:
        return StreamingResponse(_drip(content, rule.seconds), media_type="application/json")
    if fault is Fault.DISCONNECT:
        headers = {"content-length": str(len(content) + 1000)}
        return Response(content, media_type="application/json", headers=headers)
    return Response(content, media_type="application/json")


async def _refusal(rule: FaultRule | None, body: dict[str, Any]) -> Response | None:
    """What goes out instead of a reply; None where a reply may follow."""
    response: Response | None = None
    match rule.fault if rule is not None else None:
        case Fault.SLOW if rule is not None:
            await asyncio.sleep(rule.seconds)
        case Fault.HANG:
            await asyncio.sleep(86_400)
        case Fault.STATUS if rule is not None:
            # Real servers repeat keys and prompts in their messages, so this one does.
            said = f"{rule.code}: seen with key sk-secret and {json.dumps(body)[-200:]}"
            error = {"error": {"code": rule.code, "type": rule.code, "message": said}}
            headers = {"retry-after": rule.retry_after} if rule.retry_after is not None else {}
            response = JSONResponse(error, status_code=rule.status, headers=headers)
        case Fault.HIDDEN_ERROR if rule is not None:
            response = JSONResponse({"error": {"code": rule.status, "message": rule.code}})
        case Fault.NO_STRUCTURE if "response_format" in body or "tools" in body:
            response = _unsupported("response_format" if "response_format" in body else "tools")
        case Fault.NO_TEMPERATURE if "temperature" in body:
            response = _unsupported("temperature")
        case Fault.NOT_JSON:
            response = HTMLResponse("<html><body>Sign in</body></html>")
    return response


def _unsupported(name: str) -> Response:
    error = {"error": {"code": "unsupported_parameter", "message": f"Unsupported parameter: {name}", "param": name}}
    return JSONResponse(error, status_code=400)


def _openai_payload(
    body: dict[str, Any],
    text: str,
    cut: bool,
    usage: tuple[int, int] | None,  # called by position once
) -> dict[str, Any]:
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": text},
        "finish_reason": "length" if cut else "stop",
    }
    read, written = usage or (0, 0)
    counts = (
        {"usage": {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}}
        if usage
        else {}
    )
    return {"id": "chatcmpl-1", "object": "chat.completion", "model": body["model"], "choices": [choice], **counts}


def _anthropic_payload(
    body: dict[str, Any],
    text: str,
    cut: bool,
    usage: tuple[int, int] | None,  # called by position once
) -> dict[str, Any]:
    block: dict[str, Any] = {"type": "text", "text": text}
    if body.get("tools"):
        try:
            value = json.loads(text)
        except ValueError:
            value = None
        if isinstance(value, dict):
            block = {"type": "tool_use", "id": "toolu_1", "name": body["tools"][0]["name"], "input": value}
    counts = {"usage": {"input_tokens": usage[0], "output_tokens": usage[1]}} if usage else {}
    stop = "max_tokens" if cut else "tool_use" if block["type"] == "tool_use" else "end_turn"
    return {"id": "msg_1", "type": "message", "role": "assistant", "content": [block], "stop_reason": stop, **counts}


async def _drip(content: bytes, seconds: float) -> AsyncIterator[bytes]:
    for byte in content:
        yield bytes([byte])
        await asyncio.sleep(seconds)


def _tokens(text: str) -> int:
    return len(text) // 4 + 1


def main() -> None:
    """Command line entry."""
    parser = argparse.ArgumentParser(prog="python -m ragsonde.testing.judge_server", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: loopback)")
    parser.add_argument("--port", type=int, default=0, help="port to listen on; 0 takes a free one (default)")
    parser.add_argument("--script", type=Path, help="JSON file with known claims, overrides and faults")
    parser.add_argument("--address-file", type=Path, help="file to write the server's address to")
    arguments = parser.parse_args()
    try:
        script = load_script(arguments.script) if arguments.script else Script()
    except (OSError, ValidationError) as error:
        parser.error(f"--script {arguments.script}: {error}")
    with socket.create_server((arguments.host, arguments.port)) as listener:
        address = f"http://{arguments.host}:{listener.getsockname()[1]}"
        print(f"judge server at {address}/v1", flush=True)  # noqa: T201  # its output is the address
        if arguments.address_file:
            arguments.address_file.write_text(f"{address}\n", encoding="utf-8")
        config = uvicorn.Config(create_app(script), log_level="warning", timeout_graceful_shutdown=1)
        uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
