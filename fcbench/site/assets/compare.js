// Two runs of one board. Data comes from a script file, since a page opened from file:// may not fetch.
(function () {
  "use strict";
  var data = window.fcbench && window.fcbench.compare;
  var box = document.querySelector("[data-fc-compare]");
  if (!data || !box || data.runs.length < 2) { return; }
  var root = box.getAttribute("data-fc-root");
  var MOST = 200;
  var fields = {};
  var said = document.querySelector("[data-fc-said]");
  var segments = document.querySelector("[data-fc-segments]");
  var result = document.querySelector("[data-fc-result]");

  Array.prototype.forEach.call(box.querySelectorAll("[data-fc-run]"), function (field) {
    fields[field.getAttribute("data-fc-run")] = field;
    data.runs.forEach(function (run, number) {
      var option = document.createElement("option");
      option.value = String(number);
      option.textContent = run.name + ", " + run.date;
      field.appendChild(option);
    });
    field.addEventListener("input", function () { write(); render(); });
  });
  function write() {
    var state = new URLSearchParams();
    ["a", "b"].forEach(function (name) { state.set(name, data.runs[Number(fields[name].value)].id); });
    history.replaceState(null, "", "#" + state.toString());
  }
  function placeOf(id) {
    for (var at = 0; at < data.runs.length; at += 1) { if (data.runs[at].id === id) { return at; } }
    return -1;
  }
  function read() {
    var state = new URLSearchParams(location.hash.slice(1));
    ["a", "b"].forEach(function (name, number) {
      var found = placeOf(state.get(name));
      fields[name].value = String(found < 0 ? number : found);
    });
  }
  function share(entry, run) { return entry[4][run * 2 + 1] ? entry[4][run * 2] / entry[4][run * 2 + 1] : null; }
  function percent(value) { return (value * 100).toFixed(1) + " %"; }
  function points(value) { return (value > 0 ? "+" : value < 0 ? "\u2212" : "") + Math.abs(value * 100).toFixed(1); }
  function mean(entries, run) {
    return entries.reduce(function (sum, entry) { return sum + share(entry, run); }, 0) / entries.length;
  }
  function both(a, b, isCall) {
    return data.cases.filter(function (entry) {
      return Boolean(entry[2]) === isCall && share(entry, a) !== null && share(entry, b) !== null;
    });
  }
  function testOf(a, b) {
    return data.pairs.filter(function (one) {
      return (one[0] === a && one[1] === b) || (one[0] === b && one[1] === a);
    })[0];
  }
  function tell(a, b) {
    var calls = both(a, b, true), rest = both(a, b, false), test = testOf(a, b), words = [];
    if (a === b) { return "Choose two different runs."; }
    if (calls.length) {
      words.push("Strict accuracy: first " + percent(mean(calls, a)) + ", second " + percent(mean(calls, b)) +
        ", difference " + points(mean(calls, b) - mean(calls, a)) + " points over " + calls.length + " call cases.");
    }
    if (!calls.length && !rest.length) { return "No case was judged in both runs."; }
    if (test && calls.length) {
      words.push(test[4] < data.level
        ? "The difference is more than chance: p " + p(test[4]) + " (" + test[2] + ", after Holm)."
        : "It cannot be told from chance: p " + p(test[4]) + " (" + test[2] + ", after Holm).");
    } else if (calls.length) {
      words.push("There is no test: only ranked runs are tested, and a control or an incomplete run is never ranked.");
    }
    if (rest.length) {
      words.push("Restraint accuracy: first " + percent(mean(rest, a)) + ", second " + percent(mean(rest, b)) +
        " over " + rest.length + " cases.");
    }
    return words.join(" ");
  }
  function p(value) { return value < 0.001 ? "< 0.001" : "= " + value.toFixed(3); }
  function cell(row, text, css, tag) {
    var made = document.createElement(tag || "td");
    made.textContent = text;
    if (css) { made.className = css; }
    row.appendChild(made);
    return made;
  }
  function segmentRows(a, b) {
    var calls = both(a, b, true), rows = [];
    data.axes.forEach(function (axis, at) {
      if (axis[1].length < 2) { return; }
      axis[1].forEach(function (label, number) {
        var found = calls.filter(function (entry) { return entry[3][at] === number; });
        if (!found.length) { return; }
        var row = document.createElement("tr"), first = mean(found, a), second = mean(found, b);
        cell(row, axis[0] + ": " + (label || "none"), "fc-model", "th").scope = "row";
        cell(row, String(found.length), "fc-num");
        cell(row, percent(first), "fc-num");
        cell(row, percent(second), "fc-num");
        cell(row, points(second - first), "fc-num");
        rows.push(row);
      });
    });
    return rows;
  }
  function flips(a, b, name) {
    var list = document.querySelector("[data-fc-flips=" + name + "]");
    var found = data.cases.filter(function (entry) {
      var first = share(entry, a), second = share(entry, b);
      return first !== null && second !== null && first > second;
    });
    var items = found.slice(0, MOST).map(function (entry) {
      var item = document.createElement("li"), link = document.createElement("a");
      link.href = root + entry[1];
      link.textContent = entry[0];
      item.appendChild(link);
      item.appendChild(document.createTextNode(" " + entry[4][a * 2] + " of " + entry[4][a * 2 + 1] + " against " +
        entry[4][b * 2] + " of " + entry[4][b * 2 + 1]));
      return item;
    });
    if (!items.length || found.length > MOST) {
      var rest = document.createElement("li");
      rest.textContent = found.length ? "and " + (found.length - MOST) + " more" : "none";
      items.push(rest);
    }
    list.replaceChildren.apply(list, items);
  }
  function render() {
    var a = Number(fields.a.value), b = Number(fields.b.value);
    said.textContent = tell(a, b);
    segments.replaceChildren.apply(segments, a === b ? [] : segmentRows(a, b));
    flips(a, b, "a");
    flips(b, a, "b");
  }
  window.addEventListener("hashchange", function () { read(); render(); });
  box.hidden = false;
  result.hidden = false;
  read();
  render();
})();
