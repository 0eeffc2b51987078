// The lines that do the same outside of this page. They hold the setting, never the text.
import {byId, make} from "/page/dom.js";
import {hasKey} from "/page/service.js";

const shellWord = (text) => (/^[\w.,:@%+=/-]+$/.test(text) ? text : `'${String(text).replaceAll("'", "'\\''")}'`);
const pythonName = (name) => (name === "lambda" ? "lambda_" : name.replaceAll("-", "_"));
const pythonValue = (value) => (/^-?\d+(\.\d+)?$/.test(value) ? String(value) : JSON.stringify(value));

function programLine(setting, model, allowsWeak) {
  const words = ["sotto privatize my.txt", `--model ${shellWord(model)}`, `--mechanism ${setting.mechanism}`];
  const parameters = {...(setting.epsilon === undefined ? {} : {epsilon: setting.epsilon}), ...setting.parameters};
  for (const [name, value] of Object.entries(parameters)) words.push(value === "true" ? `--${name}` : `--${name} ${shellWord(String(value))}`);
  if (allowsWeak) words.push("--allow-weak");
  return [...words, "-o private.txt", "--report report.json"].join(" \\\n  ");
}

function pythonLines(setting, model) {
  const parameters = {...(setting.epsilon === undefined ? {} : {epsilon: setting.epsilon}), ...setting.parameters};
  const keywords = Object.entries(parameters).map(([name, value]) => `, ${pythonName(name)}=${pythonValue(value)}`).join("");
  return `import sotto

# The file of the model; sotto.Model.default() opens the default one.
model = sotto.Model.open(${JSON.stringify(`${model}.sotto`)})
mechanism = sotto.Mechanism(${JSON.stringify(setting.mechanism)}, model${keywords})
texts = sotto.Privatizer(mechanism).privatize(["the doctor was late"])
print(texts[0])`;
}

function curlLine(setting, allowsWeak) {
  const body = {text: "the doctor was late", ...setting, ...(allowsWeak ? {allow_weak: true} : {})};
  const key = hasKey() ? ` -H "Authorization: Bearer $SOTTO_KEY"` : "";
  return `curl -s ${location.origin}/v1/privatize \\
  -H 'Content-Type: application/json'${key} \\
  -d ${shellWord(JSON.stringify(body))}`;
}

async function copy(text, button) {
  let said = "Copied";
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    getSelection().selectAllChildren(button.closest(".recipe").querySelector("pre"));
    said = "Selected: press Ctrl+C";
  }
  button.textContent = said;
  setTimeout(() => { button.textContent = "Copy"; }, 2000);
}

export class Recipes {
  #lines = {};
  constructor() {
    const titles = {program: "Program", python: "Python", curl: "HTTP"};
    byId("recipes").replaceChildren(...Object.entries(titles).map(([name, title]) => {
      const line = make("code", {id: `line-${name}`});
      this.#lines[name] = line;
      const button = make("button", {type: "button", "aria-label": `Copy the lines for ${title}`}, "Copy");
      button.addEventListener("click", () => copy(line.textContent, button));
      return make("div", {class: "recipe"}, make("div", {class: "recipe-head"}, make("h3", {}, title), button),
        make("pre", {tabindex: "0", role: "region", "aria-label": `Lines for ${title}`}, line));
    }));
  }

  show(setting, model, allowsWeak) {
    this.#lines.program.textContent = programLine(setting, model, allowsWeak);
    this.#lines.python.textContent = pythonLines(setting, model);
    this.#lines.curl.textContent = curlLine(setting, allowsWeak);
  }
}
