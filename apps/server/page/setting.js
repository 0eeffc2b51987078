// The controls of the setting, made from the registry (GET /v1/mechanisms).
import {byId, make} from "/page/dom.js";

// Stops of the slider. Any other epsilon can be typed.
const STOPS = [
  0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2, 2.2, 2.4, 2.6,
  2.8, 3, 3.2, 3.4, 3.6, 3.8, 4, 4.5, 5, 5.5, 6, 6.5, 7, 7.5, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 20, 22, 24, 26, 28, 30, 32,
];
const LABELLED = [0.25, 0.5, 1, 2, 4, 8, 16, 32];

export class Setting {
  #mechanisms = [];
  #onChange;
  // onChange(how): some control has a new value; how is "typing" while a number is typed.
  constructor(onChange) {
    this.#onChange = onChange;
    this.mechanism = byId("mechanism");
    this.calibration = byId("calibration");
    this.epsilon = byId("epsilon");
    this.slider = byId("slider");
    this.#prepareSlider();
    this.mechanism.addEventListener("change", () => {
      this.#showParameters();
      onChange();
    });
    this.calibration.addEventListener("change", () => onChange());
    for (const id of ["document", "subject", "weak"]) byId(id).addEventListener("change", () => onChange());
    byId("setting").addEventListener("submit", (event) => event.preventDefault());
  }

  offer(mechanisms) {
    this.#mechanisms = mechanisms.filter(({kind}) => kind === "words");
    this.mechanism.replaceChildren(...this.#mechanisms.map(({name, title, status}) => {
      const isOffered = status === "proven";
      const label = isOffered ? `${name} \u2013 ${title}` : `${name} \u2013 ${status.replace("_", " ")}, not offered`;
      return make("option", {value: name, disabled: !isOffered}, label);
    }));
    this.#showParameters();
  }

  get info() { return this.#mechanisms.find(({name}) => name === this.mechanism.value); }
  // A calibration other than the default one may take minutes for each epsilon.
  get isSlow() { return this.calibration.value !== (this.#parameter("calibration")?.default ?? this.calibration.value); }

  // Why the page does not draw such a setting by itself; empty: it does.
  get reasonToWait() {
    if (this.isSlow) return "Press Draw: a calibration other than paper takes the server longer, so it is not drawn by itself.";
    if (this.release.document || this.release.subject) return "Press Draw: a draw for a document or a subject is debited to its account, so the page does not draw by itself.";
    return "";
  }

  // What the service gets, without parameters that have their default.
  get request() {
    const body = {mechanism: this.mechanism.value};
    if (this.#parameter("epsilon")) {
      const text = this.epsilon.value.trim();
      body.epsilon = /^\d+(\.\d+)?$/.test(text) ? Number(text) : text;
    }
    const parameters = {};
    if (this.isSlow) parameters.calibration = this.calibration.value;
    for (const input of byId("parameters").querySelectorAll("[data-parameter]")) {
      const value = input.type === "checkbox" ? String(input.checked) : input.value.trim();
      if (value !== "" && value !== input.dataset.usual) parameters[input.dataset.parameter] = value;
    }
    if (Object.keys(parameters).length > 0) body.parameters = parameters;
    return body;
  }

  // What only a release has.
  get release() {
    const named = {};
    for (const id of ["document", "subject"]) {
      const value = byId(id).value.trim();
      if (value) named[id] = value;
    }
    if (byId("weak").checked) named.allow_weak = true;
    return named;
  }

  #parameter(name) { return this.info?.parameters.find((parameter) => parameter.name === name); }

  #prepareSlider() {
    this.slider.min = 0;
    this.slider.max = STOPS.length - 1;
    const nearest = () => {
      const wanted = Number(this.epsilon.value);
      const far = (stop) => Math.abs(Math.log(stop / wanted));
      const best = STOPS.reduce((found, stop, i) => (far(stop) < far(STOPS[found]) ? i : found), 0);
      if (wanted > 0) this.slider.value = best;
      this.slider.setAttribute("aria-valuetext", this.epsilon.value);
    };
    this.slider.addEventListener("input", () => {
      this.epsilon.value = STOPS[this.slider.value];
      this.slider.setAttribute("aria-valuetext", this.epsilon.value);
      this.#onChange();
    });
    this.epsilon.addEventListener("input", () => {
      nearest();
      this.#onChange("typing");
    });
    for (const value of LABELLED) {
      const tick = make("span", {}, String(value));
      tick.style.insetInlineStart = `${(100 * STOPS.indexOf(value)) / (STOPS.length - 1)}%`;
      byId("ticks").append(tick);
    }
    nearest();
  }

  #showParameters() {
    const {guarantee, caveat, parameters} = this.info;
    byId("mechanism-note").textContent = `Guarantee: ${guarantee}. ${caveat ? `Note: ${caveat}.` : ""}`;
    byId("epsilon-field").hidden = !this.#parameter("epsilon");
    const calibration = this.#parameter("calibration");
    byId("calibration-field").hidden = !calibration;
    this.calibration.replaceChildren(...(calibration?.choices ?? []).map((choice) => make("option", {value: choice}, choice)));
    if (calibration) this.calibration.value = calibration.default;
    this.calibration.title = calibration?.help ?? "";
    const others = parameters.filter(({name}) => name !== "epsilon" && name !== "calibration");
    byId("parameters").replaceChildren(...others.map((parameter) => this.#field(parameter)));
  }

  #field({name, help, kind, choices, ...parameter}) {
    const usual = parameter.default ?? "";
    const shared = {id: `p-${name}`, "data-parameter": name, "data-usual": usual, "aria-describedby": `p-${name}-help`, onchange: () => this.#onChange()};
    const label = name[0].toUpperCase() + name.slice(1).replaceAll("-", " ");
    const helpText = make("span", {class: "help", id: `p-${name}-help`}, help.replaceAll("`", ""));
    if (kind === "flag") {
      return make("div", {class: "field check"}, make("label", {}, make("input", {type: "checkbox", ...shared}), ` ${label}`), helpText);
    }
    let input = null;
    if (choices) {
      input = make("select", shared, ...choices.map((choice) => make("option", {value: choice}, choice)));
      if (usual) input.value = usual;
    } else {
      input = make("input", {type: "text", autocomplete: "off", spellcheck: "false", placeholder: usual || "derived", ...shared});
    }
    return make("div", {class: "field"}, make("label", {for: `p-${name}`}, label), input, helpText);
  }
}
