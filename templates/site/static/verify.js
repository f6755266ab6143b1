// Verify in this browser: hash the published bytes, count and compute again, compare with what the page says.
(function () {
  "use strict";
  const arithmetic = scorecardArithmetic;
  const box = document.getElementById("verify");
  if (!box) return;
  const list = box.querySelector(".verify-steps");
  const sum = box.querySelector(".verify-sum");
  const button = box.querySelector(".verify-start");
  const folderPicker = box.querySelector(".verify-folder input");
  const filePicker = box.querySelector(".verify-files input");
  const ROOT = new URL("../../", document.currentScript.src).href; // this script lies at assets/DIGEST/ of the site
  const RUN = /^\d{4}-\d\d-\d\d-.+-[0-9a-f]{6}$/;
  const REASONS = {
    NotFoundError: "it is no longer there",
    NotReadableError: "the browser may not read it, or it was changed after it was chosen",
    SecurityError: "the browser does not allow it",
    NotAllowedError: "the browser does not allow it",
    EncodingError: "this browser lets a page that was opened from a disk read no dropped folder; choose it instead",
  };
  const COUNTED = ["report.json", "transcripts.jsonl"];
  const MARKS = { held: "\u2713", failed: "\u2717", unjudged: "\u2013" };
  // Class of the cell, slice, outcome, and the report's field of the interval.
  const RATES = [
    ["success", "ordinary", "success", "ci95", "task success"],
    ["abstention", "negative", "abstain_ok", "abstention_ci95", "abstention accuracy"],
    ["invalid", "negative", "invalid_completion", "invalid_completion_ci95", "invalid completion"],
    ["false", "ordinary", "false_abstain", "false_abstention_ci95", "false abstention"],
  ];

  // --- what the page says ---

  const nameOf = (path) => path.split("/").pop();

  // Every file whose digest the page states, once: its address, its path below the site's root, and its digests.
  function statedFiles() {
    const files = new Map();
    for (const link of document.querySelectorAll("a[data-sha256]")) {
      const href = new URL(link.getAttribute("href"), location.href).href;
      const whole = link.classList.contains("digest") ? link.textContent.replace(/\s/g, "") : link.dataset.sha256;
      const path = decodeURIComponent(href.startsWith(ROOT) ? href.slice(ROOT.length) : new URL(href).pathname);
      if (!files.has(href)) files.set(href, { href, path, stated: new Set() });
      files.get(href).stated.add(link.dataset.sha256).add(whole);
    }
    return Array.from(files.values());
  }

  // --- the steps ---

  function step(kind, text, page, evidence) {
    if (page === undefined) return stepWith(kind, text, null);
    const words = "page " + page + (kind === "failed" ? "; evidence " + evidence : "; evidence the same");
    return stepWith(kind, text, document.createTextNode(words));
  }

  function stepWith(kind, text, below) {
    const item = document.createElement("li");
    const mark = document.createElement("span");
    mark.className = kind;
    mark.textContent = MARKS[kind];
    const words = document.createElement("span");
    words.textContent = text;
    item.dataset.step = kind;
    item.append(mark, words);
    if (below) {
      const values = document.createElement("small");
      values.append(below);
      item.append(values);
    }
    list.append(item);
  }

  function compare(text, page, evidence) {
    step(page === evidence ? "held" : "failed", text, page, evidence);
  }

  // Why a file was not judged, and where it lies: its path below the site's root, as a link to it.
  function unjudged(file, why) {
    const link = document.createElement("a");
    link.href = file.href;
    link.textContent = file.path;
    stepWith("unjudged", nameOf(file.path) + " " + why + ". On the site it lies at", link);
  }

  async function digestOf(bytes) {
    const hash = await crypto.subtle.digest("SHA-256", bytes);
    return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  // What read gives of a file is its bytes and their digest, or why there are none. Paths of files that the reader has yet
  // to choose are added to absent. Returns the bytes that held and that numbers follow from, by path.
  async function checkFiles(files, read, absent) {
    const bytes = new Map();
    for (const file of files) {
      const got = await read(file);
      if (got.why) {
        unjudged(file, got.why);
        if (got.absent) absent.push(file.path);
        continue;
      }
      const wrong = Array.from(file.stated).find((digest) => digest !== got.digest);
      const words = file.path + " has the digest that the page states";
      step(wrong ? "failed" : "held", words, wrong || got.digest, got.digest);
      if (!wrong && COUNTED.includes(nameOf(file.path))) bytes.set(file.path, got.bytes);
    }
    return bytes;
  }

  const decode = (bytes) => new TextDecoder("utf-8", { fatal: true }).decode(bytes);

  function checkCards(files, bytes) {
    for (const card of document.querySelectorAll("[data-run]")) {
      const run = card.dataset.run;
      const find = (name) => files.find((file) => file.path.split("/").slice(2).join("/") === run + "/" + name);
      const stated = find("report.json");
      if (!stated || !bytes.has(stated.path)) {
        step("unjudged", "the numbers of " + run + ": they follow from its report.json, which did not hold or is not at hand");
        continue;
      }
      const report = JSON.parse(decode(bytes.get(stated.path)));
      checkNumbers(card, run, report);
      const transcripts = find("transcripts.jsonl");
      if (!transcripts) continue;
      if (bytes.has(transcripts.path)) checkTranscripts(run, report, decode(bytes.get(transcripts.path)));
      else step("unjudged", "the outcomes of " + run + ": its transcripts.jsonl did not hold or is not at hand");
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

  // --- files of the site ---

  async function fetched(file) {
    try {
      const response = await fetch(file.href, { cache: "no-store" });
      if (!response.ok) return { why: "could not be had: the site answers " + response.status };
      const bytes = await response.arrayBuffer();
      return { bytes, digest: await digestOf(bytes) };
    } catch {
      return { why: "could not be had: the site does not answer" };
    }
  }

  // --- files of the reader ---

  // Every choice so far by path, size and time of change: its path from the chosen folder on, its file, and what reading
  // it gave: a digest, or why not.
  const chosen = new Map();
  const reason = (error) => REASONS[error.name] || error.message;

  async function readChosen(entry) {
    entry.why = null;
    try {
      const bytes = await entry.file.arrayBuffer();
      entry.digest = await digestOf(bytes);
      return { bytes, digest: entry.digest };
    } catch (error) {
      entry.why = reason(error);
      return null;
    }
  }

  // How a path ends that lies where the page's file lies: from the folder of its run or protocol on, or the whole.
  function placeOf(path) {
    const parts = path.split("/");
    const from = parts[0] !== "evidence" ? 0 : parts.length > 3 && RUN.test(parts[2]) ? 2 : 1;
    return "/" + parts.slice(from).join("/");
  }

  // A chosen file is what its digest says. Only one that lies in the very place of the page's file is held against it.
  function fromChosen(troubles) {
    const entries = Array.from(chosen.values());
    const byName = new Map(entries.map((entry) => [nameOf(entry.path), []]));
    for (const entry of entries) byName.get(nameOf(entry.path)).push(entry);
    return async (file) => {
      const place = placeOf(file.path);
      const lies = (entry) => place.lastIndexOf("/") > 0 && ("/" + entry.path).endsWith(place);
      const named = byName.get(nameOf(file.path)) || [];
      const there = await readFirst(named.filter(lies), file);
      if (there && file.stated.has(there.digest)) return there;
      for (const entry of entries) if (!entry.digest && !entry.why) await readChosen(entry);
      const same = await readFirst(entries.filter((entry) => file.stated.has(entry.digest)), file);
      if (same && file.stated.has(same.digest)) return same;
      if (there) return there;
      const unread = named.find((entry) => entry.why) || troubles.find(lies);
      if (unread) {
        unread.told = true;
        return { why: "was chosen, but could not be read: " + unread.why };
      }
      return { why: "is not among the chosen files" + (named.length ? ": those of this name have other digests" : ""), absent: true };
    };
  }

  // Of the chosen files that may be the page's: the first that is, else the last that can be read.
  async function readFirst(entries, file) {
    let last = null;
    for (const entry of entries) {
      const got = await readChosen(entry);
      if (got && file.stated.has(got.digest)) return got;
      last = got || last;
    }
    return last;
  }

  // --- choosing and dropping ---

  function picked(picker) {
    const files = Array.from(picker.files, (file) => ({ path: file.webkitRelativePath || file.name, file }));
    return { files, troubles: [] };
  }

  // Taken at once, since nothing is left of a drop after its event.
  function takeDropped(transfer) {
    return Array.from(transfer.items).filter((item) => item.kind === "file").map((item) => ({
      entry: item.webkitGetAsEntry(),
      file: item.getAsFile(),
      handle: item.getAsFileSystemHandle ? item.getAsFileSystemHandle().catch(() => null) : null,
    }));
  }

  // Chromium lets a page that was opened from a disk read a dropped folder by its handle only; others know no handles.
  async function walkDropped(taken) {
    const found = { files: [], troubles: [] };
    for (const { entry, file, handle } of taken) {
      if (!entry || entry.isFile) {
        if (file) found.files.push({ path: file.name, file });
        continue;
      }
      try {
        await walkEntry(entry, found);
      } catch (error) {
        const folder = await handle;
        await noting(entry.name, found, () => (folder ? walkHandle(folder, entry.name, found) : Promise.reject(error)));
      }
    }
    return found;
  }

  async function noting(path, found, read) {
    try {
      await read();
    } catch (error) {
      found.troubles.push({ path, why: reason(error) });
    }
  }

  const asked = (object, method) => new Promise((resolve, reject) => object[method](resolve, reject));

  async function walkEntry(folder, found) {
    const reader = folder.createReader(); // gives some at a time, and none at the end
    for (let some = await asked(reader, "readEntries"); some.length; some = await asked(reader, "readEntries")) {
      for (const entry of some) {
        const path = entry.fullPath.slice(1);
        const keep = async () => found.files.push({ path, file: await asked(entry, "file") });
        await noting(path, found, entry.isFile ? keep : () => walkEntry(entry, found));
      }
    }
  }

  async function walkHandle(folder, path, found) {
    for await (const [name, inner] of folder.entries()) {
      const below = path + "/" + name;
      const keep = async () => found.files.push({ path: below, file: await inner.getFile() });
      await noting(below, found, inner.kind === "file" ? keep : () => walkHandle(inner, below, found));
    }
  }

  // --- running ---

  async function run(read, troubles) {
    list.replaceChildren();
    const absent = [];
    try {
      const files = statedFiles();
      checkCards(files, await checkFiles(files, read, absent));
    } catch (error) {
      step("failed", "the check stopped: " + error.message);
    }
    const untold = troubles.filter((trouble) => !trouble.told);
    for (const { path, why } of untold.slice(0, 20)) step("unjudged", path + " could not be read: " + why);
    if (untold.length > 20) step("unjudged", untold.length - 20 + " more could not be read");
    const count = (kind) => list.querySelectorAll("[data-step=" + kind + "]").length;
    const counts = count("held") + " held, " + count("failed") + " failed, " + count("unjudged") + " not judged";
    return absent.length ? counts + ". What is missing lies in " + commonFolder(absent) + ": choose or drop that as well." : counts;
  }

  function commonFolder(paths) {
    let shared = paths[0].split("/").slice(0, -1);
    for (const path of paths) {
      const parts = path.split("/");
      const other = shared.findIndex((part, index) => part !== parts[index]);
      if (other >= 0) shared = shared.slice(0, other);
    }
    return shared.length ? "the folder " + shared.join("/") + " of the site" : "the folder of the whole site";
  }

  let turn = Promise.resolve(); // one check after the other

  // Says what work returns, once it is its turn.
  function say(work) {
    turn = turn.then(async () => {
      delete sum.dataset.done;
      sum.textContent = "Checking\u2026";
      const closed = "This browser hashes only for pages that come by https or from this machine.";
      sum.textContent = await (crypto.subtle ? work() : closed);
      sum.dataset.done = "";
    });
  }

  function add(gathering) {
    say(async () => {
      const { files, troubles } = await gathering;
      for (const { path, file } of files) {
        chosen.set([path, file.size, file.lastModified].join(" "), { path, file, digest: null, why: null });
      }
      return files.length + troubles.length ? run(fromChosen(troubles), troubles) : "Nothing to check: that holds no file.";
    });
  }

  button.addEventListener("click", () => {
    const closed = "A page that was opened from a disk may not read files by itself: choose or drop the folder of the site.";
    say(() => (location.protocol === "file:" ? closed : run(fetched, [])));
  });
  if ("webkitdirectory" in folderPicker) folderPicker.webkitdirectory = true;
  else folderPicker.parentElement.remove();
  for (const picker of [folderPicker, filePicker]) {
    picker.addEventListener("click", () => { picker.value = ""; }); // so that the same choice counts again
    picker.addEventListener("change", () => add(picked(picker)));
  }
  box.addEventListener("dragover", (event) => {
    event.preventDefault();
    box.classList.add("drop");
  });
  box.addEventListener("dragleave", () => box.classList.remove("drop"));
  box.addEventListener("drop", (event) => {
    event.preventDefault();
    box.classList.remove("drop");
    add(walkDropped(takeDropped(event.dataTransfer)));
  });
})();
