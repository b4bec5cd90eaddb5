// Counts with their names, side by side, shown as text. One with a kind is a button that shows its rows.

function figure({ name, value, note, key, kind, does, help }, press, ask) {
  const box = document.createElement(kind ? "button" : "div");
  box.className = `svc-figure${key ? ` svc-figure-${key}` : ""}`;
  for (const [part, text] of [["name", name], ["value", value], ["note", note]]) {
    if (!text) continue;
    const node = document.createElement(part === "note" && does ? "button" : "span");
    node.className = `svc-figure-${part}`;
    if (part === "note" && does) {
      node.type = "button";
      node.className = "svc-button svc-figure-does";
      node.addEventListener("click", () => ask(does));
    }
    node.textContent = text;
    box.append(node);
  }
  if (help) box.title = help;
  if (kind) {
    box.type = "button";
    box.dataset.kind = kind;
    box.ariaLabel = [`${name} ${value}`, note].filter(Boolean).join(", ");
    box.addEventListener("click", () => press(kind));
  }
  const item = document.createElement("div");
  item.setAttribute("role", "listitem");
  item.append(box);
  return item;
}

function render({ model, el }) {
  const list = document.createElement("div");
  list.setAttribute("role", "list");
  el.append(list);
  let shown = "";

  function press(kind) {
    const [first] = model.get("figures").filter((each) => each.kind);
    model.set("pressed", kind === model.get("pressed") ? first.kind : kind); // pressing it again shows all rows
    model.save_changes();
  }
  function show() {
    const figures = model.get("figures");
    const held = list.contains(focused()) && focused().dataset.kind;
    list.className = `svc-figures${model.get("busy") ? " svc-busy" : ""}`;
    list.setAttribute("aria-label", model.get("name"));
    list.setAttribute("aria-busy", String(model.get("busy")));
    list.hidden = !figures.length;
    const wanted = JSON.stringify(figures);
    if (wanted !== shown) list.replaceChildren(...figures.map((each) => figure(each, press, (does) => model.send({ does }))));
    shown = wanted;
    for (const node of list.querySelectorAll("[data-kind]")) {
      node.setAttribute("aria-pressed", String(node.dataset.kind === model.get("pressed")));
      if (held === node.dataset.kind && focused() !== node) node.focus({ preventScroll: true });
    }
  }
  const names = "change:figures change:busy change:name change:pressed";
  model.on(names, show);
  show();
  return () => model.off(names, show);
}

export default { render };
