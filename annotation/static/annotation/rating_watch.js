// Which card is in hand, and how long each was looked at.

// The upper part of the screen belongs to the passage, the lowest to the bar.
const MIDDLE = { rootMargin: "-30% 0px -10% 0px", threshold: 0.1 };

export class Watch {
  #cards; #current; #inView = new Set();
  #shownAt = new Map(); #lastRated = 0; // ms since the page was asked for

  constructor(cards) {
    this.#cards = cards;
    this.current = cards[0];
    const observer = new IntersectionObserver((seen) => this.#see(seen), MIDDLE);
    for (const card of cards) {
      observer.observe(card);
      card.addEventListener("focusin", () => { this.current = card; });
    }
  }

  // The card that keys rate: it is marked, and always one that is in view.
  get current() {
    return this.#current;
  }

  set current(card) {
    this.#current?.classList.remove("current");
    this.#current = card;
    card.classList.add("current");
  }

  // Seconds since the card was first shown. Where several are in view at once, a card's time
  // begins when the one before was rated.
  secondsFor(card) {
    const from = Math.max(this.#shownAt.get(card) ?? 0, this.#lastRated);
    this.#lastRated = performance.now();
    return (this.#lastRated - from) / 1000;
  }

  #see(seen) {
    for (const { target, isIntersecting } of seen) {
      if (isIntersecting) this.#inView.add(target);
      else this.#inView.delete(target);
      if (isIntersecting && !this.#shownAt.has(target)) this.#shownAt.set(target, performance.now());
    }
    const first = this.#cards.find((card) => this.#inView.has(card));
    if (first && !this.#inView.has(this.#current)) this.current = first;
  }
}
