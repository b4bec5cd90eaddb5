// Counts with their names, side by side; numbers only, and shown as text.

function figure({ name, value, note, key }) {
  const box = document.createElement("div");
  box.className = `svc-figure${key ? ` svc-figure-${key}` : ""}`;
  box.setAttribute("role", "listitem");
  for (const [kind, text] of [["name", name], ["value", value], ["note", note]]) {
    if (!text) continue;
    const node = document.createElement("div");
    node.className = `svc-figure-${kind}`;
    node.textContent = text;
    box.append(node);
  }
  return box;
}

function render({ model, el }) {
  const list = document.createElement("div");
  list.setAttribute("role", "list");
  el.append(list);
  function show() {
    const figures = model.get("figures");
    list.className = `svc-figures tex2jax_ignore mathjax_ignore${model.get("busy") ? " svc-busy" : ""}`;
    list.setAttribute("aria-label", model.get("name"));
    list.setAttribute("aria-busy", String(model.get("busy")));
    list.hidden = !figures.length;
    list.replaceChildren(...figures.map(figure));
  }
  const names = "change:figures change:busy change:name";
  model.on(names, show);
  show();
  return () => model.off(names, show);
}

export default { render };
