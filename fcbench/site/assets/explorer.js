// The failures explorer. Data comes from a script file, since a page opened from file:// may not fetch.
(function () {
  "use strict";
  var data = window.fcbench && window.fcbench.failures;
  var box = document.querySelector("[data-fc-explorer]");
  if (!data || !box) { return; }
  var PAGE = 100, shown = PAGE;
  var results = document.querySelector("[data-fc-results]");
  var body = results.querySelector("tbody");
  var more = document.querySelector("[data-fc-more]");
  var count = document.querySelector("[data-fc-count]");
  var fields = {};
  var places = { model: 4, board: 5, category: 6, kind: 7 };
  Array.prototype.forEach.call(box.querySelectorAll("[data-fc-filter]"), function (field) {
    var name = field.getAttribute("data-fc-filter");
    fields[name] = field;
    (data.names[name] || []).slice().sort().forEach(function (text) {
      var option = document.createElement("option");
      option.value = text;
      option.textContent = text;
      field.appendChild(option);
    });
    field.addEventListener("input", function () { shown = PAGE; write(); render(); });
  });
  function write() {
    var state = new URLSearchParams();
    Object.keys(fields).forEach(function (name) { if (fields[name].value) { state.set(name, fields[name].value); } });
    history.replaceState(null, "", "#" + state.toString());
  }
  function read() {
    var state = new URLSearchParams(location.hash.slice(1));
    Object.keys(fields).forEach(function (name) { fields[name].value = state.get(name) || ""; });
  }
  function fits(row) {
    return Object.keys(places).every(function (name) {
      var wanted = fields[name].value;
      if (!wanted) { return true; }
      var number = data.names[name].indexOf(wanted), value = row[places[name]];
      return name === "kind" ? value.indexOf(number) >= 0 : value === number;
    }) && (!fields.text.value ||
      (row[1] + " " + row[3]).toLowerCase().indexOf(fields.text.value.toLowerCase()) >= 0);
  }
  function cell(row, text, tag) {
    var made = document.createElement(tag || "td");
    made.textContent = text;
    row.appendChild(made);
    return made;
  }
  function line(row) {
    var made = document.createElement("tr");
    var head = cell(made, "", "th");
    head.scope = "row";
    head.className = "fc-model";
    var link = document.createElement("a");
    link.href = row[0];
    link.textContent = row[1] + ", repeat " + row[2];
    head.appendChild(link);
    cell(made, data.names.model[row[4]]);
    cell(made, row[7].map(function (kind) { return data.names.kind[kind]; }).join(", "));
    cell(made, row[3]).className = "fc-text";
    cell(made, data.names.board[row[5]]);
    return made;
  }
  function render() {
    var found = data.rows.filter(fits);
    body.replaceChildren.apply(body, found.slice(0, shown).map(line));
    count.textContent = found.length + " of " + data.rows.length + " failures" +
      (found.length > shown ? ", the first " + shown + " shown" : "");
    more.hidden = found.length <= shown;
  }
  more.addEventListener("click", function () { shown += PAGE; render(); });
  window.addEventListener("hashchange", function () { read(); render(); });
  box.hidden = false;
  results.hidden = false;
  read();
  render();
})();
