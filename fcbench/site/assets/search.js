// The search over results and documentation. Every text goes through textContent.
(function () {
  "use strict";
  var data = window.fcbench && window.fcbench.search;
  var box = document.querySelector("[data-fc-search]");
  if (!data || !box) { return; }
  var PAGE = 30, shown = PAGE;
  var query = box.querySelector("[data-fc-query]"), kind = box.querySelector("[data-fc-kind]");
  var list = document.querySelector("[data-fc-list]"), count = document.querySelector("[data-fc-found]");
  var more = document.querySelector("[data-fc-more]");
  data.kinds.forEach(function (name) {
    var option = document.createElement("option");
    option.value = name;
    option.textContent = name;
    kind.appendChild(option);
  });
  var rows = data.rows.map(function (row, place) {
    return { title: row[0], path: row[1], kind: data.kinds[row[2]], text: row[3], place: place,
      low: row[0].toLowerCase(), body: row[3].toLowerCase() };
  });
  function words() { return query.value.toLowerCase().split(/\s+/).filter(Boolean); }
  function starts(text, word) { // at the beginning of a word
    for (var at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
      if (at === 0 || !/[a-z0-9]/.test(text[at - 1])) { return true; }
    }
    return false;
  }
  function score(row, wanted) {
    var sum = row.low === wanted.join(" ") ? 40 : 0;
    for (var i = 0; i < wanted.length; i++) {
      var word = wanted[i];
      var found = starts(row.low, word) ? 8 : row.low.indexOf(word) >= 0 ? 5 :
        starts(row.body, word) ? 2 : row.body.indexOf(word) >= 0 ? 1 : 0;
      if (!found) { return 0; }
      sum += found;
    }
    return sum;
  }
  function marked(parent, text, wanted) { // the text with its hits in <mark>
    var low = text.toLowerCase(), at = 0;
    while (at < text.length) {
      var next = -1, length = 0;
      wanted.forEach(function (word) {
        var here = low.indexOf(word, at);
        if (here >= 0 && (next < 0 || here < next)) { next = here; length = word.length; }
      });
      if (next < 0) { break; }
      parent.appendChild(document.createTextNode(text.slice(at, next)));
      var mark = document.createElement("mark");
      mark.textContent = text.slice(next, next + length);
      parent.appendChild(mark);
      at = next + length;
    }
    parent.appendChild(document.createTextNode(text.slice(at)));
  }
  function snippet(row, wanted) {
    var first = wanted.map(function (word) { return row.body.indexOf(word); })
      .filter(function (at) { return at >= 0; });
    var from = first.length ? Math.max(0, Math.min.apply(null, first) - 60) : 0;
    if (from) { from = row.text.indexOf(" ", from) + 1; }
    return (from ? "… " : "") + row.text.slice(from, from + 200) + (row.text.length > from + 200 ? " …" : "");
  }
  function line(row, wanted) {
    var item = document.createElement("li");
    var link = document.createElement("a");
    link.href = row.path;
    marked(link, row.title, wanted);
    item.appendChild(link);
    var tag = document.createElement("span");
    tag.className = "fc-tag";
    tag.textContent = row.kind;
    item.appendChild(document.createTextNode(" "));
    item.appendChild(tag);
    if (row.text) {
      var text = document.createElement("p");
      text.className = "fc-found__text";
      marked(text, snippet(row, wanted), wanted);
      item.appendChild(text);
    }
    return item;
  }
  function render() {
    var wanted = words();
    var found = !wanted.length ? [] : rows.map(function (row) { return { row: row, score: score(row, wanted) }; })
      .filter(function (one) { return one.score && (!kind.value || one.row.kind === kind.value); })
      .sort(function (a, b) { return b.score - a.score || a.row.place - b.row.place; });
    list.replaceChildren.apply(list, found.slice(0, shown).map(function (one) { return line(one.row, wanted); }));
    count.textContent = !wanted.length ? "" : !found.length ? "Nothing has all of these words." :
      found.length + (found.length === 1 ? " result" : " results") +
      (found.length > shown ? ", the first " + shown + " shown" : "");
    more.hidden = found.length <= shown;
  }
  function write() {
    var state = new URLSearchParams();
    if (query.value) { state.set("q", query.value); }
    if (kind.value) { state.set("kind", kind.value); }
    history.replaceState(null, "", "#" + state.toString());
  }
  function read() {
    var state = new URLSearchParams(location.hash.slice(1));
    query.value = state.get("q") || "";
    kind.value = state.get("kind") || "";
  }
  function changed() { shown = PAGE; write(); render(); }
  query.addEventListener("input", changed);
  kind.addEventListener("input", changed);
  more.addEventListener("click", function () { shown += PAGE; render(); });
  window.addEventListener("hashchange", function () { read(); render(); });
  box.hidden = false;
  read();
  render();
  query.focus({ preventScroll: true });
})();
