// The playground. It shows what the service answers and computes no number of its own, except how many of the
// attacker's guesses are right. It stores nothing: no cookie, no local storage, no text in the address.
import {Attacker} from "/page/attacker.js";
import {byId, debounced, make, number, percent} from "/page/dom.js";
import {Law} from "/page/law.js";
import {Recipes} from "/page/recipes.js";
import {ask, hasKey, Newest, OneAtATime, useKey} from "/page/service.js";
import {Setting} from "/page/setting.js";
import {Texts} from "/page/texts.js";
import {pairsOf} from "/page/words.js";

const AFTER_TYPING = 700;   // milliseconds without a key before a draw, which is debited
const AFTER_SLIDING = 250;
const IS_LONG = 1200;       // a request that takes longer gets an explanation
const RETRY = 2000;

const releases = new OneAtATime();
const forecasts = new Newest();
const attacker = new Attacker();
const recipes = new Recipes();
const setting = new Setting((how) => settingChanged(how));
const law = new Law(() => setting.request, (trouble) => watch(trouble));
const texts = new Texts((word) => law.show(word));

let modelName = "";
let wantsDraws = false;  // Draw was pressed: from then on changes draw too
let retryTimer = 0;

const say = (text) => { byId("status").textContent = text; };

function showTrouble(trouble, ...more) {
  const box = byId("trouble");
  box.hidden = trouble === null;
  box.replaceChildren(...(trouble ? [make("p", {}, trouble.message), ...more] : []));
}

// What the service says of a setting: share, guarantee, status, certificate.
function showPromise(answer) {
  const {share, margin95} = answer.expected_unchanged;
  byId("expected").textContent = percent(share);
  byId("margin").textContent = margin95 > 0 ? `\u00b1 ${percent(margin95)}` : "";
  byId("expected-bar").style.inlineSize = `${100 * share}%`;
  byId("guarantee").textContent = answer.guarantee;
  const facts = {
    Status: answer.status,
    "Nominal epsilon": answer.epsilon === null ? "none" : number(answer.epsilon),
    "Certified epsilon": answer.certified_epsilon === null ? "not computed (sotto certify does it)" : number(answer.certified_epsilon),
    "Expected to stay": percent(share),
  };
  byId("promise").replaceChildren(...Object.entries(facts).flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
}

function forgetPromise() {
  byId("expected").textContent = "\u2013";
  byId("margin").textContent = "";
  byId("expected-bar").style.inlineSize = "0";
}

const ACCOUNTS = {
  document: "to the document (epsilon for each release of it)",
  subject: "to the subject (epsilon for each word)",
  key: "to your key (epsilon for each word)",
  anonymous: "to the account of requests without a name (epsilon for each word)",
};

function showSpent(spent) {
  const plain = (amount) => amount.replace(/\.?0+$/, "") || "0";
  byId("spent").textContent = spent === null
    ? "This server has no ledger: nothing was debited. Draws of the same text still add up."
    : `This draw debited ${spent.map(({account, amount}) => `${plain(amount)} epsilon ${ACCOUNTS[account] ?? `to ${account}`}`).join(" and ")}. Draws of the same text add up.`;
}

// Says why it takes long, and offers to stop.
function startWaiting() {
  byId("draw").setAttribute("aria-busy", "true");
  const timer = setTimeout(() => {
    say(setting.isSlow ? "The server calibrates this setting. On a large vocabulary that takes minutes." : "The server prepares this setting\u2026");
    byId("cancel").hidden = false;
  }, IS_LONG);
  return () => {
    clearTimeout(timer);
    byId("cancel").hidden = true;
    byId("draw").removeAttribute("aria-busy");
  };
}

// What the setting promises, from the release of an empty text, which costs nothing.
async function forecast() {
  forecastSoon.cancel();
  try {
    const answer = await forecasts.ask("/v1/privatize", {text: "", ...setting.request, allow_weak: true});
    if (!answer) return;
    showTrouble(null);
    showPromise(answer);
  } catch (trouble) {
    meet(trouble);
  }
}

async function draw() {
  for (const planned of [drawLater, drawSoon, forecastSoon]) planned.cancel();
  forecasts.stop();
  wantsDraws = true;
  const {text} = texts;
  const wanted = setting.request;
  const more = setting.release;
  await releases.run(async (signal) => {
    const stopWaiting = startWaiting();
    try {
      const answer = await ask("/v1/privatize", {text, ...wanted, ...more}, signal);
      if (!releases.isOutdated) showDraw(answer, text, wanted);
    } catch (trouble) {
      if (signal.aborted) say("Stopped. The server may still work on this setting for a while.");
      else if (!releases.isOutdated) meet(trouble);
    } finally {
      stopWaiting();
    }
  });
}

// `text` and `wanted` are what was sent; the page may show others by now.
function showDraw(answer, text, wanted) {
  const pairs = pairsOf(text, answer.text);
  const isCurrent = JSON.stringify(wanted) === JSON.stringify(setting.request);
  showTrouble(null);
  if (isCurrent) showPromise(answer);
  byId("draw").textContent = "Draw again";
  texts.show(text, answer.text, pairs);
  if (!isCurrent || text !== texts.text) texts.outdate();
  showSpent(answer.spent);
  say("Drawn.");
  attacker.attack(wanted, pairs);
  if (isCurrent) law.refresh();
}

const drawLater = debounced(draw, AFTER_TYPING);
const drawSoon = debounced(draw, AFTER_SLIDING);
const forecastSoon = debounced(forecast, AFTER_SLIDING);
const lawSoon = debounced(() => law.refresh(), AFTER_SLIDING);

// A refusal or a failure of the last request.
function meet(trouble) {
  say("");
  texts.outdate();
  attacker.outdate();
  if (trouble.kind === "weak") {
    const allow = make("button", {type: "button", onclick: () => {
      byId("weak").checked = true;
      showRecipes();
      draw();
    }}, "Draw it anyway");
    showTrouble({message: "With this setting more than 90% of the words are expected to stay as they are, so it hardly protects anything. Choose a smaller epsilon."}, allow);
    forecastOfWeak();
    return;
  }
  forgetPromise();
  showTrouble(trouble);
  watch(trouble);
}

// The share that was too large, beside the refusal.
async function forecastOfWeak() {
  try {
    const answer = await forecasts.ask("/v1/privatize", {text: "", ...setting.request, allow_weak: true});
    if (answer) showPromise(answer);
  } catch {
    forgetPromise();
  }
}

// Tries again where waiting helps, and asks for a key where one is missing.
function watch(trouble) {
  if (trouble.status === 401 || trouble.status === 403) byId("key-section").hidden = false;
  if (trouble.kind !== "unreachable" && trouble.status !== 503) return;
  clearTimeout(retryTimer);
  retryTimer = setTimeout(async () => {
    try {
      await ask("/readyz");
    } catch (again) {
      watch(again);
      return;
    }
    showTrouble(null);
    say("The service answers again.");
    if (!modelName) start();
    else refresh();
  }, RETRY);
}

const drawsByItself = () => wantsDraws && byId("live").checked && setting.reasonToWait === "";

// After a pause of the service.
function refresh() {
  if (drawsByItself()) draw();
  else if (!setting.isSlow) forecast();
}

const showRecipes = () => recipes.show(setting.request, modelName, byId("weak").checked);

// how: "typing" while somebody types a number, which may not be whole yet.
function settingChanged(how) {
  texts.outdate();
  attacker.outdate();
  law.outdate();
  showRecipes();
  forecasts.stop();
  for (const planned of [drawLater, drawSoon, forecastSoon]) planned.cancel();
  say(setting.reasonToWait);
  if (setting.isSlow) {
    forgetPromise();
  } else if (!drawsByItself()) {
    forecastSoon();
    lawSoon();
  } else if (how === "typing") {
    drawLater();
  } else {
    drawSoon();
  }
}

function textChanged() {
  texts.outdate();
  attacker.outdate();
  if (drawsByItself()) drawLater();
  else if (wantsDraws && byId("live").checked) say(setting.reasonToWait);
}

async function start() {
  try {
    const [{mechanisms}, {models}] = await Promise.all([ask("/v1/mechanisms"), ask("/v1/models")]);
    const [model] = models;
    modelName = model.name;
    byId("key-section").hidden = true;
    byId("model").textContent = `Model ${model.name}: ${number(model.words)} words, ${number(model.dimension)} dimensions.`;
    setting.offer(mechanisms);
    showTrouble(null);
    settingChanged("start");
  } catch (trouble) {
    if (trouble.status === 401 && hasKey()) showTrouble({message: "The server does not know this key."});
    else showTrouble(trouble);
    watch(trouble);
  }
}

byId("setting").addEventListener("input", showRecipes);
byId("draw").addEventListener("click", draw);
byId("cancel").addEventListener("click", () => releases.stop());
byId("text").addEventListener("input", textChanged);
byId("key-form").addEventListener("submit", (event) => {
  event.preventDefault();
  useKey(byId("key").value);
  byId("key").value = "";
  start();
});
start();
