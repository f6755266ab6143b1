// Additions only: every page is whole without this file. Theme, copying, sorting, finding, filtering.
(function () {
  "use strict";
  const root = document.documentElement;
  const all = (selector, from) => Array.from((from || document).querySelectorAll(selector));

  // --- theme ---
  for (const button of all(".theme")) {
    const dark = () => (root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
    const say = () => { button.textContent = dark() ? "Light theme" : "Dark theme"; };
    say();
    button.addEventListener("click", () => {
      root.dataset.theme = dark() ? "light" : "dark";
      try {
        localStorage.setItem("theme", root.dataset.theme);
      } catch {
        // Not remembered, but shown.
      }
      say();
    });
  }

  // --- copying digests and citations ---
  function copyButton(after, text, what) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "copy";
    button.setAttribute("aria-label", "Copy " + what);
    button.addEventListener("click", async () => {
      let done = false;
      try {
        await navigator.clipboard.writeText(text);
        done = true;
      } catch {
        const area = document.createElement("textarea");
        area.value = text;
        document.body.append(area);
        area.select();
        done = document.execCommand("copy");
        area.remove();
        button.focus();
      }
      button.textContent = done ? "copied" : "failed";
      setTimeout(() => { button.textContent = "copy"; }, 1500);
    });
    after.after(button);
  }
  for (const digest of all(".digest")) {
    const value = digest.dataset.sha256 || digest.dataset.digest;
    copyButton(digest, value, "sha256 " + value.slice(0, 8));
  }
  for (const block of all(".copyable")) copyButton(block, block.textContent, "this citation");

  // --- sorting tables ---
  function key(row, column, kind) {
    const cell = row.cells[column];
    if (kind === "rate") return Number(cell.dataset.k) / Number(cell.dataset.n);
    if (kind === "number") return Number(cell.dataset.value ?? cell.textContent);
    return cell.textContent.trim().toLowerCase();
  }
  for (const table of all("table")) {
    const heads = all("thead th[data-sort]", table);
    const body = table.tBodies[0];
    if (!body || body.rows.length < 2) continue;
    for (const head of heads) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const falling = head.getAttribute("aria-sort") ? head.getAttribute("aria-sort") === "ascending" : head.dataset.sort === "rate";
        for (const other of heads) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", falling ? "descending" : "ascending");
        const column = head.cellIndex;
        const rows = Array.from(body.rows).map((row) => [key(row, column, head.dataset.sort), row]);
        rows.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0) * (falling ? -1 : 1));
        body.append(...rows.map((entry) => entry[1]));
      });
    }
  }

  // --- finding protocols and runs ---
  const find = document.getElementById("find");
  if (find) {
    const count = document.querySelector(".find-count");
    const items = all("[data-find-item]").map((item) => ({
      item,
      text: item.firstElementChild.nextElementSibling.textContent.toLowerCase(),
      runs: all("[data-find-run]", item).map((run) => [run, run.textContent.toLowerCase()]),
      details: item.querySelector("details"),
    }));
    const families = all("section.family");
    const apply = () => {
      const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
      const matches = (text) => words.every((word) => text.includes(word));
      let shown = 0;
      for (const entry of items) {
        const hit = matches(entry.text);
        const runs = words.length ? entry.runs.filter((run) => matches(run[1])) : [];
        entry.item.hidden = !hit;
        if (hit) shown += 1;
        for (const run of entry.runs) run[0].hidden = runs.length > 0 && !runs.includes(run);
        if (entry.details) entry.details.open = runs.length > 0;
      }
      for (const family of families) family.hidden = !family.querySelector("[data-find-item]:not([hidden])");
      count.textContent = words.length ? shown + (shown === 1 ? " protocol" : " protocols") : "";
    };
    find.addEventListener("input", apply);
    apply();
  }

  // --- filtering tasks by outcome; opening the task that an address names ---
  for (const filter of all(".filter")) {
    const list = filter.nextElementSibling;
    filter.addEventListener("change", () => {
      const wanted = new Set(all("input:checked", filter).map((input) => input.value));
      for (const task of list.children) task.hidden = wanted.size > 0 && !wanted.has(task.dataset.outcome);
    });
  }
  function open() {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target && target.matches("details")) target.open = true;
  }
  addEventListener("hashchange", open);
  open();
})();
