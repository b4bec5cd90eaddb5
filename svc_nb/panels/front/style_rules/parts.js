// Shared by the parts of the style rule panel: buttons, and messages instead of state.

function button(text, pressed, name = "svc-small-button") {
  const node = make("button", name, text);
  node.type = "button";
  node.addEventListener("click", pressed);
  return node;
}

const count = (number) => number.toLocaleString("en");
const plural = (number, one, many) => `${count(number)} ${number === 1 ? one : many || `${one}s`}`;

// As the kernel normalizes search text.
function plain(text) {
  const parts = text.toLowerCase().replaceAll("ß", "ss").replaceAll("_", " ").normalize("NFKD");
  return parts.replace(/\p{M}/gu, "").normalize("NFC").trim();
}

// The words of a search text, as in the kernel: without small words and plural endings.
const SMALL = new Set(["a", "an", "and", "for", "in", "of", "or", "the", "to", "with"]);
function stems(text) {
  const all = plain(text).split(/\s+/).filter(Boolean);
  const words = all.filter((word) => !SMALL.has(word));
  return (words.length ? words : all).map((word) => (word.length > 3 ? word.replace(/(?<!s)s$/, "") : word));
}

// Whether a word in *text* begins with *word*, as in the kernel's search.
function begins(text, word) {
  for (let place = text.indexOf(word); place >= 0; place = text.indexOf(word, place + 1))
    if (!/[a-z0-9]/.test(text.charAt(place - 1))) return true;
  return false;
}

// Scroll *frame* to *node*, in the middle if it was out of view; the notebook does not move.
function scrollTo(frame, node) {
  const [inner, outer] = [node.getBoundingClientRect(), frame.getBoundingClientRect()];
  if (inner.top >= outer.top && inner.bottom <= outer.bottom) return;
  frame.scrollTop += inner.top - outer.top - Math.max(0, outer.height - inner.height) / 2;
}

// A view asks for all content, and receives every change after that.
function listen({ model, el }, root, shown) {
  const heard = (message) => message.kind === "shown" && shown(message);
  el.append(root);
  model.on("msg:custom", heard);
  model.send({ kind: "ready" });
  return () => model.off("msg:custom", heard);
}
