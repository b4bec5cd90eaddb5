// One row of the result with its whole texts, as they are: never markup, never mathematics. They come as messages.
// The translation can be edited: a draft belongs to its row, and is sent when it is saved or another row is shown.

function make(kind, name, text) {
  const node = document.createElement(kind);
  if (name) node.className = name;
  if (text !== undefined) node.textContent = text;
  return node;
}

function side(title, text, language) {
  const box = make("div", "svc-detail-side");
  const body = make("div", "svc-detail-text", text ?? "–");
  body.dir = "auto";
  body.tabIndex = 0;
  body.setAttribute("role", "group");
  body.setAttribute("aria-label", title);
  if (language) body.lang = language;
  if (text === null) body.classList.add("svc-detail-none");
  box.append(make("div", "svc-field-name", title), body);
  return box;
}

function finding({ severity, message, replacement, advice }) {
  const item = make("li", `svc-finding svc-finding-${severity}`);
  item.append(make("strong", "", severity === "info" ? "note" : severity), make("span", "", ` ${message}`));
  const hint = replacement || advice;
  if (hint) item.append(make("span", "svc-finding-hint", ` → ${hint}`));
  return item;
}

function button(text, pressed, title) {
  const node = make("button", "svc-detail-tool", text);
  node.type = "button";
  if (title) node.title = title;
  node.addEventListener("click", pressed);
  return node;
}

function translation(d) {
  const { text, languages } = d.shown;
  if (!d.draft) {
    const box = side("Translation", text, languages[1]);
    box.append(button("Edit", () => open(d), "Use your own wording"));
    return box;
  }
  const box = make("div", "svc-detail-side");
  const pen = make("textarea", "svc-detail-pen");
  pen.value = d.draft.text;
  pen.dir = "auto";
  pen.lang = languages[1];
  pen.rows = Math.max(3, Math.min(12, Math.ceil(pen.value.length / 60)));
  pen.setAttribute("aria-label", "Your translation");
  pen.addEventListener("input", () => (d.draft.text = pen.value));
  pen.addEventListener("keydown", (event) => pressInPen(d, event));
  const tools = make("div", "svc-detail-tools");
  tools.append(button("Save", () => save(d), "Ctrl-Enter"), button("Cancel", () => close(d), "Escape"));
  box.append(make("div", "svc-field-name", "Translation"), pen, tools);
  return box;
}

function pressInPen(d, event) {
  if (event.isComposing || event.keyCode === 229) return;
  if (event.key === "Escape") close(d);
  else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) save(d);
  else return;
  event.preventDefault();
}

function open(d) {
  d.draft = { place: d.shown.place, text: d.shown.text ?? "", before: d.shown.text ?? "" };
  paint(d);
  d.box.querySelector("textarea").focus();
}

function close(d) {
  d.draft = null;
  paint(d);
  d.box.querySelector("button").focus();
}

// It stays open until the kernel shows it: what is refused can be put right.
function save(d) {
  if (d.draft.text === d.draft.before) return close(d);
  send(d);
  d.draft.saved = true;
}

function send({ model, draft: { place, text } }) {
  const whole = text.toWellFormed ? text.toWellFormed() : text;
  model.send({ kind: "edit", place, text: whole });
}

function paint(d) {
  d.box.hidden = !d.shown;
  d.box.replaceChildren(...(d.shown ? filled(d) : []));
}

function filled(d) {
  const { head, source, languages, facts, findings } = d.shown;
  const sides = make("div", "svc-detail-sides");
  sides.append(side("Source", source, languages[0]), translation(d));
  const parts = [make("div", "svc-detail-head", head), sides];
  if (facts) parts.push(make("div", "svc-detail-facts", facts));
  if (findings.length) {
    const list = make("ul", "svc-findings");
    list.append(...findings.map(finding));
    parts.push(list);
  }
  return parts;
}

function show(d, shown) {
  const held = d.box.contains(document.activeElement);
  const before = d.draft;
  const same = before && shown && shown.place === before.place;
  if (before && !same && !before.saved && before.text !== before.before) send(d);
  if (!same || before.saved) d.draft = null;
  d.shown = shown;
  paint(d);
  if (held && shown) d.box.querySelector(d.draft ? "textarea" : "button").focus();
}

function render({ model, el }) {
  const box = make("section", "svc-detail tex2jax_ignore mathjax_ignore");
  const d = { model, box, shown: null, draft: null };
  box.setAttribute("aria-label", "Chosen row");
  box.setAttribute("aria-live", "polite");
  box.dataset.lmSuppressShortcuts = "true"; // a key pressed here is no shortcut of the notebook
  box.hidden = true;
  for (const name of ["keydown", "copy", "cut", "paste"]) box.addEventListener(name, (event) => event.stopPropagation());
  el.append(box);

  function hear({ kind, shown }) {
    if (kind === "shown") show(d, shown);
  }
  model.on("msg:custom", hear);
  model.send({ kind: "ready" });
  return () => model.off("msg:custom", hear);
}

export default { render };
