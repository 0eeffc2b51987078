// Which words of the private text stand for which words of the text. Only for display: the engine splits texts
// by the same Unicode rules (UAX 29), and the clear text between words proves that both agree.

const segmenter = new Intl.Segmenter("en", {granularity: "word"});
const isClear = (c) => /[\p{P}\p{White_Space}]/u.test(c);
const isLetter = (c) => /[\p{L}\p{N}]/u.test(c);

// The words of one part of a segment: from its first to its last code point that is not clear. Symbols with
// clear text between them are words of their own.
function addPart(part, out) {
  const solid = part.filter(({c}) => !isClear(c));
  if (solid.length === 0) return;
  const ends = ({at, c}) => at + c.length;
  if (part.some(({c}) => isLetter(c))) {
    out.push({begin: solid[0].at, end: ends(solid.at(-1))});
    return;
  }
  let begin = solid[0].at;
  let end = begin;
  for (const one of solid) {
    if (one.at !== end) {
      out.push({begin, end});
      begin = one.at;
    }
    end = ends(one);
  }
  out.push({begin, end});
}

// Letters between which a full stop does not end a word (e.g, u.s): those of scripts that put spaces between words.
const isSpacedLetter = (c) => c !== undefined && /\p{L}/u.test(c) &&
  !/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u.test(c);

// The segments of the Unicode rules. Chromium ends a word at a full stop between letters, the rules and the engine do not.
function segmentsOf(text) {
  const merged = [];
  let joins = false;  // the last segment ends with a full stop after a letter
  for (const {segment, index} of segmenter.segment(text)) {
    const last = merged.at(-1);
    if (joins && isSpacedLetter([...segment][0])) {
      last.segment += segment;
      joins = false;
    } else if (joins) {  // the full stop was the end of the word
      last.segment = last.segment.slice(0, -1);
      merged.push({segment: text[index - 1], index: index - 1}, {segment, index});
      joins = false;
    } else if (last && (segment === "." || segment === "\uff0e") && isSpacedLetter([...last.segment.replace(/\p{M}+$/u, "")].at(-1))) {
      last.segment += segment;
      joins = true;
    } else {
      merged.push({segment, index});
    }
  }
  return merged;
}

// [{begin, end, word}] in UTF-16 units. Clear text, which is never replaced, is white space and punctuation.
export function wordsOf(text) {
  const found = [];
  for (const {segment, index} of segmentsOf(text)) {
    let part = [];
    let at = index;
    for (const c of segment) {
      if (c === "@") {  // separates words whatever the version of the rules
        addPart(part, found);
        part = [];
      } else {
        part.push({at, c});
      }
      at += c.length;
    }
    addPart(part, found);
  }
  return found.map(({begin, end}) => ({begin, end, word: text.slice(begin, end)}));
}

// The clear text before each word, and after the last one.
function gapsOf(text, words) {
  const gaps = [];
  let at = 0;
  for (const {begin, end} of words) {
    gaps.push(text.slice(at, begin));
    at = end;
  }
  gaps.push(text.slice(at));
  return gaps;
}

// The engine puts a space between two words that touch.
const sameGap = (before, after) => before === after || (before === "" && after === " ");

// The outputs, found by the clear text between them, where outputs do not split as words do ("[word]").
function outputsByGaps(gaps, text) {
  if (!text.startsWith(gaps[0])) return null;
  const outputs = [];
  let begin = gaps[0].length;
  for (let i = 1; i < gaps.length; ++i) {
    const isLast = i === gaps.length - 1;
    const gap = !isLast && gaps[i] === "" ? " " : gaps[i];
    const end = isLast ? text.length - gap.length : text.indexOf(gap, begin + 1);
    if (end <= begin || !text.startsWith(gap, end)) return null;
    outputs.push({begin, end, word: text.slice(begin, end)});
    begin = end + gap.length;
  }
  return outputs;
}

// [{before, after}] with words of both texts, or null if the texts cannot be matched word by word.
export function pairsOf(before, after) {
  const words = wordsOf(before);
  if (words.length === 0) return before === after ? [] : null;
  const gaps = gapsOf(before, words);
  let outputs = wordsOf(after);
  const gapsAfter = gapsOf(after, outputs);
  if (gaps.length !== gapsAfter.length || !gaps.every((gap, i) => sameGap(gap, gapsAfter[i]))) {
    outputs = outputsByGaps(gaps, after);
  }
  return outputs && words.map((word, i) => ({before: word, after: outputs[i]}));
}

// As the engine looks words up: normal form C, without case, straight apostrophes.
export function folded(word) {
  const plain = word.normalize("NFC").toUpperCase().toLowerCase().normalize("NFC");
  return plain.replaceAll("\u03c2", "\u03c3").replace(/[\u2018\u2019\u02bc]/g, "'");
}

// Whether `output`, a word of the model, is the word as the model has it: don't may be there as dont.
export function isSame(word, output) {
  const own = folded(word);
  return own === output || own.replaceAll("'", "") === output;
}

// Whether a guess names the word. Models without one-letter words have a as an, and i as me: in doubt the guess
// counts as right.
export function isGuessed(word, guess) {
  const short = {a: "an", i: "me"}[folded(word)];
  return isSame(word, guess) || short === guess;
}
