"""Ask a model behind a chat completions endpoint, with nothing but the standard library.

OPENAI_BASE_URL and OPENAI_API_KEY come from the environment (the manifest lets them through); model, temperature,
decoder settings, retry limit and time from the manifest. What the endpoint says served the answer is reported as the
route, so that an answer by another model is noticed. Run it with `sitegen run … --network`.

A busy or broken endpoint (429, 5xx, no answer, half an answer) is tried again, RETRY_LIMIT times at the most, and each
try is reported. A refusal, or the word ABSTAIN alone, is an abstention. An answer that was cut at the length limit is
none: the solver fails, and the row is an error.
"""

import http.client
import json
import os
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

INSTRUCTION = (
    "Do the task and answer with the result alone: no explanation, no quotation marks, no code fence. "
    "If the task cannot be done with what is given, answer with the one word ABSTAIN."
)
LONGEST_PAUSE_SEC = 20.0


class Unusable(Exception):
    """The endpoint's answer cannot be used; ``again`` says whether another try may help, ``pause`` when."""

    def __init__(self, reason, again, pause=None):
        super().__init__(reason)
        self.again = again
        self.pause = pause


def question(task):
    """Return the request's body for one task."""
    shown = {key: value for key, value in task.items() if key != "id"}
    text = shown.pop("prompt", "")
    if shown:
        text += "\n\n" + json.dumps(shown, ensure_ascii=False, indent=1)
    body = {
        "model": os.environ["MODEL"] or os.environ["ROUTE"],
        "messages": [{"role": "system", "content": INSTRUCTION}, {"role": "user", "content": text}],
        **json.loads(os.environ["DECODER"]),
    }
    if os.environ["TEMPERATURE"]:
        body["temperature"] = float(os.environ["TEMPERATURE"])
    return body


def ask(body, timeout):
    """Return the endpoint's answer to one request.

    Raises:
        Unusable: it did not answer, or not with what the protocol asks for.
    """
    request = urllib.request.Request(
        os.environ["OPENAI_BASE_URL"].rstrip("/") + "/chat/completions",
        data=json.dumps(body).encode(),
        headers={
            "Content-Type": "application/json",
            "Authorization": "Bearer " + os.environ.get("OPENAI_API_KEY", ""),
        },
    )
    try:
        with urllib.request.urlopen(request, timeout=timeout) as response:
            answer = json.load(response)
    except urllib.error.HTTPError as error:
        error.close()
        raise Unusable(f"status {error.code}", error.code == 429 or error.code >= 500, pause_of(error)) from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise Unusable(f"{type(error).__name__}: {error}", again=True) from None
    return answer


def pause_of(error):
    """Return the seconds that the endpoint asks to wait, where it does."""
    try:
        return float(error.headers.get("Retry-After", ""))
    except ValueError:
        return None


def read(answer):
    """Return (text, whether it abstains) of an answer.

    Raises:
        Unusable: it is not what the protocol asks for, or it was cut at the length limit.
    """
    try:
        choice = answer["choices"][0]
        message = choice["message"]
        text, reason, refusal = message.get("content") or "", choice.get("finish_reason"), message.get("refusal")
    except (KeyError, IndexError, TypeError, AttributeError):
        raise Unusable("an answer of another shape", again=True) from None
    if reason == "length":
        raise Unusable("the answer was cut at the length limit", again=False)
    return text, bool(refusal) or reason == "content_filter" or text.strip() in ("", "ABSTAIN")


def converse(body, limit, deadline, said):
    """Ask until there is a usable answer; ``said`` gathers what is reported, tries included.

    Raises:
        Unusable: there is none within the limit and the time.
    """
    while True:
        try:
            answer = ask(body, max(1.0, deadline - time.monotonic()))
            said["route"] = answer.get("model") if isinstance(answer, dict) else None
            usage = (answer.get("usage") if isinstance(answer, dict) else None) or {}
            said["tokens_in"], said["tokens_out"] = usage.get("prompt_tokens"), usage.get("completion_tokens")
            return read(answer)
        except Unusable as unusable:
            pause = unusable.pause if unusable.pause is not None else 0.5 * 2 ** said["retries"]
            pause = min(pause, LONGEST_PAUSE_SEC)
            late = time.monotonic() + pause >= deadline
            if not unusable.again or said["retries"] >= limit or late:
                raise
            sys.stderr.write(f"{unusable}; trying again in {pause:g} s\n")
            time.sleep(pause)
            said["retries"] += 1


def main():
    """Solve the task named by TASK_JSON."""
    task = json.loads(Path(os.environ["TASK_JSON"]).read_text(encoding="utf-8"))
    deadline = time.monotonic() + 0.9 * float(os.environ["TIMEOUT_SEC"])
    said = {"abstained": False, "retries": 0, "tool_calls": 0, "tools_used": [], "route": None}
    try:
        text, said["abstained"] = converse(question(task), int(os.environ["RETRY_LIMIT"]), deadline, said)
    except Unusable as unusable:
        sys.exit(f"no usable answer: {unusable}")
    finally:
        Path(os.environ["RESULT_JSON"]).write_text(json.dumps(said), encoding="utf-8")
    if not said["abstained"]:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
