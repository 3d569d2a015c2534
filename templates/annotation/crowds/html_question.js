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
      if (field && field.type === "checkbox") field.checked = true;
      else if (field && name !== "assignmentId") field.value = values[name];
    }
  }

  // A question is asked where its condition holds: an earlier answer is below, above or one of value.
  function isAsked(box) {
    var on = box.dataset.on, relation = box.dataset.relation, value = box.dataset.value, answers = [];
    if (!on) return true;
    new FormData(form).forEach(function (answer, name) {
      if (answer && (name === on || name.indexOf(on + "-") === 0)) answers.push(answer);
    });
    if (relation === "below") return answers.length > 0 && Number(answers[0]) < Number(value);
    if (relation === "above") return answers.length > 0 && Number(answers[0]) > Number(value);
    return answers.indexOf(value) >= 0;
  }

  // Fields of a question that is not asked are disabled: the form does not require or send them.
  function showAsked(item, isJudged) {
    Array.prototype.forEach.call(item.querySelectorAll(".criterion"), function (box) {
      var fields = box.querySelectorAll("input, textarea"), i;
      box.hidden = box.disabled = !isJudged || !isAsked(box);
      for (i = 0; i < fields.length; i += 1) {
        if (fields[i].type !== "checkbox") fields[i].required = "required" in box.dataset;
      }
    });
  }

  // Of a set, the answer chosen as the best cannot be chosen as the worst.
  function keepApart(item, best) {
    Array.prototype.forEach.call(item.querySelectorAll("[data-kind=worst] input"), function (field) {
      field.disabled = best !== null && field.value === best.value;
      if (field.disabled) field.checked = false;
    });
  }

  function show() {
    var rated = 0;
    items.forEach(function (item) {
      var number = item.querySelector("input[type=number][name^='rating-']");
      var choice = number ? number.value && number : item.querySelector("input[name^='rating-']:checked");
      item.querySelector("textarea[name^='comment-']").required = !!choice && choice.value === "cannot";
      showAsked(item, !choice || choice.value !== "cannot");
      keepApart(item, choice);
      if (choice) rated += 1;
    });
    var progress = document.getElementById("progress");
    progress.textContent = progress.dataset.text
      .replace("%(rated)s", rated)
      .replace("%(total)s", items.length);
  }

  form.addEventListener("change", function (event) {
    var seconds = form.elements["seconds-" + event.target.closest("article").dataset.candidate];
    if (event.target.name.indexOf("rating-") === 0 && !seconds.value) {
      seconds.value = ((Date.now() - started) / 1000).toFixed(1);
      started = Date.now();
    }
    show();
    if (!preview && store) saveValues();
  });
  if (!preview && store) restoreValues();
  show();
})();
