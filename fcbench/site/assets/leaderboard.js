// Filter, sort order and folds of the leaderboard, kept in the page's address. Every text goes through textContent.
(function () {
  "use strict";
  var box = document.querySelector("[data-fc-toolbar]");
  if (!box || !window.fcbenchTables) { return; }
  var tables = Array.prototype.slice.call(document.querySelectorAll("table[data-fc-name]"));
  var text = box.querySelector("[data-fc-text]"), complete = box.querySelector("[data-fc-complete]");
  var controls = box.querySelector("[data-fc-controls]"), live = box.querySelector("[data-fc-rows-shown]");
  var sorted = {}, picked = {}; // by table
  function rowsOf(table) {
    return Array.prototype.slice.call(table.querySelectorAll("tbody tr:not(.fc-divider)"));
  }
  function words(row) { // of the model and the settings of its run, not of its numbers
    if (!row.fcWords) {
      row.fcWords = (row.querySelector(".fc-model").textContent + " " +
        row.querySelector(".fc-run").textContent).toLowerCase();
    }
    return row.fcWords;
  }
  function filter() {
    var wanted = text.value.toLowerCase().split(/\s+/).filter(Boolean), shown = 0, all = 0;
    tables.forEach(function (table) {
      rowsOf(table).forEach(function (row) {
        var control = row.parentElement.classList.contains("fc-controls");
        var fits = wanted.every(function (word) { return words(row).indexOf(word) >= 0; }) &&
          (!complete.checked || !row.hasAttribute("data-fc-part")) && (controls.checked || !control);
        row.hidden = !fits;
        all += 1;
        shown += fits;
      });
      Array.prototype.forEach.call(table.querySelectorAll(".fc-divider"), function (row) {
        row.hidden = !row.parentElement.querySelector("tr:not(.fc-divider):not([hidden])");
      });
    });
    live.textContent = shown === all ? "" : shown + " of " + all + " rows shown";
  }
  function write() {
    var state = new URLSearchParams();
    if (text.value) { state.set("q", text.value); }
    if (complete.checked) { state.set("complete", "1"); }
    if (!controls.checked) { state.set("controls", "0"); }
    Object.keys(sorted).forEach(function (name) { state.append("sort", name + "." + sorted[name]); });
    Object.keys(picked).forEach(function (name) {
      picked[name].forEach(function (run) { state.append("pick", name + "." + run); });
    });
    var hash = state.toString();
    history.replaceState(null, "", hash ? "#" + hash : location.pathname + location.search);
  }
  function read() {
    if (location.hash && location.hash.indexOf("=") < 0) { return; } // a link to a board
    var state = new URLSearchParams(location.hash.slice(1));
    text.value = state.get("q") || "";
    complete.checked = state.get("complete") === "1";
    controls.checked = state.get("controls") !== "0";
    state.getAll("sort").forEach(function (one) {
      var parts = one.split("."); // table, column, order
      tables.forEach(function (table) {
        if (table.getAttribute("data-fc-name") !== parts[0]) { return; }
        Array.prototype.forEach.call(table.querySelectorAll("thead th[data-fc-name]"), function (header) {
          if (header.getAttribute("data-fc-name") === parts[1]) {
            var fold = table.closest("details");
            if (fold) { fold.open = true; }
            window.fcbenchTables.sort(table, header, parts[2] === "up" ? 1 : -1);
          }
        });
      });
    });
    tables.forEach(function (table) {
      var name = table.getAttribute("data-fc-name"), prefix = name + ".";
      var wanted = state.getAll("pick").filter(function (one) { return one.indexOf(prefix) === 0; })
        .map(function (one) { return one.slice(prefix.length); });
      picked[name] = boxesOf(table).map(function (box) { return box.getAttribute("data-fc-pick"); })
        .filter(function (run) { return wanted.indexOf(run) >= 0; }).slice(0, 2);
      show(table);
    });
    filter();
  }
  // --- Two rows lead to the page that compares them ---
  function boxesOf(table) { return Array.prototype.slice.call(table.querySelectorAll("[data-fc-pick]")); }
  function show(table) {
    var chosen = picked[table.getAttribute("data-fc-name")] || [], names = [];
    boxesOf(table).forEach(function (box) {
      box.checked = chosen.indexOf(box.getAttribute("data-fc-pick")) >= 0;
      if (box.checked) { names.push(box.closest("tr").querySelector(".fc-model a").textContent); }
    });
    var line = table.closest("section").querySelector("[data-fc-picked]");
    if (!line) { return; }
    if (chosen.length < 2) {
      line.textContent = chosen.length ? "Choose one more row to compare it with " + names[0] + "." :
        "Choose two rows to compare them.";
      return;
    }
    var link = document.createElement("a");
    link.href = line.getAttribute("data-fc-picked") + "#" + new URLSearchParams({ a: chosen[0], b: chosen[1] });
    link.textContent = "Compare " + names[0] + " with " + names[1];
    line.replaceChildren(link);
  }
  document.addEventListener("change", function (event) {
    var box = event.target;
    if (!box.hasAttribute("data-fc-pick")) { return; }
    var table = box.closest("table"), name = table.getAttribute("data-fc-name");
    var run = box.getAttribute("data-fc-pick");
    var rest = (picked[name] || []).filter(function (one) { return one !== run; });
    picked[name] = box.checked ? rest.concat(run).slice(-2) : rest; // a third choice takes the place of the first
    show(table);
    write();
  });
  document.addEventListener("fcbench-sorted", function (event) {
    var header = event.detail.header, table = header.closest("table");
    sorted[table.getAttribute("data-fc-name")] = header.getAttribute("data-fc-name") +
      (event.detail.direction === 1 ? ".up" : ".down");
    write();
  });
  [text, complete, controls].forEach(function (field) {
    field.addEventListener("input", function () { filter(); write(); });
  });
  window.addEventListener("hashchange", read);
  read();
})();
