(function () {
  "use strict";
  var given = new URLSearchParams(location.search), id = given.get("assignmentId") || "";
  var to = (given.get("turkSubmitTo") || "https://www.mturk.com").replace(/\/+$/, "");
  var form = document.getElementById("mturk_form"), preview = !id || id === "ASSIGNMENT_ID_NOT_AVAILABLE";
  var items = Array.prototype.slice.call(document.querySelectorAll("article"));
  var mark = "concord-task-", started = Date.now(), store = null;
  form.action = /\/externalSubmit$/.test(to) ? to : to + "/mturk/externalSubmit";
  document.getElementById("assignmentId").value = id;
  document.getElementById("preview").hidden = !preview;
  document.getElementById("submitButton").disabled = preview;

  // What was chosen outlives a reload, where the frame has storage: in one without an origin of
  // its own asking for it throws, and the page works all the same.
  try { store = window.localStorage; } catch (error) { store = null; }

  function keep() {
    var chosen = {};
    new FormData(form).forEach(function (value, name) { chosen[name] = value; });
    try { store.setItem(mark + id, JSON.stringify(chosen)); } catch (error) { store = null; }
  }

  function recall() {
    var chosen = {}, name;
    try {
      chosen = JSON.parse(store.getItem(mark + id)) || {};
      // Tasks before this one are over.
      Object.keys(store).forEach(function (key) {
        if (key.indexOf(mark) === 0 && key !== mark + id) store.removeItem(key);
      });
    } catch (error) { chosen = {}; }
    for (name in chosen) {
      var field = form.elements[name];
      if (field && name !== "assignmentId") field.value = chosen[name];
    }
  }

  function show() {
    var rated = 0;
    items.forEach(function (item) {
      var chosen = item.querySelector("input:checked");
      item.querySelector("textarea").required = !!chosen && chosen.value === "cannot";
      if (chosen) rated += 1;
    });
    document.getElementById("progress").textContent = rated + " of " + items.length + " rated";
  }

  form.addEventListener("change", function (event) {
    var seconds = form.elements["seconds-" + event.target.closest("article").dataset.candidate];
    if (event.target.type === "radio" && !seconds.value) {
      seconds.value = ((Date.now() - started) / 1000).toFixed(1);
      started = Date.now();
    }
    show();
    if (!preview && store) keep();
  });
  if (!preview && store) recall();
  show();
})();
