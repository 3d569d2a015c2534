// Marking parts of a text. Each mark is a row of the form: a box with its place in Unicode code
// points, or "missing", and its severity and category where there are several to choose from.

const text = (box) => box.querySelector(".span-text");
const list = (box) => box.querySelector(".span-rows");
const rows = (box) => [...list(box).children].filter((row) => row.querySelector("input:checked"));
const place = (row) => row.querySelector("input").value;
const chosen = (row, name) => row.querySelector(`select[name$="-${name}"]`)?.value;
const severities = (box) =>
  [...box.querySelectorAll("[data-severity]:not([data-missing])")].map((one) => one.dataset.severity);

const toPoints = (string, units) => [...string.slice(0, units)].length;
const toUnits = (string, points) => [...string].slice(0, points).join("").length;

// The marks as they are saved, in the order of the text.
export function readSpans(box) {
  return rows(box).map((row) => {
    const [start, end] = place(row) === "missing" ? [null, null] : place(row).split("-").map(Number);
    const category = chosen(row, "category") ?? box.querySelector("template").dataset.category;
    return {
      start,
      end,
      severity: chosen(row, "severity") ?? severities(box)[0],
      categories: category ? [category] : [],
    };
  });
}

export const isComplete = (box) =>
  rows(box).every((row) => [...row.querySelectorAll("select")].every((one) => one.value !== ""));

export const focusSpans = (box) =>
  ([...list(box).querySelectorAll("select")].find((one) => one.value === "") ?? text(box))
    .focus({ preventScroll: true });

export function writeSpans(box, spans) {
  list(box).replaceChildren();
  for (const { start, end, severity, categories } of spans) {
    add(box, start === null ? "missing" : `${start}-${end}`, severity, categories[0] ?? "");
  }
  show(box);
}

let added = 1000; // numbers of rows; those of the server are lower
function add(box, at, severity, category = "") {
  const row = box.querySelector("template").content.firstElementChild.cloneNode(true);
  const field = row.querySelector("input");
  const name = `${box.dataset.field}-${added += 1}`;
  for (const one of row.querySelectorAll("[name]")) {
    one.name = name + (one.name.match(/-(severity|category)$/)?.[0] ?? "");
  }
  field.value = at;
  field.checked = true;
  if (at !== "missing") row.querySelector("q").textContent = partAt(box, at);
  for (const [end, value] of [["severity", severity], ["category", category]]) {
    const select = row.querySelector(`select[name$="-${end}"]`);
    if (select) select.value = value;
  }
  list(box).append(row);
  return row;
}

function partAt(box, at) {
  const [start, end] = at.split("-").map(Number);
  return [...text(box).textContent].slice(start, end).join("");
}

// Rows in the order of the text, and the text with its marks.
function show(box) {
  const start = (row) => (place(row) === "missing" ? Infinity : Number(place(row).split("-")[0]));
  const sorted = rows(box).sort((one, other) => start(one) - start(other));
  const focused = document.activeElement;
  list(box).replaceChildren(...sorted);
  if (list(box).contains(focused)) focused.focus({ preventScroll: true });
  const content = text(box).textContent;
  const spans = readSpans(box).filter((one) => one.start !== null).map((one) => ({
    start: toUnits(content, one.start), end: toUnits(content, one.end), severity: one.severity,
  }));
  const edges = new Set([0, content.length, ...spans.flatMap((one) => [one.start, one.end])]);
  const places = [...edges].sort((one, other) => one - other);
  const parts = places.slice(1).map((end, at) => {
    const part = content.slice(places[at], end);
    const over = spans.filter((one) => one.start <= places[at] && end <= one.end);
    if (!over.length) return part;
    const mark = document.createElement("mark");
    mark.dataset.severity = over.at(-1).severity;
    mark.textContent = part;
    return mark;
  });
  text(box).replaceChildren(...parts);
}

// What is selected in the text, in UTF-16 units, without white space around it; null if nothing.
function selected(box) {
  const selection = getSelection();
  if (!selection.rangeCount || selection.isCollapsed) return null;
  const range = selection.getRangeAt(0);
  const whole = document.createRange();
  whole.selectNodeContents(text(box));
  if (!range.intersectsNode(text(box))) return null;
  const before = whole.cloneRange();
  if (whole.isPointInRange(range.startContainer, range.startOffset)) {
    before.setEnd(range.startContainer, range.startOffset);
  } else before.collapse(true);
  const until = whole.cloneRange();
  if (whole.isPointInRange(range.endContainer, range.endOffset)) {
    until.setEnd(range.endContainer, range.endOffset);
  }
  const content = text(box).textContent;
  let start = before.toString().length, end = until.toString().length;
  while (start < end && /\s/.test(content[start])) start += 1;
  while (end > start && /\s/.test(content[end - 1])) end -= 1;
  return end > start ? [start, end] : null;
}

function select(box, start, end) {
  const range = document.createRange();
  const walker = document.createTreeWalker(text(box), NodeFilter.SHOW_TEXT);
  let position = 0;
  for (let node; (node = walker.nextNode()); position += node.length) {
    if (start >= position && start <= position + node.length) range.setStart(node, start - position);
    if (end >= position && end <= position + node.length) {
      range.setEnd(node, end - position);
      break;
    }
  }
  getSelection().removeAllRanges();
  getSelection().addRange(range);
}

// `changed(box)` is called when a mark is made, changed or removed.
export function installSpans(box, changed) {
  for (const row of [...list(box).children]) if (!row.querySelector("input:checked")) row.remove();
  let range = null; // kept while a button is pressed, which may end the selection
  let words = null, anchor = 0, focus = -1; // of the keyboard's selection
  document.addEventListener("selectionchange", () => { range = selected(box) ?? range; });
  for (const button of box.querySelectorAll("[data-severity]")) {
    button.addEventListener("pointerdown", (event) => event.preventDefault());
    button.addEventListener("click", () => {
      range = selected(box) ?? range;
      const isMissing = "missing" in button.dataset;
      if (!isMissing && !range) return;
      const content = text(box).textContent;
      const at = isMissing ? "missing" : range.map((units) => toPoints(content, units)).join("-");
      if (!isMissing && rows(box).some((row) => place(row) === at)) return;
      const row = add(box, at, button.dataset.severity);
      range = null;
      getSelection().removeAllRanges();
      show(box);
      changed(box);
      [...row.querySelectorAll("select")].find((one) => !one.value)?.focus({ preventScroll: true });
    });
  }
  list(box).addEventListener("change", () => {
    show(box);
    changed(box);
  });
  text(box).addEventListener("focus", () => { words = null; });
  text(box).addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation(); // the page's own arrow keys go from answer to answer
    if (words === null) {
      words = [...text(box).textContent.matchAll(/\S+/g)];
      anchor = 0;
      focus = -1;
    }
    if (!words.length) return;
    const isRightToLeft = getComputedStyle(text(box)).direction === "rtl" && /Left|Right/.test(event.key);
    focus = Math.min(Math.max(focus + (isRightToLeft ? -step : step), 0), words.length - 1);
    if (!event.shiftKey) anchor = focus;
    const [first, last] = [Math.min(anchor, focus), Math.max(anchor, focus)];
    select(box, words[first].index, words[last].index + words[last][0].length);
  });
  show(box);
}
