// The two texts: the editor with its marks, and the private text, word by word.
import {byId, make, moveByArrows} from "/page/dom.js";
import {isSame, wordsOf} from "/page/words.js";

export class Texts {
  #choose;
  #pairs = null;
  // choose(word): somebody wants to see what a word of the text may become.
  constructor(choose) {
    this.#choose = choose;
    this.area = byId("text");
    this.backdrop = byId("backdrop");
    this.after = byId("after");
    this.area.addEventListener("scroll", () => this.#followScroll());
    new ResizeObserver(() => this.#followScroll()).observe(this.area);
    // Only clicks: somebody who moves through the text with keys is writing.
    this.area.addEventListener("click", () => {
      const at = this.area.selectionStart;
      if (at !== this.area.selectionEnd) return;
      const found = wordsOf(this.area.value).find(({begin, end}) => begin <= at && at <= end);
      if (found) this.#chooseWord(found.word);
    });
    moveByArrows(this.after, ".word", (element) => this.#chooseWord(this.#pairs[element.dataset.index].before.word));
    this.clear();
  }

  get text() { return this.area.value.toWellFormed?.() ?? this.area.value; }
  // [{before, after}] of what is shown; null if nothing is, or if the words could not be matched.
  get pairs() { return this.#pairs; }

  clear() {
    this.#pairs = null;
    this.after.replaceChildren(make("p", {class: "placeholder"}, "Press Draw to privatise your text."));
    this.backdrop.replaceChildren();
  }

  show(text, privateText, pairs) {
    this.#pairs = pairs;
    this.after.classList.remove("old");
    if (pairs === null) {
      this.after.replaceChildren(make("p", {class: "note"}, "The words of the two texts could not be matched one by one, so none is marked."), privateText);
    } else if (pairs.length === 0) {
      this.after.replaceChildren(privateText.trim() ? privateText : make("p", {class: "placeholder"}, "There is no word in the text, so nothing was replaced."));
    } else {
      this.#showWords(privateText);
    }
    this.after.scrollTop = 0;
    this.#mark(text);
  }

  // The text or the setting has changed since the private text was drawn.
  outdate() {
    if (this.#pairs) this.after.classList.add("old");
    this.backdrop.replaceChildren();
  }

  #chooseWord(word) {
    const own = word.toLowerCase();
    for (const element of this.after.querySelectorAll("[aria-current]")) element.removeAttribute("aria-current");
    for (const element of this.after.querySelectorAll(".word")) {
      if (this.#pairs[element.dataset.index].before.word.toLowerCase() === own) element.setAttribute("aria-current", "true");
    }
    this.#choose(word);
  }

  #showWords(privateText) {
    const parts = document.createDocumentFragment();
    let at = 0;
    this.#pairs.forEach(({before, after}, index) => {
      const stays = isSame(before.word, after.word);
      parts.append(privateText.slice(at, after.begin), make("span", {
        class: stays ? "word" : "word changed",
        role: "button",
        tabindex: index === 0 ? "0" : "-1",
        "data-index": index,
        "aria-label": stays ? `${after.word}, unchanged` : `${after.word}, was ${before.word}`,
        title: stays ? null : `was ${before.word}`,
      }, after.word));
      at = after.end;
    });
    parts.append(privateText.slice(at));
    this.after.replaceChildren(parts);
  }

  // Underlines the changed words behind the editor, whose own text cannot be marked.
  #mark(text) {
    this.backdrop.replaceChildren();
    if (!this.#pairs || text !== this.text) return;
    const parts = document.createDocumentFragment();
    let at = 0;
    for (const {before, after} of this.#pairs) {
      if (isSame(before.word, after.word)) continue;
      parts.append(text.slice(at, before.begin), make("u", {}, before.word));
      at = before.end;
    }
    parts.append(text.slice(at), "\n");
    this.backdrop.append(parts);
    this.#followScroll();
  }

  #followScroll() {
    this.backdrop.scrollTop = this.area.scrollTop;
  }
}
