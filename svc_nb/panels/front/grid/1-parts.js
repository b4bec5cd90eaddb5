// Shared by all parts of the grid: buttons, and texts as they can be shown and sent.

const ROW = 26;
const TALL = 44; // two lines
const LETTER = 7.2;
const SPARE = 60;
const NUMBERS = 64;
const GUTTER = 28;
const NARROWEST = 40;
const WRAPPED = 5000; // a browser takes too long to break longer texts into lines
const MOST_PASTED = 5_000_000;
const SIGNS = { error: "✕", warning: "!", new: "+", changed: "~" };
const WORDS = { error: "error", warning: "warning", new: "added", changed: "changed" };
let views = 0;

function makeButton(text, pressed, title) {
  const node = make("button", "svc-tool", text);
  node.type = "button";
  if (title) node.title = title;
  node.addEventListener("click", pressed);
  return node;
}

// Half a surrogate pair cannot be sent.
function wellFormed(text) {
  if (text.toWellFormed) return text.toWellFormed();
  return text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");
}

function oneLine(text) {
  return text.replace(/\r\n|[\n\r\u2028\u2029]/g, "↵");
}

function setAttribute(node, name, value) {
  if (value === null || value === undefined || value === "") node.removeAttribute(name);
  else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
}

function rowHeight(g) {
  return g.page.tall ? TALL : ROW;
}

function between(low, value, high) {
  return Math.max(low, Math.min(high, value));
}
