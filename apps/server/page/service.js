// Requests to the service. Every failure is a Trouble whose message is a sentence for people.

export class Trouble extends Error {
  // kind: the last part of the problem's type ("weak", "budget", ...), or "unreachable".
  constructor(message, kind, status = 0) {
    super(message);
    this.kind = kind;
    this.status = status;
  }
}

let key = "";
export const useKey = (text) => { key = text.trim(); };
export const hasKey = () => key !== "";

function sentence(text) {
  const named = String(text ?? "").replace(/^`/, "the field `");
  const plain = named.replaceAll("`", "").trim();
  if (plain === "") return "";
  const capital = plain[0].toUpperCase() + plain.slice(1);
  return /[.!?]$/.test(capital) ? capital : `${capital}.`;
}

function trouble(status, problem) {
  const kind = String(problem?.type ?? "").split(":").pop();
  const message = `${sentence(problem?.title)} ${sentence(problem?.detail)}`.trim();
  return new Trouble(message || `The service refused the request (status ${status}).`, kind, status);
}

// GET without a body, POST with one. Gives the answer's JSON.
export async function ask(path, body, signal) {
  const headers = {};
  if (key) headers.Authorization = `Bearer ${key}`;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let response = null;
  let answer = null;
  try {
    response = await fetch(path, {
      method: body === undefined ? "GET" : "POST",
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      signal,
      cache: "no-store",
      credentials: "omit",
      redirect: "error",
    });
    answer = await response.json();
  } catch (failure) {
    if (signal?.aborted) throw failure;
    if (response === null || failure.name === "TypeError") {
      throw new Trouble("The service does not answer. Is sotto serve still running? Your text is still here; the page tries again by itself.", "unreachable");
    }
    throw new Trouble("The service sent an answer that is not JSON. A proxy may stand in between.", "answer", response.status);
  }
  if (!response.ok) throw trouble(response.status, answer);
  return answer;
}

// For questions that cost nothing: a new one ends the one before. Gives null if a newer one came meanwhile.
export class Newest {
  #controller = null;
  stop() {
    this.#controller?.abort();
    this.#controller = null;
  }
  async ask(path, body) {
    this.stop();
    const own = new AbortController();
    this.#controller = own;
    try {
      const answer = await ask(path, body, own.signal);
      return this.#controller === own ? answer : null;
    } catch (failure) {
      if (this.#controller !== own) return null;
      throw failure;
    }
  }
}

// For releases, which are debited: one at a time. A task that comes while another runs waits for its end, and
// takes the place of a task that waits already. So no answer can overtake a newer one.
export class OneAtATime {
  #running = null;
  #waiting = null;
  get isBusy() { return this.#running !== null; }
  // Whether a newer task waits: the answer of the running one is then out of date.
  get isOutdated() { return this.#waiting !== null; }
  stop() { this.#running?.abort(); }
  async run(task) {
    if (this.#running) {
      this.#waiting = task;
      return;
    }
    for (let next = task; next; next = this.#waiting) {
      this.#waiting = null;
      this.#running = new AbortController();
      await next(this.#running.signal);
      this.#running = null;
    }
  }
}
