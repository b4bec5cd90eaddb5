// One row of the result with its full texts, as plain text: never markup or mathematics. They arrive as messages.
// The translation can be edited: a draft belongs to its row, and is sent when saved or when another row is shown.

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

function finding(d, { severity, message, replacement, advice }) {
  const item = make("li", `svc-finding svc-finding-${severity}`);
  item.append(make("strong", "", severity === "info" ? "note" : severity), make("span", "", ` ${message}`));
  const hint = replacement || advice;
  if (hint) item.append(make("span", "svc-finding-hint", ` → ${hint}`));
  if (replacement) item.append(button("Use this", () => d.model.send({ kind: "edit", place: d.shown.place, text: replacement })));
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
  const { text, languages, locked } = d.shown;
  if (!d.draft) {
    const box = side("Translation", text, languages[1]);
    if (!locked) box.append(button("Edit", () => open(d), "Use your own wording"));
    return box;
  }
  d.draft.side ??= editor(d);
  const why = d.draft.side.querySelector(".svc-detail-why");
  if (why.textContent !== d.draft.why) why.textContent = d.draft.why;
  why.hidden = !d.draft.why;
  return d.draft.side;
}

function editor(d) {
  const { languages } = d.shown;
  const box = make("div", "svc-detail-side");
  const pen = make("textarea", "svc-detail-pen");
  pen.value = d.draft.text;
  pen.dir = "auto";
  pen.lang = languages[1];
  pen.rows = Math.max(3, Math.min(12, Math.ceil(pen.value.length / 60)));
  pen.setAttribute("aria-label", "Your translation");
  pen.addEventListener("input", () => Object.assign(d.draft, { text: pen.value, saved: false }));
  pen.addEventListener("keydown", (event) => pressInPen(d, event));
  const tools = make("div", "svc-detail-tools");
  tools.append(button("Save", () => save(d), "Enter"), button("Cancel", () => close(d), "Escape"));
  tools.append(make("span", "svc-detail-hint", "Enter saves, Shift-Enter adds a line break, Escape cancels."));
  const why = make("div", "svc-detail-why");
  why.setAttribute("role", "alert");
  box.append(make("div", "svc-field-name", "Translation"), pen, why, tools);
  return box;
}

function pressInPen(d, event) {
  if (event.isComposing || event.keyCode === 229) return;
  if (event.key === "Escape") close(d);
  else if (event.key === "Enter" && !event.shiftKey && !event.altKey) save(d);
  else return;
  event.preventDefault();
}

function open(d) {
  d.draft = { place: d.shown.place, text: d.shown.text ?? "", before: d.shown.text ?? "", why: "" };
  paint(d);
  d.box.querySelector("textarea").focus();
}

function close(d) {
  if (d.draft.why) d.model.send({ kind: "dismiss", place: d.draft.place });
  d.draft = null;
  paint(d);
  d.box.querySelector("button").focus();
}

// It stays open until the kernel has answered, so that a rejected text can be corrected.
function save(d) {
  if (d.draft.text === d.draft.before) return close(d);
  send(d);
  d.draft.saved = true;
}

function refuse(d, place, why) {
  if (d.draft?.place !== place) return;
  Object.assign(d.draft, { why, saved: false });
  const held = d.box.contains(focused());
  paint(d);
  if (held) d.box.querySelector("textarea").focus();
}

function accept(d, place) {
  if (d.draft?.place !== place || !d.draft.saved) return;
  d.draft = null;
  repaint(d);
}

function send({ model, draft: { place, text } }) {
  const whole = text.toWellFormed ? text.toWellFormed() : text;
  model.send({ kind: "edit", place, text: whole });
}

// An unsaved text is saved when another row is shown or the panel is closed.
function leave(d) {
  if (d.draft && !d.draft.saved && d.draft.text !== d.draft.before) send(d);
}

function paint(d) {
  d.box.hidden = !d.shown;
  if (!d.shown) return d.box.replaceChildren();
  const { head, source, languages, facts, findings } = d.shown;
  const own = translation(d);
  const sides = own.parentNode ?? make("div", "svc-detail-sides");
  surround(sides, [side("Source", source, languages[0])], own, []);
  const below = [];
  if (facts) below.push(make("div", "svc-detail-facts", facts));
  if (findings.length) {
    const list = make("ul", "svc-findings");
    list.append(...findings.map((each) => finding(d, each)));
    below.push(list);
  }
  surround(d.box, [make("div", "svc-detail-head", head)], sides, below);
}

// An open editor never leaves the page, because it would lose the focus, its undo, and a word being composed.
function surround(box, above, kept, below) {
  for (const node of [...box.childNodes]) if (node !== kept) node.remove();
  if (kept.parentNode !== box) box.append(kept);
  kept.before(...above);
  kept.after(...below);
}

// The focus stays where it is; if that element is gone, it goes to the editor, or to the button that opens it.
function repaint(d) {
  const held = d.box.contains(focused());
  paint(d);
  if (held && d.shown && !d.box.contains(focused())) d.box.querySelector(d.draft ? "textarea" : "button")?.focus();
}

function show(d, shown) {
  if (!d.draft || shown?.place !== d.draft.place) {
    leave(d);
    d.draft = null;
  }
  d.shown = shown;
  repaint(d);
}

function render({ model, el }) {
  const box = make("section", "svc-detail");
  const d = { model, box, shown: null, draft: null };
  box.setAttribute("aria-label", "Chosen row");
  box.hidden = true;
  el.append(box);

  function hear({ kind, shown, place, why }) {
    if (kind === "shown") show(d, shown);
    if (kind === "refused") refuse(d, place, why);
    if (kind === "saved") accept(d, place);
  }
  model.unsent = () => (d.draft && d.draft.text !== d.draft.before ? d.draft.text : "");
  model.on("msg:custom", hear);
  model.send({ kind: "ready" });
  return () => {
    leave(d);
    model.off("msg:custom", hear);
  };
}

export default { render };
