// Ratings that the server does not have yet. They wait in the browser's storage, which all windows
// of one task share, so that no lost connection, reload or closed window loses one.

const PREFIX = "concord.rating.";
const PAUSE = 300; // ms from a change to its sending, in which another change may come
const FIRST_WAIT = 1000, LONGEST_WAIT = 30_000; // ms between tries while the server is not reached
const KEPT = 14 * 24 * 3600 * 1000; // ms after which what waits for a forgotten task is dropped
const MOST_AT_ONCE = 4; // four of the longest comments fit into one request

export class RatingQueue {
  #key; #address; #listener;
  #memory = {}; // stands in where storage is closed to us, as it can be in a frame
  #timer = 0; #wait = FIRST_WAIT; #underway = null; #closed = false;

  // The listener has changed(entries), answered(state), waiting(count, offline) and closed(message).
  constructor(assignment, address, listener) {
    this.#key = PREFIX + assignment;
    this.#address = address;
    this.#listener = listener;
    addEventListener("storage", (event) => {
      if (event.key === this.#key && event.newValue) listener.changed(JSON.parse(event.newValue));
    });
    addEventListener("online", () => this.flush());
    addEventListener("pagehide", () => this.flush());
    addEventListener("beforeunload", (event) => {
      if (Object.keys(this.#memory).length) event.preventDefault();
    });
    this.#dropForgotten();
  }

  // What waits, by candidate: {value, answers, comment, seconds, made_at}; with `draft` the answer is
  // not finished, and may have no value.
  entries() {
    try {
      return { ...JSON.parse(localStorage.getItem(this.#key) ?? "{}"), ...this.#memory };
    } catch {
      return { ...this.#memory };
    }
  }

  put(candidate, entry) {
    this.#write({ ...this.entries(), [candidate]: entry });
    this.#listener.waiting(this.#waiting().length, false);
    this.#later(PAUSE);
  }

  drop(candidate) {
    const { [candidate]: _, ...rest } = this.entries();
    this.#write(rest);
  }

  // Send what waits. True when the server has everything; false while it is not reached.
  flush() {
    clearTimeout(this.#timer);
    this.#underway ??= this.#send().finally(() => (this.#underway = null));
    return this.#underway;
  }

  // Ask the server what stands, for a window that was out of sight.
  async refresh() {
    try {
      const answer = await fetch(this.#address, { credentials: "omit" });
      if (answer.ok) this.#listener.answered(await answer.json());
    } catch { /* not reached: the ratings here stand until it is */ }
  }

  async #send() {
    for (let batch; (batch = this.#waiting().slice(0, MOST_AT_ONCE)).length && !this.#closed; ) {
      this.#listener.waiting(this.#waiting().length, false);
      const answer = await this.#post(batch);
      if (!answer) {
        this.#listener.waiting(this.#waiting().length, true);
        this.#later(this.#wait);
        this.#wait = Math.min(this.#wait * 2, LONGEST_WAIT);
        return false;
      }
      this.#wait = FIRST_WAIT;
      const content = await answer.json();
      if (answer.ok || answer.status === 422) this.#taken(batch, content);
      else this.#refused(content.error);
    }
    if (!this.#closed) this.#listener.waiting(0, false);
    return !this.#closed;
  }

  // The server's answer; null where it was not reached or cannot answer now.
  async #post(batch) {
    const ratings = batch.map(([pk, entry]) => ({ candidate: Number(pk), ...entry }));
    try {
      const answer = await fetch(this.#address, {
        method: "POST",
        body: JSON.stringify({ ratings }),
        headers: { "Content-Type": "application/json" },
        credentials: "omit", // the address is the credential
        keepalive: true, // lives on when the window closes
      });
      return answer.status >= 500 || answer.status === 429 ? null : answer;
    } catch {
      return null;
    }
  }

  #taken(batch, content) {
    const entries = this.entries();
    for (const [pk, sent] of batch) {
      if (entries[pk]?.made_at === sent.made_at) delete entries[pk]; // not changed meanwhile
    }
    this.#write(entries);
    this.#listener.answered(content);
  }

  #refused(message) {
    this.#closed = true;
    this.#write({});
    this.#listener.closed(message);
  }

  #waiting() {
    return Object.entries(this.entries());
  }

  #later(wait) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.flush(), wait);
  }

  #write(entries) {
    try {
      if (Object.keys(entries).length) localStorage.setItem(this.#key, JSON.stringify(entries));
      else localStorage.removeItem(this.#key);
      this.#memory = {};
    } catch {
      this.#memory = entries;
    }
  }

  #dropForgotten() {
    try {
      for (const key of Object.keys(localStorage).filter((name) => name.startsWith(PREFIX))) {
        const times = Object.values(JSON.parse(localStorage.getItem(key))).map((e) => e.made_at);
        if (Math.max(...times) < Date.now() - KEPT) localStorage.removeItem(key);
      }
    } catch { /* storage is closed to us: nothing of ours lies there */ }
  }
}
