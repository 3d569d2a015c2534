// The rating page, made quick: a click or a key rates, and each rating is saved as it is made.
// Without this script the page is a plain form that does the same in one go.
import { installKeys, rememberBox } from "./rating_keys.js";
import * as questions from "./rating_questions.js";
import { RatingQueue } from "./rating_queue.js";
import { Watch } from "./rating_watch.js";

// The texts in the page's language; `write` fills in the values of their %(names)s.
const texts = JSON.parse(document.getElementById("texts").textContent);
const write = (name, values = {}) => texts[name].replace(/%\((\w+)\)s/g, (_, key) => values[key]);

const form = document.getElementById("task");
const isPreview = "preview" in form.dataset;
const cards = [...form.querySelectorAll(".card")];
const byCandidate = new Map(cards.map((card) => [card.dataset.candidate, card]));
const submit = document.getElementById("submit");
const saveState = document.getElementById("save-state");
const message = document.getElementById("message"); // why the task was not submitted
const bar = form.querySelector(".bar");
const autoNext = document.getElementById("auto-next");
// Times are the server's: this browser's clock may be wrong, and another window's is another's.
const ahead = isPreview ? 0 : Number(form.dataset.serverTime) - Date.now();
const serverNow = () => Date.now() + ahead;

const watch = new Watch(cards);
const before = new Map(); // what the rater had made of a card
const unfinished = new Map(); // whether a card was not rated then

const comment = (card) => card.querySelector(".comment textarea");
const choice = questions.mainChoice;
const value = (card) => (["", "cannot"].includes(choice(card)) ? null : Number(choice(card)));
const unanswered = (card) => (value(card) === null ? [] : questions.unanswered(card, value(card)));
// The choices that need a comment.
const explained = form.dataset.explained.split(" ");
const needsComment = (card) => explained.includes(choice(card)) && !comment(card).value.trim();
const isRated = (card) =>
  choice(card) !== "" && !unanswered(card).length && !needsComment(card);
// What the rater made of a card, to tell a change of it from a comment's.
const made = (card) => JSON.stringify([choice(card), questions.answersOf(card, value(card))]);

const queue = isPreview ? null : new RatingQueue(form.dataset.assignment, form.dataset.save, {
  changed: applyEntries,
  answered: applyState,
  waiting(count, offline) {
    if (offline) say(write("offline", { count }), "offline");
    else say(write(count ? "saving" : "saved"), count ? "" : "saved");
  },
  closed: showClosed,
});

function say(text, kind = "") {
  if (saveState.textContent !== text) saveState.textContent = text;
  saveState.className = `save-state ${kind}`;
}

function showProblem(card, text) {
  const problem = card.querySelector(".problem");
  problem.textContent = text;
  problem.hidden = !text;
  for (const field of [card.querySelector("fieldset"), comment(card)]) {
    field.removeAttribute("aria-describedby");
    if (text) field.setAttribute("aria-describedby", problem.id);
  }
}

function showRated(card) {
  questions.showAsked(card, value(card));
  card.querySelector(".undo").hidden = choice(card) === "";
  card.classList.toggle("rated", isRated(card));
  if (explained.includes(choice(card))) card.querySelector(".comment").open = true;
  if (isRated(card)) showProblem(card, "");
  document.getElementById("rated").textContent = cards.filter(isRated).length;
}

function remember(card) {
  before.set(card, made(card));
  unfinished.set(card, isNew(card));
}

function record(card) {
  questions.keepApart(card);
  if (made(card) !== before.get(card)) { // thinking about a change counts too
    card.dataset.seconds = Number(card.dataset.seconds) + watch.secondsFor(card);
  }
  remember(card);
  watch.current = card;
  message.textContent = "";
  showRated(card);
  if (!queue) return;
  const entry = {
    comment: comment(card).value,
    answers: questions.answersOf(card, value(card)),
    seconds: Number(card.dataset.seconds),
  };
  if (choice(card)) entry.value = value(card);
  if (!isRated(card)) entry.draft = true;
  entry.made_at = Math.max(Math.round(serverNow()), Number(card.dataset.madeAt) + 1);
  card.dataset.madeAt = entry.made_at;
  queue.put(card.dataset.candidate, entry);
}

function apply(card, value, answers, text, madeAt) {
  questions.setMain(card, value);
  questions.setAnswers(card, answers);
  questions.keepApart(card);
  if (comment(card).value !== text) comment(card).value = text;
  if (text) card.querySelector(".comment").open = true;
  card.dataset.madeAt = madeAt;
  remember(card);
  showRated(card);
}

// What this or another window of the task keeps for sending; what the server has later counts.
function applyEntries(entries) {
  for (const [pk, entry] of Object.entries(entries)) {
    const card = byCandidate.get(pk);
    if (!card || entry.made_at < Number(card.dataset.madeAt)) continue;
    const value = entry.value === null ? "cannot" : String(entry.value ?? "");
    apply(card, value, entry.answers ?? {}, entry.comment, entry.made_at);
  }
}

function applyState(state) {
  deadline = performance.now() + state.seconds_left * 1000;
  const waiting = queue.entries();
  for (const [pk, given] of Object.entries(state.ratings)) {
    const card = byCandidate.get(pk);
    const isNews = card && given.made_at > Number(card.dataset.madeAt);
    if (isNews && !(waiting[pk]?.made_at > given.made_at)) {
      queue.drop(pk);
      apply(card, given.choice, given.answers, given.comment, given.made_at);
    }
  }
  for (const [pk, reason] of Object.entries(state.refused ?? {})) {
    const card = byCandidate.get(pk);
    if (card) showProblem(card, reason);
  }
  if (!["held", "expired"].includes(state.status)) showClosed(write("closed"));
}

function showClosed(message) {
  if (document.getElementById("closed")) return;
  say("", "");
  const note = document.createElement("p");
  note.id = "closed";
  note.className = "note warning";
  note.tabIndex = -1;
  const link = document.createElement("a");
  link.href = form.getAttribute("action");
  link.textContent = write("seeOutcome");
  note.append(`${message} `, link);
  form.before(note);
  note.focus();
}

const isPinned = (element) => getComputedStyle(element).position === "sticky";

// Room above for the passage, and below for the bar with its message, which stay over the card.
function makeRoom(card) {
  const passage = card.closest(".passage-group").querySelector(".passage");
  const above = passage && isPinned(passage) ? passage.offsetHeight : 0;
  const below = isPinned(bar) ? bar.offsetHeight + message.offsetHeight : 0;
  const style = document.documentElement.style;
  style.scrollPaddingTop = `${above + 12}px`;
  style.scrollPaddingBottom = `${below + 12}px`;
}

function foldPassages() {
  for (const box of form.querySelectorAll(".whole-passage input")) box.checked = false;
}

// The box to unfold a passage is shown where a part of the passage is out of sight.
function showUnfolding() {
  for (const passage of form.querySelectorAll(".passage[open]")) {
    const text = passage.querySelector(".passage-text");
    const box = passage.querySelector(".whole-passage");
    const isNeeded = box.querySelector("input").checked || text.scrollHeight > text.clientHeight + 1;
    box.classList.toggle("needless", !isNeeded);
  }
}

function goTo(card) {
  watch.current = card;
  foldPassages();
  makeRoom(card);
  card.focus({ preventScroll: true });
  card.scrollIntoView({ block: "start", behavior: "instant" });
}

// Scroll to the comment that "cannot judge" needs, with the problem above it.
function showComment(card) {
  makeRoom(card);
  card.querySelector(".comment").open = true;
  card.querySelector(".explanation").scrollIntoView({ block: "nearest", behavior: "instant" });
}

function goToComment(card) {
  watch.current = card;
  foldPassages();
  comment(card).focus({ preventScroll: true });
  showComment(card);
}

function goOn() {
  const after = cards.slice(cards.indexOf(watch.current) + 1);
  const next = [...after, ...cards].find((card) => !isRated(card));
  if (!next) goToSubmit();
  else if (needsComment(next)) goToComment(next);
  else goTo(next);
}

// To the first question of a card that needs an answer.
function goToQuestion(card) {
  const [box] = unanswered(card);
  if (!box) return goTo(card);
  watch.current = card;
  makeRoom(card);
  questions.focusBox(box);
}

const hasKeys = () => !matchMedia("(pointer: coarse)").matches;

function goToSubmit() {
  message.textContent = write(hasKeys() ? "atSubmit" : "allRated");
  submit.focus();
}

// From Submit, the previous card is the current one.
function goBy(step) {
  const isAtSubmit = document.activeElement === submit;
  if (isAtSubmit) message.textContent = "";
  const at = cards.indexOf(watch.current) + (isAtSubmit ? Math.min(step + 1, 1) : step);
  if (cards[at]) goTo(cards[at]);
}

function rateByKey(key) {
  const card = watch.current;
  const box = questions.activeBox(card, choice(card) === "" ? [] : unanswered(card));
  const field = [...box.querySelectorAll("[data-key]")].find((one) => one.dataset.key === key);
  if (!field || field.disabled) return false;
  const isFirst = isNew(card);
  if (field.type === "button") {
    field.click();
    return true;
  }
  field.checked = field.type === "radio" || !field.checked;
  record(card);
  if (field.type === "checkbox") field.focus({ preventScroll: true });
  else if (isFirst) advance();
  return true;
}

// Whether a card was not rated before the present change.
const isNew = (card) => choice(card) === "" || unanswered(card).length > 0;

// The card that was reached without Enter. An Enter there means the rating just made, as it does
// with this turned off; only the next one skips the card.
let reached = null;

// After a first rating, on to the next card that needs one. To Submit goes only who asks for it.
function advance() {
  if (!autoNext.checked) return;
  if (unanswered(watch.current).length) return goToQuestion(watch.current);
  if (cards.every(isRated)) message.textContent = write("allRated");
  else goOn();
  reached = watch.current;
}

function goOnByKey() {
  const focused = document.activeElement.closest(".scale");
  const following = Node.DOCUMENT_POSITION_FOLLOWING;
  const next = focused && unanswered(watch.current).find(
    (box) => focused.compareDocumentPosition(box) & following);
  if (next) return questions.focusBox(next);
  const isMeantBefore = watch.current === reached && !isRated(reached);
  reached = null;
  if (!isMeantBefore) goOn();
}

// After a first rating by mouse or finger, on to the next answer, when the rater has seen the mark.
// Arrow keys move through the points, so that a rating by them is not yet the last word.
let advancing = 0, pointedAt = -Infinity;
function advanceFrom(card) {
  if (performance.now() - pointedAt > 1000) return;
  advancing = setTimeout(() => watch.current === card && isRated(card) && advance(), 300);
}
for (const type of ["pointerdown", "keydown"]) {
  document.addEventListener(type, () => {
    clearTimeout(advancing);
    if (type === "pointerdown") pointedAt = performance.now();
  }, { capture: true });
}

// The answers are taken back, not the comment; a draft without a choice says so to the server.
function undo(card) {
  if (choice(card) === "") return;
  questions.setMain(card, "");
  questions.setAnswers(card, {});
  record(card);
  goTo(card);
  message.textContent = write("notRated");
}

function cannotJudge() {
  const card = watch.current;
  questions.setMain(card, "cannot");
  record(card);
  goToComment(card);
}

let isSaved = false;
async function onSubmit(event) {
  if (isPreview) return event.preventDefault();
  if (isSaved) return;
  event.preventDefault();
  const { submitter } = event; // Submit, Submit and stop, or a language
  const missing = cards.filter((card) => !isRated(card));
  if (missing.length && submitter?.name !== "language") {
    const why = (card) =>
      write(!choice(card) ? "notRated" : unanswered(card).length ? "answerAll" : "sayWhy");
    for (const card of missing) showProblem(card, why(card));
    const [first] = missing;
    message.textContent = write("missing", {
      number: cards.indexOf(first) + 1,
      reason: why(first),
      left: missing.length,
      total: cards.length,
    });
    if (needsComment(first)) goToComment(first);
    else if (unanswered(first).length) goToQuestion(first);
    else goTo(first);
    return;
  }
  if (!(await queue.flush()) || !navigator.onLine) {
    if (!document.getElementById("closed")) message.textContent = write("offlineSubmit");
    return;
  }
  // Not before the event this began with has ended: until then the form takes no other.
  await new Promise((resolve) => setTimeout(resolve));
  isSaved = true;
  const saved = document.createElement("input");
  Object.assign(saved, { type: "hidden", name: "saved", value: "1" });
  form.append(saved);
  form.requestSubmit(submitter ?? submit);
}

let deadline = performance.now() + Number(form.dataset.secondsLeft) * 1000;
function showTime() {
  const minutes = Math.floor((deadline - performance.now()) / 60_000);
  const hours = Math.floor(minutes / 60);
  const parts = [write("minutes", { count: minutes % 60 })];
  if (hours) parts.unshift(write("hours", { count: hours }));
  const last = write(deadline > performance.now() ? "lastMinute" : "timeUp");
  const left = document.getElementById("time-left");
  left.textContent = minutes >= 1 ? write("timeLeft", { time: parts.join(" ") }) : last;
}

const isAsSent = (card) =>
  questions.isAsSent(card) &&
  comment(card).value === comment(card).defaultValue;
questions.installSliders(form);
for (const card of cards) {
  questions.installMarking(card, () => record(card));
  questions.keepApart(card);
  questions.showAsked(card, value(card));
  remember(card);
  card.addEventListener("change", (event) => {
    if (!event.target.closest(".scale") || event.target.closest(".span-rows")) return;
    const wasNew = unfinished.get(card);
    record(card);
    if (needsComment(card)) showComment(card);
    else if (wasNew && event.target.type !== "checkbox") advanceFrom(card);
  });
  card.addEventListener("input", (event) => {
    if (event.target.matches("textarea, [type=number], [type=range]")) record(card);
  });
  card.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !event.target.matches("[type=number], [type=range]")) return;
    event.preventDefault(); // it would submit the form
    goOnByKey();
  });
  card.addEventListener("focusin", () => makeRoom(card));
  card.querySelector(".undo").addEventListener("click", (event) => {
    event.preventDefault(); // without this script it is sent
    undo(card);
  });
}
form.addEventListener("submit", onSubmit);
document.getElementById("next").addEventListener("click", goOn);
rememberBox(autoNext, "concord.advance");
installKeys({ rateByKey, cannotJudge, undo: () => undo(watch.current), goOn: goOnByKey, goBy });
addEventListener("resize", showUnfolding);
showUnfolding();
makeRoom(cards[0]);
if (queue) {
  const early = cards.filter((card) => !isAsSent(card)); // rated before this script had loaded
  applyEntries(queue.entries());
  early.forEach(record);
  if (cards.some(isRated)) goOn(); // come back to: on with what is left
  // Where nothing was answered yet, nothing is saved.
  queue.flush().then(() => cards.some((card) => Number(card.dataset.madeAt)) || say(""));
  document.addEventListener("visibilitychange", () => document.hidden || queue.refresh());
  setInterval(showTime, 15_000);
}
