// The other runs of the case of an attempt. Data comes from a script file, since a page opened from file:// may not fetch.
(function () {
  "use strict";
  var data = window.fcbench && window.fcbench.same;
  var body = document.querySelector("[data-fc-same]");
  if (!data || !body) { return; }
  var own = body.getAttribute("data-fc-same"), root = body.getAttribute("data-fc-root");
  function made(parent, tag, css, text) {
    var one = document.createElement(tag);
    if (css) { one.className = css; }
    if (text) { one.textContent = text; }
    parent.appendChild(one);
    return one;
  }
  function link(parent, path, css, text) {
    var one = made(parent, "a", css, text);
    one.href = root + path;
    return one;
  }
  function pill(parent, mark, model) {
    var cell = link(parent, mark[0], "fc-cell", "");
    var shown = made(cell, "span", "fc-pill fc-pill--" + mark[2], "");
    made(shown, "span", "", mark[3]).setAttribute("aria-hidden", "true");
    shown.appendChild(document.createTextNode(" " + mark[4]));
    made(cell, "span", "fc-hidden", " repeat " + mark[1] + " of " + model);
    parent.appendChild(document.createTextNode(" "));
  }
  data.runs.filter(function (run) { return run.run !== own; }).slice(0, data.most - 1).forEach(function (run) {
    var row = made(body, "tr", "", "");
    var head = made(row, "th", "fc-model", "");
    head.scope = "row";
    link(head, run.path, "", run.model);
    if (run.control) {
      head.appendChild(document.createTextNode(" "));
      made(head, "span", "fc-tag", "control");
    }
    made(made(row, "td", "fc-text", run.board), "span", "fc-detail", run.date);
    var cells = made(row, "td", "fc-text fc-cells", "");
    run.attempts.forEach(function (mark) { pill(cells, mark, run.model); });
    if (!run.attempts.length) { made(cells, "span", "fc-note", "none"); }
  });
})();
