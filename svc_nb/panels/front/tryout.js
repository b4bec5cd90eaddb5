// A sentence to try and what becomes of it: all of it text, none of it kept in the notebook.

function make(kind, name, text) {
  const node = document.createElement(kind);
  if (name) node.className = name;
  if (text !== undefined) node.textContent = text;
  return node;
}

function result([title, text]) {
  const part = make("div", "svc-result");
  const said = make("div", "svc-result-text", text);
  said.dir = "auto";
  part.append(make("div", "svc-field-name", title), said);
  return part;
}

function render({ model, el }) {
  const box = make("div", "svc-trial tex2jax_ignore mathjax_ignore");
  const label = make("label", "svc-trial-field");
  const name = make("span", "svc-field-name", model.get("label"));
  const field = make("textarea");
  const button = make("button", "svc-trial-button", model.get("action"));
  const results = make("div", "svc-results");
  // Enter and letters are not the notebook's here.
  for (const node of [field, button]) node.dataset.lmSuppressShortcuts = "true";
  field.rows = 3;
  field.dir = "auto";
  button.type = "button";
  button.title = "Enter in the field does it, too";
  results.setAttribute("role", "status");
  label.append(name, field);
  box.append(label, button, results);
  el.append(box);

  const begin = () => !model.get("busy") && field.value.trim() && model.send({ kind: "try", text: field.value });
  const wait = () => {
    button.disabled = model.get("busy");
    box.setAttribute("aria-busy", String(model.get("busy")));
  };
  const heard = (message) => {
    if (message.kind !== "shown") return;
    if (document.activeElement !== field) field.value = message.text;
    results.replaceChildren(...message.results.map(result));
  };
  button.addEventListener("click", begin);
  box.addEventListener("keydown", (event) => {
    event.stopPropagation(); // a letter typed here is no shortcut of the notebook
    if (event.target !== field || event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    begin();
  });
  model.on("msg:custom", heard);
  model.on("change:busy", wait);
  wait();
  model.send({ kind: "ready" });
  return () => {
    model.off("msg:custom", heard);
    model.off("change:busy", wait);
  };
}

export default { render };
