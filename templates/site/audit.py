#!/usr/bin/env python3
"""Check a published site of agent benchmark figures with nothing but a stock Python, 3.9 or newer.

    python -I audit.py DIR_OR_URL

Hashes every file again, follows the ledgers, recounts the outcomes from the transcripts, computes rates and intervals
again, and compares them with the reports and with every figure on the pages. It shares no code with the program that
made the site. Each step is printed; the exit status is 0 when all hold and 1 when one does not. What holds then: these
figures follow from these files. What no check of files can show: that the agent itself made the answers.
"""

import hashlib, json, math, os, re, stat, sys, urllib.parse, urllib.request  # noqa: E401 (one screen less to read)
from bisect import bisect_left
from collections import Counter
from fractions import Fraction
from html.parser import HTMLParser

# The metric whose rule is one line (the answer's bytes are the oracle's, and not none), so that it is applied here.
EXACT_BYTES = {"795ad5a88364b039fd6e9e4345267993e9840008365faae91607d95433ee3ebb"}
ORDINARY = ("success", "miss", "false_abstain", "over_budget", "error", "timeout")
NEGATIVE = ("abstain_ok", "invalid_completion", "no_answer", "error", "timeout")
RATES = (  # name in the report, its interval, its slice, the outcome that it counts
    ("mean", "ci95", "ordinary", "success"),
    ("false_abstention_rate", "false_abstention_ci95", "ordinary", "false_abstain"),
    ("abstention_accuracy", "abstention_ci95", "negative", "abstain_ok"),
    ("invalid_completion_rate", "invalid_completion_ci95", "negative", "invalid_completion"),
)
SATISFIES = {"must_pass": ["passed"], "must_fail": ["failed", "refused"], "must_refuse": ["refused"]}
COVARIATES = ("retries", "tool_calls", "wall_clock_sec")
UNSEALED = ("protocol.sealed.yaml", "protocol.sums", "dataset.sums", "null_pack.sums", "notes.md")
FAILED = []

def step(name, problems, done=""):
    """Print one step: what was done, or every problem."""
    problems = [f"FAIL  {name}: {ascii(problem)[1:-1][:400]}" for problem in problems]
    print("\n".join(problems) or f"ok    {name}: {done}")
    FAILED.extend(problems)

def sha256(data):
    return hashlib.sha256(data).hexdigest()

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

def unique(pairs):
    if len(dict(pairs)) != len(pairs):
        raise ValueError("a key stands twice")
    return dict(pairs)

def from_json(data):
    return json.loads(data.decode("utf-8"), object_pairs_hook=unique)

def from_jsonl(data):
    return [from_json(line) for line in data[:-1].split(b"\n")] if data else []

def canonical(value):
    """RFC 8785 and a line feed, for objects of text and whole numbers."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode() + b"\n"

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
    r"""(?P<json>"(?:\\.|[^"\\])*"|[\[\]{},]|:(?=\s)
       |(?:null|true|false|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?)(?=\s*(?:[,\]}]|\s\#|$)))
    |(?P<comment>\s\#.*)|'(?P<single>(?:''|[^'])*)'
    |(?P<plain>[^\s\[\]{},"'\#:&*!|>%@`](?:[^\[\]{},:\#]|:(?!\s)|(?<!\s)\#)*)|(?P<other>\S)""",
    re.VERBOSE,
)

def yaml_value(text):
    """Return a value that stands on one line, by turning it into JSON; other forms of YAML are not read."""
    if text[0] not in "[{\"'&*!|>%@`" and not YAML.match(text)["json"]:
        return re.split(r"\s#", text)[0].strip()
    made = ""
    for word in YAML.finditer(text):
        given = word["plain"].strip() if word["plain"] else (word["single"] or "").replace("''", "'")
        made += word["json"] or word["other"] or ("" if word["comment"] else json.dumps(given))
    return json.loads(made, object_pairs_hook=unique)

def sums(files):
    """Return the lines that sha256sum prints for files (bytes by path), sorted by the paths' bytes."""
    return b"".join(b"%s  %s\n" % (sha256(files[p]).encode(), p.encode()) for p in sorted(files, key=str.encode))

def below(files, folder):
    return {path[len(folder) + 1 :]: data for path, data in files.items() if path.startswith(folder + "/")}

def plain(path):
    return (path[2:] if path.startswith("./") else path).rstrip("/")

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

def outward(ends, digits):
    """Round an interval outward; an end that lies on the grid but for floating point stays there."""
    near = [abs(end * 10**digits - round(end * 10**digits)) <= 1e-9 * max(1.0, end * 10**digits) for end in ends]
    ways = [round if on_grid else away for on_grid, away in zip(near, (math.floor, math.ceil))]
    return [way(end * 10**digits) / 10**digits for way, end in zip(ways, ends)]

def covariates(rows):
    """Retries, tool calls and seconds over all tasks; what was not recorded counts nowhere."""
    made = {name: {"timeouts": sum(row["outcome"] == "timeout" for row in rows)} for name in COVARIATES}
    for name in COVARIATES:
        got = sorted(row[name] for row in rows if row[name] is not None)
        for part, q in (("median", "0.5"), ("q1", "0.25"), ("q3", "0.75"), ("max", "1"), ("p95", "0.95")):
            low, high = math.ceil(Fraction(q) * len(got)) - 1, min(len(got) - 1, math.floor(Fraction(q) * len(got)))
            made[name][part] = round((got[low] + got[high]) / 2, 4) if got else None
        made[name].update(recorded=len(got), total=round(math.fsum(got), 4) if got else None)
        made[name]["table"] = {str(count): times for count, times in Counter(got).items()}
    return made

def figures_of(report, exam):
    """Count the report's rows: the buckets, and each rate as (k, n, rate, low, high), rounded as reports state them."""
    method = {"wilson": wilson, "bootstrap": bootstrap}.get("" if "dataset.cluster" in exam else report["ci_method"])
    buckets = {"ordinary": dict.fromkeys(ORDINARY, 0), "negative": dict.fromkeys(NEGATIVE, 0)}
    for row in report["tasks"]:
        buckets[row["kind"]][row["outcome"]] += 1
    made = {}
    for rate, ci, kind, name in RATES:
        k, n = buckets[kind][name], sum(buckets[kind].values())
        made[rate] = (k, n, float(round(Fraction(k, n), 4)), *(outward(method(k, n), 4) if method else report[ci]))
    return buckets, made, "computed again" if method else "as stated, by a method that is not known here"

def number_faults(report, exam):
    """Return every stated number that is not the one that the rows give."""
    buckets, figures, _ = figures_of(report, exam)
    sizes = {"n": figures["mean"][1], "n_negative": figures["abstention_accuracy"][1]}
    wanted = {"ci_method": exam.get("publish.ci_method", "wilson"), "null_pack": "pass", "counts": buckets, **sizes}
    for rate, ci, _, _ in RATES:
        wanted.update({rate: figures[rate][2], ci: list(figures[rate][3:])})
    for name, parts in covariates(report["tasks"]).items():
        stated = report["covariates"][name]
        wanted.update({f"{name} {part}": parts[part] for part in stated})
        report = {**report, **{f"{name} {part}": value for part, value in stated.items()}}
    bad = [f"{name} is under its sealed floor" for name in sizes if sizes[name] < exam.get(f"publish.min_{name}", 10)]
    return bad + [f"{name} is {report[name]}, the rows give {v}" for name, v in wanted.items() if report[name] != v]

def outcome(kind, row, exam, manifest, passed):
    """The outcome of one task, in the order of precedence; None where only the metric can tell."""
    broken = {"ok": "", "timeout": "timeout"}.get(row["status"], "error")
    touched, most = row.get("files_touched") or 0, exam.get("budget.max_files_touched")
    if kind == "negative":
        alone = broken or ("abstain_ok" if row["abstained"] else "no_answer")
        return "invalid_completion" if row["artifact"] or touched else alone
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

def pack_of(exam, files, part):
    """Return the rows of a pack by id, empty where it is withheld."""
    path = plain(exam[f"{part}.path"])
    found = [files[path]] if path in files else [d for p, d in below(files, path).items() if p.endswith(".json")]
    rows = [row for data in found for row in (from_jsonl(data) if path in files else [from_json(data)])]
    return {row["id"]: row for row in rows}

def passes(exam, files, part, task, row):
    """Score an answer where the sealed metric is one that is known here, else return None."""
    if exam["metric.sha256"] not in EXACT_BYTES or not row["artifact"] or not task.get("oracle"):
        return None
    form = exam.get(f"{part}.oracle") or exam.get("dataset.oracle")
    inline = form == "inline" or (not form and not exam["dataset.path"].endswith(".jsonl"))
    oracle = task["oracle"].encode("utf-8", "surrogatepass") if inline else files[plain(task["oracle"])]
    return row["artifact"].encode("utf-8", "surrogatepass") == oracle

def outcome_faults(exam, files, report, manifest, transcripts):
    """Yield every way in which the report's rows are not what tasks and transcripts give."""
    for part, stated in (("dataset", report["tasks"]), ("null_pack", report["null_pack_rows"])):
        tasks, claims = pack_of(exam, files, part), {claim["id"]: claim for claim in stated}
        own = [row for row in transcripts if row["pack"] == part]
        rows = {row["task_id"]: row for row in own}
        if len(claims) < len(stated) or len(rows) < len(own) or set(claims) != set(tasks or claims):
            yield f"the {part} has not one row for each task"
        if transcripts and set(rows) != set(claims):
            yield f"the {part} has not one transcript for each row"
        for name, claim in claims.items():
            task, row = tasks.get(name, claim), rows.get(name)
            kind, said = task.get("kind", "ordinary"), claim.get("outcome", claim.get("observed"))
            known, verdict = said, row and task is not claim and passes(exam, files, part, task, row)
            if part == "null_pack":
                known, kind = observed(task, row, verdict) if row else said, task["expected_class"]
                if claim["expected_class"] != kind or said not in SATISFIES[kind]:
                    yield f"null-pack row {name} did not do what its class asks"
            elif row:
                known = outcome(kind, row, exam, manifest, verdict)
                answer = row["artifact"] and sha256(row["artifact"].encode("utf-8", "surrogatepass"))
                given = [kind, answer or None, *(row[name] for name in COVARIATES)]
                if given != [claim["kind"], claim.get("artifact_sha256"), *(claim[name] for name in COVARIATES)]:
                    yield f"{name}: kind, answer or covariates are not those of its task and transcript"
            if said != known and (known or said not in ("success", "miss", "passed", "failed")):
                yield f"{name}: the transcript gives {known}, the report says {said}"

def check_run(run_id, exam, files, run, start, end, listed):
    """Check one published run against its protocol and its ledger; return its figures by (k, n)."""
    report, manifest = from_json(run["report.json"]), from_yaml(run["manifest.yaml"])
    own, digests, solver = {p: sha256(d) for p, d in run.items()}, report["digests"], below(run, "solver")
    pairs = {
        "report": {own["report.json"], listed, end.get("report_sha256")},
        "protocol": {sha256(files["protocol.sealed.yaml"]), report["protocol_sha256"], start["protocol_sha256"]},
        "manifest": {own["manifest.yaml"], digests["manifest"], start["manifest_sha256"]},
        "solver": {digests["solver"], start["solver_sha256"], *([sha256(sums(solver))] if solver else [])},
        "channel": {"scored", report["channel"], start["channel"], manifest["channel"]},
        "route": {report["route"], manifest["route"]},
        **{part: {digests[part], exam[f"{part}.sha256"]} for part in ("dataset", "metric", "null_pack")},
        **{p: {own.get(f"{p}.jsonl", digests.get(p)), digests.get(p)} for p in ("transcripts", "verdicts")},
    }
    bad = [f"{name}: {' and '.join(sorted(map(str, of)))} differ" for name, of in pairs.items() if len(of) > 1]
    withheld = exam.get("publish.evidence", "full") != "full" or "evidence.yaml" in run
    rows = from_jsonl(run.get("transcripts.jsonl", b"" if withheld else b"they are gone"))
    names = [None, *(manifest.get("served_as") or [manifest["route"]])]
    bad += [f"{row['task_id']} was answered by {row['route']}" for row in rows if row["route"] not in names]
    step(f"{run_id} evidence", bad, f"{len(run)} files; manifest, solver and report are those that the ledger names")
    done = f"{len(rows)} transcripts give them" if rows else "as stated; the transcripts are withheld"
    done += "; answers scored again" if rows and exam["metric.sha256"] in EXACT_BYTES else "; success or miss as stated"
    step(f"{run_id} outcomes", outcome_faults(exam, files, report, manifest, rows), done)
    _, figures, how = figures_of(report, exam)
    done = f"counts, rates, covariates follow from the rows; {report['ci_method']} intervals {how}"
    step(f"{run_id} numbers", number_faults(report, exam), done)
    return {(k, n): ends for k, n, _, *ends in figures.values()}

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
        kind, key = {"start": ("seal", "protocol_sha256"), "end": ("start", "run_id")}.get(event["event"], ("", ""))
        if kind and not any(e["event"] == kind and e[key] == event[key] for e in earlier):
            yield f"{event['event']} of {event['run_id']} without a {kind} before it"
        if any(e["time"] > event["time"] for e in earlier):
            yield f"event {name} is older than one before it"

def seal_faults(exam, files, identities):
    """Yield every way in which the published files are not those that were sealed."""
    if {sha256(files["protocol.sealed.yaml"])} != identities:
        yield "the sealed document is not the one that the ledger's seal names"
    given = {path: data for path, data in files.items() if path not in UNSEALED}
    if exam.get("publish.evidence", "full") == "full" and sums(given) != files["protocol.sums"]:
        yield "the files are not exactly those of the sealed list"
    if "protocol.sums" in files and sha256(files["protocol.sums"]) != exam["seal.sums_sha256"]:
        yield "protocol.sums is not the sealed list"
    for name, key in (("dataset", "path"), ("metric", "module"), ("null_pack", "path")):
        data = files.get(plain(exam[f"{name}.{key}"])) or sums(below(files, plain(exam[f"{name}.{key}"])))
        if data and sha256(data) != exam[f"{name}.sha256"]:
            yield f"the {name} is not the sealed one"

def check_protocol(site, pid, files):
    """Check everything that is published of one protocol; return the figures of its runs."""
    listed, figures = site["reports"].get(pid, {}), {}
    runs = {run_id: below(files, run_id) for run_id in sorted(listed)}
    own = {path: data for path, data in files.items() if path.split("/")[0] not in runs}
    beside = [sorted(part)[:3] for part in (own, *runs.values()) if part.pop("SHA256SUMS", None) != sums(part)]
    step(f"{pid} sums", [f"SHA256SUMS is not the list of {part} …" for part in beside], "each is its folder's list")
    events = {name[:-5]: from_json(data) for name, data in below(own, "ledger").items()}
    bad = [f"{name} is not a canonical event's digest" for name, e in events.items() if sha256(canonical(e)) != name]
    bad += [f"no withdrawal {n}" for n in site["withdrawn"].get(pid, {}).values() if events[n]["event"] != "withdraw"]
    step(f"{pid} ledger", [*bad, *ledger_faults(events, site["heads"].get(pid))], f"{len(events)} events, whole, in order")
    starts = {e["run_id"]: name for name, e in events.items() if e["event"] == "start"}
    others = {(e["event"], e.get("run_id")): e for e in events.values()}
    if pid in site["protocols"]:
        exam, own = from_yaml(own["protocol.sealed.yaml"]), {p: d for p, d in own.items() if p[:7] != "ledger/"}
        seals = {e["protocol_sha256"] for e in events.values() if e["event"] == "seal"}
        step(f"{pid} seal", seal_faults(exam, own, seals | {site["protocols"][pid]}), f"{len(own)} files as sealed")
    for run_id, run in runs.items():
        report, end = from_json(run["report.json"]), others["end", run_id]
        named = (starts[run_id], pid, run_id) == (report["start_sha256"], report["protocol_id"], report["run_id"])
        step(run_id, [] if named and ("withdraw", run_id) not in others else ["not this run, or withdrawn"], "its own report")
        figures[run_id] = check_run(run_id, exam, own, run, events[starts[run_id]], end, listed[run_id])
    unshown = sorted(set(starts) - set(runs))
    print(f"note  {pid}: {len(unshown)} runs that were started have no figures here {' '.join(unshown)}")
    return figures

class Page(HTMLParser):
    """Collects each element with data-k: the run that it stands under, its four numbers, its text."""

    def __init__(self, text):
        super().__init__()
        self.open, self.cells = [("", None, [])], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        run, words = given.get("data-run", self.open[-1][1]), self.open[-1][2]
        if "data-k" in given:
            words = []
            self.cells.append((run, [given.get(f"data-{name}") for name in ("k", "n", "low", "high")], words))
        if tag not in ("area", "br", "col", "hr", "img", "input", "link", "meta", "wbr"):
            self.open.append((tag, run, words))

    def handle_endtag(self, tag):
        while len(self.open) > 1 and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data):
        self.open[-1][2].append(data)

def page_faults(path, text, figures):
    """Yield every figure of a run on one page that the evidence does not give."""
    cells = Page(text).cells
    for run, (k, n, *stated), words in cells:
        ends = figures.get(run, {}).get((int(k), int(n)))
        if ends is None or ends != [float(end) for end in stated]:
            yield f"{path}: {k} of {n} {stated} is not a figure of {run}"
            continue
        steps = round(Fraction(1000 * int(k), int(n)))
        rate = "<0.001" if steps == 0 < int(k) else ">0.999" if steps == 1000 and k != n else f"{steps / 1000:.3f}"
        allowed = {k, n, rate, "95", *(f"{end:.3f}" for end in outward(ends, 3))}
        for number in set(re.findall(r"[<>]?\d+(?:\.\d+)?", " ".join(words))) - allowed:
            yield f"{path}: {number} stands beside {k} of {n} of {run}"
    run = path.split("/")[2] if re.fullmatch("protocols/[^/]+/[^/]+/index.html", path) else ""
    if not set(figures.get(run, ())) <= {(int(k), int(n)) for of, (k, n, *_), _ in cells if of == run}:
        yield f"{path}: the scorecard is not whole"

def check_site(names, read):
    """Read every listed file once, check it, and print what holds."""
    text = read("site.json", 1 << 30)
    site = from_json(text)
    listed = {entry["path"]: entry for entry in site["files"]}
    bad = [f"unsafe path {p}" for p in listed if set(p.split("/")) & {"", ".", ".."} or re.search(r"[\x00-\x1f\\:]", p)]
    if canonical(site) != text or [entry["path"] for entry in site["files"]] != sorted(listed, key=str.encode):
        bad.append("it is not in canonical form")
    given = {*listed, "site.json", "SHA256SUMS"}
    bad += [f"{path} is missing or not listed" for path in sorted((given if names is None else names) ^ given)]
    step("site.json", bad, f"{len(listed)} files listed" + ("" if names else "; what is not listed cannot be seen here"))
    figures, wrong, faults, groups = {}, [], [], {}
    def take(path):
        data = read(path, listed[path]["size"] + 1)
        if (len(data), sha256(data)) != (listed[path]["size"], listed[path]["sha256"]):
            wrong.append(f"{path} is not {listed[path]['sha256']} but {sha256(data)}")
        return data
    for path in listed:
        groups.setdefault(path.split("/")[1] if path.startswith("evidence/") else "", []).append(path)
    for pid in sorted({*groups, *site["protocols"], *site["reports"], *site["heads"]} - {""}):
        try:
            figures.update(check_protocol(site, pid, {p.split("/", 2)[2]: take(p) for p in groups.get(pid, ())}))
        except Exception as error:  # noqa: BLE001 (whatever a file holds, the step fails)
            step(pid, [f"it cannot be followed: {type(error).__name__} {error}"])
    for path in groups.get("", ()):
        try:
            data = take(path)
            faults += page_faults(path, data.decode("utf-8"), figures) if path.endswith(".html") else []
        except Exception as error:  # noqa: BLE001
            wrong.append(f"{path} cannot be read: {type(error).__name__} {error}")
    step("pages", faults, "every figure of a run is the one that its evidence gives")
    step("digests", wrong, f"{len(listed)} files have the listed size and digest")
    lines = {**{path: entry["sha256"] for path, entry in listed.items()}, "site.json": sha256(text)}
    lines = "".join(f"{lines[path]}  {path}\n" for path in sorted(lines, key=str.encode)).encode()
    same = read("SHA256SUMS", len(lines) + 1) == lines
    step("SHA256SUMS", [] if same else ["it is not the list of these files"], "it is the list of these files")

if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    try:
        check_site(*open_site(sys.argv[1]))
    except Exception as error:  # noqa: BLE001
        step("site", [f"it cannot be read: {type(error).__name__} {error}"])
    print(f"{len(FAILED)} FAIL" if FAILED else "all steps hold")
    sys.exit(bool(FAILED))
