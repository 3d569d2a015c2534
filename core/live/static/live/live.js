// Parts of a page that follow long work. An element with data-live names a stream of events; when
// it says "changed", the element is fetched again, as htmx is told by its hx-get. Where there is no
// stream to be had, the element is fetched every data-every seconds. It stops when the element that
// came back has no data-live any more.
"use strict";

(() => {
  const followed = new Map();

  const elementOf = (address) =>
    [...document.querySelectorAll("[data-live]")].find((one) => one.dataset.live === address);

  const refresh = (address) => {
    const element = elementOf(address);
    if (element && !document.hidden) window.htmx.trigger(element, "refresh");
  };

  const poll = (address, element) => {
    const seconds = Number(element.dataset.every) || 5;
    const timer = setInterval(() => refresh(address), seconds * 1000);
    return () => clearInterval(timer);
  };

  const follow = (address, element) => {
    if (!window.EventSource) return poll(address, element);
    const source = new EventSource(address);
    let stopAsking = null;
    source.addEventListener("changed", () => refresh(address));
    source.addEventListener("open", () => {
      if (stopAsking) stopAsking();
      stopAsking = null;
    });
    // Ended, the browser opens it again by itself; refused or out of reach, the page asks.
    source.addEventListener("error", () => {
      stopAsking = stopAsking || poll(address, element);
    });
    return () => {
      source.close();
      if (stopAsking) stopAsking();
    };
  };

  const look = () => {
    const shown = new Map();
    for (const one of document.querySelectorAll("[data-live]")) shown.set(one.dataset.live, one);
    for (const [address, stop] of followed) {
      if (!shown.has(address)) {
        stop();
        followed.delete(address);
      }
    }
    for (const [address, element] of shown) {
      if (!followed.has(address)) followed.set(address, follow(address, element));
    }
  };

  document.addEventListener("DOMContentLoaded", look);
  document.addEventListener("htmx:afterSettle", look);
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) for (const address of followed.keys()) refresh(address);
  });
})();
