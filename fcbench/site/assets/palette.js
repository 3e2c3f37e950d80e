// Runs before the page is painted, so that a dark page does not flash white. A choice is kept in this browser only.
(function () {
  "use strict";
  var stored = null;
  try { stored = localStorage.getItem("fcbench.palette"); } catch (error) { stored = null; }
  var media = window.matchMedia("(prefers-color-scheme: dark)");
  function apply(choice) {
    var dark = choice === "dark" || (choice !== "light" && media.matches);
    document.body.setAttribute("data-md-color-scheme", dark ? "slate" : "default");
    document.body.setAttribute("data-fc-choice", choice || "system");
  }
  window.fcbenchPalette = { apply: apply, stored: stored };
  apply(stored);
  media.addEventListener("change", function () { apply(document.body.getAttribute("data-fc-choice")); });
  document.documentElement.classList.remove("no-js");
  document.documentElement.classList.add("js");
})();
