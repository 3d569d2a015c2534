// A card's questions beside the scale: which are asked, what is answered, and which comes next.

import { focusSpans, installSpans, isComplete, readSpans, writeSpans } from "./rating_spans.js";

const HOLDS = {
  below: (answer, value) => answer < value,
  above: (answer, value) => answer > value,
  equal: (answer, value) => answer === value,
};
const FIELDS = "input:not([type=range]), textarea"; // a range shows what its number field holds

export const mainBox = (card) => card.querySelector(".main-question");
const criteria = (card) => [...card.querySelectorAll(".criterion")];
const fields = (box) => [...box.querySelectorAll(FIELDS)];
const chosenIn = (box) => fields(box).filter((field) => field.checked).map((field) => field.value);

// A question's answer as it is saved; undefined without one.
const READ = {
  scale: (box) => (chosenIn(box).length ? Number(chosenIn(box)[0]) : undefined),
  choice: (box) => chosenIn(box)[0],
  worst: (box) => (chosenIn(box).length ? Number(chosenIn(box)[0]) : undefined),
  choices: (box) => (chosenIn(box).length ? chosenIn(box) : undefined),
  "yes-no": (box) => (chosenIn(box).length ? chosenIn(box)[0] === "yes" : undefined),
  slider: (box) => (fields(box)[0].value === "" ? undefined : Number(fields(box)[0].value)),
  spans: readSpans,
  text: (box) => fields(box)[0].value.trim() ? fields(box)[0].value : undefined,
};
const isSpans = (box) => box.dataset.kind === "spans";
const read = (box) => READ[box.dataset.kind](box);

// A number outside its slider is no answer: the server would refuse it.
const isValid = (box) => isSpans(box) || fields(box).every((field) => field.validity.valid);
const answer = (box) => (isValid(box) ? read(box) : undefined);

// Whether the answers so far, by field, ask this question.
function isAsked(box, given) {
  const { on, relation, value } = box.dataset;
  if (on === undefined) return true;
  const answer = given.get(on);
  if (answer === undefined) return false;
  if (Array.isArray(answer)) return answer.includes(value);
  if (typeof answer === "boolean") return answer === (value === "yes");
  return HOLDS[relation](answer, typeof answer === "number" ? Number(value) : value);
}

// The questions that are asked after the main answer, a number or null, with their answers.
function asked(card, main) {
  const given = new Map(main === null ? [] : [[fields(mainBox(card))[0].name, main]]);
  return criteria(card).filter((box) => {
    if (!isAsked(box, given)) return false;
    if (answer(box) !== undefined) given.set(box.dataset.field, answer(box));
    return true;
  });
}

export function answersOf(card, main) {
  const answered = asked(card, main).filter((box) => answer(box) !== undefined);
  return Object.fromEntries(answered.map((box) => [box.dataset.criterion, answer(box)]));
}

const isAnswered = (box) => (isSpans(box) ? isComplete(box) : answer(box) !== undefined);

// The asked questions that need an answer and have none.
export const unanswered = (card, main) =>
  asked(card, main).filter((box) =>
    !isAnswered(box) && ("required" in box.dataset || read(box) !== undefined));

// Of a set, the answer chosen as the best can not be chosen as the worst.
export function keepApart(card) {
  const worst = criteria(card).find((box) => box.dataset.kind === "worst");
  if (!worst) return;
  const best = mainChoice(card);
  for (const field of fields(worst)) {
    field.disabled = field.value === best;
    if (field.disabled) field.checked = false;
  }
}

export function showAsked(card, main) {
  const shown = new Set(asked(card, main));
  for (const box of criteria(card)) box.hidden = !shown.has(box);
}

export function setAnswers(card, answers) {
  for (const box of criteria(card)) {
    const given = answers[box.dataset.criterion];
    if (isSpans(box)) {
      writeSpans(box, given ?? []);
      continue;
    }
    const values = [given ?? []].flat().map((one) => ({ true: "yes", false: "no" })[one] ?? String(one));
    for (const field of fields(box)) {
      if (["radio", "checkbox"].includes(field.type)) field.checked = values.includes(field.value);
      else if (field.value !== (values[0] ?? "")) field.value = values[0] ?? "";
    }
    followNumber(box);
  }
}

// The main answer as a form sends it: a number, "cannot", or "" without one.
export function mainChoice(card) {
  const all = fields(mainBox(card));
  if (all.find((field) => field.value === "cannot").checked) return "cannot";
  const number = all.find((field) => field.type === "number");
  if (number) return number.validity.valid ? number.value : "";
  return all.find((field) => field.checked)?.value ?? "";
}

export function setMain(card, value) {
  for (const field of fields(mainBox(card))) {
    if (field.type === "number") field.value = value === "cannot" ? "" : value;
    else field.checked = field.value === value;
  }
  followNumber(mainBox(card));
}

const isDefault = (field) =>
  field.checked === field.defaultChecked &&
  (["radio", "checkbox"].includes(field.type) || field.value === field.defaultValue);

// Whether the fields hold what the server sent.
export const isAsSent = (card) =>
  fields(mainBox(card)).every(isDefault) && criteria(card).every((box) =>
    isSpans(box) ? !("changed" in box.dataset) : fields(box).every(isDefault));

// The question that keys answer: the one with the focus, else the first of those without an answer.
export function activeBox(card, withoutAnswer) {
  const focused = document.activeElement.closest(".scale");
  return focused && card.contains(focused) ? focused : withoutAnswer[0] ?? mainBox(card);
}

export function focusBox(box) {
  if (isSpans(box)) {
    focusSpans(box);
    box.scrollIntoView({ block: "nearest", behavior: "instant" });
    return;
  }
  const all = fields(box);
  const field = all.find((one) => one.checked) ?? all.find((one) => !one.disabled);
  (box.querySelector("[type=range]") ?? field).focus({ preventScroll: true });
  box.scrollIntoView({ block: "nearest", behavior: "instant" });
}

function followNumber(box) {
  const range = box.querySelector("[type=range]");
  if (range) range.value = fields(box)[0].value || range.min;
}

// Let parts of texts be marked; `changed(box)` is called then. Marks that were made before the script
// had loaded are kept, and remembered as changes.
export function installMarking(card, changed) {
  for (const box of criteria(card).filter(isSpans)) {
    const boxes = [...box.querySelectorAll("li input")];
    if (!boxes.every(isDefault)) box.dataset.changed = "yes";
    installSpans(box, changed);
  }
}

// Keep each slider and its number equal, before the card handles the change.
export function installSliders(form) {
  const follow = (event) => {
    const box = event.target.closest?.(".scale");
    if (!box?.querySelector("[type=range]")) return;
    const [number, cannot] = fields(box); // of a criterion there is no box for "cannot judge"
    if (event.target.type === "range") number.value = event.target.value;
    else if (event.target === cannot) number.value = "";
    if (cannot && event.target !== cannot && number.value) cannot.checked = false;
    followNumber(box);
  };
  for (const type of ["input", "click"]) form.addEventListener(type, follow, { capture: true });
}
