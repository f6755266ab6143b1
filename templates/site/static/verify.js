// Verify in this browser: hash the published bytes, count and compute again, compare with what the page says.
(function () {
  "use strict";
  const arithmetic = scorecardArithmetic;
  const box = document.getElementById("verify");
  if (!box) return;
  const list = box.querySelector(".verify-steps");
  const sum = box.querySelector(".verify-sum");
  const button = box.querySelector(".verify-start");
  const picker = box.querySelector("input[type=file]");
  const MARKS = { held: "\u2713", failed: "\u2717", unjudged: "\u2013" };
  // Class of the cell, slice, outcome, and the report's field of the interval.
  const RATES = [
    ["success", "ordinary", "success", "ci95", "task success"],
    ["abstention", "negative", "abstain_ok", "abstention_ci95", "abstention accuracy"],
    ["invalid", "negative", "invalid_completion", "invalid_completion_ci95", "invalid completion"],
    ["false", "ordinary", "false_abstain", "false_abstention_ci95", "false abstention"],
  ];

  // --- what the page says ---

  // Every file whose digest the page states, once: its address, its digest, and its name for a person.
  function statedFiles() {
    const files = new Map();
    for (const link of document.querySelectorAll("a[data-sha256]")) {
      const address = new URL(link.getAttribute("href"), location.href);
      const path = decodeURIComponent(address.pathname);
      const evidence = path.lastIndexOf("/evidence/");
      const whole = link.classList.contains("digest") ? link.textContent.replace(/\s/g, "") : link.dataset.sha256;
      const known = files.get(address.href);
      if (known) {
        known.stated.add(link.dataset.sha256).add(whole);
      } else {
        const name = evidence < 0 ? path.split("/").slice(-3).join("/") : path.slice(evidence + 10);
        files.set(address.href, { href: address.href, name, stated: new Set([link.dataset.sha256, whole]) });
      }
    }
    return Array.from(files.values());
  }

  // --- the steps ---

  function step(kind, text, page, evidence) {
    const item = document.createElement("li");
    const mark = document.createElement("span");
    mark.className = kind;
    mark.textContent = MARKS[kind];
    const words = document.createElement("span");
    words.textContent = text;
    item.dataset.step = kind;
    item.append(mark, words);
    if (page !== undefined) {
      const values = document.createElement("small");
      values.textContent = "page " + page + (kind === "failed" ? "; evidence " + evidence : "; evidence the same");
      item.append(values);
    }
    list.append(item);
  }

  function compare(text, page, evidence) {
    step(page === evidence ? "held" : "failed", text, page, evidence);
  }

  async function digestOf(bytes) {
    const hash = await crypto.subtle.digest("SHA-256", bytes);
    return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  async function checkFiles(read) {
    const bytes = new Map();
    for (const file of statedFiles()) {
      const stated = Array.from(file.stated);
      const got = await read(file, stated[0]);
      if (got === null) {
        step("unjudged", file.name + " could not be had");
        continue;
      }
      const found = await digestOf(got);
      const wrong = stated.find((digest) => digest !== found);
      step(wrong ? "failed" : "held", file.name + " has the digest that the page states", wrong || found, found);
      if (!wrong) bytes.set(file.name, got);
    }
    return bytes;
  }

  const decode = (bytes) => new TextDecoder("utf-8", { fatal: true }).decode(bytes);

  function checkCards(bytes) {
    for (const card of document.querySelectorAll("[data-run]")) {
      const run = card.dataset.run;
      const find = (name) => Array.from(bytes).find((entry) => entry[0].endsWith("/" + run + "/" + name));
      const found = find("report.json");
      if (!found) {
        step("unjudged", "the numbers of " + run + ": its report is not at hand, or not the one that the page names");
        continue;
      }
      const report = JSON.parse(decode(found[1]));
      checkNumbers(card, run, report);
      const transcripts = find("transcripts.jsonl");
      if (transcripts) checkTranscripts(run, report, decode(transcripts[1]));
    }
  }

  function checkNumbers(card, run, report) {
    const counts = arithmetic.tally(report.tasks);
    const rates = RATES.map(([name, kind, outcome, interval, words]) => {
      const n = report.tasks.filter((row) => row.kind === kind).length;
      const cell = card.querySelector(".rate." + name);
      return checkRate(cell, words + " of " + run, counts[kind][outcome] || 0, n, report, interval);
    });
    const passed = arithmetic.nullPassed(report.null_pack_rows) + "/" + report.null_pack_rows.length;
    compare("null pack of " + run, card.querySelector(".null").textContent.replace(/[^\d/]/g, ""), passed);
    const lines = Array.from(card.querySelectorAll(".covariates > div"));
    arithmetic.covariates(report.tasks).forEach(([name, value], index) => {
      const line = lines[index];
      const page = line.querySelector("dt").textContent + " " + line.querySelector("dd").firstChild.textContent.trim();
      compare(name + " of " + run, page, name + " " + value);
    });
    if (card.tagName === "SECTION" && document.querySelector("[data-count]")) {
      checkCounts(run, counts);
      checkForms(run, rates);
    }
  }

  // The rates stand also in the page's description and in every citation.
  function checkForms(run, rates) {
    const plain = (text) => text.replace(/\\text(less|greater)\{\}/g, (_, word) => (word === "less" ? "<" : ">")).replace(/&lt;/g, "<")
      .replace(/&gt;/g, ">").replace(/--/g, "\u2013").replace(/\\/g, "");
    const forms = Array.from(document.querySelectorAll(".cite"), (form) => [form.querySelector("summary").textContent, form.querySelector("code").textContent]);
    for (const meta of document.querySelectorAll("meta[name=description], meta[property='og:description']")) forms.push([meta.getAttribute("name") || "social card", meta.content]);
    for (const [name, text] of forms) {
      const missing = rates.find((rate) => !plain(text).includes(rate));
      step(missing ? "failed" : "held", name + " of " + run + " has all four rates", missing && "another", missing);
    }
  }

  function checkRate(cell, words, k, n, report, interval) {
    const method = report[interval + "_method"] || report.ci_method;
    const ends = method.startsWith("wilson") && method !== "wilson-eff" ? arithmetic.wilson(k, n) : report[interval];
    const bounds = arithmetic.roundOut(ends[0], ends[1], 4);
    const figure = cell.querySelector(".figure").textContent.trim().split(/\s+/);
    const page = [cell.dataset.k + "/" + cell.dataset.n, cell.dataset.low, cell.dataset.high, ...figure];
    const evidence = [k + "/" + n, bounds[0].toFixed(4), bounds[1].toFixed(4), arithmetic.showRate(k, n), k + "/" + n];
    page.push(cell.querySelector(".ci").textContent.replace("95% CI", "").trim());
    evidence.push(ends === report[interval] ? page[page.length - 1] : arithmetic.showBounds(ends[0], ends[1]));
    const note = ends === report[interval] ? " (interval as the report states it: this script computes Wilson\u2019s alone)" : "";
    compare(words + note, page.join(" "), evidence.join(" "));
    return evidence[3] + " (" + evidence[4] + ", 95% CI " + evidence[5];
  }

  function checkCounts(run, counts) {
    const tables = document.querySelectorAll("table.counts");
    ["ordinary", "negative"].forEach((kind, index) => {
      const cells = Array.from(tables[index].querySelectorAll("[data-count]"));
      const page = cells.map((cell) => cell.dataset.count + " " + cell.textContent.trim().replace(/,/g, ""));
      const evidence = cells.map((cell) => cell.dataset.count + " " + (counts[kind][cell.dataset.count] || 0));
      compare("outcomes, " + kind + ", of " + run, page.join(", "), evidence.join(", "));
    });
  }

  function checkTranscripts(run, report, text) {
    const rows = new Map();
    for (const line of text.split("\n").filter(Boolean)) {
      const row = JSON.parse(line);
      if (row.pack === "dataset") rows.set(row.task_id, row);
    }
    const wrong = report.tasks.filter((task) => {
      const row = rows.get(task.id);
      if (!row) return true;
      if (["retries", "tool_calls", "wall_clock_sec"].some((name) => row[name] !== task[name])) return true;
      return task.kind === "negative" && arithmetic.negativeOutcome(row) !== task.outcome;
    });
    const words = "transcripts of " + run + " give the covariates of every task and the outcome of every negative control";
    const except = wrong.length ? "; not of " + wrong.slice(0, 5).map((task) => task.id).join(", ") : "";
    step(wrong.length ? "failed" : "held", words + except);
  }

  // --- running ---

  async function run(read) {
    list.replaceChildren();
    delete sum.dataset.done;
    sum.textContent = "Checking\u2026";
    button.disabled = true;
    try {
      checkCards(await checkFiles(read));
    } catch (error) {
      step("failed", "the check stopped: " + error.message);
    }
    button.disabled = false;
    const count = (kind) => list.querySelectorAll("[data-step=" + kind + "]").length;
    sum.textContent = count("held") + " held, " + count("failed") + " failed, " + count("unjudged") + " not judged";
    sum.dataset.done = "";
  }

  async function fetched(file) {
    try {
      const response = await fetch(file.href, { cache: "no-store" });
      return response.ok ? await response.arrayBuffer() : null;
    } catch {
      return null;
    }
  }

  // Chosen files are told apart by their digest, then by their name.
  async function chosen(files) {
    const known = await Promise.all(Array.from(files, async (file) => {
      const bytes = await file.arrayBuffer();
      return { name: file.name, bytes, digest: await digestOf(bytes) };
    }));
    return async (file, digest) => {
      const named = known.filter((entry) => entry.name === file.name.split("/").pop());
      const found = named.find((entry) => entry.digest === digest) || named[0];
      return found ? found.bytes : null;
    };
  }

  button.addEventListener("click", () => {
    if (location.protocol === "file:") {
      sum.textContent = "A page that was opened from a disk may not read files by itself: choose or drop them.";
      return;
    }
    run(fetched);
  });
  picker.addEventListener("change", async () => run(await chosen(picker.files)));
  box.addEventListener("dragover", (event) => {
    event.preventDefault();
    box.classList.add("drop");
  });
  box.addEventListener("dragleave", () => box.classList.remove("drop"));
  box.addEventListener("drop", async (event) => {
    event.preventDefault();
    box.classList.remove("drop");
    run(await chosen(event.dataTransfer.files));
  });
})();
