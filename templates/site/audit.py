#!/usr/bin/env python3
"""Check a published site of agent benchmark figures with nothing but a stock Python, 3.9 or newer.

    python -I audit.py DIR_OR_URL

Hashes every file, follows the ledgers, recounts outcomes, computes rates and intervals again. Reports must state these,
and pages, badges, feed and data/ no other in these forms: rates with k/n and interval (of the run whose page it is or
whose digest is beside; a scorecard has all four), other k/n and numbers of three decimals, n, null pack, median, Q1–Q3,
p95, max, total, timed out, counts of outcomes, b : c and difference of pairs. As stated: intervals and p of pairs,
repeated runs put together, pairs of such and on common tasks, ties, numbers of runs, files, bytes and single tasks,
drawings, notes, refusals, covariates in data/, other exports. It shares no code with what made the site. Exit status 0
says that all steps hold: these figures follow from these files. Not shown is who made the answers.
"""
import bisect, hashlib, html, itertools, json, math, os, re, stat, sys, urllib.parse, urllib.request  # noqa: E401, I001
from collections import Counter
from fractions import Fraction
# The metric whose rule is one line (the answer's bytes are the oracle's, and not none), so that it is applied here.
EXACT_BYTES = {"795ad5a88364b039fd6e9e4345267993e9840008365faae91607d95433ee3ebb"}
ORDINARY = ("success", "miss", "false_abstain", "over_budget", "error", "timeout")
NEGATIVE = ("abstain_ok", "invalid_completion", "no_answer", "error", "timeout")
RATES = (  # class of its cell on a page, name in the report, its interval, its slice, the outcome counted, heading
    ("success", "mean", "ci95", "ordinary", "success", "task success"),
    ("abstention", "abstention_accuracy", "abstention_ci95", "negative", "abstain_ok", "abstention accuracy"),
    ("invalid", "invalid_completion_rate", "invalid_completion_ci95", "negative", NEGATIVE[1], "invalid completion"),
    ("false", "false_abstention_rate", "false_abstention_ci95", "ordinary", "false_abstain", "false abstention"))
SATISFIES = {"must_pass": ["passed"], "must_fail": ["failed", "refused"], "must_refuse": ["refused"]}
COVARIATES, LINES, FAILED = ("retries", "tool_calls", "wall_clock_sec"), ("transcripts", "verdicts"), []
UNSEALED = {"ledger", "signatures", "protocol.sealed.yaml", "protocol.sums", "dataset.sums", "null_pack.sums"}

def step(name, problems, done=""):
    problems = [f"FAIL  {name}: {ascii(problem)[1:-1][:400]}" for problem in problems]
    print("\n".join(problems) or f"ok    {name}: {done}")
    FAILED.extend(problems)
def open_site(place):  # the paths of all files (None at an address, which lists none), and a function that reads one
    if re.match("https?://", place):
        local = urllib.parse.urlsplit(place).hostname in ("localhost", "127.0.0.1", "::1")
        opener = urllib.request.build_opener(*([urllib.request.ProxyHandler({})] * local))
        return None, lambda path, limit: opener.open(f"{place}/{urllib.parse.quote(path)}", timeout=60).read(limit)
    def read(path, limit):
        if not stat.S_ISREG(os.lstat(os.path.join(place, path)).st_mode):
            raise OSError(f"{path} is not a plain file")
        with open(os.path.join(place, path), "rb") as file:
            return file.read(limit)
    found = [os.path.join(folder, name) for folder, folders, files in os.walk(place) for name in folders + files]
    found = [path for path in found if os.path.islink(path) or not os.path.isdir(path)]
    return {os.path.relpath(path, place).replace(os.sep, "/") for path in found}, read
def sha256(data): return hashlib.sha256(data).hexdigest()
def plain(path): return (path[2:] if path.startswith("./") else path).rstrip("/")
def below(files, folder): return {p[len(folder) + 1 :]: data for p, data in files.items() if p.startswith(folder + "/")}
def from_json(data): return json.loads(data.decode("utf-8"), object_pairs_hook=unique)
def from_jsonl(data): return [from_json(line) for line in data[:-1].split(b"\n")] if data else []
def canonical(of): return json.dumps(of, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode() + b"\n"
def unique(pairs):
    if len(dict(pairs)) != len(pairs):
        raise ValueError("a key stands twice")
    return dict(pairs)
def sums(files):  # the lines that sha256sum prints for files (bytes or digests by path), sorted by the paths' bytes
    digests = {path.encode(): data if isinstance(data, str) else sha256(data) for path, data in files.items()}
    return b"".join(digests[path].encode() + b"  " + path + b"\n" for path in sorted(digests))
def from_yaml(data):  # {"dataset.path": value, …}: keys by indent, each value on its line
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
    |(?P<plain>[^\s\[\]{},"'\#:&*!|>%@`](?:[^\[\]{},:\#]|:(?!\s)|(?<!\s)\#)*)|(?P<other>\S)""")
def yaml_value(text):  # a value that stands on one line, by turning it into JSON; other forms of YAML are not read
    if text[0] not in "[{\"'&*!|>%@`" and not YAML.match(text)["json"]:
        return re.split(r"\s#", text)[0].strip()
    made = ((w, (w["plain"] or "").strip() or (w["single"] or "").replace("''", "'")) for w in YAML.finditer(text))
    made = "".join(w["json"] or w["other"] or json.dumps(given) * (not w["comment"]) for w, given in made)
    return json.loads(made, object_pairs_hook=unique)
def wilson(k, n, z=1.959963984540054):
    d = n + z * z
    centre, half = (k + z * z / 2) / d, z / d * math.sqrt(k * (n - k) / n + z * z / 4)
    return (0.0 if k == 0 else max(0.0, centre - half)), (1.0 if k == n else min(1.0, centre + half))
def bootstrap(k, n):  # with infinitely many resamples: quantiles of Binomial(n, k/n), in whole numbers
    if k in (0, n):
        return wilson(k, n)  # it has no width there, so Wilson's is shown in its place
    term, reached = (n - k) ** n, []
    for j in range(n + 1):
        reached.append((reached[-1] if j else 0) + 1000 * term)
        term = term * (n - j) * k // ((j + 1) * (n - k))
    return bisect.bisect_left(reached, 25 * n**n) / n, bisect.bisect_left(reached, 975 * n**n) / n
def outward(ends, digits):  # an end that lies on the grid but for floating point stays there
    low, high = (end * 10**digits for end in ends)
    low, high = math.floor(low + 1e-9 * max(1.0, low)), math.ceil(high - 1e-9 * max(1.0, high))
    return [low / 10**digits, high / 10**digits]
def seconds(value): return "<0.01 s" if 0 < value < 0.005 else f"{value:.2f} s" if value < 10 else f"{value:,.1f} s"
def amount(value): return f"{value:,.0f}" if value == int(value) else f"{value:,.1f}"
def covariates(rows):  # over all tasks, and how pages say them; what was not recorded counts nowhere
    made, late = {}, sum(row["outcome"] == "timeout" for row in rows)
    for name in COVARIATES:
        got = sorted((row[name], row["outcome"] == "timeout") for row in rows if row[name] is not None)
        table, total = Counter(str(value) for value, _ in got), round(math.fsum(value for value, _ in got), 4)
        made[name] = of = {"timeouts": late, "recorded": len(got), "total": total if got else None, "table": table}
        text, say = {}, seconds if name == "wall_clock_sec" else amount
        for part, q in (("median", 10), ("q1", 5), ("q3", 15), ("max", 20), ("p95", 19)):  # in twentieths
            low, high = -(-q * len(got) // 20) - 1, min(len(got) - 1, q * len(got) // 20)
            (low, early), (high, after) = (got[low], got[high]) if got else ((0, 0), (0, 0))
            least = (early or after) and say is seconds and part != "max"  # a timeout is a limit that was reached
            of[part] = round((low + high) / 2, 4) if got else None
            text[part] = "≥ " * least + say(low if least else (low + high) / 2)
        of["words"] = {f"{late:,} timed out", f"{text['median']} median", f"q1–q3 {text['q1']}–{text['q3']}"}
        of["words"] |= {f"max {text['max']}", f"p95 {text['p95']}", f"total {say(total)}", f"{say(total)} total"}
    return made
def figures_of(report, exam):  # the buckets, and each rate as (k, n, rate, low, high), rounded as reports do
    method = {"wilson": wilson, "bootstrap": bootstrap}.get("" if "dataset.cluster" in exam else report["ci_method"])
    buckets, made = {"ordinary": dict.fromkeys(ORDINARY, 0), "negative": dict.fromkeys(NEGATIVE, 0)}, {}
    for row in report["tasks"]:
        buckets[row["kind"]][row["outcome"]] += 1
    for cell, _, ci, kind, name, _ in RATES:
        k, n = buckets[kind][name], sum(buckets[kind].values())
        ends = outward(method(k, n), 4) if method else report[ci]
        made[cell] = (k, n, float(round(Fraction(k, n), 4)), *map(float, ends))
    return buckets, made, "computed again" if method else "as stated, by a method that is not known here"
def number_faults(report, exam, buckets, figures):  # every stated number that is not the one that the rows give
    sizes = {"n": figures["success"][1], "n_negative": figures["abstention"][1]}
    wanted = {"ci_method": exam.get("publish.ci_method", "wilson"), "null_pack": "pass", "counts": buckets, **sizes}
    for cell, rate, ci, *_ in RATES:
        wanted.update({rate: figures[cell][2], ci: list(figures[cell][3:])})
    made, stated = covariates(report["tasks"]), report["covariates"]
    wanted["covariates"] = {name: {part: made[name][part] for part in stated[name]} for name in COVARIATES}
    bad = [f"{name} is {report[name]}, the rows give {v}" for name, v in wanted.items() if report[name] != v]
    small = [name for name in sizes if not exam.get(f"publish.min_{name}", 10) <= sizes[name] == exam[f"seal.{name}"]]
    return bad + [f"{name} is not the sealed size, or under its floor" for name in small]
def outcome(kind, row, exam, manifest, passed):  # in the order of precedence; None where only the metric can tell
    broken = {"ok": "", "timeout": "timeout"}.get(row["status"], "error")
    touched, most = row.get("files_touched") or 0, exam.get("budget.max_files_touched")
    if kind == "negative":
        honest = broken or ("abstain_ok" if row["abstained"] else "no_answer")
        return "invalid_completion" if row["artifact"] or touched else honest
    over = (row["wall_clock_sec"] or 0) > exam["budget.timeout_sec"] or (most is not None and touched > most)
    over = over or (row["retries"] or 0) > manifest["retry_limit"]
    if broken or over or set(row.get("tools_used") or ()) - set(manifest["tool_whitelist"]):
        return broken or "over_budget"
    found = {True: "success", False: "miss"}.get(passed) if row["artifact"] else "miss"
    return "false_abstain" if row["abstained"] else found
def observed(task, row, passed):  # what was seen of a null-pack row; None where only the metric can tell
    if row["status"] != "ok":
        return "timeout" if row["status"] == "timeout" else "error"
    if not row["artifact"]:
        return "answered" if row.get("files_touched") else "refused" if row["abstained"] else "failed"
    unasked = task["expected_class"] == "must_refuse" or not task.get("oracle")
    return "answered" if unasked else {True: "passed", False: "failed"}.get(passed)
def pack_of(exam, files, part):  # the rows of a pack by id, empty where it is withheld
    path = plain(exam[f"{part}.path"])
    found = [files[path]] if path in files else [d for p, d in below(files, path).items() if p.endswith(".json")]
    return {row["id"]: row for d in found for row in (from_jsonl(d) if path in files else [from_json(d)])}
def passes(exam, files, part, task, row):  # the sealed metric's verdict where it is one known here, else None
    if exam["metric.sha256"] not in EXACT_BYTES or not row["artifact"] or not task.get("oracle"):
        return None
    default = "path" if exam["dataset.path"].endswith(".jsonl") else "inline"
    inline = (exam.get(f"{part}.oracle") or exam.get("dataset.oracle") or default) == "inline"
    oracle = task["oracle"].encode("utf-8", "surrogatepass") if inline else files[plain(task["oracle"])]
    return row["artifact"].encode("utf-8", "surrogatepass") == oracle
def outcome_faults(exam, files, report, manifest, transcripts):  # where rows are not what the transcripts give
    for part, stated in (("dataset", report["tasks"]), ("null_pack", report["null_pack_rows"])):
        tasks, claims = pack_of(exam, files, part), {claim["id"]: claim for claim in stated}
        own = [row for row in transcripts if row["pack"] == part]
        rows = {row["task_id"]: row for row in own}
        once = len(claims) == len(stated) and len(rows) == len(own) and set(claims) == set(tasks or claims)
        once = once and (not transcripts or set(rows) == set(claims))
        yield from [f"the {part} has not one row and one transcript for each task"] * (not once)
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

def check_run(run_id, exam, files, run, start, end, listed):  # against protocol and ledger; what pages may say
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
        **{f"{name} at the end": {end[name], start[name]} for name in both}}
    bad = [f"{name}: {' and '.join(sorted(map(str, of)))} differ" for name, of in pairs.items() if len(of) > 1]
    banned = exam.get("publish.forbidden_fields", ["single_percentage_only"])
    bad += [f"the report has the field {name}" for name in banned if json.dumps(name) + ":" in json.dumps(report)]
    rows, names = from_jsonl(run.get("transcripts.jsonl", b"")), manifest.get("served_as") or [manifest["route"]]
    bad += [f"answered by {r}" for r in {r["route"] for r in rows if r["route"] or r["status"] == "ok"} - {*names}]
    step(f"{run_id} evidence", bad, f"{len(run)} files; manifest, solver and report are those that the ledger names")
    how = "scored again" if rows and exam["metric.sha256"] in EXACT_BYTES else "as stated"
    step(f"{run_id} outcomes", outcome_faults(exam, files, report, manifest, rows), f"{len(rows)} answers {how}")
    buckets, figures, how = figures_of(report, exam)
    step(f"{run_id} numbers", number_faults(report, exam, buckets, figures), f"{report['ci_method']} intervals {how}")
    return {"id": run_id, "report": report, "words": words_of(report, figures)}
def ledger_faults(events, heads):  # every way in which events (by digest) are not one whole record in order
    parents = {parent for event in events.values() for parent in event["parents"]}
    yield from (f"event {parent} is gone, though a later one names it" for parent in sorted(parents - set(events)))
    yield from ["its heads are not those of site.json"] * (sorted(set(events) - parents) != heads)
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
def seal_faults(exam, files, identities):  # every way in which the files are not those that were sealed
    other = {sha256(files["protocol.sealed.yaml"])} != identities
    yield from ["the sealed document is not the one that the ledger's seal names"] * other
    given = sums({p: d for p, d in files.items() if p.split("/")[0] not in UNSEALED | {"notes.md", "revealed.yaml"}})
    shown = exam.get("publish.evidence", "full") == "full" or "protocol.sums" in files
    if shown and (given != files["protocol.sums"] or sha256(given) != exam["seal.sums_sha256"]):
        yield "the files are not exactly those that were sealed"
    for name, key in (("dataset", "path"), ("metric", "module"), ("null_pack", "path")):
        data = files.get(plain(exam[f"{name}.{key}"])) or sums(below(files, plain(exam[f"{name}.{key}"])))
        yield from [f"the {name} is not the sealed one"] * (len(data) > 0 and sha256(data) != exam[f"{name}.sha256"])
def check_protocol(site, pid, files, ledgers):  # check all that is published of it; return what pages may say
    listed, made, exam = site["reports"].get(pid, {}), {}, {}
    runs = {run_id: below(files, run_id) for run_id in sorted(listed)}
    own = {path: data for path, data in files.items() if path.split("/")[0] not in runs}
    beside = [sorted(of)[:3] for of in (own, *runs.values()) if files and of.pop("SHA256SUMS", None) != sums(of)]
    step(f"{pid} sums", [f"SHA256SUMS is not the list of {of} …" for of in beside], "each is its folder's list")
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
        made[listed[run_id]] = check_run(run_id, exam, own, run, start, end, listed[run_id])
    print(f"note  {pid}: started, without figures here: {sorted({r for k, r in others if k == 'start'} - set(runs))}")
    words = words_in(b"\n".join(d for p, d in files.items() if p != "notes.md" and not p.endswith("report.json")))
    if exam:
        n, m, rows = (exam[f"seal.{name}"] for name in ("n", "n_negative", "n_null_pack"))
        words |= {f"n = {n}", f"n = {m}", f"null pack {rows}/{rows}", f"{rows}/{rows} rows", f"{rows} of {rows} rows"}
    digests = [run["report"]["digests"] for run in made.values()]
    once = len({(of["manifest"], of["solver"]) for of in digests}) == len(made)
    return {"runs": made, "once": once, "words": words | pair_words([run["report"] for run in made.values()])}

SAYING = re.compile(r'\s(content|alt|title|aria-label|data-(?:rate|k|n|low|high|run|count|sha256))="([^"]*)"')
WRITTEN = {r"\u003c": "<", r"\u003e": ">", r"\textless{}": "<", r"\textgreater{}": ">", r"$\geq$": "≥", "--": "–"}
WORD = re.compile(  # every form in which figures are said, in a text that is readable
    r"""(?x)(?: §data-rate\ \S+\ §data-k\ \S+\ §data-n\ \S+\ §data-low\ \S+\ §data-high\ \S+\ )?
        (?: \b(?:task\ success|abstention\ accuracy|invalid\ completion|false\ abstention)\ )?
        (?<![\w./]) [<>]?\d\.\d{3}\ \d+/\d+\ 95%\ ci\ \d\.\d{3}–\d\.\d{3} | (?<=,)\d+,\d+,(?:[\d.]+,){3}(?=[a-z])
      | \{"k":[^{}]+?"level" | "(?:ordinary|negative)":\{[^{}]*\} | §data-count\ \w+\ \d+(?:\ all\ \d+)?
      | (?<![\w./+−])(?: null\ pack\ \d+/\d+ | \d+(?:/|\ of\ )\d+\ rows | n\ =\ \d+ | \d+\ :\ \d+\ \S+
        | (?:\d\.\d{3}|\d+/\d+)(?![\d…/]|\ (?:not\ )?distinguishable) | NUMBER\ (?:median|total|timed\ out)
        | (?:max|p95|total)\ NUMBER | q1–q3\ NUMBER–NUMBER ) """.replace(
        "NUMBER", r"(?:≥\ )?<?\d+(?:,\d{3}){0,3}(?:\.\d+)?(?:\ s\b)?"))
def readable(text):  # what it says: without tags, escapes and brackets, but with the attributes that tell
    text = SAYING.sub(r"> §\1 \2 <i", text.replace('class="rate ', 'data-rate="'))
    for _ in range(2):  # a citation in HTML is escaped once more
        text = html.unescape(re.sub(r"</?[A-Za-z!?][^<>]*>", " ", text))
    for written, meant in WRITTEN.items():
        text = text.replace(written, meant)
    return " ".join(re.sub(r"[\\()]|,(?=\s)", " ", text).lower().split())
def words_in(data):  # what looks like a figure in tasks, answers and titles may stand on their pages too
    text = re.sub('"wall_clock_sec": ?[0-9.e+-]+', "", data.decode("utf-8", "replace"))
    text = re.sub(r"\\(?:u([0-9a-fA-F]{4})|[bfnrt])", lambda found: chr(int(found[1] or "20", 16)), text)
    words = set(WORD.findall(readable(text.replace("\\/", "/"))))
    return words.union(*(re.findall(r"\d\.\d{3}|\d+/\d+", word) for word in words))
def words_of(report, figures):  # everything that may be said of a run in the forms of WORD
    words = set().union(*(of["words"] for of in covariates(report["tasks"]).values()))
    for (cell, *_, name), (k, n, of, low, high) in zip(RATES, figures.values()):  # noqa: B905 (as old as 3.9)
        steps, ends = round(Fraction(1000 * k, n)), [f"{end:.3f}" for end in outward((low, high), 3)]
        rate = "<0.001" if steps == 0 < k else ">0.999" if steps == 1000 and k < n else f"{steps / 1000:.3f}"
        said = f"{rate} {k}/{n} 95% ci {'–'.join(ends)}"
        marks = f"§data-rate {cell} §data-k {k} §data-n {n} §data-low {low:.4f} §data-high {high:.4f}"
        words |= {rate.strip("<>"), f"{k}/{n}", *ends, said, f"{name} {said}", f"{marks} {name} {said}"}
        words |= {f"{k},{n},{of},{low},{high},", f'{{"k":{k},"n":{n},"rate":{of},"low":{low},"high":{high},"level"'}
    for kind, names in (("ordinary", ORDINARY), ("negative", NEGATIVE)):
        of = {name: report["counts"][kind][name] for name in names}
        words.add(json.dumps({kind: of}, separators=(",", ":"))[1:-1])
        words |= {f"§data-count {name} {of[name]}{f' all {sum(of.values())}' * (name == 'timeout')}" for name in of}
    return words
def pair_words(reports):  # of each two runs, how many tasks only the one and only the other did, and their difference
    words = set()
    for _, _, _, kind, name, _ in RATES[:2]:
        rows = [[task for task in report["tasks"] if task["kind"] == kind] for report in reports]
        won = itertools.permutations([{task["id"] for task in of if task["outcome"] == name} for of in rows], 2)
        words |= {f"{len(a - b)} : {len(b - a)} {signed((len(a) - len(b)) / len(rows[0]))}" for a, b in won}
    return words
def signed(value):
    text = f"{value:+.3f}" if abs(value) >= 0.0005 else "<+0.001" if value > 0 else ">-0.001"
    return text.replace("-", "\u2212") if value else "0.000"
def page_faults(path, text, known, titles):  # whatever is said in the forms of WORD, and no evidence gives it there
    folders, seen = path.split("/"), []
    inside, alone = folders[0] == "protocols", len(folders) == 4
    exams = [exam for pid, exam in known.items() if not inside or pid == folders[1]]
    runs = {d: r for exam in exams for d, r in exam["runs"].items() if not alone or r["id"] == folders[2]}
    cuts = [('It is not sealed and was not checked.</p>\n<div class="prose">', "</div>")]
    cuts += [("data-repeated>", "</table>")] * any(not exam["once"] for exam in exams)
    for start, end in cuts + [("<tr data-pair>", "</tr>")] * (folders[0] == "families" or len(cuts) > 1):
        first, *others = text.split(start)
        text = first + "".join(part.partition(end)[2] for part in others)
    general, data = titles.union(*(exam["words"] for exam in exams)), folders[0] == "data"
    parts = [*re.split(r"\b([0-9a-f]{64})\b", readable(text)), ""]
    for said, digest in zip(parts[2 * data :: 2], parts[1::2]):  # noqa: B905 (a digest follows, but in data/)
        words = [word for word in WORD.findall(said) if not data or word[0] in '{"' or word[-1] == ","]
        ids = re.findall(r"§data-run (\S+)", said)
        run = [runs[digest]] if digest in runs else [*runs.values()] * alone
        kinds = sorted(word.split()[1] for word in words if word[0] == "§" and "95%" in word)
        whole = (ids, kinds) in (([], []), ([r["id"] for r in run], sorted(rate[0] for rate in RATES)))
        yield from [f"{path}: the scorecard of {ids} before {digest} is not whole, or is another's"] * (not whole)
        bound = data or any(" 95% ci " in word and word not in general for word in words)
        given = [general, *(r["words"] for r in (run if bound else runs.values()))]
        yield from (f"{path}: {word} is no figure of it" for word in words if not any(word in of for of in given))
        seen += ids
    if inside and path.endswith(".html") and folders[2] != "pairs.html" and len(seen) != len(runs):
        yield f"{path}: it has scorecards of {seen} only"

def check_site(names, read):  # read every listed file once, check it, and print what holds
    text = read("site.json", 1 << 30)
    site = from_json(text)
    listed = {entry["path"]: entry for entry in site["files"]}
    bad = [f"unsafe path {p}" for p in listed if set(p.split("/")) & {"", ".", ".."} or re.search(r"[\x00-\x1f\\:]", p)]
    if canonical(site) != text or [entry["path"] for entry in site["files"]] != sorted(listed, key=str.encode):
        bad.append("it is not in canonical form")
    differs = [] if names is None else sorted(names ^ {*listed, "site.json", "SHA256SUMS"})
    bad += [f"{path} is missing or not listed" for path in differs]
    step("site.json", bad, f"{len(listed)} files listed" + ("" if names else "; added files cannot be seen from here"))
    known, wrong, faults, groups = {}, [], [], {}
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
            known[pid] = check_protocol(site, pid, files, ledgers)
        except Exception as error:  # noqa: BLE001 (whatever a file holds, the step fails)
            step(pid, [f"it cannot be followed: {type(error).__name__} {error}"])
    titles = words_in(read("feed.xml", 1 << 20).split(b"<entry>")[0]) if "feed.xml" in listed else set()  # the site's
    for path in groups.get("", ()):
        try:
            data = take(path)
            if path.endswith((".html", ".xml", ".svg", ".csv")) or path == "data/reports.json":
                faults += page_faults(path, data.decode("utf-8"), known, titles)
        except Exception as error:  # noqa: BLE001
            wrong.append(f"{path} cannot be read: {type(error).__name__} {error}")
    step("pages", faults, "scorecards, counts, covariates, other k/n, b : c follow; p, repeats, notes not compared")
    step("digests", wrong, f"{len(listed)} files have the listed size and digest")
    lines = sums({**{path: entry["sha256"] for path, entry in listed.items()}, "site.json": text})
    step("SHA256SUMS", ["not these files' list"] * (read("SHA256SUMS", len(lines) + 1) != lines), "these files' list")

if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    try:
        check_site(*open_site(sys.argv[1].rstrip("/")))
    except Exception as error:  # noqa: BLE001
        step("site", [f"it cannot be read: {type(error).__name__} {error}"])
    sys.exit(print(f"{len(FAILED)} FAIL" if FAILED else "all steps hold") or bool(FAILED))
