// Runs before the first paint: says that there is script, and sets the theme that the reader chose before.
(function () {
  "use strict";
  const root = document.documentElement;
  root.classList.add("js");
  try {
    const kept = localStorage.getItem("theme");
    if (kept === "light" || kept === "dark") root.setAttribute("data-theme", kept);
  } catch {
    // Storage is closed to this page: the reader's system decides.
  }
})();
