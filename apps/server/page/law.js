// What one word may become (POST /v1/explain): its law as bars, its neighbours, the bound on the odds.
import {byId, make, number, percent} from "/page/dom.js";
import {mapOf} from "/page/map.js";
import {Newest} from "/page/service.js";

const NEIGHBOURS = 16;  // outputs and points of the map that are asked for
const BARS = 12;

const UNKNOWN = "In a text, every word that the model does not have is drawn as one and the same public word, so the output cannot tell unknown words apart.";

export class Law {
  #newest = new Newest();
  #setting;
  #onTrouble;
  #word = "";
  // setting(): the request's mechanism, epsilon and parameters. onTrouble(trouble): it is shown elsewhere too.
  constructor(setting, onTrouble) {
    this.#setting = setting;
    this.#onTrouble = onTrouble;
    this.panel = byId("law");
    byId("word-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.show(byId("word").value.trim());
    });
  }

  // The same word under another setting.
  refresh() {
    if (this.#word) this.show(this.#word);
  }

  outdate() {
    this.#newest.stop();
    if (this.#word) this.panel.classList.add("old");
  }

  async show(word) {
    if (!word) return;
    this.#word = word;
    byId("word").value = word;
    const status = byId("law-status");
    this.panel.classList.add("old");
    try {
      const answer = await this.#newest.ask("/v1/explain", {word, top: NEIGHBOURS, ...this.#setting()});
      if (!answer) return;
      this.panel.replaceChildren(...this.#parts(answer));
      this.panel.classList.remove("old");
      status.className = "status quiet";
      status.textContent = `Shown: what \u201c${word}\u201d may become.`;
    } catch (trouble) {
      this.panel.replaceChildren();
      status.className = "status";
      status.textContent = trouble.kind === "field" ? `${trouble.message} ${UNKNOWN}` : trouble.message;
      this.#onTrouble(trouble);
    }
  }

  #parts(answer) {
    const own = answer.explained_as;
    const choose = (word) => this.show(word);
    const parts = [make("h3", {class: "word-title", dir: "auto"}, answer.word)];
    if (answer.unknown) {
      parts.push(make("p", {class: "explanation"}, `The model does not have this word. It is drawn as \u201c${own}\u201d, as every unknown word is: the output cannot tell unknown words apart.`));
    } else if (answer.word.toLowerCase() !== own) {
      parts.push(make("p", {class: "explanation"}, `The model has this word as \u201c${own}\u201d.`));
    }
    if (answer.meaning) {
      parts.push(make("p", {class: "odds"}, make("strong", {}, "The bound: "), `${answer.meaning}.`));
    }
    const rest = answer.outputs.length > BARS ? make("p", {class: "note"}, "The rest is spread over the other words of the model.") : null;
    const columns = [make("div", {}, this.#bars(answer, own, choose), rest)];
    if (answer.map?.length > 1) {
      columns.push(make("figure", {}, mapOf(answer.map, own, choose),
        make("figcaption", {class: "note"}, "Words near it, on a flat map: distances are approximate. Choose a word to see its law.")));
    }
    parts.push(make("div", {class: "law"}, ...columns));
    return parts;
  }

  #bars(answer, own, choose) {
    const outputs = answer.outputs.slice(0, BARS);
    const hasPaper = outputs.some((output) => output.p_paper !== undefined);
    const top = Math.max(...outputs.map(({p}) => p));
    const rows = outputs.map((output) => {
      const bar = make("div", {class: output.word === own ? "bar own" : "bar"});
      bar.style.inlineSize = `${(100 * output.p) / top}%`;
      const range = answer.estimated ? make("span", {class: "range"}, `${percent(output.low)} to ${percent(output.high)}`) : null;
      return make("tr", {},
        make("th", {scope: "row"}, make("button", {type: "button", class: "link", onclick: () => choose(output.word)}, output.word),
          output.word === own ? make("span", {class: "tag"}, "stays") : null),
        make("td", {class: "figure"}, percent(output.p), range),
        hasPaper ? make("td", {class: "figure dim"}, percent(output.p_paper)) : null,
        make("td", {class: "bar-cell"}, bar));
    });
    const kind = answer.estimated ? `Estimated from ${number(answer.draws)} draws, with 95% intervals` : "Exact law";
    return make("table", {class: "bars"},
      make("caption", {}, `${kind}: the ${outputs.length === 1 ? "likeliest output" : `${outputs.length} likeliest outputs`}`),
      make("thead", {}, make("tr", {}, make("th", {scope: "col"}, "Output"), make("th", {scope: "col", class: "figure"}, "Probability"),
        hasPaper ? make("th", {scope: "col", class: "figure"}, "with paper") : null,
        make("td", {class: "bar-cell"}))),
      make("tbody", {}, ...rows));
  }
}
