// Some of many: a box to search in, and a tick for each; with none ticked all of them count.

const MOST = 500;

function make(kind, name, text) {
  const node = document.createElement(kind);
  if (name) node.className = name;
  if (text !== undefined) node.textContent = text;
  return node;
}

function render({ model, el }) {
  const field = make("div", "svc-checklist");
  const title = make("span", "svc-field-name");
  const opener = make("button", "svc-opener");
  const popup = make("div", "svc-popup");
  const search = make("input", "svc-search");
  const tools = make("div", "svc-tools");
  const tickShown = make("button", "", "Tick these");
  const clear = make("button", "", "Clear");
  const list = make("div", "svc-options tex2jax_ignore mathjax_ignore");
  const rest = make("div", "svc-rest");
  search.type = "search";
  opener.type = tickShown.type = clear.type = "button";
  opener.setAttribute("aria-expanded", "false");
  popup.hidden = true;
  list.setAttribute("role", "group");
  tools.append(tickShown, clear);
  popup.append(search, tools, list, rest);
  field.append(title, opener, popup);
  el.append(field);

  const plain = (text) => text.toLocaleLowerCase();
  const matches = () => model.get("options").filter((name) => plain(name).includes(plain(search.value.trim())));

  function choose(names) {
    const wanted = new Set(names);
    model.set("value", model.get("options").filter((name) => wanted.has(name)));
    model.save_changes();
  }
  function row(name, ticked) {
    const label = make("label");
    const box = make("input");
    box.type = "checkbox";
    box.checked = ticked;
    box.addEventListener("change", () => {
      const value = new Set(model.get("value"));
      if (box.checked) value.add(name);
      else value.delete(name);
      choose(value);
    });
    label.append(box, make("span", "", name));
    label.title = name;
    return label;
  }
  function fill() {
    const found = matches();
    const value = new Set(model.get("value"));
    const place = list.scrollTop;
    list.replaceChildren(...found.slice(0, MOST).map((name) => row(name, value.has(name))));
    list.scrollTop = place;
    rest.textContent = !found.length ? "Nothing matches." : found.length > MOST ? `${found.length - MOST} more: search for them.` : "";
  }
  function tell() {
    const [one, many] = [model.get("noun"), model.get("nouns")];
    const [count, all] = [model.get("value").length, model.get("options").length];
    title.textContent = many.charAt(0).toUpperCase() + many.slice(1);
    opener.textContent = count ? `${count.toLocaleString("en")} of ${all.toLocaleString("en")}` : all ? `All ${all.toLocaleString("en")}` : "None";
    opener.setAttribute("aria-label", `${title.textContent}: ${opener.textContent}`);
    opener.disabled = model.get("disabled") || !all;
    search.placeholder = `Search ${many}`;
    search.setAttribute("aria-label", `Search ${many}`);
    list.setAttribute("aria-label", many);
    clear.disabled = !count;
    if (opener.disabled) open(false);
  }
  function refresh() {
    tell();
    if (popup.hidden) return;
    const value = new Set(model.get("value"));
    const shown = [...list.children].map((label) => label.title);
    const found = matches().slice(0, MOST);
    // Ticks change in place, so that the box that was clicked keeps the focus.
    if (shown.length === found.length && shown.every((name, place) => name === found[place]))
      for (const label of list.children) label.firstChild.checked = value.has(label.title);
    else fill();
  }
  // Where there is no room to the right, it moves to the left.
  function place() {
    popup.style.left = "0";
    const room = (field.closest(".svc-panel") || document.body).getBoundingClientRect().right - 20;
    const beyond = popup.getBoundingClientRect().right - room;
    if (beyond > 0) popup.style.left = `${-Math.ceil(beyond)}px`;
  }
  function open(wanted) {
    if (popup.hidden !== wanted) return;
    popup.hidden = !wanted;
    opener.setAttribute("aria-expanded", String(wanted));
    if (!wanted) return;
    fill();
    place();
    search.focus({ preventScroll: true });
  }
  const outside = (event) => !field.contains(event.target) && open(false);
  opener.addEventListener("click", () => open(popup.hidden));
  search.addEventListener("input", fill);
  tickShown.addEventListener("click", () => choose([...model.get("value"), ...matches()]));
  clear.addEventListener("click", () => choose([]));
  field.addEventListener("keydown", (event) => {
    event.stopPropagation(); // a letter typed here is no shortcut of the notebook
    if (event.key === "Escape" && !popup.hidden) {
      open(false);
      opener.focus();
    }
  });
  document.addEventListener("pointerdown", outside);
  const names = "change:options change:value change:noun change:nouns change:disabled";
  model.on(names, refresh);
  tell();
  return () => {
    document.removeEventListener("pointerdown", outside);
    model.off(names, refresh);
  };
}

export default { render };
