// Enhancements only: every page reads without them. All text goes through textContent.
(function () {
  "use strict";

  // --- Light, dark, or as the system says ---
  var button = document.querySelector("[data-fc-palette]");
  var order = ["system", "light", "dark"];
  function nameOf(choice) { return "Theme: " + choice; }
  if (button && window.fcbenchPalette) {
    var label = button.querySelector("[data-fc-palette-name]");
    label.textContent = nameOf(window.fcbenchPalette.stored || "system");
    button.hidden = false;
    button.addEventListener("click", function () {
      var now = document.body.getAttribute("data-fc-choice") || "system";
      var next = order[(order.indexOf(now) + 1) % order.length];
      window.fcbenchPalette.apply(next);
      label.textContent = nameOf(next);
      try { localStorage.setItem("fcbench.palette", next); } catch (error) { /* storage may be off */ }
    });
  }

  // --- Sortable tables (ARIA practices: a button inside th, aria-sort on the sorted column) ---
  function valueOf(row, column, numeric) {
    var cell = row.cells[column];
    var given = cell.getAttribute("data-fc-value");
    var text = given === null ? cell.textContent.trim() : given;
    if (!numeric) { return text.toLowerCase(); }
    var number = parseFloat(text);
    return isNaN(number) ? null : number;
  }
  function compare(left, right, direction) {
    if (left === null || right === null) { // unknown values stay last, whichever way
      return left === right ? 0 : left === null ? 1 : -1;
    }
    if (typeof left === "string") { return direction * left.localeCompare(right, undefined, { numeric: true }); }
    return direction * (left - right);
  }
  function sortBy(table, header, column, direction) {
    var numeric = header.getAttribute("data-fc-type") === "number";
    Array.prototype.forEach.call(table.querySelectorAll("tbody[data-fc-rows]"), function (body) {
      var rows = Array.prototype.map.call(body.rows, function (row, place) {
        return { row: row, place: place, value: valueOf(row, column, numeric) };
      });
      rows.sort(function (a, b) { return compare(a.value, b.value, direction) || a.place - b.place; });
      rows.forEach(function (one) { body.appendChild(one.row); });
    });
    Array.prototype.forEach.call(table.querySelectorAll("th[aria-sort]"), function (other) {
      other.removeAttribute("aria-sort");
    });
    header.setAttribute("aria-sort", direction === 1 ? "ascending" : "descending");
    var scroll = table.closest(".fc-scroll") || table;
    var live = scroll.nextElementSibling;
    while (live && !live.classList.contains("fc-live")) { live = live.nextElementSibling; }
    var count = table.querySelectorAll("tbody[data-fc-rows] tr").length;
    if (live) {
      live.textContent = count + (count === 1 ? " row" : " rows") + ", sorted by " +
        header.querySelector("button").firstChild.textContent.trim() +
        (direction === 1 ? ", ascending" : ", descending");
    }
  }
  Array.prototype.forEach.call(document.querySelectorAll("table[data-fc-sort]"), function (table) {
    if (table.querySelectorAll("tbody[data-fc-rows] tr").length < 2) { return; }
    Array.prototype.forEach.call(table.querySelectorAll("thead th[data-fc-type]"), function (header) {
      var press = document.createElement("button");
      press.type = "button";
      press.className = "fc-sort";
      while (header.firstChild) { press.appendChild(header.firstChild); }
      var arrow = document.createElement("span");
      arrow.className = "fc-sort__arrow";
      arrow.setAttribute("aria-hidden", "true");
      press.insertBefore(arrow, press.querySelector(".fc-detail")); // after the title, before a note
      header.appendChild(press);
      press.addEventListener("click", function () {
        var numeric = header.getAttribute("data-fc-type") === "number";
        var column = header.cellIndex;
        var now = header.getAttribute("aria-sort");
        var least = column === 0 || header.hasAttribute("data-fc-least"); // a rank, a time, a cost: less is better
        var direction = now === null ? (numeric && !least ? -1 : 1) : now === "ascending" ? -1 : 1;
        sortBy(table, header, column, direction);
        document.dispatchEvent(new CustomEvent("fcbench-sorted", { detail: { header: header, direction: direction } }));
      });
    });
  });
  window.fcbenchTables = {
    sort: function (table, header, direction) { sortBy(table, header, header.cellIndex, direction); }
  };

  // --- A link into a folded round opens it; printing opens everything but the candidates ---
  function openTarget() {
    var target = null;
    try { target = document.getElementById(decodeURIComponent(location.hash.slice(1))); } catch (error) { return; }
    for (var place = target; place; place = place.parentElement) {
      if (place.tagName === "DETAILS") { place.open = true; }
    }
    if (target && location.hash.length > 1) { target.scrollIntoView(); }
  }
  window.addEventListener("hashchange", openTarget);
  if (location.hash) { openTarget(); }
  var opened = [];
  window.addEventListener("beforeprint", function () {
    opened = Array.prototype.filter.call(document.querySelectorAll("details:not([open]):not(.fc-candidates)"),
      function (one) { one.open = true; return true; });
  });
  window.addEventListener("afterprint", function () { opened.forEach(function (one) { one.open = false; }); });
})();
