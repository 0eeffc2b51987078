// Small helpers for elements. Text is always set as text, never as HTML.

export const byId = (id) => document.getElementById(id);

// make("p", {class: "note"}, "some text", otherElement). A property that is false or null is left out.
export function make(tag, properties = {}, ...children) {
  const isSvg = ["svg", "g", "circle", "line", "text", "title"].includes(tag);
  const element = isSvg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

// Calls `action` when there has been no further call for `wait` milliseconds.
export function debounced(action, wait) {
  let timer = 0;
  const call = () => {
    clearTimeout(timer);
    timer = setTimeout(action, wait);
  };
  call.cancel = () => clearTimeout(timer);
  return call;
}

// 0.4053 is "40.5%". A share that is not 0 or 1 is never shown as one.
export function percent(share) {
  const value = 100 * share;
  if (value === 0 || value === 100) return `${value}%`;
  if (value < 0.01) return `${value.toExponential(0)}%`;
  if (value < 1) return `${value.toPrecision(2)}%`;
  const text = value.toFixed(1);
  return text === "100.0" ? "above 99.9%" : `${text}%`;
}

export const number = (value) => value.toLocaleString("en", {maximumFractionDigits: 3});

// Words as one stop of the Tab key: the arrow keys, Home and End move inside, Enter and Space choose.
export function moveByArrows(container, selector, choose) {
  container.addEventListener("keydown", (event) => {
    const own = event.target.closest(selector);
    if (!own || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      choose(own);
      return;
    }
    const isRightToLeft = getComputedStyle(container).direction === "rtl";
    const forward = isRightToLeft ? "ArrowLeft" : "ArrowRight";
    const back = isRightToLeft ? "ArrowRight" : "ArrowLeft";
    const all = [...container.querySelectorAll(selector)];
    const at = all.indexOf(own);
    const next = {[forward]: at + 1, [back]: at - 1, Home: 0, End: all.length - 1}[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const target = all[Math.min(Math.max(next, 0), all.length - 1)];
    own.setAttribute("tabindex", "-1");
    target.setAttribute("tabindex", "0");
    target.focus();
  });
  container.addEventListener("click", (event) => {
    const own = event.target.closest(selector);
    if (own) choose(own);
  });
}
