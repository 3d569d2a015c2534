// Keys of the rating page, which a rater can turn off, and its two dialogs.

const SETTING = "concord.keys";
const [BACK, FORWARD] = document.dir === "rtl" ? ["ArrowRight", "ArrowLeft"] : ["ArrowLeft", "ArrowRight"];
const keysOn = document.getElementById("keys-on");
const keys = document.getElementById("keys");
const guide = document.getElementById("guide");

// Where a key has a meaning of its own: it is written, or it presses what has the focus.
const isWriting = (target) => target.matches("textarea, input:not([type=radio], [type=checkbox]), select");
const isPressed = (target) => target.closest("button, a, summary") !== null;
// While Submit has the focus, no card is marked, and no key may change one.
const isOnSubmit = (target) => target.id === "submit";

// A box that is ticked at first; what the rater made of it holds for the next pages too.
export function rememberBox(box, name) {
  try {
    box.checked = localStorage.getItem(name) !== "off";
  } catch { /* storage is closed to us: it is ticked */ }
  box.addEventListener("change", () => {
    try {
      localStorage.setItem(name, box.checked ? "on" : "off");
    } catch { /* then for this page only */ }
  });
}

// `page` has rateByKey(key), cannotJudge(), undo(), goOn() and goBy(step).
export function installKeys(page) {
  rememberBox(keysOn, SETTING);
  const showHints = () => document.body.classList.toggle("with-keys", keysOn.checked);
  keysOn.addEventListener("change", showHints);
  showHints();
  document.getElementById("show-keys").hidden = false;
  document.getElementById("show-keys").addEventListener("click", () => keys.showModal());
  document.getElementById("show-guide").addEventListener("click", (event) => {
    event.preventDefault();
    guide.showModal();
  });
  document.getElementById("next").hidden = false;
  for (const part of document.querySelectorAll(".without-script")) part.hidden = true;
  for (const part of document.querySelectorAll(".with-script")) part.hidden = false;
  document.addEventListener("keydown", (event) => {
    if (!keysOn.checked || keys.open || guide.open) return;
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (!isWriting(event.target) && act(page, event)) event.preventDefault();
  });
}

// Whether the key was one of ours. Up and down stay the radio buttons' and the passage's own.
function act(page, event) {
  const onCard = event.target.matches(".card");
  switch (event.key) {
    case "?": keys.showModal(); return true;
    case "x":
      if (isOnSubmit(event.target)) return false;
      page.cannotJudge();
      return true;
    case "Backspace":
      if (isOnSubmit(event.target)) return false;
      page.undo();
      return true;
    case BACK: page.goBy(-1); return true;
    case FORWARD: page.goBy(1); return true;
    case "ArrowUp": if (onCard) page.goBy(-1); return onCard;
    case "ArrowDown": if (onCard) page.goBy(1); return onCard;
    case "Enter":
      if (isPressed(event.target)) return false;
      page.goOn();
      return true;
    default: return !isOnSubmit(event.target) && page.rateByKey(event.key);
  }
}
