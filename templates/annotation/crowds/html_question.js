(function () {
  "use strict";
  var parameters = new URLSearchParams(location.search), id = parameters.get("assignmentId") || "";
  var submitTo = (parameters.get("turkSubmitTo") || "https://www.mturk.com").replace(/\/+$/, "");
  var form = document.getElementById("mturk_form"), preview = !id || id === "ASSIGNMENT_ID_NOT_AVAILABLE";
  var items = Array.prototype.slice.call(document.querySelectorAll("article"));
  var prefix = "concord-task-", started = Date.now(), store = null;
  form.action = /\/externalSubmit$/.test(submitTo) ? submitTo : submitTo + "/mturk/externalSubmit";
  document.getElementById("assignmentId").value = id;
  document.getElementById("preview").hidden = !preview;
  document.getElementById("submitButton").disabled = preview;

  // Ratings survive a reload where the frame has storage. In a frame without its own origin the
  // access throws an error, and the page works without storage.
  try { store = window.localStorage; } catch (error) { store = null; }

  function saveValues() {
    var values = {};
    new FormData(form).forEach(function (value, name) { values[name] = value; });
    try { store.setItem(prefix + id, JSON.stringify(values)); } catch (error) { store = null; }
  }

  function restoreValues() {
    var values = {}, name;
    try {
      values = JSON.parse(store.getItem(prefix + id)) || {};
      // Remove the values of earlier tasks.
      Object.keys(store).forEach(function (key) {
        if (key.indexOf(prefix) === 0 && key !== prefix + id) store.removeItem(key);
      });
    } catch (error) { values = {}; }
    for (name in values) {
      var field = form.elements[name];
      if (field && name !== "assignmentId") field.value = values[name];
    }
  }

  function show() {
    var rated = 0;
    items.forEach(function (item) {
      var choice = item.querySelector("input:checked");
      item.querySelector("textarea").required = !!choice && choice.value === "cannot";
      if (choice) rated += 1;
    });
    var progress = document.getElementById("progress");
    progress.textContent = progress.dataset.text
      .replace("%(rated)s", rated)
      .replace("%(total)s", items.length);
  }

  form.addEventListener("change", function (event) {
    var seconds = form.elements["seconds-" + event.target.closest("article").dataset.candidate];
    if (event.target.type === "radio" && !seconds.value) {
      seconds.value = ((Date.now() - started) / 1000).toFixed(1);
      started = Date.now();
    }
    show();
    if (!preview && store) saveValues();
  });
  if (!preview && store) restoreValues();
  show();
})();
