// What the parts of the style rule panel share: nodes of plain text, and messages in place of state.

const FOCUSABLE = new Set(["button", "input", "select", "summary", "textarea"]);
let made = 0;

// A key is for what has the focus: the shortcuts of the notebook pass over a node that says so itself.
function keepKeys(node) {
  node.dataset.lmSuppressShortcuts = "true";
}

function make(kind, name, text) {
  const node = document.createElement(kind);
  if (FOCUSABLE.has(kind)) keepKeys(node);
  if (name) node.className = name;
  if (text !== undefined) node.textContent = text;
  return node;
}

function button(text, pressed, name = "svc-small-button") {
  const node = make("button", name, text);
  node.type = "button";
  node.addEventListener("click", pressed);
  return node;
}

function unique(name) {
  made += 1;
  return `svc-${name}-${made}-${Math.random().toString(36).slice(2, 8)}`;
}

const count = (number) => number.toLocaleString("en");
const plural = (number, one, many) => `${count(number)} ${number === 1 ? one : many || `${one}s`}`;

// As the kernel folds what is looked for.
function plain(text) {
  const parts = text.toLowerCase().replaceAll("ß", "ss").replaceAll("_", " ").normalize("NFKD");
  return parts.replace(/\p{M}/gu, "").normalize("NFC").trim();
}

// Whether a word in *text* begins with *word*, as the kernel looks for it.
function begins(text, word) {
  for (let place = text.indexOf(word); place >= 0; place = text.indexOf(word, place + 1))
    if (!/[a-z0-9]/.test(text.charAt(place - 1))) return true;
  return false;
}

// A view asks for all there is, and is told of every change after that.
function listen({ model, el }, root, shown) {
  const heard = (message) => message.kind === "shown" && shown(message);
  root.classList.add("tex2jax_ignore", "mathjax_ignore");
  root.addEventListener("keydown", (event) => event.stopPropagation()); // nor the shortcuts of others
  el.append(root);
  model.on("msg:custom", heard);
  model.send({ kind: "ready" });
  return () => model.off("msg:custom", heard);
}
