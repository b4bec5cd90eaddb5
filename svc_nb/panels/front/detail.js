// One row of the result with its whole texts, as they are: never markup, never mathematics. They come as messages.

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

function filled({ head, source, text, languages, facts, findings }) {
  const sides = make("div", "svc-detail-sides");
  sides.append(side("Source", source, languages[0]), side("Translation", text, languages[1]));
  const parts = [make("div", "svc-detail-head", head), sides];
  if (facts) parts.push(make("div", "svc-detail-facts", facts));
  if (findings.length) {
    const list = make("ul", "svc-findings");
    list.append(...findings.map(finding));
    parts.push(list);
  }
  return parts;
}

function render({ model, el }) {
  const detail = make("section", "svc-detail tex2jax_ignore mathjax_ignore");
  detail.setAttribute("aria-label", "Chosen row");
  detail.setAttribute("aria-live", "polite");
  detail.dataset.lmSuppressShortcuts = "true"; // a key pressed here is no shortcut of the notebook
  detail.hidden = true;
  detail.addEventListener("keydown", (event) => event.stopPropagation());
  el.append(detail);

  function hear({ kind, shown }) {
    if (kind !== "shown") return;
    detail.hidden = !shown;
    detail.replaceChildren(...(shown ? filled(shown) : []));
  }
  model.on("msg:custom", hear);
  model.send({ kind: "ready" });
  return () => model.off("msg:custom", hear);
}

export default { render };
