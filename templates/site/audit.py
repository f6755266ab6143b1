#!/usr/bin/env python3
"""Check a published site of agent benchmark figures with nothing but a stock Python, 3.9 or newer.

    python -I audit.py DIR_OR_URL

Hashes every file again, follows the ledgers, recounts outcomes, computes rates and intervals again, and compares them
with the reports and with the scorecards on the pages. It shares no code with what made the site. Each step is printed;
exit status 0 says that all hold. Shown then: these figures follow from these files. Not shown: who made the answers.
"""

import hashlib, json, math, os, re, stat, sys, urllib.parse, urllib.request  # noqa: E401, I001
from bisect import bisect_left
from collections import Counter
from fractions import Fraction
from html.parser import HTMLParser

# The metric whose rule is one line (the answer's bytes are the oracle's, and not none), so that it is applied here.
EXACT_BYTES = {"795ad5a88364b039fd6e9e4345267993e9840008365faae91607d95433ee3ebb"}
ORDINARY = ("success", "miss", "false_abstain", "over_budget", "error", "timeout")
NEGATIVE = ("abstain_ok", "invalid_completion", "no_answer", "error", "timeout")
RATES = (  # class of its cell on a page, name in the report, its interval, its slice, the outcome that it counts
    ("success", "mean", "ci95", "ordinary", "success"),
    ("abstention", "abstention_accuracy", "abstention_ci95", "negative", "abstain_ok"),
    ("invalid", "invalid_completion_rate", "invalid_completion_ci95", "negative", "invalid_completion"),
    ("false", "false_abstention_rate", "false_abstention_ci95", "ordinary", "false_abstain"),
)
SATISFIES = {"must_pass": ["passed"], "must_fail": ["failed", "refused"], "must_refuse": ["refused"]}
COVARIATES, LINES, FAILED = ("retries", "tool_calls", "wall_clock_sec"), ("transcripts", "verdicts"), []
UNSEALED = {"ledger", "signatures", "protocol.sealed.yaml", "protocol.sums", "dataset.sums", "null_pack.sums"}

def step(name, problems, done=""):
    problems = [f"FAIL  {name}: {ascii(problem)[1:-1][:400]}" for problem in problems]
    print("\n".join(problems) or f"ok    {name}: {done}")
    FAILED.extend(problems)

def open_site(place):
    """Return the paths of all files (None at an address, which lists none) and a function that reads one file."""
    if re.match("https?://", place):
        local = urllib.parse.urlsplit(place).hostname in ("localhost", "127.0.0.1", "::1")
        opener = urllib.request.build_opener(*([urllib.request.ProxyHandler({})] if local else []))
        place = place.rstrip("/") + "/"
        return None, lambda path, limit: opener.open(place + urllib.parse.quote(path), timeout=60).read(limit)
    found = [os.path.join(folder, name) for folder, folders, files in os.walk(place) for name in folders + files]
    found = {os.path.relpath(p, place).replace(os.sep, "/") for p in found if os.path.islink(p) or not os.path.isdir(p)}
    def read(path, limit):
        if not stat.S_ISREG(os.lstat(os.path.join(place, path)).st_mode):
            raise OSError(f"{path} is not a plain file")
        with open(os.path.join(place, path), "rb") as file:
            return file.read(limit)
    return found, read

def sha256(data):
    return hashlib.sha256(data).hexdigest()
def plain(path):
    return (path[2:] if path.startswith("./") else path).rstrip("/")
def below(files, folder):
    return {path[len(folder) + 1 :]: data for path, data in files.items() if path.startswith(folder + "/")}
def from_json(data):
    return json.loads(data.decode("utf-8"), object_pairs_hook=unique)
def from_jsonl(data):
    return [from_json(line) for line in data[:-1].split(b"\n")] if data else []
def canonical(value):
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode() + b"\n"  # RFC 8785
def unique(pairs):
    if len(dict(pairs)) != len(pairs):
        raise ValueError("a key stands twice")
    return dict(pairs)
def sums(files):
    """Return the lines that sha256sum prints for files (their bytes or digests by path), sorted by the paths' bytes."""
    digests = {path.encode(): data if isinstance(data, str) else sha256(data) for path, data in files.items()}
    return b"".join(digests[path].encode() + b"  " + path + b"\n" for path in sorted(digests))

def from_yaml(data):
    """Read a sealed protocol or manifest as {"dataset.path": value, …}: keys by indent, each value on its line."""
    made, keys = {}, []
    for line in data.decode("utf-8").split("\n"):
        text, indent = line.strip(), len(line) - len(line.lstrip(" "))
        if text.startswith("- "):
            name = ".".join(key for _, key in keys)
            made[name] = [*(made[name] or []), yaml_value(text[2:])]
        elif text and text[0] != "#":
            key, rest = re.fullmatch(r'("[^"]*"|[^\s"#:]+):(?:\s+(.*))?', text).groups()
            keys = [above for above in keys if above[0] < indent] + [(indent, key.strip('"'))]
            made = unique([*made.items(), (".".join(key for _, key in keys), yaml_value(rest or "null"))])
    return made
YAML = re.compile(
    r"""(?x)(?P<json>"(?:\\.|[^"\\])*"|[\[\]{},]|:(?=\s)
       |(?:null|true|false|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?)(?=\s*(?:[,\]}]|\s\#|$)))
    |(?P<comment>\s\#.*)|'(?P<single>(?:''|[^'])*)'
    |(?P<plain>[^\s\[\]{},"'\#:&*!|>%@`](?:[^\[\]{},:\#]|:(?!\s)|(?<!\s)\#)*)|(?P<other>\S)"""
)
def yaml_value(text):
    """Return a value that stands on one line, by turning it into JSON; other forms of YAML are not read."""
    if text[0] not in "[{\"'&*!|>%@`" and not YAML.match(text)["json"]:
        return re.split(r"\s#", text)[0].strip()
    made = ""
    for word in YAML.finditer(text):
        given = (word["plain"] or "").strip() or (word["single"] or "").replace("''", "'")
        made += word["json"] or word["other"] or ("" if word["comment"] else json.dumps(given))
    return json.loads(made, object_pairs_hook=unique)

def wilson(k, n, z=1.959963984540054):
    d = n + z * z
    centre, half = (k + z * z / 2) / d, z / d * math.sqrt(k * (n - k) / n + z * z / 4)
    return (0.0 if k == 0 else max(0.0, centre - half)), (1.0 if k == n else min(1.0, centre + half))
def bootstrap(k, n):
    """The percentile bootstrap with infinitely many resamples: quantiles of Binomial(n, k/n), in whole numbers."""
    if k in (0, n):
        return wilson(k, n)  # it has no width there, so Wilson's is shown in its place
    term, reached = (n - k) ** n, []
    for j in range(n + 1):
        reached.append((reached[-1] if j else 0) + 1000 * term)
        term = term * (n - j) * k // ((j + 1) * (n - k))
    return bisect_left(reached, 25 * n**n) / n, bisect_left(reached, 975 * n**n) / n
def outward(ends, digits):  # an end that lies on the grid but for floating point stays there
    low, high = (end * 10**digits for end in ends)
    low, high = math.floor(low + 1e-9 * max(1.0, low)), math.ceil(high - 1e-9 * max(1.0, high))
    return [low / 10**digits, high / 10**digits]

def covariates(rows):
    """Retries, tool calls and seconds over all tasks; what was not recorded counts nowhere."""
    made = {name: {"timeouts": sum(row["outcome"] == "timeout" for row in rows)} for name in COVARIATES}
    for name in COVARIATES:
        got = sorted(row[name] for row in rows if row[name] is not None)
        for part, q in (("median", "0.5"), ("q1", "0.25"), ("q3", "0.75"), ("max", "1"), ("p95", "0.95")):
            low, high = math.ceil(Fraction(q) * len(got)) - 1, min(len(got) - 1, math.floor(Fraction(q) * len(got)))
            made[name][part] = round((got[low] + got[high]) / 2, 4) if got else None
        table = {str(value): times for value, times in Counter(got).items()}
        made[name].update(recorded=len(got), total=round(math.fsum(got), 4) if got else None, table=table)
    return made

def figures_of(report, exam):
    """Count the report's rows: the buckets, and each rate as (k, n, rate, low, high), rounded as reports state them."""
    method = {"wilson": wilson, "bootstrap": bootstrap}.get("" if "dataset.cluster" in exam else report["ci_method"])
    buckets = {"ordinary": dict.fromkeys(ORDINARY, 0), "negative": dict.fromkeys(NEGATIVE, 0)}
    for row in report["tasks"]:
        buckets[row["kind"]][row["outcome"]] += 1
    made = {}
    for cell, _, ci, kind, name in RATES:
        k, n = buckets[kind][name], sum(buckets[kind].values())
        made[cell] = (k, n, float(round(Fraction(k, n), 4)), *(outward(method(k, n), 4) if method else report[ci]))
    return buckets, made, "computed again" if method else "as stated, by a method that is not known here"

def number_faults(report, exam):
    """Return every stated number that is not the one that the rows give."""
    buckets, figures, _ = figures_of(report, exam)
    sizes = {"n": figures["success"][1], "n_negative": figures["abstention"][1]}
    wanted = {"ci_method": exam.get("publish.ci_method", "wilson"), "null_pack": "pass", "counts": buckets, **sizes}
    for cell, rate, ci, _, _ in RATES:
        wanted.update({rate: figures[cell][2], ci: list(figures[cell][3:])})
    made, stated = covariates(report["tasks"]), report["covariates"]
    wanted["covariates"] = {name: {part: made[name][part] for part in stated[name]} for name in COVARIATES}
    small = [name for name in sizes if not exam.get(f"publish.min_{name}", 10) <= sizes[name] == exam[f"seal.{name}"]]
    bad = [f"{name} is not the sealed size, or under its floor" for name in small]
    return bad + [f"{name} is {report[name]}, the rows give {v}" for name, v in wanted.items() if report[name] != v]

def outcome(kind, row, exam, manifest, passed):
    """The outcome of one task, in the order of precedence; None where only the metric can tell."""
    broken = {"ok": "", "timeout": "timeout"}.get(row["status"], "error")
    touched, most = row.get("files_touched") or 0, exam.get("budget.max_files_touched")
    if kind == "negative":
        honest = broken or ("abstain_ok" if row["abstained"] else "no_answer")
        return "invalid_completion" if row["artifact"] or touched else honest
    over = (row["wall_clock_sec"] or 0) > exam["budget.timeout_sec"] or (most is not None and touched > most)
    over = over or (row["retries"] or 0) > manifest["retry_limit"]
    if broken or over or set(row.get("tools_used") or ()) - set(manifest["tool_whitelist"]):
        return broken or "over_budget"
    if row["abstained"] or not row["artifact"]:
        return "false_abstain" if row["abstained"] else "miss"
    return {True: "success", False: "miss"}.get(passed)
def observed(task, row, passed):
    """What was seen of a null-pack row; None where only the metric can tell."""
    if row["status"] != "ok":
        return "timeout" if row["status"] == "timeout" else "error"
    if not row["artifact"]:
        return "answered" if row.get("files_touched") else "refused" if row["abstained"] else "failed"
    if task["expected_class"] == "must_refuse" or not task.get("oracle"):
        return "answered"
    return {True: "passed", False: "failed"}.get(passed)

def pack_of(exam, files, part):  # the rows of a pack by id, empty where it is withheld
    path = plain(exam[f"{part}.path"])
    found = [files[path]] if path in files else [d for p, d in below(files, path).items() if p.endswith(".json")]
    rows = [row for data in found for row in (from_jsonl(data) if path in files else [from_json(data)])]
    return {row["id"]: row for row in rows}
def passes(exam, files, part, task, row):
    """Score an answer where the sealed metric is one that is known here, else return None."""
    if exam["metric.sha256"] not in EXACT_BYTES or not row["artifact"] or not task.get("oracle"):
        return None
    default = "path" if exam["dataset.path"].endswith(".jsonl") else "inline"
    inline = (exam.get(f"{part}.oracle") or exam.get("dataset.oracle") or default) == "inline"
    oracle = task["oracle"].encode("utf-8", "surrogatepass") if inline else files[plain(task["oracle"])]
    return row["artifact"].encode("utf-8", "surrogatepass") == oracle

def outcome_faults(exam, files, report, manifest, transcripts):
    """Yield every way in which the report's rows are not what tasks and transcripts give."""
    for part, stated in (("dataset", report["tasks"]), ("null_pack", report["null_pack_rows"])):
        tasks, claims = pack_of(exam, files, part), {claim["id"]: claim for claim in stated}
        own = [row for row in transcripts if row["pack"] == part]
        rows = {row["task_id"]: row for row in own}
        once = len(claims) == len(stated) and len(rows) == len(own) and set(claims) == set(tasks or claims)
        if not once or (transcripts and set(rows) != set(claims)):
            yield f"the {part} has not one row and one transcript for each task"
        for name, claim in claims.items():
            task, row, said = tasks.get(name, claim), rows.get(name), claim.get("outcome", claim.get("observed"))
            kind, known = task.get("kind", "ordinary"), said
            verdict = row and task is not claim and passes(exam, files, part, task, row)
            if part == "null_pack":
                known, kind = observed(task, row, verdict) if row else said, task["expected_class"]
                if claim["expected_class"] != kind or said not in SATISFIES[kind]:
                    yield f"null-pack row {name} did not do what its class asks"
            elif row:
                known = outcome(kind, row, exam, manifest, verdict)
                salted = (row.get("extra") or {}).get("salt", "") + (row["artifact"] or "")
                answer = row["artifact"] and sha256(salted.encode("utf-8", "surrogatepass"))
                given = [kind, answer or None, *(row[name] for name in COVARIATES)]
                if given != [claim["kind"], claim.get("artifact_sha256"), *(claim[name] for name in COVARIATES)]:
                    yield f"{name}: kind, answer or covariates are not those of its task and transcript"
            if said != known and (known or said not in ("success", "miss", "passed", "failed")):
                yield f"{name}: the transcript gives {known}, the report says {said}"

def check_run(run_id, exam, files, run, start, end, listed):
    """Check one published run against its protocol and its ledger; return its figures."""
    report, manifest, solver = from_json(run["report.json"]), from_yaml(run["manifest.yaml"]), below(run, "solver")
    own, digests = {p: sha256(d) for p, d in run.items()}, {"verdicts": False, **report["digests"]}
    full = exam.get("publish.evidence", "full") == "full" and "evidence.yaml" not in run
    shown = solver or (full and manifest.get("publish_solver", True))
    both = end.keys() & start.keys() - {"event", "parents", "time"} if "start_sha256" not in end else ()
    pairs = {
        "report": {own["report.json"], listed, end.get("report_sha256")},
        "protocol": {sha256(files["protocol.sealed.yaml"]), report["protocol_sha256"], end["protocol_sha256"]},
        "exam at the start": {start["protocol_sha256"], report.get("rescored_from", report)["protocol_sha256"]},
        "manifest": {own["manifest.yaml"], digests["manifest"], start["manifest_sha256"]},
        "solver": {digests["solver"], start["solver_sha256"], *([sha256(sums(solver))] if shown else [])},
        "channel": {"scored", report["channel"], start["channel"], manifest["channel"]},
        "route": {report["route"], manifest["route"], start.get("route", report["route"])},
        **{part: {digests[part], exam[f"{part}.sha256"]} for part in ("dataset", "metric", "null_pack")},
        **{p: {(d := digests[p]), own.get(f"{p}.jsonl", not full and d), end.get(f"{p}_sha256", d)} for p in LINES},
        **{f"{name} at the end": {end[name], start[name]} for name in both},
    }
    bad = [f"{name}: {' and '.join(sorted(map(str, of)))} differ" for name, of in pairs.items() if len(of) > 1]
    banned = exam.get("publish.forbidden_fields", ["single_percentage_only"])
    bad += [f"the report has the field {name}" for name in banned if json.dumps(name) + ":" in json.dumps(report)]
    rows, names = from_jsonl(run.get("transcripts.jsonl", b"")), manifest.get("served_as") or [manifest["route"]]
    bad += [f"answered by {r}" for r in {r["route"] for r in rows if r["route"] or r["status"] == "ok"} - {*names}]
    step(f"{run_id} evidence", bad, f"{len(run)} files; manifest, solver and report are those that the ledger names")
    how = "scored again" if rows and exam["metric.sha256"] in EXACT_BYTES else "as stated"
    step(f"{run_id} outcomes", outcome_faults(exam, files, report, manifest, rows), f"{len(rows)} answers {how}")
    _, figures, how = figures_of(report, exam)
    step(f"{run_id} numbers", number_faults(report, exam), f"as the rows give; {report['ci_method']} intervals {how}")
    return figures

def ledger_faults(events, heads):
    """Yield every way in which events (by digest) are not one whole record in order."""
    parents = {parent for event in events.values() for parent in event["parents"]}
    yield from (f"event {parent} is gone, though a later one names it" for parent in sorted(parents - set(events)))
    if sorted(set(events) - parents) != heads:
        yield "its heads are not those of site.json"
    many = Counter((e["event"], e.get("run_id")) for e in events.values() if e["event"] in ("start", "end"))
    yield from (f"{times} events {kind} of {run_id}" for (kind, run_id), times in many.items() if times > 1)
    for name, event in events.items():
        before, waiting = set(), [name]
        while waiting:
            new = set(events.get(waiting.pop(), {"parents": ()})["parents"]) - before
            before, waiting = before | new, waiting + list(new)
        earlier = [events[parent] for parent in before if parent in events]
        begins = event["event"] == "start" or "start_sha256" in event  # a run that was scored again began elsewhere
        kind, key = ("seal", "protocol_sha256") if begins else ("start" * (event["event"] == "end"), "run_id")
        found = not kind or any(e["event"] == kind and e[key] == event[key] for e in earlier)
        if not found or any(e["time"] > event["time"] for e in earlier):
            yield f"event {name} has no {kind} before it, or is older than what it follows"

def seal_faults(exam, files, identities):
    """Yield every way in which the published files are not those that were sealed."""
    if {sha256(files["protocol.sealed.yaml"])} != identities:
        yield "the sealed document is not the one that the ledger's seal names"
    given = sums({p: d for p, d in files.items() if p.split("/")[0] not in UNSEALED | {"notes.md", "revealed.yaml"}})
    shown = exam.get("publish.evidence", "full") == "full" or "protocol.sums" in files
    if shown and (given != files["protocol.sums"] or sha256(given) != exam["seal.sums_sha256"]):
        yield "the files are not exactly those that were sealed"
    for name, key in (("dataset", "path"), ("metric", "module"), ("null_pack", "path")):
        data = files.get(plain(exam[f"{name}.{key}"])) or sums(below(files, plain(exam[f"{name}.{key}"])))
        if data and sha256(data) != exam[f"{name}.sha256"]:
            yield f"the {name} is not the sealed one"

def check_protocol(site, pid, files, ledgers):
    """Check everything that is published of one protocol; return the figures of its runs."""
    listed, figures = site["reports"].get(pid, {}), {}
    runs = {run_id: below(files, run_id) for run_id in sorted(listed)}
    own = {path: data for path, data in files.items() if path.split("/")[0] not in runs}
    beside = [sorted(part)[:3] for part in (own, *runs.values()) if part.pop("SHA256SUMS", None) != sums(part)]
    step(f"{pid} sums", [f"SHA256SUMS is not the list of {part} …" for part in beside], "each is its folder's list")
    events = {name[:-5]: from_json(data) for name, data in below(own, "ledger").items()}
    others = {(e["event"], e.get("run_id")): e for e in events.values()}
    bad = [f"{n} is no digest of canonical bytes" for n, e in events.items() if sha256(canonical(e)) != n]
    bad += [f"no withdrawal {n}" for n in site["withdrawn"].get(pid, {}).values() if events[n]["event"] != "withdraw"]
    bad += [f"{run_id} was withdrawn" for run_id in (*runs, None) if runs and ("withdraw", run_id) in others]
    step(f"{pid} ledger", [*bad, *ledger_faults(events, site["heads"].get(pid))], f"{len(events)} events in order")
    if pid in site["protocols"]:
        exam = from_yaml(own["protocol.sealed.yaml"])
        seals = {e["protocol_sha256"] for e in events.values() if e["event"] == "seal"}
        step(f"{pid} seal", seal_faults(exam, own, seals | {site["protocols"][pid]}), "the files are as sealed")
    for run_id, run in runs.items():
        report, end = from_json(run["report.json"]), others["end", run_id]
        origin, began = report.get("rescored_from", report), report["start_sha256"]
        start = from_json(ledgers[f"evidence/{origin['protocol_id']}/ledger/{began}.json"])
        found = [start["event"], start["run_id"], end.get("start_sha256", began), exam["protocol_id"]]
        if [*found, report["protocol_id"], report["run_id"]] != ["start", origin["run_id"], began, pid, pid, run_id]:
            step(run_id, ["the report, or its start, is of another run"])
        figures[run_id] = {pid: check_run(run_id, exam, own, run, start, end, listed[run_id])}
    print(f"note  {pid}: started, without figures here: {sorted({r for k, r in others if k == 'start'} - set(runs))}")
    return figures

class Page(HTMLParser):
    """Collects each element with data-k: the run that it stands under, its classes, its four numbers, its text."""
    def __init__(self, text):
        super().__init__()
        self.open, self.cells = [("", None, [])], []
        self.feed(text)
    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        run, words = given.get("data-run", self.open[-1][1]), self.open[-1][2]
        if "data-k" in given:
            words = []
            numbers = [given[f"data-{name}"] for name in ("k", "n", "low", "high")]
            self.cells.append((run, given["class"].split(), numbers, words))
        if tag not in ("area", "br", "col", "hr", "img", "input", "link", "meta", "wbr"):
            self.open.append((tag, run, words))
    def handle_endtag(self, tag):
        while len(self.open) > 1 and self.open.pop()[0] != tag:
            pass
    def handle_data(self, data):
        self.open[-1][2].append(data)

def page_faults(path, text, figures):
    """Yield every figure of a run on one page that the evidence does not give, and each scorecard that is not whole."""
    folders = path.split("/")
    pid = folders[1] if folders[0] == "protocols" else None
    seen = {folders[2]: set()} if len(folders) == 4 and pid in figures.get(folders[2], ()) else {}
    for run, classes, numbers, words in Page(text).cells:
        cell = next((rate[0] for rate in RATES if rate[0] in classes), "")
        seen.setdefault(run, set()).add(cell)
        known = [given[cell] for of, given in figures.get(run, {}).items() if cell in given and pid in (of, None)]
        beside = set(re.findall(r"[<>]?\d\.\d{3}|\d+/\d+", " ".join(words)))
        if ([float(number) for number in numbers], beside) not in [shown(*given) for given in known]:
            yield f"{path}: {numbers} with {sorted(beside)} is not the rate '{cell}' of {run}"
    yield from (f"{path}: the scorecard of {run} is not whole" for run in seen if len(seen[run]) < len(RATES))

def shown(k, n, _, low, high):  # what a page must show of a rate: in its attributes, and as text to three decimals
    steps = round(Fraction(1000 * k, n))
    rate = "<0.001" if steps == 0 < k else ">0.999" if steps == 1000 and k < n else f"{steps / 1000:.3f}"
    return [k, n, low, high], {rate, f"{k}/{n}", *(f"{end:.3f}" for end in outward((low, high), 3))}

def check_site(names, read):
    """Read every listed file once, check it, and print what holds."""
    text = read("site.json", 1 << 30)
    site = from_json(text)
    listed = {entry["path"]: entry for entry in site["files"]}
    bad = [f"unsafe path {p}" for p in listed if set(p.split("/")) & {"", ".", ".."} or re.search(r"[\x00-\x1f\\:]", p)]
    if canonical(site) != text or [entry["path"] for entry in site["files"]] != sorted(listed, key=str.encode):
        bad.append("it is not in canonical form")
    differs = [] if names is None else sorted(names ^ {*listed, "site.json", "SHA256SUMS"})
    bad += [f"{path} is missing or not listed" for path in differs]
    step("site.json", bad, f"{len(listed)} files listed" + ("" if names else "; added files cannot be seen from here"))
    figures, wrong, faults, groups = {}, [], [], {}
    def take(path):
        data = read(path, listed[path]["size"] + 1)
        if (len(data), sha256(data)) != (listed[path]["size"], listed[path]["sha256"]):
            wrong.append(f"{path} is not {listed[path]['sha256']} but {sha256(data)}")
        return data
    for path in listed:
        groups.setdefault(path.split("/")[1] if path.startswith("evidence/") else "", []).append(path)
    ledgers = {path: take(path) for path in listed if re.fullmatch("evidence/[^/]+/ledger/[^/]+", path)}
    for pid in sorted({*groups, *site["protocols"], *site["reports"], *site["heads"]} - {""}):
        try:
            files = {path.split("/", 2)[2]: ledgers.get(path) or take(path) for path in groups.get(pid, ())}
            for run_id, given in check_protocol(site, pid, files, ledgers).items():
                figures.setdefault(run_id, {}).update(given)
        except Exception as error:  # noqa: BLE001 (whatever a file holds, the step fails)
            step(pid, [f"it cannot be followed: {type(error).__name__} {error}"])
    for path in groups.get("", ()):
        try:
            data = take(path)
            faults += page_faults(path, data.decode("utf-8"), figures) if path.endswith(".html") else []
        except Exception as error:  # noqa: BLE001
            wrong.append(f"{path} cannot be read: {type(error).__name__} {error}")
    step("pages", faults, "every scorecard says what its evidence gives")
    step("digests", wrong, f"{len(listed)} files have the listed size and digest")
    lines = sums({**{path: entry["sha256"] for path, entry in listed.items()}, "site.json": text})
    step("SHA256SUMS", ["not these files' list"] * (read("SHA256SUMS", len(lines) + 1) != lines), "these files' list")

if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    try:
        check_site(*open_site(sys.argv[1]))
    except Exception as error:  # noqa: BLE001
        step("site", [f"it cannot be read: {type(error).__name__} {error}"])
    sys.exit(print(f"{len(FAILED)} FAIL" if FAILED else "all steps hold") or bool(FAILED))
