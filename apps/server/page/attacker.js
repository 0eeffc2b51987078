// What the best attacker guesses from the release alone (POST /v1/guess). The service never sees the text here:
// the page compares the guesses with it.
import {byId, make, percent} from "/page/dom.js";
import {Newest} from "/page/service.js";
import {isGuessed} from "/page/words.js";

const ROWS = 30;
const MOST_OUTPUTS = 1000;  // different words that one request may have
const IS_LONG = 2000;       // milliseconds: after a longer answer the page waits for the button again

export class Attacker {
  #newest = new Newest();
  #runsByItself = false;
  constructor() {
    this.panel = byId("attacker");
  }

  outdate() {
    this.#newest.stop();
    if (this.panel.querySelector("table")) this.panel.classList.add("old");
  }

  // A new release: `setting` is what it was drawn with, `pairs` its words, or null if they could not be matched.
  attack(setting, pairs) {
    this.#newest.stop();
    if (!pairs?.length) {
      this.#say(pairs ? "The text has no words: there is nothing to guess." : "The words of the two texts could not be matched, so guesses cannot be compared.");
    } else if (this.#runsByItself) {
      this.#ask(setting, pairs);
    } else {
      this.#say("For a new setting this takes the server some seconds. It costs no epsilon.",
        make("button", {type: "button", id: "attack", onclick: () => this.#ask(setting, pairs)}, "Attack this text"));
    }
  }

  #say(text, ...more) {
    this.panel.classList.remove("old");
    this.panel.replaceChildren(make("p", {class: "note"}, text), ...more);
  }

  // Guesses depend on the output alone, so the service gets each output once, without the order of the text.
  async #ask(setting, pairs) {
    const outputs = [...new Set(pairs.map(({after}) => after.word))];
    const byOutput = new Map();
    const began = performance.now();
    const isFirst = !this.#runsByItself;
    try {
      for (let at = 0; at < outputs.length; at += MOST_OUTPUTS) {
        if (isFirst || at > 0) this.#say(`The attacker is at work: ${at.toLocaleString("en")} of ${outputs.length.toLocaleString("en")} different words\u2026`);
        const answer = await this.#newest.ask("/v1/guess", {private: outputs.slice(at, at + MOST_OUTPUTS).join(" "), ...setting});
        if (!answer) return;
        for (const guess of answer.guesses) byOutput.set(guess.output, guess);
      }
      this.#runsByItself = performance.now() - began < IS_LONG;
      this.#show(byOutput, pairs);
    } catch (trouble) {
      this.#runsByItself = false;
      this.#say(trouble.message);
    }
  }

  #show(byOutput, pairs) {
    const rows = pairs.map(({before, after}) => ({word: before.word, output: after.word, ...byOutput.get(after.word)})).filter(({guess}) => typeof guess === "string");
    if (rows.length === 0) {
      this.#say("From this release the attacker learns nothing about single words.");
      return;
    }
    for (const row of rows) row.isRight = isGuessed(row.word, row.guess);
    const right = rows.filter(({isRight}) => isRight).length;
    const body = make("tbody");
    const more = make("button", {type: "button", onclick: () => fill(rows)}, `Show all ${rows.length.toLocaleString("en")} words`);
    const fill = (shown) => {
      body.replaceChildren(...shown.map((row) => this.#row(row)));
      more.hidden = shown.length === rows.length;
    };
    fill(rows.slice(0, ROWS));
    this.panel.classList.remove("old");
    this.panel.replaceChildren(
      make("p", {class: "headline"}, make("strong", {class: "big"}, percent(right / rows.length)),
        ` of the words of this text are guessed right: ${right.toLocaleString("en")} of ${rows.length.toLocaleString("en")}.`),
      make("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": "Guesses of the attacker"},
        make("table", {class: "guesses"},
          make("thead", {}, make("tr", {}, ...["Output", "Best guess", "Posterior", "Your word"].map((title) => make("th", {scope: "col"}, title)))),
          body)),
      more,
      make("p", {class: "note"}, "The posterior is how likely the guess is for the attacker. An attacker who also reads the words around each word guesses more: see sotto attack."));
  }

  #row({output, guess, posterior, word, isRight}) {
    const bar = make("div", {class: "bar"});
    bar.style.inlineSize = `${100 * posterior}%`;
    return make("tr", {class: isRight ? "right" : "wrong"},
      make("td", {dir: "auto"}, output), make("td", {dir: "auto"}, guess),
      make("td", {}, make("div", {class: "posterior"}, make("span", {}, percent(posterior)), make("div", {class: "track", "aria-hidden": "true"}, bar))),
      make("td", {}, make("bdi", {}, word), make("span", {class: isRight ? "tag bad" : "tag"}, isRight ? "guessed" : "missed")));
  }
}
